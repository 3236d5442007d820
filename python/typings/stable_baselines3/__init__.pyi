# Installed by whoever runs the example that needs it.
from typing import Any

from stable_baselines3.common.vec_env import VecEnv

class PPO:
    def __init__(self, policy: str, env: VecEnv, **keys: Any) -> None: ...
    def learn(self, total_timesteps: int) -> None: ...
