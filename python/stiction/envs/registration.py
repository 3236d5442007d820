"""Makes environments by name, for this package and for gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stiction._core import InputError
from stiction.envs.cube_reorient import CubeReorient
from stiction.envs.push_t import PushT, PushTPosition
from stiction.envs.stack_cubes import StackCubes
from stiction.envs.task import Task
from stiction.errors import optional

if TYPE_CHECKING:
    from stiction.envs.single_env import SingleEnv
    from stiction.envs.torch_env import TorchEnv
    from stiction.envs.vector_env import VectorEnv

TASKS: dict[str, type[Task]] = {task.id: task for task in (PushT, PushTPosition, CubeReorient, StackCubes)}
"""Tasks by their id."""

_SIMULATOR = ("dtype", "threads", "first_env_id", "stream", "solve_threads")


def make_vec(
    id: str,
    num_envs: int,
    device: str = "auto",
    dtype: str = "float64",
    seed: int | None = None,
    autoreset: str = "same_step",
    render_mode: str | None = None,
    **keys: Any,
) -> VectorEnv:
    """A task as a gymnasium `VectorEnv`.

    Args:
        id: "stiction/PushT-v0", "stiction/PushTPosition-v0", "stiction/CubeReorient-v0" or "stiction/StackCubes-v0".
        num_envs: number of environments, all in one simulator.
        device: "auto" or "cpu"; both are the CPU, where NumPy's arrays live. `make_torch` can use a GPU.
        dtype: "float64" or "float32", the type of the simulator's state.
        seed: environment e draws its starts from seed + e.
        autoreset: "same_step" or "disabled".
        render_mode: None, or "rgb_array" for `render()` and `gymnasium.wrappers.vector.RecordVideo`.
        keys: fields of the task, and the arguments threads and first_env_id of `stiction.Simulator`.

    Raises:
        InputError: an id or a key is not known.
        MissingPackage: gymnasium is not installed.
    """
    optional("gymnasium", "a vector environment", "learn")
    from stiction.envs.vector_env import VectorEnv

    task, simulator = _split(id, keys)
    device = "cpu" if device == "auto" else device
    return VectorEnv(task, num_envs, seed, autoreset, render_mode, device=device, dtype=dtype, **simulator)


def make_torch(
    id: str, num_envs: int, device: str = "auto", dtype: str = "float64", seed: int | None = None, **keys: Any
) -> TorchEnv:
    """A task as a `TorchEnv`: tensors in, tensors out.

    Args:
        id: as for `make_vec`.
        num_envs: number of environments, all in one simulator.
        device: "auto" (a usable GPU, else the CPU), "cpu", "cuda" or "cuda:<i>".
        dtype: "float64" or "float32", the type of the simulator's state.
        seed: environment e draws its starts from seed + e.
        keys: fields of the task, and the arguments threads, first_env_id, stream and solve_threads of
            `stiction.Simulator`.

    Raises:
        InputError: an id or a key is not known.
        MissingPackage: torch is not installed.
    """
    from stiction.envs.torch_env import TorchEnv

    task, simulator = _split(id, keys)
    return TorchEnv(task, num_envs, seed, device=device, dtype=dtype, **simulator)


def make_single(id: str, dtype: str = "float64", render_mode: str | None = None, **keys: Any) -> SingleEnv:
    """A task as one `gymnasium.Env`; the arguments are as for `make_vec`."""
    optional("gymnasium", "an environment", "learn")
    from stiction.envs.single_env import SingleEnv

    task, simulator = _split(id, keys)
    return SingleEnv(task, render_mode, device="cpu", dtype=dtype, **simulator)


def make_task(id: str, **keys: Any) -> Task:
    """The task with this id; `keys` set its fields.

    Raises:
        InputError: the id or a field is not known.
    """
    if id not in TASKS:
        raise InputError(f"no environment '{id}'; there are {', '.join(TASKS)}")
    fields = TASKS[id].__dataclass_fields__
    if unknown := [key for key in keys if key not in fields]:
        raise InputError(f"{id}: unknown key '{unknown[0]}'; known are {', '.join([*fields, *_SIMULATOR])}")
    return TASKS[id](**keys)


def register() -> None:
    """Registers the tasks with gymnasium, if it is installed, for `gymnasium.make` and `gymnasium.make_vec`."""
    try:
        import gymnasium
    except ImportError:
        return
    for id in TASKS:
        if id not in gymnasium.registry:
            module = "stiction.envs.registration"
            gymnasium.register(id, f"{module}:make_single", vector_entry_point=f"{module}:make_vec", kwargs={"id": id})


def _split(id: str, keys: dict[str, Any]) -> tuple[Task, dict[str, Any]]:
    simulator = {key: keys.pop(key) for key in _SIMULATOR if key in keys}
    return make_task(id, **keys), simulator
