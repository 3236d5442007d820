"""Episodes of a task on one simulator: the part that the NumPy and the torch environments share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import stiction
from stiction._core import InputError
from stiction.envs import streams
from stiction.envs.task import Array, Snapshot, Start, Task


@dataclass(frozen=True)
class Outcome:
    """The results of a step, before any environment starts a new episode (batch, ...)."""

    observation: Array  # (batch, observation_size)
    reward: Array
    terminated: Array
    truncated: Array
    success: Array
    status: Array  # bits of `stiction.Status`


class Episodes:
    """Steps a task's environments and starts episodes, in arrays of the namespace `xp`.

    Args:
        task: the task of the environments.
        num_envs: number of environments.
        xp: numpy or torch.
        seed: environment e draws its starts from seed + first_env_id + e; None: from a seed of the operating system.
        simulator: keyword arguments of `stiction.Simulator`: device, dtype, threads, first_env_id, ...
    """

    def __init__(self, task: Task, num_envs: int, xp: Any, seed: int | None, **simulator: Any) -> None:
        scene = task.load()
        task.prepare(scene)
        self.task, self.xp, self.num_envs = task, xp, num_envs
        self.sim = stiction.Simulator(scene, batch=num_envs, **simulator)
        self.first_id = simulator.get("first_env_id", 0)
        self.qpos, self.ctrl = self.view(self.sim.qpos), self.view(self.sim.ctrl)
        self.body_pose = self.view(self.sim.body_pose)
        self.goal = self.from_numpy(np.zeros((num_envs, task.goal_size)))
        self.elapsed = xp.zeros_like(self.goal[:, 0])
        self.progress = xp.zeros_like(self.goal[:, 0])
        self.seeds = self._seeds(seed)
        self.episodes = np.zeros(num_envs, np.int64)  # begun since the seed was set

    def view(self, array: Any) -> Array:
        """An array of the simulator's memory as an array of the namespace."""
        return array if self.xp is np else self.xp.from_dlpack(array)

    def from_numpy(self, array: np.ndarray) -> Array:
        """A copy as an array of the namespace, with the type and on the device of the state."""
        if self.xp is np:
            return array.astype(self.qpos.dtype)
        return self.xp.as_tensor(array).to(self.qpos)

    def snapshot(self) -> Snapshot:
        return Snapshot(self.xp, self.qpos, self.ctrl, self.body_pose, self.goal)

    def reseed(self, seed: int | list[int | None] | None, ids: np.ndarray) -> None:
        """Sets the seeds of environments as gymnasium does: an integer s means s, s + 1, ...; None changes nothing."""
        if seed is None:
            return
        seeds = self._seeds(seed)
        chosen = ids if isinstance(seed, int | np.integer) else ids[[seed[i] is not None for i in ids]]
        self.seeds[chosen] = seeds[chosen]
        self.episodes[chosen] = 0

    def begin(self, ids: np.ndarray) -> None:
        """Starts an episode in the environments `ids` (n,)."""
        if len(ids) == 0:
            return
        start = self.task.start(streams.uniform(self.seeds[ids], self.episodes[ids], self.task.random_numbers))
        self.episodes[ids] += 1
        self._place(ids, start)

    def advance(self, action: Array) -> Outcome:
        """Applies an action (batch, action_size) to all environments. A NaN fails the step of that environment only."""
        before = self._copy(self.ctrl)
        status = self._status(self.sim.step(self._command(action)))
        failed = (status & int(stiction.Status.FAILED)) != 0
        self.ctrl[...] = self.xp.where(failed[:, None], before, self.ctrl)  # a NaN does not stay in what is observed
        return self._judge(status, failed)

    def observe(self) -> Array:
        return self.task.observe(self.snapshot())

    def _command(self, action: Array) -> Array:
        return self.task.command(self.snapshot(), self.xp.clip(action, -1, 1))

    def _judge(self, status: Array, failed: Array) -> Outcome:
        task, now = self.task, self.snapshot()
        self.elapsed += 1
        progress = task.progress(now)
        success = task.success(now) & ~failed
        reward = task.progress_scale * (progress - self.progress) + self.xp.where(success, 1.0, 0.0)
        self.progress[...] = progress
        terminated = success | failed | task.lost(now)
        truncated = (self.elapsed >= task.max_episode_steps) & ~terminated
        return Outcome(task.observe(now), reward, terminated, truncated, success, status)

    def _place(self, ids: np.ndarray, start: Start) -> None:
        self.sim.reset(ids, qpos=start.qpos.astype(self.dtype))
        rows = ids if self.xp is np else self.xp.as_tensor(ids, device=self.qpos.device)
        self.ctrl[rows] = self.from_numpy(start.ctrl)
        self.goal[rows] = self.from_numpy(start.goal)
        self.elapsed[rows] = 0
        self.progress[rows] = self.task.progress(self.snapshot())[rows]

    @property
    def dtype(self) -> str:
        return str(self.qpos.dtype).removeprefix("torch.")

    def _status(self, bits: Any) -> Array:
        """A copy of the bits, as integers that both namespaces can compare."""
        return bits.copy() if self.xp is np else self.xp.from_dlpack(bits).to(self.xp.int64)

    def _copy(self, array: Array) -> Array:
        return array.copy() if self.xp is np else array.clone()

    def _seeds(self, seed: int | list[int | None] | None) -> np.ndarray:
        if seed is None:
            return np.random.default_rng().integers(0, 2**62, self.num_envs)
        if isinstance(seed, int | np.integer):
            return np.arange(self.num_envs) + int(seed) + self.first_id
        if len(seed) != self.num_envs:
            raise InputError(f"seed: expected an integer or {self.num_envs} of them, got {len(seed)}")
        return np.array([0 if s is None else s for s in seed], np.int64)
