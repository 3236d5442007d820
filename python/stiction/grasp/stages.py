"""Grasps as starts and controls of a scene: where every joint and the object begins, and what the actuators are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction.errors import InputError
from stiction.grasp.grasps import Grasps
from stiction.grasp.protocols import Protocol
from stiction.grasp.setting import POSITION, Setting, placed, terms_of
from stiction.quaternions import conjugate, matrix_of, rotate
from stiction.simulator import Simulator
from stiction.strict import nearest

Posture = str | Mapping[str, float]  # a keyframe of the model, or joints by name


@dataclass(frozen=True)
class Stages:
    """Of N grasps in one scene.

    Attributes:
        qpos: where a grasp begins (N, nq).
        open: control before the contact (N, nu).
        shut: control behind the contact (N, nu).
        variant: of the scene's lists of models (N).
        axes: rotation of the axes of loads (N, 3, 3).
    """

    qpos: NDArray[np.float64]
    open: NDArray[np.float64]
    shut: NDArray[np.float64]
    variant: NDArray[np.int32]
    axes: NDArray[np.float64]


def stages_of(
    setting: Setting, grasps: Grasps, protocol: Protocol, *, variant: ArrayLike | None, opened: Posture | None, closed: Posture | None, force: float | None
) -> Stages:
    """Raises InputError where grasps and scene do not go together."""
    before, behind = _postures(setting, grasps, protocol, opened, closed)
    variants = _variants(setting, grasps, variant)
    starts = [np.array(one.qpos) for one in setting.scene.variants] or [np.array(setting.scene.qpos)]
    qpos = np.array(starts)[variants] if len(grasps) else np.zeros((0, setting.scene.model.nq))
    shut = qpos.copy()
    _place_hand(setting, qpos, np.clip(before, *joint_ranges(setting)))
    _place_hand(setting, shut, behind)
    object_pose = _object_pose(setting, grasps)
    qpos[:, setting.object_qpos : setting.object_qpos + 7] = object_pose
    still = np.tile([1.0, 0, 0, 0], (len(grasps), 1))
    quat = {"object": object_pose[:, 3:], "palm": still * 0 + setting.palm_pose[3:], "world": still}[protocol.axes]
    controls = _controls(setting, qpos, shut, force)
    return Stages(qpos, *controls, variants, matrix_of(quat))


def _object_pose(setting: Setting, grasps: Grasps) -> NDArray[np.float64]:
    """The palm's pose in the world, times the inverse of its pose in the object's frame (N, 7)."""
    away = conjugate(grasps.quat)
    palm = np.tile(setting.palm_pose, (len(grasps), 1))
    return placed(palm, -rotate(away, grasps.position), away) if len(grasps) else np.zeros((0, 7))


def _postures(setting: Setting, grasps: Grasps, protocol: Protocol, opened: Posture | None, closed: Posture | None) -> tuple[Any, Any]:
    """Joints of the hand before and behind the contact (N, joints)."""
    count = len(grasps)
    far = lambda name, given: np.tile(posture_of(setting, name, given), (count, 1))
    if not grasps.joint_names:
        return far("opened", opened), far("closed", closed)
    columns = _columns(setting, grasps)
    at = grasps.grasp[:, columns]
    if grasps.pregrasp is not None:
        before = grasps.pregrasp[:, columns]
    else:
        before = at if opened is None else far("opened", opened)
    if grasps.squeeze is not None:
        return before, grasps.squeeze[:, columns]
    if grasps.pregrasp is not None:
        return before, at + protocol.press * (at - before)
    return before, at + protocol.press * (far("closed", closed) - at)


def _columns(setting: Setting, grasps: Grasps) -> list[int]:
    """For every joint of the hand its place in the grasps' arrays."""
    names, hand = list(grasps.joint_names), setting.joint_names
    if len(set(names)) < len(names):
        raise InputError(f"grasps: joint '{next(name for name in names if names.count(name) > 1)}' is named twice")
    place = {}
    for k, name in enumerate(names):
        own = name if name in hand else next(iter(_ending(name, hand)), None)
        if own is None:
            others = f"; {len(names)} are named, the hand has {len(hand)} with actuators{nearest(name, hand)}"
            raise InputError(f"grasps: no actuator of the hand moves a joint '{name}'{others}")
        if own in place:
            raise InputError(f"grasps: joints '{names[place[own]]}' and '{name}' are one joint of the hand")
        place[own] = k
    missing = [name for name in hand if name not in place]
    if missing:
        raise InputError(f"grasps: {len(names)} joints are named, and '{missing[0]}' of the hand's {len(hand)} is not among them")
    return [place[name] for name in hand]


def _ending(name: str, hand: Sequence[str]) -> list[str]:
    """The one joint of the hand that has this name behind the prefix of an attachment, if there is one."""
    found = [own for own in hand if own.endswith(("/" + name, "_" + name))]
    return found if len(found) == 1 else []


def posture_of(setting: Setting, name: str, given: Posture | None) -> NDArray[np.float64]:
    """Joints of the hand (joints): those of a keyframe, by default "open" and "closed", or by name.

    Raises:
        InputError: there is no such keyframe, or a joint is missing.
    """
    model, default = setting.scene.model, {"opened": "open", "closed": "closed"}[name]
    if given is None:
        if default not in model.keyframe_names:
            raise InputError(f"{name}: the grasps do not say how far the hand {'opens' if name == 'opened' else 'closes'}: name a keyframe of the model, or give joints by name")
        given = default
    if isinstance(given, str):
        with Simulator(setting.scene, batch=1, device="cpu") as sim:
            sim.reset(keyframe=given)
            return np.array(sim.qpos, float)[0, setting.columns]
    if not isinstance(given, Mapping):
        raise InputError(f"{name}: expected the name of a keyframe or joints by name, got {type(given).__name__}")
    one = Grasps(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), list(given), [list(given.values())])
    try:
        return one.grasp[0, _columns(setting, one)]
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix('grasps: ')}") from error


def _variants(setting: Setting, grasps: Grasps, given: ArrayLike | None) -> NDArray[np.int32]:
    variants, count = setting.scene.variants, len(grasps)
    names = [PurePath(one.name).stem for one in variants]
    if given is None and len(variants) > 1:
        stem = PurePath(grasps.object).stem
        if names.count(stem) != 1:
            raise InputError(f"grasps: object '{grasps.object}' is none of the scene's: {', '.join(names)}; or give variant=")
        given = names.index(stem)
    numbers = np.asarray(0 if given is None else given)
    if numbers.dtype.kind in "US":
        unknown = [str(name) for name in numbers.reshape(-1) if names.count(str(name)) != 1]
        if unknown:
            raise InputError(f"variant: '{unknown[0]}' is none of the scene's{nearest(unknown[0], names)}")
        numbers = np.array([names.index(str(name)) for name in numbers.reshape(-1)]).reshape(numbers.shape)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), (count,)):
        raise InputError(f"variant: expected one number or name, or one for each of {count} grasps, got {numbers.dtype} {numbers.shape}")
    outside = numbers[(numbers < 0) | (numbers >= max(1, len(variants)))]
    if outside.size:
        raise InputError(f"variant: {outside.flat[0]} given, the scene has {max(1, len(variants))}")
    return np.array(np.broadcast_to(numbers, (count,)), np.int32)


def _place_hand(setting: Setting, qpos: NDArray[np.float64], posture: NDArray[np.float64]) -> None:
    """Writes joints, and what couplings make of them."""
    model = setting.scene.model
    qpos[:, setting.columns] = posture
    for lengths, rest, poly in zip(model.coupling_length, model.coupling_rest, model.coupling_poly):
        if lengths[1] < 0 or (model.length_term_num[lengths] != 1).any():
            continue
        ((follower,), (a,)), ((leader,), (b,)) = (terms_of(model, int(length)) for length in lengths)
        if follower not in setting.columns:
            away = b * qpos[:, leader] - rest[1]
            qpos[:, follower] = (rest[0] + sum(poly[k] * away**k for k in range(5))) / a
        elif leader not in setting.columns and poly[1] != 0 and not poly[2:].any():
            qpos[:, leader] = (rest[1] + (a * qpos[:, follower] - rest[0] - poly[0]) / poly[1]) / b


def joint_ranges(setting: Setting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least and largest value of the hand's joints, infinite without limits."""
    model = setting.scene.model
    limited = model.joint_limited[setting.joints] > 0
    ranges = model.joint_range[setting.joints]
    return np.where(limited, ranges[:, 0], -np.inf), np.where(limited, ranges[:, 1], np.inf)


def _controls(
    setting: Setting, before: NDArray[np.float64], behind: NDArray[np.float64], force: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Control at both ends of the closing (N, nu)."""
    model = setting.scene.model
    if force is not None and (isinstance(force, bool) or not isinstance(force, int | float) or not 0 < force < np.inf):
        raise InputError(f"force: {force!r} given, must be a positive number [N] or [N m]")
    ends = np.zeros((2, len(before), model.nu))
    for actuator in range(model.nu):
        lengths = [actuator_length(model, actuator, qpos) for qpos in (before, behind)]
        if model.actuator_kind[actuator] != POSITION:
            if force is None:
                raise InputError(f"force: actuator '{model.actuator_names[actuator]}' is a motor: say with which force it closes")
            push = force / abs(model.actuator_gear[actuator])
            lengths = [0 * lengths[0], push * np.sign(lengths[1] - lengths[0])]
        for end, asked in zip(ends, lengths):
            end[:, actuator] = (asked - model.actuator_bias[actuator]) / model.actuator_gain[actuator]
    return ends[0], ends[1]


def actuator_length(model: Any, actuator: int, qpos: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a position actuator aims at where it wants qpos (N)."""
    return model.actuator_gear[actuator] * _combined(qpos, *terms_of(model, int(model.actuator_length[actuator])))


def _combined(qpos: NDArray[np.float64], columns: NDArray[np.int64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ factor · q, in one order whatever the number of grasps."""
    total = np.zeros(len(qpos))
    for column, factor in zip(columns, factors):
        total = total + factor * qpos[:, column]
    return total
