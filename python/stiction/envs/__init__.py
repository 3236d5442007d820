"""Tasks for learning and planning, for gymnasium and for torch.

    import stiction.envs

    envs = stiction.envs.make_vec("stiction/PushT-v0", num_envs=1024, seed=0)
    observation, info = envs.reset()
    observation, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
"""

from stiction.envs.registration import TASKS, make_task, make_torch, make_vec, register
from stiction.envs.task import Snapshot, Start, Task

register()

__all__ = ["TASKS", "Snapshot", "Start", "Task", "make_task", "make_torch", "make_vec"]
