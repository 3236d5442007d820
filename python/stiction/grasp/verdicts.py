"""What a judge says of grasps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError


class Why(IntFlag):
    """Why a grasp does not hold.

    Attributes:
        MOVED: the object moved farther than allowed.
        TURNED: the object turned farther than allowed.
        CLOSING: it did so while the hand closed, before any load.
        NO_CONTACT: the closed hand does not press on the object.
        START_OVERLAP: hand and object overlap too deep at the start.
        FAILED_STEPS: too many steps failed, or one that left the state as it was; `Verdicts.status` says how.
        SCREENED: a first look with quasidynamic steps discarded it.
    """

    MOVED = 1
    TURNED = 2
    CLOSING = 4
    NO_CONTACT = 8
    START_OVERLAP = 16
    FAILED_STEPS = 32
    SCREENED = 64


_WORDS = {
    Why.MOVED: "moved too far", Why.TURNED: "turned too far", Why.CLOSING: "while closing", Why.NO_CONTACT: "no contact",
    Why.START_OVERLAP: "overlap at the start", Why.FAILED_STEPS: "failed steps", Why.SCREENED: "discarded by the screen",
}  # fmt: skip


def bit(why: Why) -> np.uint32:
    """A bit as NumPy has it in `Verdicts.why`."""
    return np.uint32(int(why))


def why_names(why: int | np.integer) -> str:
    """The bits of `Why` in words, such as "moved too far, while closing"; "held" for none."""
    return ", ".join(words for bit, words in _WORDS.items() if int(why) & bit) or "held"


@dataclass(frozen=True)
class Verdicts:
    """What was found about N grasps; nothing is NaN.

    Attributes:
        held: whether the object stayed in the hand under every load (N).
        why: bits of `Why`, 0 where it was held (N) uint32.
        displacement: farthest way of the object from where the closed hand had it [m] (N); where it was lost while the
            hand closed, from its start.
        rotation: largest turn, as displacement [rad] (N).
        time_of_loss: since the load began [s] (N); 0: never held, infinite: not lost.
        direction: the load under which it was lost, an index of `loads`; -1: none (N).
        deepest_overlap: of hand and object at the start, and of anything after any step [m] (N).
        closure: whether the closed hand's contacts are in force closure; False where that was not asked for (N).
        epsilon: of the closed hand's contacts, 0 where that was not asked for (N).
        residual: the worst of all steps [-] (N); infinite where a step left the state as it was.
        status: bits of `Status` OR-ed over all steps, CONVERGED only if every step was (N) uint32; 0: no step was taken.
        converged: share of steps that converged [-] (N); 1 if there were none.
        steps: that were taken for the grasp (N).
        loads: of the protocol.
    """

    held: NDArray[np.bool_]
    why: NDArray[np.uint32]
    displacement: NDArray[np.float64]
    rotation: NDArray[np.float64]
    time_of_loss: NDArray[np.float64]
    direction: NDArray[np.int32]
    deepest_overlap: NDArray[np.float64]
    closure: NDArray[np.bool_]
    epsilon: NDArray[np.float64]
    residual: NDArray[np.float64]
    status: NDArray[np.uint32]
    converged: NDArray[np.float64]
    steps: NDArray[np.int64]
    loads: Sequence[str]

    def __len__(self) -> int:
        return len(self.held)

    def summary(self) -> str:
        """How many held, and why the others did not, in lines."""
        lines = [f"{int(self.held.sum())} of {len(self)} grasps held"]
        kinds, counts = np.unique(self.why[~self.held], return_counts=True)
        lines += [f"{count:6d} {why_names(kind)}" for kind, count in sorted(zip(kinds, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))]
        steps = int(self.steps.sum())
        share = float(self.converged @ self.steps) / steps if steps else 1.0
        return "\n".join([*lines, f"{steps} steps, {100 * share:.4g} % converged"])

    def at(self, ids: NDArray[np.integer]) -> Verdicts:
        """Of some grasps, a copy."""
        return Verdicts(**{name: getattr(self, name)[ids] for name in _ARRAYS}, loads=self.loads)

    def put(self, ids: NDArray[np.integer], others: Verdicts) -> None:
        """Writes the verdicts of some grasps."""
        for name in _ARRAYS:
            getattr(self, name)[ids] = getattr(others, name)

    @classmethod
    def empty(cls, count: int, loads: Sequence[str]) -> Verdicts:
        """Of grasps that nothing was done to."""
        if count < 0:
            raise InputError(f"count: {count} given, must be at least 0")
        zeros: Any = lambda kind: np.zeros(count, kind)
        return cls(
            held=zeros(bool), why=zeros(np.uint32), displacement=zeros(float), rotation=zeros(float), time_of_loss=np.full(count, np.inf),
            direction=np.full(count, -1, np.int32), deepest_overlap=zeros(float), closure=zeros(bool), epsilon=zeros(float),
            residual=zeros(float), status=zeros(np.uint32), converged=zeros(float), steps=zeros(np.int64), loads=list(loads),
        )  # fmt: skip


_ARRAYS = [field.name for field in fields(Verdicts) if field.name != "loads"]
