"""Grasps by chance, to be judged: antipodal ones for two jaws, and postures of a hand that closes around an object.

Jaws: lines go through the object uniformly at random. Where one enters at p, with the outward normal n, a closing direction d is drawn within
an angle of -n, and a second jaw comes from a random distance within the stroke along -d. It meets the object first at q, with the normal m:

    d · n <= -cos α,    d · m >= cos α,    0 < |q - p| <= stroke          (α = atan μ: both contacts press within their friction cones)

The palm then turns by a random angle about d. So walls, handles and rims are grasped too, not only the whole width of an object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction._core import InputError
from stiction.grasp.grasps import Grasps
from stiction.quaternions import conjugate, matrix_of, of_matrix, rotate
from stiction.simulator import Simulator

ROUNDS, FIRST = 1000, 30  # of rays, until an object is given up, of which few grasps were found, or none
THIN = 1e-4  # [m]: jaws do not close on less


@dataclass(frozen=True)
class Jaws:
    """Measures of a gripper whose palm has z towards the fingertips and y along the closing; the defaults are those of scenes/grasp_jaws.

    Attributes:
        joints: names of the two slides; each is the distance of its pad from the middle [m].
        stroke: greatest distance between the pads [m].
        grip: of the middle of the pads from the palm's origin, along z [m].
        reach: of the middle of the pads from the palm's surface: an object must not reach farther towards the palm [m].
        clearance: of each pad before it closes, at most [m].
        press: how far behind the contact the targets of the squeeze are [m].
    """

    joints: tuple[str, str] = ("jaw_left", "jaw_right")
    stroke: float = 0.08
    grip: float = 0.105
    reach: float = 0.045
    clearance: float = 0.005
    press: float = 0.015


def sample_jaws(
    sim: Simulator, body: str, count: int, rng: np.random.Generator, *, jaws: Jaws | None = None, friction: float = 0.6
) -> list[Grasps]:
    """Antipodal grasps of a body of the simulator for two jaws, as many for the object of each environment.

    The geoms of the body decide, of every kind and also several; the body may be anywhere. Whether the gripper overlaps with the object is
    not looked for, beyond `reach` on the palm's axis.

    Args:
        sim: its present state counts; a step or `forward` must have followed what was written to `qpos`.
        body: name of the body.
        count: grasps of each environment, at least 1.
        rng: NumPy's generator; the same one in the same state gives the same grasps.
        jaws: measures of the gripper; None: those of scenes/grasp_jaws.
        friction: μ of the cones in which both contacts must press [-], > 0.

    Returns:
        For every environment `Grasps` with the palm in the body's frame.

    Raises:
        InputError: there is no such body, a number is out of range, or an object has too few such grasps.
        ClosedError: the simulator is closed, or another thread uses it.
    """
    jaws = Jaws() if jaws is None else jaws
    _check(count, rng, friction, jaws)
    thing = sim.body(body)
    others = [k for k in range(sim.model.nbody) if k != thing.id]
    pos, quat = (np.asarray(part, float) for part in (thing.pos, thing.quat))
    radius = np.array([_radius(sim, env, thing.id) for env in range(sim.batch)])
    found: list[list[_Pinches]] = [[] for _ in range(sim.batch)]
    for number in range(1, ROUNDS + 1):
        pinches, good = _pinch(sim, others, pos, radius, max(4 * count, 64), rng, jaws, float(np.cos(np.arctan(friction))))
        for env, kept in enumerate(found):
            kept.append(pinches.select(env, good[env]))
        least = min(map(_total, found))
        if least >= count:
            return [_grasps(kept, count, pos[env], quat[env], rng, jaws) for env, kept in enumerate(found)]
        if number == FIRST and least == 0:
            break
    env = min(range(sim.batch), key=lambda k: _total(found[k]))
    raise InputError(f"body: only {_total(found[env])} of {count} grasps were found for '{body}' in environment {env}: it is too wide for a stroke of {jaws.stroke:g} m")


@dataclass(frozen=True)
class _Pinches:
    """Places where jaws may close: their middle, the closing direction, the approach (.., 3) and the width (..)."""

    middle: NDArray[np.float64]
    closing: NDArray[np.float64]
    approach: NDArray[np.float64]
    width: NDArray[np.float64]

    def select(self, env: int, mask: NDArray[np.bool_]) -> _Pinches:
        return _Pinches(*(part[env][mask] for part in (self.middle, self.closing, self.approach, self.width)))


def _total(kept: list[_Pinches]) -> int:
    return sum(len(part.width) for part in kept)


def _check(count: int, rng: np.random.Generator, friction: float, jaws: Jaws) -> None:
    if not isinstance(rng, np.random.Generator):
        raise InputError(f"rng: expected a numpy.random.Generator, got {type(rng).__name__}")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"count: {count} given, must be a whole number, at least 1")
    for name, value in (("friction", friction), ("stroke", jaws.stroke), ("grip", jaws.grip), ("reach", jaws.reach)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name}: {value:g} given, must be positive")


def _radius(sim: Simulator, env: int, body: int) -> float:
    """Of a ball about the body's origin that holds its geoms [m]."""
    variants = sim.scene.variants
    model: Any = variants[int(sim.params.variant[env])].model if variants else sim.model
    mine = (model.geom_body == body) & (model.geom_radius > 0)
    if not mine.any():
        raise InputError(f"body: '{model.body_names[body]}' has no geom that can touch")
    center = np.asarray(model.geom_pos)[mine]
    return float((np.linalg.norm(center, axis=1) + np.asarray(model.geom_radius)[mine]).max())


def _unit(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    vector = rng.normal(size=(*shape, 3))
    return vector / np.linalg.norm(vector, axis=-1, keepdims=True)


def _across(axis: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Unit vectors at right angles to unit vectors (.., 3), at a random angle."""
    vector = np.cross(axis, _unit(rng, axis.shape[:-1]))
    return vector / np.maximum(np.linalg.norm(vector, axis=-1, keepdims=True), 1e-12)


def _pinch(
    sim: Simulator, others: list[int], pos: NDArray[Any], radius: NDArray[Any], rays: int, rng: np.random.Generator, jaws: Jaws, cosine: float
) -> tuple[_Pinches, NDArray[np.bool_]]:
    """What one round of random lines finds, and which of it is antipodal and within the stroke (batch, rays)."""
    shape = (sim.batch, rays)
    cast = lambda origin, direction: [np.asarray(part) for part in sim.cast_rays(origin, direction, exclude=others)]
    line = _unit(rng, shape)
    offset = np.sqrt(rng.uniform(size=(*shape, 1))) * radius[:, None, None] * _across(line, rng)
    start = pos[:, None, :] + offset - 2 * radius[:, None, None] * line
    distance, _, n = cast(start, line)
    p, good = start + distance[..., None] * line, distance > 0
    n = np.where(good[..., None], n, line)  # any direction where nothing was met

    share = rng.uniform(cosine, 1, size=(*shape, 1))
    d = -share * n + np.sqrt(1 - share**2) * _across(n, rng)
    length = jaws.stroke * rng.uniform(size=shape)
    back, _, m = cast(p + length[..., None] * d, -d)
    width = length - back
    good &= (back > 0) & (np.einsum("bri,bri->br", d, m) >= cosine) & (width > THIN)

    middle, approach = p + width[..., None] / 2 * d, _across(d, rng)
    far = 4 * radius[:, None, None]
    behind, _, _ = cast(middle - far * approach, approach)
    good &= (behind < 0) | (far[..., 0] - behind <= jaws.reach)
    return _Pinches(middle, d, approach, width), good


def _grasps(kept: list[_Pinches], count: int, pos: NDArray[Any], quat: NDArray[Any], rng: np.random.Generator, jaws: Jaws) -> Grasps:
    """The first `count` of what was found, with the palm in the body's frame."""
    middle, closing, approach = (np.concatenate([getattr(part, name) for part in kept])[:count] for name in ("middle", "closing", "approach"))
    width = np.concatenate([part.width for part in kept])[:count]
    closing = closing * rng.choice([-1.0, 1.0], size=(count, 1))  # either jaw may come first
    inverse = np.broadcast_to(conjugate(quat[None]), (count, 4))
    y, z, place = (rotate(inverse, part) for part in (closing, approach, middle - pos))
    axes = np.stack([np.cross(y, z), y, z], axis=2)
    joints = np.repeat(width[:, None] / 2, 2, axis=1)
    return Grasps(
        place - jaws.grip * z,
        of_matrix(axes, "palm"),
        joint_names=jaws.joints,
        grasp=joints,
        pregrasp=np.minimum(joints + jaws.clearance, jaws.stroke / 2),
        squeeze=joints - jaws.press,
    )


FINGERS = ("index", "middle", "ring", "thumb")
HAND_JOINTS = tuple(f"{finger}_{k}" for finger in FINGERS for k in range(4))  # of scenes/grasp_hand
HAND_OPEN = (0.15, -0.15, 0, 0, 0, -0.15, 0, 0, -0.15, -0.15, 0, 0, 0.7, 0, 0, 0)  # [rad]
HAND_CLOSED = (0.15, 1.1, 1.2, 1, 0, 1.1, 1.2, 1, -0.15, 1.1, 1.2, 1, 1.3, 0.6, 1, 1)


def sample_hand(
    count: int,
    rng: np.random.Generator,
    *,
    joint_names: Sequence[str] = HAND_JOINTS,
    opened: ArrayLike = HAND_OPEN,
    closed: ArrayLike = HAND_CLOSED,
    center: ArrayLike = (-0.02, 0.0, 0.05),
    spread: ArrayLike = (0.02, 0.02, 0.01),
    noise: float = 0.15,
    press: float = 0.2,
) -> Grasps:
    """Objects anywhere over a palm, turned anyhow, and a hand that closes; the defaults are for scenes/grasp_hand.

    Most of these grasps are poor, and in some the object overlaps with the hand: which hold is a question to the simulator.

    Args:
        count: grasps, at least 1.
        rng: NumPy's generator; the same one in the same state gives the same grasps.
        joint_names: of the hand (n).
        opened: joints before the contact [rad, m] (n,).
        closed: joints at the contact [rad, m] (n,), which differ by up to `noise` of the way from `opened` to it.
        center: mean place of the object in the palm's frame [m] (3,).
        spread: half widths about it [m] (3,).
        noise: half width of how far each joint closes, as a share of its way [-].
        press: how much farther the targets of the squeeze are, as a share of the way [-].

    Raises:
        InputError: `opened` and `closed` do not have a number for each joint, or a number is not finite or out of range.
    """
    _check(count, rng, 1.0, Jaws())
    names = list(joint_names)
    before, after = _numbers("opened", opened, len(names)), _numbers("closed", closed, len(names))
    middle, half = _numbers("center", center, 3), _numbers("spread", spread, 3)
    if not (noise >= 0 and press >= 0):
        raise InputError(f"noise, press: {noise:g} and {press:g} given, must not be negative")
    quat = rng.normal(size=(count, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)  # of the palm in the object's frame: uniform, as is its inverse
    place = middle + half * rng.uniform(-1, 1, size=(count, 3))
    way = (after - before) * (1 + noise * rng.uniform(-1, 1, size=(count, len(names))))
    position = -np.einsum("bij,bj->bi", matrix_of(quat), place)
    return Grasps(
        position, quat, joint_names=names, grasp=before + way, pregrasp=np.tile(before, (count, 1)), squeeze=before + (1 + press) * way
    )


def _numbers(name: str, given: ArrayLike, n: int) -> NDArray[np.float64]:
    try:
        values = np.array(given, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected {n} numbers") from error
    if values.shape != (n,) or not np.isfinite(values).all():
        raise InputError(f"{name}: expected {n} finite numbers, got {values.tolist() if values.shape == (n,) else values.shape}")
    return values
