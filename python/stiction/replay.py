"""The run of a recording again, from the recording alone."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stiction import _core
from stiction.errors import InputError
from stiction.recording import Recording
from stiction.scene import toml_value
from stiction.simulator import Simulator

# keys of scene.toml that a compiled model has or a text replaces
_OF_THE_MODEL = ("model", "attach", "max_elements", "packages", "compiler", "actuator", "material", "material_pair", "command_file")
_MOST_SEED = 2**63 - 1  # of a TOML integer

# table and key of scene.toml -> attribute
_VALUES = {(key.table, key.key): key.keyword for key in _core.scene_keys() if key.is_value}


def scene_of(recording: Recording) -> _core.Scene:
    """The scene as it was run, with what the command line said; needs no file but the recording."""
    _check_versions(recording, "mujoco", _core.mujoco_versions()[1])
    if "model" not in recording.file:
        raise InputError(f"{recording.name}: holds no compiled model, so that it can not be replayed; record it again")
    with tempfile.TemporaryDirectory() as folder:
        keys = _keys(recording, Path(folder))
        text = "\n".join(f"{key} = {toml_value(key, value)}" for key, value in keys.items())
        try:
            return _core.load_binaries(_models(recording), text, recording.scene)
        except InputError as error:
            raise InputError(f"{recording.name}: the scene can not be made again: {error}") from error


def _models(recording: Recording) -> list[tuple[bytes, str, str]]:
    """Every model: compiled, as text, and its name."""
    names = recording.variant_names or [""]
    files = ["model", *(f"variants/{v}/model" for v in range(1, len(names)))]
    return [(recording.file[f][:].tobytes(), recording.variant_xml(v), names[v]) for v, f in enumerate(files)]


def replay(
    recording: Recording, envs: Sequence[int] | None = None, device: str | None = None, threads: int | None = None
) -> Simulator:
    """A simulator of recorded environments at row 0."""
    _check_versions(recording, "stiction", _core.version)
    chosen = [recording.env_index(env) for env in (range(recording.batch) if envs is None else envs)]
    if not chosen:
        raise InputError(f"{recording.name}: no environment to replay; give some of 0 ... {recording.batch - 1}")
    ids = [recording.attribute("first_env_id") + recording.envs[env] for env in chosen]
    scene, options = scene_of(recording), {"dtype": recording.attribute("dtype"), "threads": threads}
    options["device"] = _recorded_device(recording) if device is None else device
    sim = Simulator(scene, len(ids), first_env_id=ids[0], **options)
    if ids != list(range(ids[0], ids[0] + len(ids))):
        sim.set_state(_states_of(scene, ids, options))
    return sim


def _check_versions(recording: Recording, name: str, here: str) -> None:
    recorded = recording.attribute(f"{name}_version")
    if recorded != here:
        raise InputError(f"{recording.name}: of {name} {recorded}, this is {here}: its bits need the same version")


def _keys(recording: Recording, folder: Path) -> dict[str, Any]:
    """Keys of the scene.toml that says what was run; tables that it names are written into `folder`."""
    try:
        keys = tomllib.loads(recording.scene_text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{recording.name}: a damaged recording (scene_text: {error})") from error
    for (table, key), attribute in _VALUES.items():
        if attribute in recording.attributes:  # else the key is younger than the recording
            keys.setdefault(table, {})[key] = recording.attribute(attribute)
    if keys.get("physics", {}).get("cone") != "pyramid":  # recorded beside every cone
        keys.get("physics", {}).pop("facets", None)
    if recording.attributes.get("keyframe"):  # the command line may have said it
        keys["initial"] = {"keyframe": recording.attribute("keyframe")}
    if recording.seed > _MOST_SEED:
        raise InputError(f"{recording.name}: seed {recording.seed}: a scene takes at most {_MOST_SEED}")
    names, texts = recording.attribute("scene_file_names"), recording.attribute("scene_file_texts")
    files = {}
    for i, (name, text) in enumerate(zip(names, texts, strict=True)):
        files[name] = str(folder / f"{i}{Path(name).suffix}")
        Path(files[name]).write_bytes(text.encode(errors="surrogateescape"))
    without = {key: value for key, value in keys.items() if key not in _OF_THE_MODEL}
    if "command_file" in keys:
        without["command_file"] = files[keys["command_file"]]
    for script in (*without.get("mocap", []), *without.get("impulse", [])):
        if "file" in script:
            script["file"] = files[script["file"]]
    return without


def _recorded_device(recording: Recording) -> str:
    """cpu, cuda or reference of "cpu (2 threads)" and "cuda:0 (name)"."""
    return recording.attribute("device").split(" ")[0].partition(":")[0]


def _states_of(scene: _core.Scene, ids: list[int], options: dict[str, Any]) -> dict[str, np.ndarray]:
    """States at the start of environments that are not consecutive."""
    first = [i for i in range(len(ids)) if i == 0 or ids[i] != ids[i - 1] + 1]
    states = []
    for begin, end in zip(first, [*first[1:], len(ids)], strict=True):
        with Simulator(scene, end - begin, first_env_id=ids[begin], **options) as sim:
            states.append(sim.state())
    return {name: np.concatenate([state[name] for state in states]) for name in states[0]}
