"""Tasks as gymnasium vector environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from stiction._core import InputError
from stiction.envs.episodes import Episodes, Outcome
from stiction.envs.pictures import MODES, Pictures, checked_mode
from stiction.envs.task import Task

_MODES = {"same_step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}


class VectorEnv(gymnasium.vector.VectorEnv[NDArray[np.float32], NDArray[Any], NDArray[Any]]):
    """All environments of a task, stepped together by one simulator.

    Observations (num_envs, n) and actions (num_envs, m) in [-1, 1] are float32, rewards float64.

    With `autoreset="same_step"`, an environment that ends starts a new episode in the same step; its last observation
    and info are in `info["final_obs"]` and `info["final_info"]`, masked by `info["_final_obs"]`. With "disabled", the
    caller resets with `reset(options={"reset_mask": mask})`.

    `info["success"]` and `info["status"]` (num_envs,) say whether the task is done, and hold the bits of
    `stiction.Status` of the step. A step that fails, or an action that is NaN, ends the episode of that environment and
    does not affect others.

    With `render_mode="rgb_array"`, `render()` returns a picture (480, 640, 3) of every environment.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int,
        seed: int | None = None,
        autoreset: str = "same_step",
        render_mode: str | None = None,
        **simulator: Any,
    ) -> None:
        if autoreset not in _MODES:
            raise InputError(f"autoreset: expected one of {', '.join(_MODES)}, got {autoreset!r}")
        self.episodes = Episodes(task, num_envs, np, seed, **simulator)
        if not isinstance(self.episodes.qpos, np.ndarray):
            raise InputError("device: NumPy environments need 'cpu'; stiction.envs.make_torch has those on a GPU")
        self.task, self.num_envs = task, num_envs
        self.render_mode = checked_mode(render_mode)
        frames = round(1 / task.step_size)
        self.metadata = {"autoreset_mode": _MODES[autoreset], "render_modes": list(MODES), "render_fps": frames}
        self._pictures: Pictures | None = None
        seen = gymnasium.spaces.Box(-np.inf, np.inf, (task.observation_size,), np.float32)
        action = gymnasium.spaces.Box(-1.0, 1.0, (task.action_size,), np.float32)
        # gymnasium says only that these are spaces, and each may have another type of space in their place
        self.single_observation_space: gymnasium.spaces.Box = seen  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: gymnasium.spaces.Box = action  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.ones(num_envs, bool)  # until the first reset

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts episodes in all environments, or where `options["reset_mask"]` (num_envs,) of bool is true.

        With an integer `seed`, environment e gets seed + e; with a list, the e-th seed; with None, it keeps its own.
        """
        mask = _checked_mask((options or {}).get("reset_mask"), self.num_envs)
        ids = np.flatnonzero(mask)
        self.episodes.reseed(seed, ids)
        self.episodes.begin(ids)
        self._ended[ids] = False
        return self._float32(self.episodes.observe()), {}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Takes one action in every environment. Returns observation, reward, terminated, truncated, info."""
        if self._ended.any():
            ids = np.flatnonzero(self._ended)[:5].tolist()
            raise InputError(f"environments {ids} have ended or were never reset: reset them first")
        outcome = self.episodes.advance(self._checked(actions))
        done = np.logical_or(outcome.terminated, outcome.truncated)
        observation, info = self._float32(outcome.observation), _info(outcome)
        if done.any() and self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            observation, info = self._begin_again(done, observation, outcome)
        else:
            self._ended = done
        return observation, outcome.reward.astype(np.float64), outcome.terminated, outcome.truncated, info

    def render(self) -> tuple[NDArray[Any], ...] | None:
        """A picture (480, 640, 3) uint8 of every environment, or None without `render_mode="rgb_array"`."""
        if self.render_mode is None:
            return None
        sim = self.episodes.sim
        if self._pictures is None:
            self._pictures = Pictures(sim.scene)
        return tuple(self._pictures.draw(*state) for state in zip(sim.qpos, sim.mocap_pose, strict=True))

    def close_extras(self, **kwargs: Any) -> None:
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None
        self.episodes.sim.close()

    def _begin_again(self, done: NDArray[Any], last: NDArray[Any], outcome: Outcome) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts new episodes where they are done; their last observation and info go into final_obs and final_info."""
        self.episodes.begin(np.flatnonzero(done))
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(done):
            final_obs[i] = last[i]
        info = _info(outcome, ~done)
        info |= {"final_obs": final_obs, "_final_obs": done.copy()}
        info |= {"final_info": _info(outcome, done), "_final_info": done.copy()}
        return self._float32(self.episodes.observe()), info

    def _checked(self, actions: np.ndarray) -> NDArray[Any]:
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise InputError(f"actions: expected shape {self.action_space.shape}, got {actions.shape}")
        return actions.astype(self.episodes.dtype)

    @staticmethod
    def _float32(observation: np.ndarray) -> NDArray[Any]:
        return observation.astype(np.float32)


def _info(outcome: Outcome, where: NDArray[Any] | None = None) -> dict[str, Any]:
    """gymnasium's batched info for the environments where `where` is true."""
    where = np.ones(len(outcome.success), bool) if where is None else where
    success = np.where(where, outcome.success, False)
    status = np.where(where, outcome.status, 0).astype(np.uint32)
    return {"success": success, "_success": where.copy(), "status": status, "_status": where.copy()}


def _checked_mask(mask: Any, num_envs: int) -> NDArray[Any]:
    if mask is None:
        return np.ones(num_envs, bool)
    if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (num_envs,) or not mask.any():
        raise InputError(f"options['reset_mask']: expected a NumPy array ({num_envs},) of bool with at least one True")
    return mask
