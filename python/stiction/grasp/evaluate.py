"""Judging grasps: `evaluate` closes a hand on each, pulls at the object, and says which were held."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction import _core
from stiction.errors import InputError
from stiction.grasp.grasps import Grasps
from stiction.grasp.halves import Progress, count_halves, in_halves
from stiction.grasp.pool import Pool
from stiction.grasp.protocols import Protocol, read_protocol
from stiction.grasp.setting import Setting, setting_of
from stiction.grasp.stages import Posture, Stages, stages_of
from stiction.grasp.verdicts import Verdicts, Why, bit
from stiction.scene import Scene, load_model, load_scene
from stiction.simulator import Simulator

_LOOK_STEP = 0.1  # of the first look [s]
_MOST, _MOST_OF_SMALL = 512, 1024  # environments: so many fit into the caches
_SMALL = 12  # dofs of hand and object
_LENIENT = 1.6  # by how much farther an object may move while the hand closes in the first look


def evaluate(
    scene: Scene | str | os.PathLike[str],
    grasps: Grasps,
    protocol: str | Path | Mapping[str, Any] | Protocol = "six_forces",
    *,
    palm: str | None = None,
    object: str | None = None,
    variant: ArrayLike | None = None,
    opened: Posture | None = None,
    closed: Posture | None = None,
    force: float | None = None,
    quality: bool = False,
    screen: bool = False,
    batch: int | None = None,
    device: str = "cpu",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verdicts:
    """Judges grasps of an object by a hand whose base is fixed in the world.

    Every grasp begins with the object where the palm's pose asks for it and the fingers before the contact. The hand
    closes; then each load of the protocol begins from the closed hand. A grasp that is lost under a load is not put under
    further ones. Verdicts have the same bits for any batch and any order of the grasps.

    Args:
        scene: a `Scene`, or what `load_scene` takes: a hand, and one object with a free joint. It is stepped with the dynamics, law,
            cone and step size of the protocol.
        grasps: palm poses in the object's frame, and joints by name. Without a `squeeze` the fingers go on behind the
            contact by the share `press` of their way to it.
        protocol: name, TOML file or table; see `read_protocol`.
        palm: body or site that poses are of; None: the fixed body that the fingers hang on.
        object: body with a free joint; None: the only one.
        variant: for scenes with lists of models, which one a grasp is of: numbers or names without endings, one or (N); None: that
            of the name `grasps.object`.
        opened: joints before the contact, where grasps have none: a keyframe or joints by name; None: the keyframe
            "open", for grasps without any joints.
        closed: joints that fingers aim at, where grasps have neither squeeze nor pregrasp; None: the keyframe "closed".
        force: of motors, which push from `opened` towards `closed` [N] or [N m].
        quality: whether closure and epsilon are found for the closed hand.
        screen: whether quasidynamic steps of 0.1 s look first and discard what they lose.
        batch: environments, whose number does not change a bit; None: an eighth of the grasps, at least 16 for every core and at most 512, or
            1024 where hand and object have at most 12 dofs, so that few environments wait for the last grasps.
        device: of the simulator; "cpu" is what was tried.
        threads: of the host; None: all cores. With two or more, one half of the grasps steps while the other is looked at.
        progress: called after every step with grasps that are decided, and all.

    Raises:
        InputError: scene, grasps and protocol do not go together; one line that says what and where.
        OutOfMemory: the batch does not fit.
    """
    rules = read_protocol(protocol)
    if not isinstance(grasps, Grasps):
        raise InputError(f"grasps: expected Grasps, got {type(grasps).__name__}; read_grasps reads a file")
    if batch is not None and (isinstance(batch, bool) or not isinstance(batch, int | np.integer) or batch < 1):
        raise InputError(f"batch: {batch!r} given, must be an integer of at least 1")
    setting = setting_of(with_physics(scene, rules), palm, object)
    _check_friction(setting, rules)
    stages = stages_of(setting, grasps, rules, variant=variant, opened=opened, closed=closed, force=force)
    run = lambda place, some, protocol, with_quality: _judge(
        place, some, protocol, with_quality, batch, progress, device=device, threads=threads
    )
    if not screen:
        return run(setting, stages, rules, quality)
    quick = first_look(rules)
    first = run(setting_of(with_physics(scene, quick), palm, object), stages, quick, False)
    return _together(first, lambda left: run(setting, _select(stages, left), rules, quality))


def first_look(protocol: Protocol) -> Protocol:
    """The same loads with few quasidynamic steps, one for each direction, and more room while the hand closes."""
    return replace(
        protocol,
        dynamics="quasidynamic",
        law="anitescu",
        step_size=_LOOK_STEP,
        settling=min(protocol.settling, 2 * _LOOK_STEP),
        load_time=min(protocol.load_time, _LOOK_STEP),
        closing_distance=_LENIENT * protocol.closing_distance,
        closing_angle=min(_LENIENT * protocol.closing_angle, 180.0),
        rest_steps=1,
        knock_parts=1,
    )


def _judge(
    setting: Setting, stages: Stages, protocol: Protocol, quality: bool, batch: int | None, progress: Progress | None, device: str, threads: Any
) -> Verdicts:
    count = len(stages.qpos)
    if count == 0:
        return Verdicts.empty(0, protocol.loads)
    most = _MOST_OF_SMALL if setting.scene.model.nv <= _SMALL else _MOST
    environments = min(count, min(max(count // 8, 16 * (os.cpu_count() or 1)), most) if batch is None else int(batch))

    def run(some: Stages, environments: int, threads: Any, progress: Progress | None) -> Verdicts:
        with ExitStack() as stack:
            sim = stack.enter_context(Simulator(setting.scene, batch=environments, device=device, threads=threads))
            fine = None
            if protocol.knock_parts > 1:
                parts = setting.scene.with_steps(protocol.step_size / protocol.knock_parts, sim.max_contacts, sim.max_pairs)
                fine = stack.enter_context(Simulator(parts, batch=-(-environments // 16), device=device, threads=threads))
            return Pool(sim, fine, setting, some, protocol, quality).run(progress)

    if count_halves(count, environments, device, threads) == 1:
        return run(stages, environments, threads, progress)
    found = Verdicts.empty(count, protocol.loads)
    halves = in_halves(lambda ids, *rest: run(_select(stages, ids), *rest), count, environments, threads, progress)
    for number, verdicts in enumerate(halves):
        found.put(np.arange(number, count, 2), verdicts)
    return found


def _select(stages: Stages, ids: Any) -> Stages:
    return Stages(**{field.name: getattr(stages, field.name)[ids] for field in fields(stages)})


def _together(first: Verdicts, judge: Callable[[Any], Verdicts]) -> Verdicts:
    """Verdicts of the first look where it lost a grasp, else those of the judge."""
    lost = (first.why & ~bit(Why.FAILED_STEPS)) != 0
    left = np.flatnonzero(~lost)
    final = judge(left)
    first.why[lost] |= bit(Why.SCREENED)
    first.put(left, final)
    return first


# --- the scene with the steps of a protocol


def with_physics(scene: Scene | str | os.PathLike[str], protocol: Protocol) -> Scene:
    """The scene with the dynamics, law, cone and step size of the protocol, and without scripts of its own.

    Raises:
        InputError: it cannot be loaded, draws parameters at random, or it is another one when it is loaded anew.
    """
    if isinstance(scene, str | os.PathLike):
        found = load_scene(scene, **protocol.physics)
    elif isinstance(scene, Scene):
        found = _loaded_anew(scene, protocol)
    else:
        raise InputError(f"scene: expected a Scene or a path, got {type(scene).__name__}")
    random = _drawn(scene if isinstance(scene, Scene) else found)
    if "mass" in random or ("friction" in random and protocol.friction == "model"):
        raise InputError(f"scene: [randomize] draws {random[0]}, so that verdicts would depend on the batch: leave it out")
    return found.without_scripts()


def _loaded_anew(scene: Scene, protocol: Protocol) -> Scene:
    if all(getattr(scene, name) == value for name, value in protocol.physics.items()):
        return scene
    advice = "load it with " + ", ".join(f"{name}={value!r}" for name, value in protocol.physics.items())
    try:
        found = _with_keys(scene, protocol.physics)
        names = [key.keyword for key in _core.scene_keys() if key.is_value and key.keyword not in protocol.physics]
        given = {name: getattr(scene, name) for name in names if getattr(scene, name) != getattr(found, name)}
        if found.cone != "pyramid":
            given.pop("facets", None)
        found = _with_keys(scene, given | protocol.physics) if given else found
    except InputError as error:
        raise InputError(f"scene: cannot be loaded again with the steps of the protocol ({error}); {advice}") from error
    same = ("body_mass", "geom_friction", "geom_size", "actuator_kp", "actuator_kd", "actuator_force_range", "joint_range", "pair_condim")
    if any(not np.array_equal(getattr(found.model, name), getattr(scene.model, name)) for name in same):
        raise InputError(f"scene: its model is not what its file says; {advice}")
    return found


def _with_keys(scene: Scene, keys: dict[str, Any]) -> Scene:
    return load_scene(scene.path, **keys) if scene.path else load_model(scene.model.xml, **keys)


def _drawn(scene: Scene) -> list[str]:
    """Parameters that two environments have otherwise. Where they start does not matter, which grasps say."""
    pairs = max(2, 2 * len(scene.variants))
    with Simulator(scene, batch=pairs, device="cpu") as sim:
        sim.params.variant[:] = np.arange(pairs) // 2
        sim.reset()
        return [name for name in ("mass", "friction") if not np.array_equal(getattr(sim.params, name)[::2], getattr(sim.params, name)[1::2])]


def _check_friction(setting: Setting, protocol: Protocol) -> None:
    """Pairs of hand and object must be able to have the friction that the protocol asks for."""
    if protocol.friction == "model":
        return
    model = setting.scene.model
    bodies = model.geom_body[model.pair_geom]
    own, hand = setting.object_bodies[bodies], setting.hand_bodies[bodies]
    touching = (own[:, 0] & hand[:, 1]) | (own[:, 1] & hand[:, 0])
    if not touching.any():
        raise InputError("scene: no geom of the hand can touch the object: look at contype, conaffinity and excludes")
    least = 4 if protocol.torsion > 0 else 3
    for wrong, text in (
        (touching & (model.pair_condim < least), f'have condim {{}} where protocol {protocol.name} has friction {protocol.friction:g} and torsion {protocol.torsion:g} m: give the object\'s geoms condim="{least}", or judge with torsion = 0'),
        (touching & (model.pair_explicit > 0), 'are a <pair> with friction of its own: leave it out, or judge with friction = "model"'),
    ):
        pairs = np.flatnonzero(wrong)
        if len(pairs):
            names = [model.geom_names[geom] for geom in model.pair_geom[pairs[0]]]
            raise InputError(f"scene: geoms '{names[0]}' and '{names[1]}' " + text.format(model.pair_condim[pairs[0]]))
