# Installed by whoever runs the example that needs it.
from collections.abc import Iterable
from typing import Any

class VecEnv:
    num_envs: int
    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None: ...
    def _get_indices(self, indices: int | Iterable[int] | None) -> Iterable[int]: ...

class VecMonitor(VecEnv):
    def __init__(self, venv: VecEnv) -> None: ...
