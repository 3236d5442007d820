"""Push-T: a round finger pushes a T on a table to a goal pose.

action (2)        commanded motion of the finger from its present place, in units of 30 mm per step of 0.1 s
observation (14)  finger (2), T's centre (2); finger and goal in the T's axes (2 + 2); distance of the finger from the
                  T's centre; the mean distance below; cosine and sine of the T's yaw, and of the remaining turn
progress          -(mean distance of four points of the T from their goal [m]), and - a fifth of the distance by which
                  the finger is more than 40 mm from the T's centre [m]
success           centre within `position_tolerance`, yaw within `yaw_tolerance`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stiction.envs.task import Array, Snapshot, Start, Task, length, scaled, wrapped

_CORNERS = ((-0.06, 0.03), (0.06, 0.03), (0.0, 0.045), (0.0, -0.075))  # in the T's axes [m]
_REACH = 0.03  # of an action [m]
_TABLE = 0.3  # half side of what the finger may reach [m]
_CLEAR = 0.115  # the finger starts at least this far from the T's centre [m]


@dataclass
class PushT(Task):
    """The task in which the whole pose counts. It starts up to 0.1 m off along x and y, with yaw up to `start_yaw`."""

    position_tolerance: float = 0.015  # [m]
    yaw_tolerance: float = 0.15  # [rad]
    start_yaw: float = np.pi  # [rad]
    max_episode_steps: int = 150

    id = "stiction/PushT-v0"
    scene_name = "push_t"
    step_size = 0.1
    observation_size = 14
    action_size = 2
    goal_size = 3  # where the T belongs: x, y [m], yaw [rad]
    random_numbers = 5
    progress_scale = 10.0

    def start(self, uniform: np.ndarray) -> Start:
        qpos = np.zeros((len(uniform), 6))
        qpos[:, :2] = scaled(uniform[:, :2], -0.1, 0.1)
        qpos[:, 3] = scaled(uniform[:, 2], -self.start_yaw, self.start_yaw)
        angle, distance = scaled(uniform[:, 3], -np.pi, np.pi), scaled(uniform[:, 4], _CLEAR, _CLEAR + 0.05)
        qpos[:, 4] = qpos[:, 0] + distance * np.cos(angle)
        qpos[:, 5] = qpos[:, 1] + distance * np.sin(angle)
        return Start(qpos, qpos[:, 4:].copy(), np.zeros((len(uniform), 3)))

    def command(self, now: Snapshot, action: Array) -> Array:
        return now.xp.clip(now.qpos[:, 4:6] + _REACH * action, -_TABLE, _TABLE)

    def observe(self, now: Snapshot) -> Array:
        xp, q, goal = now.xp, now.qpos, now.goal
        c, s = xp.cos(q[:, 3]), xp.sin(q[:, 3])
        fx, fy = _in_axes(c, s, q[:, 4] - q[:, 0], q[:, 5] - q[:, 1])
        gx, gy = _in_axes(c, s, goal[:, 0] - q[:, 0], goal[:, 1] - q[:, 1])
        turn = goal[:, 2] - q[:, 3]
        lengths = [q[:, 4], q[:, 5], q[:, 0], q[:, 1], fx, fy, gx, gy, length(q[:, 4:6] - q[:, :2]), self._miss(now)]
        return xp.stack([10 * x for x in lengths] + [c, s, xp.cos(turn), xp.sin(turn)], -1)

    def progress(self, now: Snapshot) -> Array:
        away = now.xp.clip(length(now.qpos[:, 4:6] - now.qpos[:, :2]) - 0.04, 0, 1)
        return -self._miss(now) - 0.2 * away

    def success(self, now: Snapshot) -> Array:
        near = length(now.qpos[:, :2] - now.goal[:, :2]) <= self.position_tolerance
        return near & (abs(wrapped(now.xp, now.qpos[:, 3] - now.goal[:, 2])) <= self.yaw_tolerance)

    def _miss(self, now: Snapshot) -> Array:
        """Mean distance of the corner points from their goal [m] (batch,)."""
        is_at, belongs = _corners(now.xp, now.qpos[:, [0, 1, 3]]), _corners(now.xp, now.goal)
        return sum(length(a - b) for a, b in zip(is_at, belongs, strict=True)) / len(_CORNERS)


@dataclass
class PushTPosition(PushT):
    """The reduced task, in which the T's centre counts but not its yaw."""

    yaw_tolerance: float = 4.0  # [rad], any
    max_episode_steps: int = 80

    id = "stiction/PushTPosition-v0"

    def _miss(self, now: Snapshot) -> Array:
        return length(now.qpos[:, :2] - now.goal[:, :2])


def _in_axes(c: Array, s: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """A vector given in world axes, in axes turned by the angle with cosine c and sine s."""
    return c * x + s * y, c * y - s * x


def _corners(xp, pose: Array) -> list[Array]:
    """World positions (batch, 2) [m] of the corner points of a T at (x, y, yaw)."""
    c, s = xp.cos(pose[:, 2]), xp.sin(pose[:, 2])
    return [xp.stack([pose[:, 0] + c * x - s * y, pose[:, 1] + s * x + c * y], -1) for x, y in _CORNERS]
