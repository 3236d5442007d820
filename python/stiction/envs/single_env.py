"""A task as one gymnasium environment, for programs without vector environments and for gymnasium's checker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from stiction.envs.task import Task
from stiction.envs.vector_env import VectorEnv


class SingleEnv(gymnasium.Env[NDArray[Any], NDArray[Any]]):
    """One environment of a task, which the caller resets. Observations (n,) and actions (m,) are float32.

    With `render_mode="rgb_array"`, `render()` returns a picture (480, 640, 3), so that `gymnasium.wrappers.RecordVideo`
    makes films.
    """

    def __init__(self, task: Task, render_mode: str | None = None, **simulator: Any) -> None:
        self.envs = VectorEnv(task, 1, autoreset="disabled", render_mode=render_mode, **simulator)
        self.render_mode = render_mode
        self.metadata = {key: self.envs.metadata[key] for key in ("render_modes", "render_fps")}
        self.observation_space = self.envs.single_observation_space
        self.action_space = self.envs.single_action_space

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        return self.envs.reset(seed=seed)[0][0], {}

    def step(self, action: NDArray[Any]) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.envs.step(np.asarray(action)[None])
        info = {"success": bool(info["success"][0]), "status": int(info["status"][0])}
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> NDArray[Any] | None:
        """A picture (480, 640, 3) uint8, or None without `render_mode="rgb_array"`."""
        pictures = self.envs.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        self.envs.close()
