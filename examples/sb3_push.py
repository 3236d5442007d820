"""Trains with Stable-Baselines3's PPO: an adapter of thirty lines.

    pip install '.[learn]' stable-baselines3    # from the checkout
    python examples/sb3_push.py --steps 300000
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import stiction.envs
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor


class BaselinesEnv(VecEnv):
    """A vector environment of stiction as Stable-Baselines3 sees one: infos are a list of dictionaries."""

    def __init__(self, envs) -> None:
        self.envs = envs
        self.render_mode = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> np.ndarray:
        return self.envs.reset()[0]

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self):
        observation, reward, terminated, truncated, info = self.envs.step(self.actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for e in np.flatnonzero(done):
            infos[e]["terminal_observation"] = info["final_obs"][e]
            infos[e]["TimeLimit.truncated"] = bool(truncated[e])
            infos[e]["is_success"] = bool(info["final_info"]["success"][e])
        return observation, reward.astype(np.float32), done, infos

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices=None, **keys: Any) -> list[Any]:
        raise NotImplementedError("the environments are stepped together and have no methods of their own")

    def env_is_wrapped(self, wrapper_class: type, indices=None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--id", default="stiction/PushTPosition-v0", help="the task")
    parser.add_argument("--steps", type=int, default=1_500_000)
    parser.add_argument("--num-envs", type=int, default=512)
    options = parser.parse_args()
    envs = VecMonitor(BaselinesEnv(stiction.envs.make_vec(options.id, options.num_envs, seed=0)))
    settings = {"n_steps": 32, "batch_size": 4096, "n_epochs": 4, "gamma": 0.98, "learning_rate": 1e-3}
    model = PPO("MlpPolicy", envs, **settings, verbose=1, seed=0, device="cpu")
    model.learn(options.steps)


if __name__ == "__main__":
    main()
