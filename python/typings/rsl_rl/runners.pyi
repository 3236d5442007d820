# Installed by whoever runs the example that needs it.
from typing import Any

from rsl_rl.env import VecEnv

class OnPolicyRunner:
    def __init__(self, env: VecEnv, train_cfg: dict[str, Any], device: str) -> None: ...
    def learn(self, num_learning_iterations: int) -> None: ...
