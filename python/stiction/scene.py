"""Scenes and models, with keys of scene.toml as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from stiction import _core
from stiction._core import InputError, Scene
from stiction.scene_keys import SceneKeys
from stiction.strict import nearest

if TYPE_CHECKING:
    import mujoco

    MujocoModel: TypeAlias = mujoco.MjSpec | mujoco.MjModel

# keyword -> table and key of scene.toml
_KEYS = {key.keyword: (key.table, key.key) for key in _core.scene_keys()}


def load_scene(path: str | os.PathLike[str], **keys: Unpack[SceneKeys]) -> Scene:
    """Loads a scene folder, a scene.toml or a bare model (.xml, .mjcf, .urdf).

    Args:
        path: of the folder or file.
        keys: those of scene.toml, which come before the scene's own: all of `[physics]`, `[solver]` (its name as
            `solver`), `[step]`, `[initial]` and `[randomize]`, such as law, tolerance, step_size [s] or seed, and
            max_elements; packages={name: folder}, compiler={key: value} and actuator=[{"joint": "*", "kp": ..}, ..], which say
            how a model is read and belong to files and texts. What is one value is a property of `Scene`, which says what it means. None leaves a key as it
            is. `preset` replaces all choices of the scene in `[physics]` that no other keyword names, and the law
            "patch" is "coulomb" with contact "patch", and with cone "quadratic" and geometry "end" unless cone and
            geometry are given. With dynamics "dynamic" or "dynamic_fitted" the law "anitescu" throws up what is set sliding, at every
            step size; "coulomb" does not.

    Raises:
        InputError: the file, the model or a key is not right; one line that says what and where.
    """
    return _core.load_scene(os.fspath(path), _toml(keys))


def load_model(model: str | os.PathLike[str] | MujocoModel, **keys: Unpack[SceneKeys]) -> Scene:
    """A scene of a bare model.

    Args:
        model: a path, MJCF or URDF text, a `mujoco.MjSpec`, also with assets in memory, or a `mujoco.MjModel`. Asset files
            of a text are relative to the working directory.
        keys: those of `load_scene`.

    Raises:
        InputError: the model or a key is not right; a feature that is not supported is named.
    """
    if isinstance(model, os.PathLike) or (isinstance(model, str) and not model.lstrip().startswith("<")):
        return _core.load_scene(os.fspath(model), _toml(keys))
    if isinstance(model, str):
        return _core.load_text(model, _toml(keys))
    if type(model).__module__.startswith("mujoco"):
        return _from_mujoco(model, keys)
    raise InputError(f"model: expected a path, XML text, an MjSpec or an MjModel, got {type(model).__name__}")


def _from_mujoco(model: Any, keys: SceneKeys) -> Scene:
    import mujoco
    import numpy as np

    text = ""
    if isinstance(model, mujoco.MjSpec):
        model, text = _compiled(model)
    if not isinstance(model, mujoco.MjModel):
        raise InputError(f"model: expected an MjSpec or an MjModel, got {type(model).__name__}")
    buffer = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return _core.load_binaries([(buffer.tobytes(), text, "")], _toml(keys))


def _compiled(spec: Any) -> tuple[Any, str]:
    """mujoco.MjModel of a mujoco.MjSpec, and its text for pictures."""
    try:
        return spec.compile(), spec.to_xml()
    except ValueError as error:
        raise InputError(f"model: the MjSpec does not compile: {' '.join(str(error).split())}") from error


def _toml(keys: SceneKeys) -> str:
    """Keyword arguments as the text of a scene.toml."""
    tables: dict[str, list[str]] = {}
    for keyword, value in keys.items():
        if keyword not in _KEYS:
            raise InputError(f"unknown key '{keyword}'{nearest(keyword, _KEYS)}")
        if value is None:
            continue
        if keyword == "packages" and isinstance(value, Mapping):
            value = {name: os.path.abspath(folder) for name, folder in value.items()}
        table, key = _KEYS[keyword]
        tables.setdefault(table, []).append(f"{key} = {toml_value(keyword, value)}")
    top = tables.pop("", [])  # before every table
    return "\n".join(top + [f"[{table}]\n" + "\n".join(lines) for table, lines in tables.items()])


def toml_value(keyword: str, value: Any) -> str:
    """A value of a key as TOML; `keyword` is for messages."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if hasattr(value, "tolist"):  # arrays and their numbers
        value = value.tolist()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_value(k, k)} = {toml_value(k, v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml_value(keyword, v) for v in value) + "]"
    raise InputError(f"{keyword}: expected a number, a text or a sequence, got {type(value).__name__}")
