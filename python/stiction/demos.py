"""Recordings as demonstrations in robomimic's HDF5 layout, for imitation learning.

    /data                    attributes total, env_args (JSON), action_low, action_high
    /data/demo_i             attributes num_samples, env
      actions (N, nu)        in [-1, 1], where 0 is the middle of [action_low, action_high]; or as recorded
      states  (N, 1+nq+nv)   time, qpos, qvel when the action is taken
      obs/..., next_obs/...  (N, ...) when the action is taken, and after it
      rewards (N), dones (N) dones is 1 for the last sample of a demonstration
    /mask/train, /mask/valid names of demonstrations

N = S - 1: sample k is the step from row k to row k + 1, whose ctrl is recorded in row k + 1.
"""

import json
import pathlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from stiction.errors import InputError, optional
from stiction.mjcf import compile_text
from stiction.recording import Recording

GYM_TYPE = 2  # robomimic's number for a gymnasium environment
Observe = Callable[[Recording, int], np.ndarray]


def export_demos(
    recording: Recording,
    path: str | pathlib.Path,
    *,
    envs: Sequence[int] | None = None,
    obs: Mapping[str, Observe] | None = None,
    rewards: Callable[[Recording, int], np.ndarray] | None = None,
    normalize: bool = True,
    valid_share: float = 0.0,
    seed: int = 0,
    assets: str | pathlib.Path | None = None,
) -> int:
    """Writes one demonstration per environment, in robomimic's HDF5 layout.

    Args:
        recording: a recording with state; sample k is the step from row k to row k + 1.
        path: path of the file to write.
        envs: recorded environments; None: all.
        obs: a function (recording, env) -> (S, ...) for every name; None: qpos and qvel.
        rewards: function (recording, env) -> (S - 1); None: zeros.
        normalize: maps actions from the actuators' ctrlrange (or without one, from the range that occurs) to [-1, 1],
            as robomimic requires.
        valid_share: share of the demonstrations, drawn with `seed`, that goes to /mask/valid, the others go to
            /mask/train; 0: no mask.
        seed: seed of that draw.
        assets: folder with the mesh and texture files that the model names, if they are no longer where the program
            found them.

    Returns:
        The number of samples.

    Raises:
        InputError: an environment is not recorded, a function's rows do not fit, or the file can not be written.
        MissingPackage: h5py or mujoco is not installed.
    """
    h5py = optional("h5py", "an export")
    chosen = [recording.env_index(env) for env in (range(recording.batch) if envs is None else envs)]
    _check(recording, chosen, valid_share)
    low, high = action_range(recording, chosen, assets)
    observe = dict(obs) if obs else {"qpos": _column("qpos"), "qvel": _column("qvel")}
    with _create(h5py, path) as file:
        data = file.create_group("data")
        total = 0
        for number, env in enumerate(chosen):
            demo = data.create_group(f"demo_{number}")
            actions = _rows(recording.ctrl, env)[1:]
            demo["actions"] = normalized(actions, low, high) if normalize else actions
            total += _write_demo(demo, recording, env, observe, rewards)
        data.attrs.update({"total": total, "env_args": env_args(recording), "action_low": low, "action_high": high})
        if valid_share > 0:
            _write_mask(file.create_group("mask"), len(chosen), valid_share, seed)
    return total


def action_range(recording: Recording, envs: Sequence[int], assets=None) -> tuple[np.ndarray, np.ndarray]:
    """(low, high), (nu) each: the actuators' ctrlrange, or if there is none, the range that the environments use."""
    model = compile_text(recording.model_xml, recording.name, assets)
    used = np.stack([_rows(recording.ctrl, env)[1:] for env in envs])
    limited = model.actuator_ctrllimited.astype(bool)
    low = np.where(limited, model.actuator_ctrlrange[:, 0], np.nanmin(used, axis=(0, 1)))
    high = np.where(limited, model.actuator_ctrlrange[:, 1], np.nanmax(used, axis=(0, 1)))
    return low, high


def normalized(actions: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Actions mapped from [low, high] to [-1, 1] and clipped; an actuator that never moves gets 0."""
    half = (high - low) / 2
    centred = np.asarray(actions, dtype=float) - (low + high) / 2
    return np.clip(np.divide(centred, half, out=np.zeros_like(centred), where=half > 0), -1, 1)


def env_args(recording: Recording) -> str:
    """JSON text about the origin of the demonstrations."""
    kwargs = {"scene": recording.scene, "step_size": recording.step_size * recording.attribute("every")}
    kwargs |= {"seed": recording.seed, "choices": recording.choices, "versions": recording.versions}
    return json.dumps({"env_name": f"stiction/{recording.scene}", "env_type": GYM_TYPE, "env_kwargs": kwargs})


def _check(recording: Recording, envs: Sequence[int], valid_share: float) -> None:
    if not envs:
        raise InputError(f"{recording.name}: no environment to export")
    if recording.rows < 2:
        raise InputError(f"{recording.name}: no step to export")
    if not 0 <= valid_share < 1:
        raise InputError(f"valid_share = {valid_share} is out of 0 ... 1")


def _create(h5py, path):
    try:
        return h5py.File(path, "w")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({str(error).splitlines()[0]})") from error


def _column(name: str) -> Observe:
    return lambda recording, env: _rows(getattr(recording, name), env)


def _rows(column, env: int) -> np.ndarray:
    return np.asarray(column[:, env], dtype=float)


def _write_demo(demo, recording: Recording, env: int, observe: Mapping[str, Observe], rewards) -> int:
    """Writes one demonstration without its actions. Returns its number of samples."""
    samples = recording.rows - 1
    states = [recording.time[:, None], _rows(recording.qpos, env), _rows(recording.qvel, env)]
    demo["states"] = np.hstack(states)[:-1]
    for name, function in observe.items():
        values = _with_length(function(recording, env), recording.rows, f"obs {name}")
        demo[f"obs/{name}"], demo[f"next_obs/{name}"] = values[:-1], values[1:]
    gained = np.zeros(samples) if rewards is None else rewards(recording, env)
    demo["rewards"] = _with_length(gained, samples, "rewards")
    demo["dones"] = np.arange(samples) == samples - 1
    demo.attrs.update({"num_samples": samples, "env": recording.envs[env], "model_file": recording.model_xml})
    return samples


def _with_length(values, length: int, what: str) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim < 1 or len(values) != length:
        raise InputError(f"{what}: expected {length} rows, got an array of shape {values.shape}")
    return values


def _write_mask(mask, num_demos: int, valid_share: float, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(num_demos)
    num_valid = min(max(round(valid_share * num_demos), 1), num_demos - 1)
    for name, part in (("valid", order[:num_valid]), ("train", order[num_valid:])):
        mask[name] = np.array([f"demo_{k}" for k in sorted(part)], dtype="S")
