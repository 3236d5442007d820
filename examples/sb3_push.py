"""Trains with Stable-Baselines3's PPO: an adapter of thirty lines.

    pip install '.[learn]' stable-baselines3    # from the checkout
    python examples/sb3_push.py --steps 300000
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import stiction.envs
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from stiction.envs.vector_env import VectorEnv

Array: TypeAlias = NDArray[Any]
Indices: TypeAlias = int | Iterable[int] | None


class BaselinesEnv(VecEnv):
    """A vector environment of stiction as Stable-Baselines3 sees one: infos are a list of dictionaries."""

    def __init__(self, envs: VectorEnv) -> None:
        self.envs = envs
        self.render_mode = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Array:
        return self.envs.reset()[0]

    def step_async(self, actions: Array) -> None:
        self.actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
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

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **keys: Any) -> list[Any]:
        raise NotImplementedError("the environments are stepped together and have no methods of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
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
