"""StackCubes: an arm of seven joints with a parallel gripper makes a tower of three cubes (scene iiwa_stack_3).

action (5)        per step of 0.1 s: motion of the hand's target along x, y, z, in units of 50 mm; its turn about the
                  vertical, in units of 0.2 rad; opening of both fingers, in units of 10 mm
observation (36)  hand's target (3), grip (3), cosine and sine of the target's yaw, fingers (2), their command (2); for
                  each cube, its centre relative to the grip (3), cosine and sine of four times its yaw, how upright it
                  is; for the second and third cube, the vector to its place on the cube below (3)
progress          -(length of those two vectors [m]), and - a fifth of the grip's distance from the next cube [m]
success           both cubes lie on the cube below, within `tolerance` sideways, and the fingers are open
lost              the lowest cube was lifted

The hand points down: joints 3 and 5 stay at zero and the others follow from the target in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import stiction
from stiction.envs.task import Array, Snapshot, Start, Task, length, scaled

_SHOULDER, _UPPER, _FORE, _HAND = 0.36, 0.42, 0.40, 0.271  # heights and lengths of the arm [m]
_LOW, _HIGH = (0.35, -0.35, 0.025), (0.65, 0.35, 0.40)  # of the hand's target [m]
_OPEN, _CLOSED = 0.0545, 0.015  # of a finger [m]: the cubes' half side is 30 mm
_REACH, _TURN, _CLOSE = 0.05, 0.2, 0.01  # of an action [m], [rad], [m]
_HOME = (0.52, 0.0, 0.30, 0.0)  # of the hand: x, y, z [m], yaw [rad]
_SPOTS = ((0.50, -0.15), (0.50, 0.03), (0.50, 0.21))  # of the cubes [m]
_SIDE = 0.06  # of a cube [m]


@dataclass
class StackCubes(Task):
    """The cubes start up to 20 mm along x and y and 0.3 rad off their spots, with the open hand above the table."""

    tolerance: float = 0.015  # [m]
    max_episode_steps: int = 200

    id = "stiction/StackCubes-v0"
    scene_name = "iiwa_stack_3"
    step_size = 0.1
    observation_size = 36
    action_size = 5
    goal_size = 1  # not used
    random_numbers = 9
    progress_scale = 10.0

    def prepare(self, scene: stiction.Scene) -> None:
        names = scene.model.body_names
        self._hand = names.index("gripper/hand")
        self.cubes = [names.index(f"cubes/cube_{k}") for k in range(3)]

    def start(self, uniform: np.ndarray) -> Start:
        n = len(uniform)
        command = _joints(np, np.tile(np.array(_HOME), (n, 1)), np.full((n, 2), _OPEN))
        cubes = np.zeros((n, 3, 7))
        noise = uniform.reshape(n, 3, 3)
        cubes[:, :, :2] = np.array(_SPOTS) + scaled(noise[:, :, :2], -0.02, 0.02)
        cubes[:, :, 2] = _SIDE / 2
        yaw = scaled(noise[:, :, 2], -0.3, 0.3)
        cubes[:, :, 3], cubes[:, :, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        return Start(np.concat([command, cubes.reshape(n, -1)], -1), command, np.zeros((n, 1)))

    def command(self, now: Snapshot, action: Array) -> Array:
        xp, target = now.xp, hand_target(now.xp, now.ctrl)
        moved = [xp.clip(target[:, k] + _REACH * action[:, k], _LOW[k], _HIGH[k]) for k in range(3)]
        turned = xp.clip(target[:, 3] + _TURN * action[:, 3], -1.5, 1.5)
        fingers = xp.clip(now.ctrl[:, 7:9] + _CLOSE * action[:, 4:5], _CLOSED, _OPEN)
        return _joints(xp, xp.stack([*moved, turned], -1), fingers)

    def observe(self, now: Snapshot) -> Array:
        xp, grip = now.xp, self._grip(now)
        target = hand_target(xp, now.ctrl)
        yaw = xp.stack([xp.cos(target[:, 3]), xp.sin(target[:, 3])], -1)
        seen = [5 * target[:, :3], 5 * grip, yaw, 20 * now.qpos[:, 7:9], 20 * now.ctrl[:, 7:9]]
        seen += [self._seen_cube(now, k, grip) for k in range(3)]
        seen += [10 * self._place_from(now, k) for k in (1, 2)]
        return xp.concat(seen, -1)

    def progress(self, now: Snapshot) -> Array:
        xp, grip = now.xp, self._grip(now)
        missing = [length(self._place_from(now, k)) for k in (1, 2)]
        away = [length(self._cube(now, k) - grip) for k in (1, 2)]
        following = xp.where(self._lies(now, 1), away[1], away[0])
        return -(missing[0] + missing[1]) - 0.2 * following

    def success(self, now: Snapshot) -> Array:
        is_open = now.qpos[:, 7] + now.qpos[:, 8] > _SIDE + 0.015
        return self._lies(now, 1) & self._lies(now, 2) & is_open

    def lost(self, now: Snapshot) -> Array:
        return self._cube(now, 0)[:, 2] > 2 * _SIDE  # the lowest cube is to stay low

    def _lies(self, now: Snapshot, k: int) -> Array:
        """True where cube k lies on the cube below (batch,) of bool."""
        off = self._place_from(now, k)
        return (length(off[:, :2]) <= self.tolerance) & (abs(off[:, 2]) <= 0.006)

    def _cube(self, now: Snapshot, k: int) -> Array:
        return now.body_pose[:, self.cubes[k], :3]

    def _place_from(self, now: Snapshot, k: int) -> Array:
        """The vector from the centre of cube k to its place on the cube below [m] (batch, 3)."""
        off = self._cube(now, k - 1) - self._cube(now, k)
        return now.xp.stack([off[:, 0], off[:, 1], off[:, 2] + _SIDE], -1)

    def _seen_cube(self, now: Snapshot, k: int, grip: Array) -> Array:
        xp = now.xp
        w, x, y, z = (now.body_pose[:, self.cubes[k], i] for i in (3, 4, 5, 6))
        four = 4 * xp.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        upright = 1 - 2 * (x * x + y * y)
        return xp.concat([10 * (self._cube(now, k) - grip), xp.stack([xp.cos(four), xp.sin(four), upright], -1)], -1)

    def _grip(self, now: Snapshot) -> Array:
        """The middle between the pads [m] (batch, 3): 145 mm along the hand's z."""
        pose = now.body_pose[:, self._hand]
        w, x, y, z = (pose[:, k] for k in (3, 4, 5, 6))
        axis = now.xp.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], -1)
        return pose[:, :3] + 0.145 * axis


def hand_target(xp: Any, command: Array) -> Array:
    """The pose of the hand for commanded arm joints (batch, >= 7): grip x, y, z [m], yaw [rad] (batch, 4)."""
    lift = command[:, 1] - command[:, 3]
    reach = _UPPER * xp.sin(command[:, 1]) + _FORE * xp.sin(lift)
    height = _SHOULDER + _UPPER * xp.cos(command[:, 1]) + _FORE * xp.cos(lift) - _HAND
    turn = command[:, 0]
    return xp.stack([reach * xp.cos(turn), reach * xp.sin(turn), height, turn - command[:, 6]], -1)


def _joints(xp, target: Array, fingers: Array) -> Array:
    """The command (batch, 9) for a hand that points down at the target, by the law of cosines in the arm's plane."""
    reach = length(target[:, :2])
    height = target[:, 2] + _HAND - _SHOULDER
    cosine = (reach * reach + height * height - _UPPER**2 - _FORE**2) / (2 * _UPPER * _FORE)
    cosine = xp.clip(cosine, -1, 1)
    bend = xp.atan2((1 - cosine * cosine) ** 0.5, cosine)
    first = xp.atan2(reach, height) - xp.atan2(_FORE * xp.sin(bend), _UPPER + _FORE * cosine)
    turn, zero = xp.atan2(target[:, 1], target[:, 0]), 0 * bend
    arm = xp.stack([turn, first, zero, -bend, zero, np.pi - first - bend, turn - target[:, 3]], -1)
    return xp.concat([arm, fingers], -1)
