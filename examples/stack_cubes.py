"""Builds towers with a scripted policy: shows what the actions of StackCubes can do, without any learning.

    python examples/stack_cubes.py --starts 100

Every environment follows its own list of waypoints: over the cube, down, close, up, over the one below, down, open, up.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, TypeAlias

import numpy as np
import stiction.envs
from numpy.typing import NDArray
from stiction.envs.stack_cubes import StackCubes, hand_target
from stiction.envs.vector_env import VectorEnv

Array: TypeAlias = NDArray[Any]

HIGH, SIDE = 0.26, 0.06  # of the hand between cubes, of a cube [m]
PHASES = ("over", "down", "close", "up", "across", "lower", "open", "away")
GRASPING = np.array([0, 0, 1, 1, 1, 1, 0, 0], bool)  # phases in which the fingers close
SLOW = np.array([0, 1, 0, 1, 0, 1, 0, 1], bool)  # those that pass cubes: a third of the speed
WAIT = 7  # actions of closing and of opening


class Script:
    """Actions for all environments from their simulator's state."""

    def __init__(self, envs: VectorEnv) -> None:
        assert isinstance(envs.task, StackCubes)
        self.envs, self.task = envs, envs.task
        self.cube = np.ones(envs.num_envs, int)  # that is being stacked: 1, then 2
        self.phase = np.zeros(envs.num_envs, int)
        self.waited = np.zeros(envs.num_envs, int)

    def act(self) -> Array:
        """(num_envs, 5) in [-1, 1]."""
        hand = hand_target(np, self.envs.episodes.ctrl)
        goal = self._waypoint(hand)
        step = goal - hand
        self._follow(np.abs(step).max(1) < 0.004)
        speed = np.where(SLOW[self.phase], 0.4, 1.0)[:, None]
        motion = np.clip(step[:, :3] / 0.05, -speed, speed)
        turn = np.clip(step[:, 3:] / 0.2, -1, 1)
        fingers = np.where(GRASPING[self.phase], -1.0, 1.0)[:, None]
        return np.concatenate([motion, turn, fingers], 1)

    def _waypoint(self, hand: Array) -> Array:
        """Where the hand is to be: x, y, z [m], yaw [rad] (num_envs, 4)."""
        pose, yaw = self._cube(self.cube)
        below, below_yaw = self._cube(self.cube - 1)
        goal = hand.copy()
        low = np.isin(self.phase, (0, 1))
        goal[low, :2], goal[low, 3] = pose[low, :2], yaw[low]
        carry = np.isin(self.phase, (4, 5))
        held = hand[:, :2] - pose[:, :2]  # the grip is not quite the cube's middle
        goal[carry, :2], goal[carry, 3] = (below[:, :2] + held)[carry], below_yaw[carry]
        stay, place = hand[:, 2], below[:, 2] + SIDE
        high = np.full(len(stay), HIGH)
        goal[:, 2] = np.choose(self.phase, np.stack([high, pose[:, 2], stay, high, high, place, stay, high]))
        return goal

    def _follow(self, there: Array) -> None:
        """Goes on to the next phase where the hand is there, and to the next cube after the last phase."""
        waits = np.isin(self.phase, (2, 6))
        self.waited = np.where(waits, self.waited + 1, 0)
        self.phase += np.where(waits, self.waited >= WAIT, there)
        self.cube = np.where(self.phase == len(PHASES), np.minimum(self.cube + 1, 2), self.cube)
        self.phase %= len(PHASES)

    def _cube(self, which: Array) -> tuple[Array, Array]:
        """Centre [m] (num_envs, 3), and yaw [rad] up to quarter turns (num_envs,), of the cubes `which` (num_envs,)."""
        bodies = np.array(self.task.cubes)[which]
        pose = self.envs.episodes.body_pose[np.arange(len(which)), bodies]
        w, x, y, z = pose[:, 3:].T
        yaw: Array = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        return pose[:, :3], yaw - np.round(yaw / (np.pi / 2)) * (np.pi / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    envs = stiction.envs.make_vec("stiction/StackCubes-v0", options.starts, seed=options.seed, autoreset="disabled")
    begun = time.perf_counter()
    won, actions = build(envs)
    print(f"{won.sum()} of {len(won)} towers, {actions.mean():.0f} actions each, {time.perf_counter() - begun:.0f} s")


def build(envs: VectorEnv) -> tuple[Array, Array]:
    """Which environments have their tower (num_envs,) of bool, and after how many actions each ended (num_envs,)."""
    envs.reset()
    script = Script(envs)
    open_, won = np.ones(envs.num_envs, bool), np.zeros(envs.num_envs, bool)
    actions = np.zeros(envs.num_envs)
    while open_.any():
        actions += open_
        _, _, terminated, truncated, info = envs.step(script.act())
        won |= open_ & info["success"]
        done = terminated | truncated
        open_ &= ~done
        if done.any():  # what has ended goes on with an episode that does not count
            envs.reset(options={"reset_mask": done})
    return won, actions


if __name__ == "__main__":
    main()
