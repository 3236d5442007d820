"""Force closure and the largest disturbance that a grasp resists, from its contacts alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction import _core
from stiction._core import InputError
from stiction.problems import doubles, together, with_tail


class Quality(NamedTuple):
    """How well grasps hold; every array has the leading axes of the grasps.

    Attributes:
        closure: whether the contacts resist every wrench (...) bool: the origin is inside the hull, by more than 1e-9 times
            the longest wrench, with torques about the contacts' mean and divided by their distance from it.
        epsilon: ε [-] (...), the smallest wrench that is just resisted; 0 without closure.
        lower: bound of ε from below (...).
        upper: bound of ε from above (...). It is above `lower` by rounding; by up to 5e-7 of the longest wrench where
            contacts almost coincide; by more for hundreds of contacts on a regular ring.
        volume: of the hull of the wrenches (...); None unless asked for, NaN if it has hundreds of thousands of facets.
    """

    closure: NDArray[np.bool_]
    epsilon: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    volume: NDArray[np.float64] | None


def quality(
    position: ArrayLike,
    normal: ArrayLike,
    friction: ArrayLike,
    length: ArrayLike,
    *,
    center: ArrayLike = 0.0,
    facets: int = 8,
    torsion: ArrayLike = 0.0,
    tangent: ArrayLike | None = None,
    count: ArrayLike | None = None,
    volume: bool = False,
    threads: int = 0,
) -> Quality:
    """Judges grasps of hard contacts with friction (Ferrari and Canny, 1992; Miller and Christensen, 2003, [7]).

    Every contact presses with a normal force of at most 1, within a cone of `facets` edges:

        f_k = n + μ (cos(2πk/m) t + sin(2πk/m) o),    w_k = (f_k, (p - c) × f_k / ρ)

    The hull of all these wrenches w_k is what the grasp resists. ε is the distance of its border from the origin: the
    largest ball of wrenches, with torques divided by ρ, that is in it. In a plane a cone has the two edges n ± μ t, and
    the torque is a number. Hulls that are flat, such as that of two contacts without torsion in space, have ε = 0.

    Leading axes are a batch and are broadcast as in NumPy, for every argument.

    Args:
        position: p [m] (..., n, 3), or (..., n, 2) for grasps in a plane.
        normal: into the object, of any length but zero; shaped as `position`.
        friction: μ >= 0 [-] (..., n), or one number.
        length: ρ > 0 [m] (...), often the distance of the object's farthest point from c.
        center: c [m] (..., 3) or (..., 2), often the centre of mass.
        facets: m, edges of a cone in space, at least 3.
        torsion: τ >= 0 [m] (..., n): two more wrenches a contact, n with ± τ about n; MuJoCo's torsional friction.
        tangent: direction of the first edge (..., n, 3), which need not be normal to n; None: t of MuJoCo's contact frame.
        count: contacts of each grasp, the first ones (...); None: all. The others are not looked at.
        volume: True: computes the volume of the hull, too: some ten times the work, and more for many contacts.
        threads: of the host; 0: all cores.

    Returns:
        `Quality`. A grasp depends on its own numbers only; one without contacts has no closure.

    Raises:
        InputError: shapes do not fit; a number is not finite, a normal zero, a friction negative or a length not positive,
            with the grasp and contact where this is; grasps are counted over all leading axes, the last one fastest.
    """
    points = doubles("position", position)
    if points.ndim < 2 or points.shape[-1] not in (2, 3) or points.shape[-2] > 65535:
        raise InputError(f"position: expected shape (..., n, 3) or (..., n, 2), got {points.shape}")
    n, dimension = points.shape[-2:]
    tails: dict[str, tuple[int, ...]] = {"position": (n, dimension), "normal": (n, dimension), "friction": (n,),
                                         "torsion": (n,), "center": (dimension,), "length": ()}  # fmt: skip
    given = {"position": points, "normal": normal, "friction": friction, "torsion": torsion, "center": center, "length": length}
    if tangent is not None:
        if dimension == 2:
            raise InputError("tangent: grasps in a plane have none, their edges are n ± μ t; leave it out")
        given["tangent"], tails["tangent"] = tangent, (n, 3)
    arrays = {name: _fitted(name, doubles(name, value), tails[name]) for name, value in given.items()}
    counts = None if count is None else _whole("count", count)
    leading = {name: array.shape[: array.ndim - len(tails[name])] for name, array in arrays.items()}
    if counts is not None:
        leading["count"] = counts.shape
    batch = together(leading)
    flat = {name: _spread(array, batch + tails[name]) for name, array in arrays.items()}
    numbers = None if counts is None else _spread(counts, batch)
    edges, workers = _number("facets", facets, 3, 65535), _number("threads", threads, 0, 65535)
    if not isinstance(volume, bool | np.bool_):
        raise InputError(f"volume: {volume} given, must be True or False")
    found: dict[str, Any] = _core.grasp_quality(int(np.prod(batch)), n, dimension, edges, flat, numbers, bool(volume), workers)
    shaped = {name: values.reshape(batch)[()] for name, values in found.items()}
    return Quality(volume=shaped.pop("volume", None), closure=shaped.pop("closure").astype(bool), **shaped)


def _fitted(name: str, array: np.ndarray, tail: tuple[int, ...]) -> np.ndarray:
    """An array with the last axes that it must have; a single number stands for all of them, but for no direction."""
    if array.ndim == 0 and name in ("friction", "torsion", "center"):
        return np.broadcast_to(array, tail)
    return with_tail(name, array, tail)


def _whole(name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name}: expected whole numbers, got {array.dtype}")
    return np.clip(array, -1, 2**31 - 1).astype(np.int32)  # what is beyond is refused as any other count


def _number(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name}: {value} given, must be a whole number")
    if not least <= value <= most:
        raise InputError(f"{name}: {value} given, must be in [{least}, {most}]")
    return int(value)


def _spread(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(-1)
