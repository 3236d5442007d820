"""Motions of joints over time: polynomials of fifth degree between knots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction._core import InputError
from stiction.problems import doubles

# rows: what the position, velocity (times T) and acceleration (times T²) at the start and at the end add to the
# polynomial in s = (t - t_0) / T; columns: powers of s
_BASIS = np.array([
    [1, 0, 0, -10, 15, -6], [0, 1, 0, -6, 8, -3], [0, 0, 0.5, -1.5, 1.5, -0.5],
    [0, 0, 0, 10, -15, 6], [0, 0, 0, -4, 7, -3], [0, 0, 0, 0.5, -1, 0.5],
])  # fmt: skip


class Motion(NamedTuple):
    """Where joints are, or should be, at some time.

    Attributes:
        position: [m] or [rad] (..., n).
        velocity: [m/s] or [rad/s] (..., n).
        acceleration: [m/s²] or [rad/s²] (..., n).
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class JointTrajectory:
    """Joints move from knot to knot, with continuous velocity and acceleration.

    Between two knots, at s = (t - t_k) / (t_{k+1} - t_k), each joint follows the polynomial of fifth degree that has the
    given position, velocity and acceleration at both. From rest to rest that is q_k + (10 s³ - 15 s⁴ + 6 s⁵) (q_{k+1} - q_k).
    Before the first knot and after the last, joints stay where these are.

        reach = JointTrajectory([0, 1.5], [start, goal])
        sim.ctrl[:] = reach(t).position

    Args:
        times: increasing [s] (K,), K at least 2.
        positions: of the joints at the knots [m] or [rad] (K, ..., n); axes in between, if any, are those of a batch.
        velocities: at the knots, shaped as `positions`, or broadcast to it; None: at rest at every knot.
        accelerations: likewise; None: 0.

    Raises:
        InputError: shapes do not fit, a number is not finite, or times do not increase.
    """

    def __init__(
        self, times: ArrayLike, positions: ArrayLike, velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None
    ) -> None:
        self.times = _finite("times", times).copy()
        if self.times.ndim != 1 or len(self.times) < 2:
            raise InputError(f"times: expected at least two times (K,), got shape {self.times.shape}")
        if not (np.diff(self.times) > 0).all():
            late = int(np.argmax(np.diff(self.times) <= 0)) + 1
            raise InputError(f"times: that of knot {late} is {self.times[late]:g}, must be after {self.times[late - 1]:g}")
        self.positions = _finite("positions", positions).copy()
        if self.positions.ndim < 2 or len(self.positions) != len(self.times):
            raise InputError(f"positions: expected shape ({len(self.times)}, ..., n), one for each time, got {self.positions.shape}")
        if not ((np.diff(self.times) > 1e-100) & (np.diff(self.times) < 1e100)).all():
            raise InputError("times: two knots are less than 1e-100 s apart, or more than 1e100 s")
        knots = np.stack([self.positions, self._as_positions("velocities", velocities), self._as_positions("accelerations", accelerations)])
        spans = np.diff(self.times).reshape(-1, *[1] * (self.positions.ndim - 1))
        ends = [knots[0, :-1], spans * knots[1, :-1], spans**2 * knots[2, :-1], knots[0, 1:], spans * knots[1, 1:], spans**2 * knots[2, 1:]]
        self._coefficients = np.einsum("ep,e...->p...", _BASIS, np.stack(ends))  # (6, K - 1, ..., n)

    def _as_positions(self, name: str, given: ArrayLike | None) -> NDArray[np.float64]:
        if given is None:
            return np.zeros_like(self.positions)
        values = _finite(name, given)
        try:
            return np.broadcast_to(values, self.positions.shape)
        except ValueError:
            raise InputError(f"{name}: expected the shape of positions, {self.positions.shape}, got {values.shape}") from None

    @property
    def duration(self) -> float:
        """From the first knot to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def __call__(self, time: ArrayLike) -> Motion:
        """Where the joints are at one or several times.

        Args:
            time: [s] (...); its axes come before those of a knot's positions.

        Raises:
            InputError: a time is not finite.
        """
        t = _finite("time", time)
        inside = np.clip(t, self.times[0], self.times[-1])
        segment = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0, len(self.times) - 2)
        span = self.times[segment + 1] - self.times[segment]
        s, moves = (inside - self.times[segment]) / span, (t >= self.times[0]) & (t <= self.times[-1])
        spread = (..., *[None] * (self.positions.ndim - 1))
        s, span, moves = s[spread], span[spread], moves[spread]
        c = self._coefficients[:, segment]
        position = _horner(c, s)
        velocity = _horner([k * c[k] for k in range(1, 6)], s) / span
        acceleration = _horner([k * (k - 1) * c[k] for k in range(2, 6)], s) / span**2
        return Motion(position, np.where(moves, velocity, 0.0), np.where(moves, acceleration, 0.0))


def _horner(coefficients: NDArray[np.float64] | list[NDArray[np.float64]], s: NDArray[np.float64]) -> NDArray[np.float64]:
    """The polynomial with these coefficients, that of the lowest power first."""
    total = np.zeros_like(coefficients[0])
    for factor in reversed(list(coefficients)):
        total = total * s + factor
    return total


def _finite(name: str, given: ArrayLike) -> NDArray[np.float64]:
    values = doubles(name, given)
    if not (np.abs(values) < 1e100).all():
        raise InputError(f"{name}: not all numbers are finite" + ("" if not np.isfinite(values).all() else " and below 1e100"))
    return values
