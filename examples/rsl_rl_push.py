"""Trains with rsl-rl's PPO on tensors: an adapter of thirty lines.

    pip install '.[learn]' torch rsl-rl-lib    # from the checkout
    python examples/rsl_rl_push.py --updates 90
"""

from __future__ import annotations

import argparse
from typing import Any

import stiction.envs
import torch
from rsl_rl.env import VecEnv
from rsl_rl.runners import OnPolicyRunner
from stiction.envs.torch_env import TorchEnv
from tensordict import TensorDict


class RslEnv(VecEnv):
    """A torch environment of stiction as rsl-rl sees one: observations are a dictionary of groups."""

    def __init__(self, envs: TorchEnv) -> None:
        self.envs, self.num_envs, self.num_actions = envs, envs.num_envs, envs.action_size
        self.max_episode_length, self.device = envs.task.max_episode_steps, envs.device
        self.cfg = {"task": envs.task.id}
        self.observation, _ = envs.reset()
        self.ended = self.succeeded = 0

    @property
    def episode_length_buf(self) -> torch.Tensor:
        return self.envs.episodes.elapsed.long()

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: torch.Tensor) -> None:
        self.envs.episodes.elapsed.copy_(lengths)

    def get_observations(self) -> TensorDict:
        return TensorDict({"policy": self.observation.float()}, batch_size=self.num_envs)

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        self.observation, reward, terminated, truncated, info = self.envs.step(actions)
        done = terminated | truncated
        self.ended, self.succeeded = self.ended + int(done.sum()), self.succeeded + int(info["success"].sum())
        return self.get_observations(), reward.float(), done.long(), {"time_outs": truncated}


def configuration() -> dict[str, Any]:
    """rsl-rl's, for small problems."""
    network = {"class_name": "MLPModel", "hidden_dims": [64, 64], "activation": "tanh", "obs_normalization": True}
    spread = {"class_name": "GaussianDistribution", "init_std": 0.6}
    return {
        "num_steps_per_env": 16,
        "save_interval": 1000,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": network | {"distribution_cfg": spread},
        "critic": network,
        "algorithm": {"class_name": "PPO", "gamma": 0.98, "entropy_coef": 0.003, "schedule": "fixed"},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--id", default="stiction/PushTPosition-v0", help="the task")
    parser.add_argument("--updates", type=int, default=90)
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--device", default="auto", help="of the simulator: auto, cpu or cuda")
    options = parser.parse_args()
    torch.manual_seed(0)
    envs = RslEnv(stiction.envs.make_torch(options.id, options.num_envs, device=options.device, seed=0))
    runner = OnPolicyRunner(envs, configuration(), device=str(envs.device))
    for k in range(0, options.updates, 10):
        envs.ended = envs.succeeded = 0
        runner.learn(10)
        share = 100 * envs.succeeded / max(envs.ended, 1)
        print(f"{k + 10} updates: {share:.0f} % of {envs.ended} episodes succeed", flush=True)


if __name__ == "__main__":
    main()
