"""Grasps of one object by one hand, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction.errors import InputError

UNIT = 1e-3  # how far the length of a quaternion may be from 1: files round
ROUNDED = 1e-15  # what rounding leaves: such quaternions keep their bits, so that chosen grasps are those they were


@dataclass(frozen=True)
class Grasps:
    """N grasps: where the palm is in the object's frame, and the joints of the hand before, at and behind the contact.

    Arrays are checked and copied as float64; quaternions get unit length.

    Attributes:
        position: of the palm in the object's frame [m] (N, 3).
        quat: its orientation there, w x y z (N, 4).
        joint_names: of the hand (n).
        grasp: joints at the contact [rad, m] (N, n).
        pregrasp: joints before it [rad, m] (N, n); None: not said.
        squeeze: joints behind it, as targets that press [rad, m] (N, n); None: not said.
        confidence: that the grasp holds, 0 to 1 (N); None: not said.
        names: of the grasps (N).
        object: file of the object; empty: not said.
        scale: by which the object's file is scaled, for each grasp (N).

    Raises:
        InputError: an array has another shape, is not finite, or a quaternion is not of unit length.
    """

    position: NDArray[np.float64]
    quat: NDArray[np.float64]
    joint_names: Sequence[str] = ()
    grasp: Any = None
    pregrasp: Any = None
    squeeze: Any = None
    confidence: Any = None
    names: Sequence[str] = ()
    object: str = ""
    scale: Any = 1.0

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        put("position", _checked("position", self.position, (-1, 3)))
        count, joints = len(self.position), len(self.joint_names)
        quat = _checked("quat", self.quat, (count, 4))
        length = np.linalg.norm(quat, axis=1)
        wrong = np.flatnonzero(np.abs(length - 1) > UNIT)
        if len(wrong):
            raise InputError(f"quat: that of grasp {wrong[0]} has the length {length[wrong[0]]:.4g}, must be 1")
        put("quat", quat / np.where(np.abs(length - 1) < ROUNDED, 1.0, length)[:, None])
        put("grasp", _checked("grasp", np.zeros((count, 0)) if self.grasp is None and not joints else self.grasp, (count, joints)))
        for name, shape in (("pregrasp", (count, joints)), ("squeeze", (count, joints)), ("confidence", (count,))):
            value = getattr(self, name)
            put(name, None if value is None else _checked(name, value, shape))
        put("scale", np.array(np.broadcast_to(_checked("scale", self.scale, None), (count,))))
        put("joint_names", list(self.joint_names))
        put("names", list(self.names) or [f"grasp_{i}" for i in range(count)])
        if len(self.names) != count:
            raise InputError(f"names: {len(self.names)} given for {count} grasps")

    def __len__(self) -> int:
        return len(self.position)

    def select(self, which: ArrayLike) -> Grasps:
        """Some of the grasps, by ids or a mask (N)."""
        ids = np.arange(len(self))[np.asarray(which) if np.size(which) else np.zeros(0, int)]
        arrays = ("position", "quat", "grasp", "pregrasp", "squeeze", "confidence", "scale")
        chosen: dict[str, Any] = {name: getattr(self, name) for name in arrays}
        parts = {name: None if value is None else value[ids] for name, value in chosen.items()}
        return replace(self, **parts, names=[self.names[i] for i in ids])


def _checked(name: str, value: Any, shape: tuple[int, ...] | None) -> NDArray[np.float64]:
    try:
        array = np.array(value, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers{'' if shape is None else f' {shape}'}") from error
    fits = shape is None or (array.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, array.shape, strict=True)))
    if not fits:
        expected = ", ".join("N" if n == -1 else str(n) for n in shape or ())
        raise InputError(f"{name}: expected the shape ({expected}), got {array.shape}")
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        raise InputError(f"{name}: not finite at {tuple(int(i) for i in wrong[0])}")
    return array
