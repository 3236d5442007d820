"""The interface of a task: its scene, the starts of episodes, the observation, the effect of an action, and success.

The functions of a task are written for the array API: the same code runs on NumPy arrays and on torch tensors, on the
simulator's memory, for all environments at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import stiction
from stiction._core import InputError
from stiction.scene import load_scene

Array = Any  # a NumPy array or a torch tensor


@dataclass(frozen=True)
class Snapshot:
    """All environments at one moment; all arrays except `goal` are the simulator's memory."""

    xp: Any  # the namespace of the arrays: numpy or torch
    qpos: Array  # (batch, nq)
    ctrl: Array  # (batch, nu)
    body_pose: Array  # position [m] and quaternion (w, x, y, z) of every body (batch, nbody, 7)
    goal: Array  # the task's own numbers of each episode (batch, goal_size)


@dataclass(frozen=True)
class Start:
    """The starts of episodes."""

    qpos: np.ndarray  # (n, nq)
    ctrl: np.ndarray  # (n, nu)
    goal: np.ndarray  # (n, goal_size)


class Task(ABC):
    """A task. The reward of a step is progress_scale (progress after - progress before), plus 1 if it succeeds.

    An episode terminates if `success` or `lost` is true or the step failed, and is truncated after
    `max_episode_steps`.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]  # every task is a dataclass

    id: str
    scene_name: str
    max_episode_steps: int
    step_size: float  # [s] of one action
    observation_size: int
    action_size: int
    goal_size: int
    random_numbers: int  # uniform numbers that `start` takes for an episode
    progress_scale: float

    def load(self) -> stiction.Scene:
        """The scene, with one simulation step per action."""
        return load_scene(scene_folder(self.scene_name), step_size=self.step_size)

    def prepare(self, scene: stiction.Scene) -> None:  # noqa: B027  # nothing to prepare is fine
        """Reads the data that the task needs from the model, such as ids and ranges."""

    @abstractmethod
    def start(self, uniform: np.ndarray) -> Start:
        """Makes starts of episodes from random numbers in [0, 1) (n, random_numbers)."""

    @abstractmethod
    def command(self, now: Snapshot, action: Array) -> Array:
        """The control (batch, nu) that an action (batch, action_size) in [-1, 1] asks for."""

    @abstractmethod
    def observe(self, now: Snapshot) -> Array:
        """The observation (batch, observation_size): lengths divided by 0.1 m, angles as sine and cosine."""

    @abstractmethod
    def progress(self, now: Snapshot) -> Array:
        """How near the goal is (batch,); larger is nearer."""

    @abstractmethod
    def success(self, now: Snapshot) -> Array:
        """True where the task is done (batch,) of bool."""

    def lost(self, now: Snapshot) -> Array:
        """True where the goal can not be reached any more (batch,) of bool."""
        return now.qpos[:, 0] != now.qpos[:, 0]


def scene_folder(name: str) -> Path:
    """Folder of a scene that the environments use: in this package, installed next to it, or in the source tree."""
    package = Path(stiction.__file__).resolve().parent
    for root in (Path(__file__).resolve().parent / "scenes", package / "scenes", package.parents[1] / "scenes"):
        if (root / name / "scene.toml").is_file():
            return root / name
    raise InputError(f"scene '{name}': it is neither in the package nor in a source tree")


def scaled(uniform: np.ndarray, low: float, high: float) -> np.ndarray:
    """Uniform numbers in [low, high) from uniform numbers in [0, 1)."""
    return low + (high - low) * uniform


def wrapped(xp: Any, angle: Array) -> Array:
    """The same angle in [-pi, pi] [rad]."""
    return xp.atan2(xp.sin(angle), xp.cos(angle))


def length(vector: Array) -> Array:
    """Euclidean norm over the last axis."""
    return (vector * vector).sum(-1) ** 0.5
