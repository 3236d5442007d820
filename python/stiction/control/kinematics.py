"""Inverse kinematics of a frame of the model, for every environment at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction import _core
from stiction._core import InputError
from stiction.named import Body
from stiction.problems import doubles
from stiction.quaternions import conjugate, multiply, rotate, rotation_vector
from stiction.sensing import Site
from stiction.simulator import Simulator

_ARM = 0.1  # an error of 1 rad weighs as much as one of this length [m]
_LEAST_DAMPING, _MOST_DAMPING = 1e-9, 1e6


class Reached(NamedTuple):
    """What inverse kinematics found in every environment.

    Attributes:
        qpos: of the joints [m] or [rad] (batch, n).
        position_error: of the frame [m] (batch,).
        rotation_error: of the frame [rad] (batch,); 0 where no orientation was asked for.
        converged: whether both are within the tolerance (batch,) bool.
    """

    qpos: NDArray[np.float64]
    position_error: NDArray[np.float64]
    rotation_error: NDArray[np.float64]
    converged: NDArray[np.bool_]


class Arm:
    """The hinges and slides that move a frame, and a simulator of their own to try them in: that of the caller stays as it is."""

    def __init__(self, sim: Simulator, frame: str | Body | Site, joints: Sequence[str] | None) -> None:
        self.body, self.offset, self.turn = _frame_of(sim, frame)
        self.joints = _joints_of(sim, self.body, joints)
        model = sim.model
        numbers = [model.joint_names.index(name) for name in self.joints]
        self.adr, self.dof = model.joint_qpos_adr[numbers], model.joint_dof_adr[numbers]
        limited = model.joint_limited[numbers].astype(bool)
        limits = model.joint_range.reshape(-1, 2)[numbers]
        self.low, self.high = np.where(limited, limits[:, 0], -np.inf), np.where(limited, limits[:, 1], np.inf)
        self.qpos = np.array(sim.qpos, float)  # of all joints (batch, nq)
        self._try = Simulator(sim.scene, batch=sim.batch, device="cpu")
        if model.nmocap:
            self._try.mocap_pose[:] = np.asarray(sim.mocap_pose)

    def place(self, joints: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position (batch, 3) and quaternion (batch, 4) of the frame with the joints there."""
        self.qpos[:, self.adr] = joints
        self._try.qpos[:] = self.qpos
        pose = _core.origin_pose(self._try, self.body)
        return pose[:, :3] + rotate(pose[:, 3:], self.offset), multiply(pose[:, 3:], self.turn[None])

    def jacobian(self) -> NDArray[np.float64]:
        """Of the frame where it was placed last (batch, 6, n)."""
        return self._try.jacobian(self.body, self.offset)[:, :, self.dof]


def inverse_kinematics(
    sim: Simulator,
    frame: str | Body | Site,
    position: ArrayLike,
    quat: ArrayLike | None = None,
    *,
    joints: Sequence[str] | None = None,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
) -> Reached:
    """Joints that take a frame of the model to a pose, by damped least squares within the joints' ranges.

        Δq = J^T (J J^T + λ² 1)^-1 e,    e = (p* - p, 0.1 m · rotation vector of R* R^T)

    λ grows where a step does not come closer and shrinks where it does (Levenberg and Marquardt). The search is local: it
    may end at a joint's limit or in a singular pose, such as a stretched arm, though the pose could be reached from another
    `start`. The simulator's state does not change.

    Args:
        sim: its present state says where all other joints are.
        frame: a body, by name or from `sim.body`, or a site from `sim.site`.
        position: where its origin is to be, world axes [m] (3,) or (batch, 3).
        quat: how it is to be turned, w x y z, of any length but zero (4,) or (batch, 4); None: anyhow.
        joints: names of the hinges and slides that may move; None: all that move the frame.
        start: where the search begins (n,) or (batch, n); None: where the joints are.
        tolerance: on the error of the position [m], and on a tenth of that of the rotation [rad].
        max_iterations: at most.

    Returns:
        `Reached`; where `converged` is False, qpos is the nearest that was found.

    Raises:
        InputError: there is no such frame or joint, nothing moves the frame, or shapes and numbers are wrong.
        ClosedError: the simulator is closed, or another thread uses it.
    """
    check_search(tolerance, max_iterations)
    arm = Arm(sim, frame, joints)
    target = Target(sim.batch, position, quat)
    begin = arm.qpos[:, arm.adr] if start is None else rows("start", start, sim.batch, len(arm.joints))
    return search(arm, target, begin, tolerance, max_iterations)


def check_search(tolerance: float, max_iterations: int) -> None:
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number) or not 0 < tolerance < np.inf:
        raise InputError(f"tolerance: {tolerance!r} given, must be a positive number [m]")
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, int | np.integer) or max_iterations < 0:
        raise InputError(f"max_iterations: {max_iterations!r} given, must be a whole number of at least 0")


class Target:
    """Where a frame is to be in every environment."""

    def __init__(self, batch: int, position: ArrayLike, quat: ArrayLike | None) -> None:
        self.position = rows("position", position, batch, 3)
        self.quat = None if quat is None else unit(rows("quat", quat, batch, 4))

    def error(self, position: NDArray[np.float64], quat: NDArray[np.float64]) -> NDArray[np.float64]:
        """e (batch, 3), or (batch, 6) with an orientation."""
        shift = self.position - position
        if self.quat is None:
            return shift
        return np.concatenate([shift, _ARM * rotation_vector(multiply(self.quat, conjugate(quat)))], axis=1)


def search(arm: Arm, target: Target, begin: NDArray[np.float64], tolerance: float, max_iterations: int) -> Reached:
    """The search of `inverse_kinematics`."""
    q = np.clip(begin, arm.low, arm.high)
    error = target.error(*arm.place(q))
    weights = np.array([1, 1, 1, _ARM, _ARM, _ARM])[: error.shape[1], None]
    damping = np.full(len(q), 1e-3)
    better = np.full(len(q), True)
    for _ in range(max_iterations):
        open_ones = _size(error) > tolerance
        if not open_ones.any():
            break
        if not better.all():
            arm.place(q)
        J = weights * arm.jacobian()[:, : error.shape[1]]
        step = _damped_step(J, error, damping, q, arm)
        tried = np.where(open_ones[:, None], np.clip(q + step, arm.low, arm.high), q)
        found = target.error(*arm.place(tried))
        better = np.linalg.norm(found, axis=1) < np.linalg.norm(error, axis=1)
        q, error = np.where(better[:, None], tried, q), np.where(better[:, None], found, error)
        damping = np.clip(np.where(better, 0.2 * damping, 5 * damping), _LEAST_DAMPING, _MOST_DAMPING)
        if not (damping < _MOST_DAMPING).any():
            break
    turned = np.linalg.norm(error[:, 3:], axis=1) / _ARM
    return Reached(q, np.linalg.norm(error[:, :3], axis=1), turned, _size(error) <= tolerance)


def _damped_step(
    J: NDArray[np.float64], error: NDArray[np.float64], damping: NDArray[np.float64], q: NDArray[np.float64], arm: Arm
) -> NDArray[np.float64]:
    """Δq (batch, n); joints that are at a limit and would leave their range stay there."""
    free = np.ones(q.shape, bool)
    step = np.zeros(q.shape)
    for _ in range(2):
        used = J * free[:, None]
        H = np.einsum("bri,bsi->brs", used, used) + damping[:, None, None] * np.eye(error.shape[1])
        step = np.einsum("bri,br->bi", used, np.linalg.solve(H, error[..., None])[..., 0])
        free &= ~((q <= arm.low) & (step < 0)) & ~((q >= arm.high) & (step > 0))
    return np.where(free, step, 0.0)


def _size(error: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1))


def _frame_of(sim: Simulator, frame: Any) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """The body, and the frame's pose on it."""
    if isinstance(frame, Site):
        return frame.body, sim.model.site_pos[frame.id], sim.model.site_quat[frame.id]
    body = frame if isinstance(frame, Body) else sim.body(frame)
    return body.id, np.zeros(3), np.array([1.0, 0, 0, 0])


def _joints_of(sim: Simulator, body: int, names: Sequence[str] | None) -> list[str]:
    """Names of hinges and slides: those given, or all between the world and the body, from the world on."""
    model = sim.model
    if names is not None:
        return [model.joint_names[number] for number in hinges_and_slides(sim, names)]
    moving, dof = [], int(model.body_last_dof[body])
    while dof >= 0:
        joint = int(model.dof_joint[dof])
        if model.joint_type[joint] >= 2:
            moving.append(model.joint_names[joint])
        dof = int(model.dof_parent[dof])
    if not moving:
        raise InputError(f"frame: no hinge or slide moves body '{model.body_names[body]}'")
    return moving[::-1]


def hinges_and_slides(sim: Simulator, names: Sequence[str]) -> list[int]:
    """Ids of joints, by name."""
    listed = [names] if isinstance(names, str) or not isinstance(names, Sequence) else list(names)
    if not listed:
        raise InputError("joints: expected at least one name, got none")
    if not all(isinstance(name, str) for name in listed):
        raise InputError(f"joints: expected names, got {names!r}")
    if len(set(listed)) < len(listed):
        raise InputError(f"joints: {listed} names a joint twice")
    chosen = [sim.joint(name) for name in listed]
    for joint in chosen:
        if sim.model.joint_type[joint.id] < 2:
            raise InputError(f"joints: '{joint.name}' is neither a hinge nor a slide")
    return [joint.id for joint in chosen]


def rows(name: str, given: ArrayLike, batch: int, n: int) -> NDArray[np.float64]:
    """Finite numbers (batch, n); of shape (n,) they are those of all environments."""
    values = doubles(name, given)
    if values.shape not in ((n,), (1, n), (batch, n)):
        raise InputError(f"{name}: expected shape ({n},) or ({batch}, {n}), got {values.shape}")
    if not (np.abs(values) < (np.inf if name == "quat" else 1e100)).all():
        raise InputError(f"{name}: not all numbers are finite" + ("" if not np.isfinite(values).all() else " and below 1e100"))
    return np.array(np.broadcast_to(values, (batch, n)))


def unit(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.abs(quat).max(axis=-1, keepdims=True)
    if not (largest > 0).all():
        raise InputError("quat: a quaternion is zero; it may have any other length")
    scaled = quat / largest
    return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
