"""Straight lines of a frame of the model, as motions of its joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction._core import InputError
from stiction.control.kinematics import Arm, Target, check_search, search
from stiction.control.trajectory import JointTrajectory, Motion
from stiction.named import Body
from stiction.quaternions import conjugate, multiply, rotation_vector, turn
from stiction.sensing import Site
from stiction.simulator import Simulator

_KNOTS = 129  # poses on the line for which joints are sought


class CartesianLine:
    """A frame moves along a straight line and turns about one axis, from rest to rest, in every environment.

        p(s) = p_0 + s (p_1 - p_0),  R(s) = exp(s θ) R_0,    s(t) of fifth degree (`JointTrajectory`)

    Inverse kinematics finds the joints in 129 poses on the line; between these they follow splines of third degree with
    continuous acceleration, away from singular poses within a micrometre of the line.

        lift = CartesianLine(sim, "wrist", position, duration=2.0)
        sim.ctrl[:] = lift(t).position

    Attributes:
        joints: names of the joints that move, as `Motion` lists them.
        reached: share of the line that the joints can follow (batch,): 1 for all of it. An environment with less stays
            where its line begins.

    Args:
        sim: its present state says where lines begin, and where all other joints are.
        frame: a body, by name or from `sim.body`, or a site from `sim.site`.
        position: where the line ends, world axes [m] (3,) or (batch, 3); with `relative`, less where it begins.
        quat: how the frame is turned at the end, w x y z (4,) or (batch, 4); None: as at the start.
        duration: [s], positive.
        start_time: when it sets out [s].
        relative: whether `position` is a way.
        free_rotation: True: the frame may turn as the joints like, and `quat` must be None. Arms with fewer than six joints
            need it.
        joints: names of the hinges and slides that may move; None: all that move the frame.
        tolerance: on the error of the position [m], and on a tenth of that of the rotation [rad].
        unreachable: "raise", or "hold": see `reached`.

    Raises:
        InputError: there is no such frame or joint, numbers are wrong, or a line leaves what the joints reach.
        ClosedError: the simulator is closed, or another thread uses it.
    """

    def __init__(
        self,
        sim: Simulator,
        frame: str | Body | Site,
        position: ArrayLike,
        quat: ArrayLike | None = None,
        *,
        duration: float,
        start_time: float = 0.0,
        relative: bool = False,
        free_rotation: bool = False,
        joints: Sequence[str] | None = None,
        tolerance: float = 1e-8,
        unreachable: str = "raise",
    ) -> None:
        if unreachable not in ("raise", "hold"):
            raise InputError(f'unreachable: "{unreachable}" is not one of raise, hold')
        if isinstance(duration, bool) or not isinstance(duration, int | float | np.number) or not 0 < duration < np.inf:
            raise InputError(f"duration: {duration} given, must be positive [s]")
        if isinstance(start_time, bool) or not isinstance(start_time, int | float | np.number) or not np.isfinite(start_time):
            raise InputError(f"start_time: {start_time!r} given, must be a finite number [s]")
        check_search(tolerance, 100)
        if free_rotation and quat is not None:
            raise InputError("quat: the frame's rotation is free (free_rotation); give one of the two")
        arm = Arm(sim, frame, joints)
        self.joints = arm.joints
        begin = arm.qpos[:, arm.adr].copy()
        self._path, self.reached, worst = _follow(arm, begin, Target(sim.batch, position, quat), relative, free_rotation, tolerance)
        stuck = np.flatnonzero(self.reached < 1)
        if len(stuck) and unreachable == "raise":
            one = int(stuck[0])
            raise InputError(
                f"position: the line of environment {one} can not be followed beyond {self.reached[one]:.0%} of it: there the"
                f" joints miss it by {1e3 * worst[one]:.3g} mm; end it sooner, or begin with other joints"
            )
        self._path[:, stuck] = begin[stuck]
        self._slopes, self._curves = _spline(self._path)
        self._timing = JointTrajectory([start_time, start_time + float(duration)], [[0.0], [1.0]])

    def __call__(self, time: ArrayLike) -> Motion:
        """The joints at a time [s]: a number, then (batch, n); or times (...), then (..., batch, n)."""
        share = self._timing(time)
        s, rate, change = (part[..., 0][..., None, None] for part in share)
        step = 1.0 / (_KNOTS - 1)
        k = np.clip((s[..., 0, 0] / step).astype(int), 0, _KNOTS - 2)
        u = s - k[..., None, None] * step
        q, d, c = self._path[k], self._slopes[k], self._curves[k]
        jerk = (self._curves[k + 1] - c) / step
        slope, curve = d + u * (c + 0.5 * u * jerk), c + u * jerk
        return Motion(q + u * (d + u * (c / 2 + u * jerk / 6)), slope * rate, curve * rate**2 + slope * change)


def _follow(
    arm: Arm, begin: NDArray[np.float64], goal: Target, relative: bool, free: bool, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Joints at the knots (K, batch, n), the share that is reached (batch,) and the miss behind it [m] (batch,)."""
    position, quat = arm.place(begin)
    way = goal.position if relative else goal.position - position
    angle = np.zeros_like(way) if goal.quat is None else rotation_vector(multiply(goal.quat, conjugate(quat)))
    path, share, miss = [begin], np.ones(len(begin)), np.zeros(len(begin))
    for s in np.linspace(0, 1, _KNOTS)[1:]:
        guess = path[-1] if len(path) == 1 else 2 * path[-1] - path[-2]
        target = Target(len(begin), position + s * way, None if free else multiply(turn(s * angle), quat))
        found = search(arm, target, guess, tolerance, 100)
        lost = ~found.converged & (share == 1)
        share[lost], miss[lost] = s - 1 / (_KNOTS - 1), np.hypot(found.position_error, 0.1 * found.rotation_error)[lost]
        path.append(found.qpos)
    return np.array(path), share, miss


def _spline(knots: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First and second derivatives at equally spaced knots (K, ...) on [0, 1] of the spline of third degree through
    them, whose third derivative is continuous at the last but one on each side."""
    n, step = len(knots), 1.0 / (len(knots) - 1)
    A, b = np.zeros((n, n)), np.zeros((n, knots[0].size))
    flat = knots.reshape(n, -1)
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = 1, 4, 1
        b[i] = 6 * (flat[i - 1] - 2 * flat[i] + flat[i + 1]) / step**2
    A[0, :3] = A[-1, -3:] = 1, -2, 1
    curves = np.linalg.solve(A, b)
    slopes = np.empty(curves.shape)
    slopes[:-1] = np.diff(flat, axis=0) / step - step * (2 * curves[:-1] + curves[1:]) / 6
    slopes[-1] = slopes[-2] + step * (curves[-2] + curves[-1]) / 2
    return slopes.reshape(knots.shape), curves.astype(np.float64).reshape(knots.shape)
