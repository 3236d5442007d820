"""NumPy files of grasps by dexterous hands. They hold pickled dictionaries: nothing but arrays and plain values is unpickled.

    DexGraspNet     [{"qpos": {WRJTx, WRJTy, WRJTz, WRJRx, WRJRy, WRJRz, joints}, "scale": s}, ..]
                    R = R_z(WRJRz) R_y(WRJRy) R_x(WRJRx), in the object's frame
    DexGraspBench   {"pregrasp_qpos", "grasp_qpos", "squeeze_qpos": position, quaternion w x y z, joints, "obj_pose": 7, ..}
                    in the world, where the object is at obj_pose
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction import quaternions
from stiction.errors import InputError
from stiction.grasp.grasps import Grasps

_SHIFT, _TURN = ("WRJTx", "WRJTy", "WRJTz"), ("WRJRx", "WRJRy", "WRJRz")
_STAGES = ("pregrasp_qpos", "grasp_qpos", "squeeze_qpos")
_SAME_WAY, _SAME_TURN = 1e-4, 1e-3  # of a palm at all stages [m], [rad]


class _ArraysOnly(pickle.Unpickler):
    """Refuses to run anything that a file names."""

    _ALLOWED = frozenset(
        f"{core}.{name}" for core in ("numpy.core.multiarray", "numpy._core.multiarray") for name in ("_reconstruct", "scalar")
    ) | {"numpy.ndarray", "numpy.dtype", "collections.OrderedDict", "_codecs.encode"}

    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" in self._ALLOWED:
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise InputError(f"names {module}.{name}, where only arrays and numbers are read")


def read_arrays(path: Path, joint_names: Sequence[str] | None) -> Grasps:
    """Grasps of a file of DexGraspNet or DexGraspBench."""
    content = _unpickled(path)
    if isinstance(content, dict) and "grasp_qpos" in content:
        return _of_dexgraspbench(content, joint_names)
    entries = list(content) if isinstance(content, list | np.ndarray) else []
    if entries and all(isinstance(entry, dict) and "qpos" in entry for entry in entries):
        return _of_dexgraspnet(entries, path.stem)
    raise InputError("is neither of DexGraspNet (a list of dictionaries with 'qpos') nor of DexGraspBench (one with 'grasp_qpos')")


def _unpickled(path: Path) -> Any:
    bytes_read = io.BytesIO(path.read_bytes())
    try:
        version = np.lib.format.read_magic(bytes_read)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        _, _, kind = header(bytes_read)
        if not kind.hasobject:
            raise InputError("is an array of numbers, where dictionaries are expected")
        array = _ArraysOnly(bytes_read).load()
    except InputError:
        raise
    except (ValueError, EOFError, pickle.UnpicklingError, AttributeError, KeyError, TypeError) as error:
        raise InputError(f"is no NumPy file, or a damaged one ({str(error).splitlines()[0] if str(error) else type(error).__name__})") from error
    return array.item() if isinstance(array, np.ndarray) and array.ndim == 0 else array


def _of_dexgraspnet(entries: list[Any], name: str) -> Grasps:
    first = entries[0]["qpos"]
    missing = [key for key in (*_SHIFT, *_TURN) if key not in first]
    if missing:
        raise InputError(f"qpos has no '{missing[0]}'")
    joints = [key for key in first if key not in (*_SHIFT, *_TURN)]
    for i, entry in enumerate(entries):
        if set(entry["qpos"]) != set(first):
            raise InputError(f"qpos of grasp {i} has other joints than the first")
    rows = lambda keys: np.array([[float(entry["qpos"][key]) for key in keys] for entry in entries]).reshape(len(entries), -1)
    return Grasps(
        position=rows(_SHIFT),
        quat=_quat_of_angles(rows(_TURN)),
        joint_names=joints,
        grasp=rows(joints),
        object=name,
        scale=[float(entry.get("scale", 1.0)) for entry in entries],
    )


def write_dexgraspnet(path: Path, grasps: Grasps) -> None:
    turns = _angles_of(quaternions.matrix_of(grasps.quat))
    names = (*_SHIFT, *_TURN, *grasps.joint_names)
    rows = np.concatenate([grasps.position, turns, grasps.grasp], axis=1).tolist()
    scales = grasps.scale.tolist()
    entries = [{"qpos": dict(zip(names, row, strict=True)), "scale": scale} for row, scale in zip(rows, scales, strict=True)]
    np.save(path, np.array(entries, dtype=object), allow_pickle=True)


def _quat_of_angles(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    about = [quaternions.turn(angles[:, [k]] * np.eye(3)[k]) for k in range(3)]
    return quaternions.multiply(about[2], quaternions.multiply(about[1], about[0]))


def _angles_of(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """x, y, z with R = R_z R_y R_x; x = 0 where y is ±90°."""
    flat = np.hypot(R[:, 0, 0], R[:, 1, 0])
    y = np.arctan2(-R[:, 2, 0], flat)
    free = flat > 1e-9
    x = np.where(free, np.arctan2(R[:, 2, 1], R[:, 2, 2]), 0.0)
    z = np.where(free, np.arctan2(R[:, 1, 0], R[:, 0, 0]), np.arctan2(-R[:, 0, 1], R[:, 1, 1]))
    return np.stack([x, y, z], axis=1)


def _of_dexgraspbench(content: dict[str, Any], joint_names: Sequence[str] | None) -> Grasps:
    stages = {name: np.atleast_2d(np.asarray(content[name], float)) for name in _STAGES if name in content}
    grasp = stages["grasp_qpos"]
    if grasp.ndim != 2 or grasp.shape[1] < 7:
        raise InputError(f"grasp_qpos: expected the shape (N, 7 + joints), got {grasp.shape}")
    for name, rows in stages.items():
        if rows.shape != grasp.shape:
            raise InputError(f"{name}: expected the shape {grasp.shape} of grasp_qpos, got {rows.shape}")
    joints = [f"joint_{k}" for k in range(grasp.shape[1] - 7)] if joint_names is None else list(joint_names)
    if len(joints) != grasp.shape[1] - 7:
        raise InputError(f"joint_names: {len(joints)} given, grasp_qpos has {grasp.shape[1] - 7} joints")
    _expect_one_palm(stages)
    pose = np.broadcast_to(np.asarray(content.get("obj_pose", (0, 0, 0, 1, 0, 0, 0)), float), (len(grasp), 7))
    away = quaternions.conjugate(pose[:, 3:])
    return Grasps(
        position=quaternions.rotate(away, grasp[:, :3] - pose[:, :3]),
        quat=quaternions.multiply(away, grasp[:, 3:7]),
        joint_names=joints,
        grasp=grasp[:, 7:],
        pregrasp=stages["pregrasp_qpos"][:, 7:] if "pregrasp_qpos" in stages else None,
        squeeze=stages["squeeze_qpos"][:, 7:] if "squeeze_qpos" in stages else None,
        object=str(content.get("obj_path", "")),
        scale=content.get("obj_scale", 1.0),
    )


def _expect_one_palm(stages: dict[str, NDArray[np.float64]]) -> None:
    grasp = stages["grasp_qpos"]
    for name, rows in stages.items():
        way = np.linalg.norm(rows[:, :3] - grasp[:, :3], axis=1)
        turn = np.linalg.norm(quaternions.rotation_vector(quaternions.multiply(quaternions.conjugate(grasp[:, 3:7]), rows[:, 3:7])), axis=1)
        moved = np.flatnonzero((way > _SAME_WAY) | (turn > _SAME_TURN))
        if len(moved):
            raise InputError(f"{name}: the palm of grasp {moved[0]} is elsewhere than in grasp_qpos, where one pose for all stages is read")


def write_dexgraspbench(path: Path, grasps: Grasps) -> None:
    palm = np.concatenate([grasps.position, grasps.quat], axis=1)
    content: dict[str, Any] = {"obj_path": grasps.object, "obj_scale": grasps.scale, "obj_pose": np.array([0.0, 0, 0, 1, 0, 0, 0])}
    for name, joints in zip(_STAGES, (grasps.pregrasp, grasps.grasp, grasps.squeeze), strict=True):
        if joints is not None:
            content[name] = np.concatenate([palm, joints], axis=1)
    np.save(path, np.array(content, dtype=object), allow_pickle=True)
