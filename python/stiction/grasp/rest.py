"""When hand and object are at rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stiction._core import Model
from stiction.grasp.protocols import Protocol

_WINDOW = 0.2  # [s] over which motion is averaged
_SLOWING, _SLOWING_TIME = 0.75, 0.02  # what slows down has at most this share of its speed left after this time [s]


def rest_limits(model: Model, protocol: Protocol) -> NDArray[np.float64]:
    """Speeds below which the dofs of a model are at rest [m/s], [rad/s] (nv)."""
    kind, first = model.joint_type[model.dof_joint], model.joint_dof_adr[model.dof_joint]
    turns = np.isin(kind, (1, 3)) | ((kind == 0) & (np.arange(model.nv) - first >= 3))
    return np.where(turns, protocol.rest_rate, protocol.rest_speed)


class Rest:
    """Counts the steps for which each environment has been at rest. Every dof has a limit r of its speed |v|, and is at rest if

        |v| <= r,                                                  it hardly moves,
        q/(1 - q) |v| h <= r T,  q = |v/v'| <= (3/4)^(h/20 ms),    or it slows down, v' being its velocity a step before: it comes no
                                                                   farther than something as slow as r in the time T.

    What trembles in one place is at rest, too: an environment whose dofs end a window of 0.2 s within 0.2 s r of where they began it
    has been at rest for the whole window.

    Attributes:
        steps: at rest, up to now (batch).
    """

    def __init__(self, limits: NDArray[np.float64], protocol: Protocol, batch: int) -> None:
        """`limits`: r of the dofs that count (dofs)."""
        self.r, self.h, self.window = limits, protocol.step_size, protocol.steps(_WINDOW)
        self.steps = np.zeros(batch, np.int64)
        self.before = np.zeros((batch, len(limits)))  # |v'|
        self.way = np.zeros_like(self.before)  # since the window began
        self.k = np.zeros(batch, np.int64)  # steps of the window
        self.slowing = _SLOWING ** (protocol.step_size / _SLOWING_TIME)

    def begin(self, ids: NDArray[np.intp]) -> None:
        """Something new begins."""
        self.steps[ids] = self.k[ids] = 0
        self.before[ids] = self.way[ids] = 0.0

    def add(self, v: NDArray[np.float64], time: NDArray[np.float64] | float) -> None:
        """Counts a step that ended with these velocities (batch, dofs); `time` is T (batch)."""
        speed = np.abs(v)
        slows = speed <= self.slowing * self.before
        q = np.divide(speed, self.before, out=np.zeros_like(speed), where=slows & (self.before > 0))
        near = slows & (q / (1 - q) * speed * self.h <= self.r * np.reshape(time, (-1, 1)))
        self.steps = np.where(((speed <= self.r) | near).all(axis=1), self.steps + 1, 0)
        self.before = speed
        self._watch(v)

    def _watch(self, v: NDArray[np.float64]) -> None:
        self.way += self.h * v
        self.k += 1
        over = self.k >= self.window
        stays = (np.abs(self.way) <= self.r * (self.window * self.h)).all(axis=1)
        self.steps = np.where(over & stays, np.maximum(self.steps, self.window), self.steps)
        self.way[over], self.k[over] = 0.0, 0
