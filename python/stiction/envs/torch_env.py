"""The same tasks for torch: tensors in, tensors out, on the simulator's memory and device."""

from __future__ import annotations

from typing import Any

from stiction._core import InputError
from stiction.envs.episodes import Episodes
from stiction.envs.task import Task
from stiction.errors import optional


class TorchEnv:
    """The environments of a task, stepped together. An environment that ends starts a new episode in the same step.

    Observations (num_envs, n), rewards (num_envs,) and actions (num_envs, m) in [-1, 1] are tensors of the simulator's
    type on its device. Once per step the host reads which environments have ended. The random numbers are those of the
    NumPy environments.
    """

    def __init__(self, task: Task, num_envs: int, seed: int | None = None, **simulator: Any) -> None:
        torch = optional("torch", "a torch environment", "torch")
        self.episodes = _on_torchs_stream(torch, task, num_envs, seed, simulator)
        self.task, self.num_envs = task, num_envs
        self.observation_size, self.action_size = task.observation_size, task.action_size
        self.device = self.episodes.qpos.device

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts episodes in all environments. Returns observation and info."""
        ids = self._ids(self.episodes.elapsed == self.episodes.elapsed)
        self.episodes.reseed(seed, ids)
        self.episodes.begin(ids)
        return self.episodes.observe(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Takes one action in every environment. Returns observation, reward, terminated, truncated, info.

        `info` holds success, status, and final_obs (num_envs, n), the observation before any environment started anew.
        """
        outcome = self.episodes.advance(actions.to(self.episodes.qpos))
        info = {"success": outcome.success, "status": outcome.status, "final_obs": outcome.observation}
        ids, observation = self._ids(outcome.terminated | outcome.truncated), outcome.observation
        if len(ids):
            self.episodes.begin(ids)
            observation = self.episodes.observe()
        return observation, outcome.reward, outcome.terminated, outcome.truncated, info

    def close(self) -> None:
        self.episodes.sim.close()

    @staticmethod
    def _ids(mask: Any) -> Any:
        """The environments for which a mask is true, as NumPy integers."""
        return mask.nonzero().flatten().cpu().numpy()


def _on_torchs_stream(torch: Any, task: Task, num_envs: int, seed: int | None, simulator: dict[str, Any]) -> Episodes:
    """Options that order a GPU's work in torch's current stream; "auto" without a usable GPU is the CPU."""
    device = simulator.get("device", "auto")
    if device == "cpu" or "stream" in simulator or not torch.cuda.is_available():
        return Episodes(task, num_envs, torch, seed, **simulator)
    ordered = {"device": "cuda" if device == "auto" else device, "stream": torch.cuda.current_stream().cuda_stream}
    try:
        return Episodes(task, num_envs, torch, seed, **(simulator | ordered))
    except InputError:
        if device != "auto":
            raise
        return Episodes(task, num_envs, torch, seed, **simulator)
