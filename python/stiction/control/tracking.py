"""Torques that make joints follow a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction._core import InputError
from stiction.control.kinematics import hinges_and_slides, rows
from stiction.control.trajectory import Motion
from stiction.problems import doubles
from stiction.simulator import Simulator


class Tracker:
    """Proportional and derivative control of joints, with a limit, and what the motion itself takes.

        τ = clip(kp (q_d - q) + kd (q̇_d - q̇) + τ_ff, ±limit),    τ_ff = M q̈_d + c

    M and c are those of the present state (`sim.mass_matrix`, `sim.bias`); all other dofs count as not accelerated. Loads
    such as a body in the hand are not in them.

        tracker = Tracker(sim, ["shoulder", "elbow"], kp=400, kd=40, limit=87)
        for _ in range(100):
            sim.ctrl[:] = tracker.torque(reach(t))
            sim.step()

    The torque acts during the whole of the next step. Position actuators do the same implicitly, and stay stable with
    long steps where kd h is larger than an inertia.

    Args:
        sim: the simulator whose joints are read.
        joints: names of hinges and slides (n).
        kp: [N/m], [N m/rad], one number or (n,), at least 0.
        kd: [N s/m], [N m s/rad], likewise.
        limit: largest force or torque [N], [N m], likewise; None: there is none.
        feed_forward: False leaves τ_ff out.

    Raises:
        InputError: there is no such joint, it is neither a hinge nor a slide, or numbers are wrong.
    """

    def __init__(
        self,
        sim: Simulator,
        joints: Sequence[str],
        kp: ArrayLike,
        kd: ArrayLike,
        limit: ArrayLike | None = None,
        *,
        feed_forward: bool = True,
    ) -> None:
        numbers = hinges_and_slides(sim, joints)
        self._sim = sim
        self._qpos, self._dof = sim.model.joint_qpos_adr[numbers], sim.model.joint_dof_adr[numbers]
        self._kp, self._kd = (_gain(name, value, len(numbers)) for name, value in (("kp", kp), ("kd", kd)))
        self._limit = np.full(len(numbers), np.inf) if limit is None else _gain("limit", limit, len(numbers))
        self._feed_forward = feed_forward

    def torque(self, wanted: Motion) -> NDArray[np.float64]:
        """τ (batch, n) for a motion of shape (n,) or (batch, n) now.

        Raises:
            InputError: the motion has another shape.
            ClosedError: the simulator is closed, or another thread uses it.
        """
        if not isinstance(wanted, tuple) or len(wanted) != 3:
            raise InputError(f"wanted: expected a Motion, or position, velocity and acceleration, got {type(wanted).__name__}")
        n, batch = len(self._dof), self._sim.batch
        q, v, a = (rows(name, part, batch, n) for name, part in zip(Motion._fields, wanted, strict=True))
        torque = self._kp * (q - np.asarray(self._sim.qpos)[:, self._qpos])
        torque += self._kd * (v - np.asarray(self._sim.qvel)[:, self._dof])
        if self._feed_forward:
            torque += inverse_dynamics(self._sim, a, self._dof)
        return np.clip(torque, -self._limit, self._limit)


def inverse_dynamics(sim: Simulator, acceleration: NDArray[np.float64], dofs: NDArray[np.int32]) -> NDArray[np.float64]:
    """M q̈ + c (batch, n) of some dofs at the present state, while the others are not accelerated."""
    M = sim.mass_matrix()[:, dofs][:, :, dofs]
    return np.einsum("bij,bj->bi", M, acceleration) + sim.bias()[:, dofs]


def _gain(name: str, given: ArrayLike, n: int) -> NDArray[np.float64]:
    values = doubles(name, given)
    if values.shape not in ((), (n,)):
        raise InputError(f"{name}: expected one number, or ({n},), got shape {values.shape}")
    if not (values >= 0).all() or (name != "limit" and not np.isfinite(values).all()):
        raise InputError(f"{name}: {values.tolist()} given, must be finite and at least 0")
    return np.array(np.broadcast_to(values, (n,)))
