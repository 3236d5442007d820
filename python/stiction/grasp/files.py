"""Files of grasps that other programs write and read.

| format | file | joints |
|---|---|---|
| isaac_grasp | YAML, version 1.0 | before and at the contact, by name |
| graspgen | JSON | none: a palm pose and whether it held |
| acronym | HDF5 | none: as graspgen |
| dexgraspnet | NumPy, a list of dictionaries | at the contact, by name |
| dexgraspbench | NumPy, a dictionary | before, at and behind the contact, in order |

A palm is where the file has it: which frame of which hand that is, files do not say reliably.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError, make_folder_of, optional
from stiction.grasp.array_files import read_arrays, write_dexgraspbench, write_dexgraspnet
from stiction.grasp.grasps import Grasps
from stiction.quaternions import matrix_of, of_matrix

ENDINGS = {".yaml": "isaac_grasp", ".yml": "isaac_grasp", ".json": "graspgen", ".h5": "acronym", ".hdf5": "acronym", ".npy": "arrays"}
FORMATS = ("isaac_grasp", "graspgen", "acronym", "dexgraspnet", "dexgraspbench")
_HELD = "grasps/qualities/flex/object_in_gripper"  # of ACRONYM


def read_grasps(path: str | Path, *, joint_names: Sequence[str] | None = None) -> Grasps:
    """Grasps of a file; its ending says the format, for `.npy` its content does.

    Args:
        path: .yaml, .yml, .json, .h5, .hdf5 or .npy.
        joint_names: of a DexGraspBench file, which has none; None: joint_0, joint_1, ...

    Raises:
        InputError: there is no such file, or it is not in a format that is known.
        MissingPackage: pyyaml or h5py is not installed.
    """
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: unknown kind of file; grasps are in {', '.join(ENDINGS)}")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    read = {"isaac_grasp": _read_isaac, "graspgen": _read_graspgen, "acronym": _read_acronym}.get(ENDINGS[path.suffix])
    try:
        return read_arrays(path, joint_names) if read is None else read(path)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def write_grasps(path: str | Path, grasps: Grasps, format: str | None = None) -> None:
    """Writes grasps in a format of other programs.

    Args:
        path: of the file.
        grasps: what the format has no place for is left out, such as the joints in those of jaws.
        format: one of isaac_grasp, graspgen, acronym, dexgraspnet, dexgraspbench; None: as the ending says.

    Raises:
        InputError: the format is unknown, does not go with the ending, or the file cannot be written.
        MissingPackage: pyyaml or h5py is not installed.
    """
    path = Path(path)
    by_ending = ENDINGS.get(path.suffix)
    chosen = by_ending if format is None else format
    if chosen == "arrays":
        raise InputError(f"{path}: format: dexgraspnet or dexgraspbench, both end in .npy")
    writers: dict[str, Callable[[Path, Grasps], None]] = {
        "isaac_grasp": _write_isaac,
        "graspgen": _write_graspgen,
        "acronym": _write_acronym,
        "dexgraspnet": write_dexgraspnet,
        "dexgraspbench": write_dexgraspbench,
    }
    if chosen not in writers:
        raise InputError(f"{path}: format {chosen!r} is unknown; there are {', '.join(FORMATS)}")
    if by_ending not in (chosen, "arrays" if chosen.startswith("dex") else chosen):
        endings = [end for end, name in ENDINGS.items() if name == chosen or (name == "arrays" and chosen.startswith("dex"))]
        raise InputError(f"{path}: {chosen} files end in {' or '.join(endings)}")
    make_folder_of(path)
    try:
        writers[chosen](path, grasps)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def _field(table: Any, name: str, kind: type | tuple[type, ...], where: str) -> Any:
    if not isinstance(table, dict) or name not in table:
        raise InputError(f"{where} has no '{name}'")
    if not isinstance(table[name], kind):
        raise InputError(f"{where}: '{name}' is a {type(table[name]).__name__}")
    return table[name]


def _read_isaac(path: Path) -> Grasps:
    yaml = optional("yaml", "a file of isaac_grasp", "grasp")
    try:
        content = yaml.safe_load(path.read_text())
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"is not YAML ({str(error).splitlines()[0]})") from error
    if _field(content, "format", str, "the file") != "isaac_grasp":
        raise InputError(f"format is '{content['format']}', expected isaac_grasp")
    entries = _field(content, "grasps", dict, "the file")
    if not entries:
        raise InputError("the file has no grasps")
    joints = list(_field(next(iter(entries.values())), "cspace_position", dict, "the first grasp"))
    before = all("pregrasp_cspace_position" in entry for entry in entries.values())

    def numbers(name: str, entry: Any, of: str) -> list[Any]:
        values = _field(entry, of, dict, f"grasp '{name}'")
        if set(values) != set(joints):
            raise InputError(f"grasp '{name}': {of} has other joints than the first grasp")
        return [values[joint] for joint in joints]

    def turn(name: str, entry: Any) -> list[Any]:
        orientation = _field(entry, "orientation", dict, f"grasp '{name}'")
        return [_field(orientation, "w", (int, float), f"grasp '{name}'"), *_field(orientation, "xyz", list, f"grasp '{name}'")]

    named = list(entries.items())
    return Grasps(
        position=[_field(entry, "position", list, f"grasp '{name}'") for name, entry in named],  # pyright: ignore[reportArgumentType]
        quat=[turn(name, entry) for name, entry in named],  # pyright: ignore[reportArgumentType]
        joint_names=joints,
        grasp=[numbers(name, entry, "cspace_position") for name, entry in named],
        pregrasp=[numbers(name, entry, "pregrasp_cspace_position") for name, entry in named] if before else None,
        confidence=[entry.get("confidence", 1.0) for _, entry in named],
        names=[str(name) for name, _ in named],
        object=str(content.get("object_frame") or content.get("object_frame_link") or ""),
    )


def _write_isaac(path: Path, grasps: Grasps) -> None:
    yaml = optional("yaml", "a file of isaac_grasp", "grasp")

    def joints(row: Any) -> dict[str, float]:
        return dict(zip(grasps.joint_names, row.tolist(), strict=True))

    entries: dict[str, Any] = {}
    for i, name in enumerate(grasps.names):
        w, *xyz = grasps.quat[i].tolist()
        entries[name] = {
            "confidence": 1.0 if grasps.confidence is None else float(grasps.confidence[i]),
            "position": grasps.position[i].tolist(),
            "orientation": {"w": w, "xyz": xyz},
            "cspace_position": joints(grasps.grasp[i]),
        }
        if grasps.pregrasp is not None:
            entries[name]["pregrasp_cspace_position"] = joints(grasps.pregrasp[i])
    content = {"format": "isaac_grasp", "format_version": 1.0, "object_frame": grasps.object, "gripper_frame": "", "grasps": entries}
    path.write_text(yaml.safe_dump(content, sort_keys=False, default_flow_style=None))


def _of_transforms(transforms: Any, held: Any, file: str, scale: float) -> Grasps:
    try:
        poses = np.array(transforms, float)
    except (TypeError, ValueError) as error:
        raise InputError("transforms: expected matrices (N, 4, 4)") from error
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise InputError(f"transforms: expected the shape (N, 4, 4), got {poses.shape}")
    return Grasps(poses[:, :3, 3], of_matrix(poses[:, :3, :3], "transforms"), confidence=held, object=file, scale=scale)


def _transforms(grasps: Grasps) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(grasps), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = matrix_of(grasps.quat), grasps.position
    return poses


def _one_scale(grasps: Grasps, format: str) -> float:
    scales = np.unique(grasps.scale)
    if len(scales) > 1:
        raise InputError(f"scale: {format} has one for all grasps, these have from {scales[0]:g} to {scales[-1]:g}")
    return float(scales[0]) if len(scales) else 1.0


def _read_graspgen(path: Path) -> Grasps:
    try:
        content = json.loads(path.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is not JSON ({error})") from error
    thing, entries = _field(content, "object", dict, "the file"), _field(content, "grasps", dict, "the file")
    transforms = _field(entries, "transforms", list, "grasps")
    held = entries.get("object_in_gripper")
    return _of_transforms(transforms, held, str(thing.get("file", "")), thing.get("scale", 1.0))


def _write_graspgen(path: Path, grasps: Grasps) -> None:
    held = np.ones(len(grasps), bool) if grasps.confidence is None else grasps.confidence > 0.5
    content = {
        "object": {"file": grasps.object, "scale": _one_scale(grasps, "graspgen")},
        "grasps": {"transforms": _transforms(grasps).tolist(), "object_in_gripper": held.tolist()},
    }
    path.write_text(json.dumps(content))


def _read_acronym(path: Path) -> Grasps:
    h5py = optional("h5py", "a file of ACRONYM", "grasp")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"is not an HDF5 file ({str(error).splitlines()[0]})") from error
    with file:
        if "grasps/transforms" not in file:
            raise InputError("has no dataset grasps/transforms")
        name = file["object/file"][()] if "object/file" in file else b""
        scale = float(file["object/scale"][()]) if "object/scale" in file else 1.0
        held = file[_HELD][:] if _HELD in file else None
        text = name.decode() if isinstance(name, bytes) else str(name)
        return _of_transforms(file["grasps/transforms"][:], held, text, scale)


def _write_acronym(path: Path, grasps: Grasps) -> None:
    h5py = optional("h5py", "a file of ACRONYM", "grasp")
    with h5py.File(path, "w") as file:
        file["object/file"], file["object/scale"] = grasps.object, _one_scale(grasps, "acronym")
        file["grasps/transforms"] = _transforms(grasps)
        held = np.ones(len(grasps)) if grasps.confidence is None else grasps.confidence > 0.5
        file[_HELD] = held.astype(np.int64)
