"""Steps of a closing hand: one in which the object is knocked is taken again in parts.

The velocity that a step ends with moves bodies for the whole step. What a finger stops or turns in the middle of a step is slow from its
beginning, and so loses the way that it had made before it was hit. That is most of what steps of 20 ms get wrong while a hand closes:
objects are knocked aside too little. Few steps are like this; they alone are taken again with shorter ones. The object is knocked where
anything newly meets, and the object's velocity changes by enough to matter. Under Anitescu's law contacts that slide do not close, so that
hardly any knock is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.simulator import Simulator
from stiction.status import Status

_FAILED, _CONVERGED = np.uint32(int(Status.FAILED)), np.uint32(int(Status.CONVERGED))
_OPEN, _CLOSED = 5e-4, 1e-5  # a contact is new whose gap is above one when the step begins and below the other when it ends [m]
_WAY, _TURN = 2e-3, 0.1  # of the object in a step, which a knock changes by more than one of them [m], [rad]

Ids = NDArray[np.intp]


@dataclass
class Taken:
    """What a step did (batch). Steps that were taken again do not count, their parts do.

    Attributes:
        status: bits of all parts; converged if all are.
        steps: how many parts there were.
        good: how many of them did not fail.
        residual: worst of them.
        overlap: deepest of them [m].
        knocked: whether the step was taken again, as the object was knocked.
    """

    status: NDArray[np.uint32]
    steps: NDArray[np.int64]
    good: NDArray[np.int64]
    residual: NDArray[np.float64]
    overlap: NDArray[np.float64]
    knocked: NDArray[np.bool_]

    @classmethod
    def of(cls, sim: Simulator, status: NDArray[np.uint32]) -> Taken:
        """After one step."""
        good = ((status & _FAILED) == 0).astype(np.int64)
        residual, overlap = (np.array(values, float) for values in (sim.stats.residual, sim.stats.penetration))
        return cls(status, np.ones(len(status), np.int64), good, residual, overlap, np.zeros(len(status), bool))

    def then(self, other: Taken) -> Taken:
        """This and what followed, of the same environments."""
        both = self.status & other.status & _CONVERGED
        return Taken(
            ((self.status | other.status) & ~_CONVERGED) | both,
            self.steps + other.steps,
            self.good + other.good,
            np.maximum(self.residual, other.residual),
            np.maximum(self.overlap, other.overlap),
            self.knocked,
        )

    def put(self, ids: Ids, other: Taken, rows: Ids) -> None:
        """Writes `rows` of another at `ids`."""
        for name in ("status", "steps", "good", "residual", "overlap"):
            getattr(self, name)[ids] = getattr(other, name)[rows]
        self.knocked[ids] = True


class Steps:
    """Steps of a simulator."""

    def __init__(self, sim: Simulator, fine: Simulator | None, aside: NDArray[np.float64], object_dof: int) -> None:
        """`fine` takes the parts: a simulator of the same scene, with a step that is a part of this one's, and any number of
        places. None: nothing is taken again. `aside`: coordinates with the object out of reach (nq). `object_dof`: the first of the
        object's free joint."""
        self.sim, self.fine = sim, fine
        self.control = np.zeros((sim.batch, sim.model.nu))  # of the last step
        self.move, self.turn = slice(object_dof, object_dof + 3), slice(object_dof + 3, object_dof + 6)
        if fine is not None:
            self.parts = round(sim.scene.step_size / fine.scene.step_size)
            fine.params.gravity[:] = 0.0
            fine.reset(qpos=np.tile(aside, (fine.batch, 1)))
            self.aside = fine.state([0])

    def begin(self, ids: Ids, control: NDArray[np.float64]) -> None:
        """The next step of these environments follows on this control (ids, nu)."""
        self.control[ids] = control

    def take(self, control: NDArray[np.float64], watched: NDArray[np.bool_]) -> Taken:
        """Takes a step with a control (batch, nu). Where a watched object (batch) is knocked, the step is taken again, with controls
        that go there from the last ones."""
        before = {name: np.array(getattr(self.sim, name), float) for name in ("qpos", "qvel")}
        taken = Taken.of(self.sim, np.array(self.sim.step(control)))
        if self.fine is not None:
            aside = watched & self._is_knocked_aside(before["qvel"])
            knocked = np.flatnonzero(aside & self._meets_new()) if aside.any() else np.zeros(0, np.intp)
            for first in range(0, len(knocked), self.fine.batch):
                self._take_parts(self.fine, knocked[first : first + self.fine.batch], before, control, taken)
        self.control[:] = control
        return taken

    def _meets_new(self) -> NDArray[np.bool_]:
        """Where a contact is closed that was open when the step began (batch)."""
        contacts: Any = self.sim.contacts
        count = np.asarray(contacts.count)
        most = int(count.max(initial=0))
        gap, gap_next = (np.asarray(values)[:, :most] for values in (contacts.gap, contacts.gap_next))
        new = (gap > _OPEN) & (gap_next < _CLOSED) & (np.arange(most) < count[:, None])
        return np.asarray(new.any(axis=1), bool)

    def _is_knocked_aside(self, before: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Where the object's velocity is another one than before (batch, nv), by what matters in a step (batch)."""
        change = self.sim.scene.step_size * (np.asarray(self.sim.qvel, float) - before)
        way, turn = (np.linalg.norm(change[:, part], axis=1) for part in (self.move, self.turn))
        return np.asarray((way > _WAY) | (turn > _TURN), bool)

    def _take_parts(self, fine: Simulator, ids: Ids, before: dict[str, NDArray[Any]], control: NDArray[np.float64], taken: Taken) -> None:
        """From where the step began, with the forces that it ended with as a first guess."""
        places, state = np.arange(len(ids)), self.sim.state(ids)
        state["qpos"], state["qvel"], state["last_ctrl"] = before["qpos"][ids], before["qvel"][ids], self.control[ids]
        state["time"] = state["time"] - self.sim.scene.step_size
        fine.set_state(state, places)
        given, last = np.zeros((fine.batch, control.shape[1])), self.control[ids]

        def take_part(part: int) -> Taken:
            given[places] = last + part / self.parts * (control[ids] - last)
            return Taken.of(fine, np.array(fine.step(given)))

        parts = take_part(1)
        for part in range(2, self.parts + 1):
            parts = parts.then(take_part(part))
        self.sim.set_state(fine.state(places), ids)
        taken.put(ids, parts, places)
        fine.set_state(self.aside, places)
