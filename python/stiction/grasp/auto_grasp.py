"""Closing a hand until it touches: every finger at one speed, each joint until a link that it moves meets the object."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError
from stiction.grasp.contacts import GraspContacts, of_contacts, used_contacts
from stiction.grasp.setting import POSITION, actuated_joints, carried_by, object_of, terms_of, top_of
from stiction.grasp.stages import actuator_length
from stiction.named import find
from stiction.scene import Scene
from stiction.simulator import Simulator
from stiction.strict import nearest

_WHOLE_WAY = 1.0  # time in which the longest way is gone, without a speed [s]
_AT_REST = 1e-3  # of joints [rad/s] or [m/s]
_MOST_STEPS = 100_000


@dataclass(frozen=True)
class AutoGrasp:
    """A hand that was closed, in every environment.

    Attributes:
        joint_names: that were closed.
        joints: where they ended [rad] or [m] (batch, joints).
        touching: joints that move a link which touches the object; with a frozen object they stopped there (batch, joints).
        contacts: on the object.
        closure: whether they are in force closure (batch).
        epsilon: of the contacts (batch); see `stiction.grasp.quality`.
        time: that closing took [s] (batch); the longest where the time was up.
    """

    joint_names: list[str]
    joints: NDArray[np.float64]
    touching: NDArray[np.bool_]
    contacts: GraspContacts
    closure: NDArray[np.bool_]
    epsilon: NDArray[np.float64]
    time: NDArray[np.float64]


def auto_grasp(
    sim: Simulator | Scene | str | os.PathLike[str],
    *,
    closed: str | Mapping[str, float] | None = None,
    joints: Sequence[str] | None = None,
    speed: float | None = None,
    static: bool = False,
    object: str | None = None,
    time: float = 5.0,
) -> AutoGrasp:
    """Closes the fingers from where they are, as GraspIt! does: at one speed, each joint until its own contact.

    The targets of position actuators move at that speed. With `static` the object is frozen, and a joint's target stops where
    a link that the joint moves touches it, so that it presses with what its actuator lags behind; joints nearer to the
    finger's tip go on. Otherwise the object is free: targets go on to the end of their way, fingers push the object until it
    does not give way any more, and then press as hard as their actuators can.

    Args:
        sim: a simulator, which is left with the hand closed, or a scene, which is closed once from its start.
        closed: joints at the end of the way: a keyframe or joints by name; None: the keyframe "closed".
        joints: that close; None: all that actuators move.
        speed: of all joints [rad/s] or [m/s]; None: the longest way takes 1 s.
        static: whether the object is frozen meanwhile.
        object: body on whose joints no actuator acts, such as one with a free joint; None: the only one with a free joint.
        time: longest time to close [s].

    Raises:
        InputError: there is no such joint, keyframe or object, or a joint has no position actuator.
        ClosedError: the simulator is closed, or another thread uses it.
    """
    for name, value in (("speed", 1.0 if speed is None else speed), ("time", time)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"{name}: {value!r} given, must be a positive number")
    if not isinstance(sim, Simulator):
        with Simulator(sim, batch=1, device="cpu") as made:
            return auto_grasp(made, closed=closed, joints=joints, speed=speed, static=static, object=object, time=time)
    fingers = _Fingers(sim, joints, closed, object)
    frozen = np.array(sim.params.frozen)[:, fingers.object]
    if static:
        sim.params.frozen[:, fingers.object] = 1
    taken = fingers.close(speed, time, static)
    contacts = of_contacts(sim, fingers.object_names, by=fingers.hand_names)
    if static:
        sim.params.frozen[:, fingers.object] = frozen
    found = contacts.quality(float(sim.model.body_radius[fingers.object]))
    names = [sim.model.joint_names[joint] for joint in fingers.joints]
    return AutoGrasp(names, np.array(sim.qpos, float)[:, fingers.columns], fingers.touching, contacts, found.closure, found.epsilon, taken)


class _Fingers:
    """The joints that close in a simulator, and what they touch with."""

    def __init__(self, sim: Simulator, joints: Sequence[str] | None, closed: str | Mapping[str, float] | None, object: str | None) -> None:
        model = sim.model
        self.sim, self.object = sim, object_of(model, object, any_joints=True)
        own = carried_by(model, self.object)
        self.joints = self._chosen(joints, own)
        self.columns = model.joint_qpos_adr[self.joints].astype(np.int64)
        self.dofs = model.joint_dof_adr[self.joints]
        self.moved = np.array([carried_by(model, int(model.joint_body[joint])) & ~own for joint in self.joints])  # (joints, nbody)
        hand = np.any([carried_by(model, top_of(model, int(model.joint_body[joint]))) for joint in self.joints], axis=0) & ~own
        self.own, self.hand = own, hand
        touchable = np.isin(np.arange(model.nbody), model.geom_body)
        self.object_names, self.hand_names = ([model.body_names[b] for b in np.flatnonzero(some & touchable)] for some in (own, hand))
        if not self.object_names or not self.hand_names:
            raise InputError(f"{'object' if not self.object_names else 'joints'}: no geom of {'it' if not self.object_names else 'the hand'} can touch")
        self.goal = self._goal(closed)
        self.touching = np.zeros((sim.batch, len(self.joints)), bool)

    def _chosen(self, names: Sequence[str] | None, own: NDArray[np.bool_]) -> list[int]:
        model = self.sim.model
        actuated = actuated_joints(model, own)
        if names is None:
            return actuated
        if isinstance(names, str) or not names:
            raise InputError(f"joints: expected names, got {names!r}")
        chosen = sorted({find("joint", model.joint_names, name) for name in names})
        for joint in chosen:
            if joint not in actuated:
                raise InputError(f"joints: no actuator moves '{model.joint_names[joint]}'")
        return chosen

    def _goal(self, closed: str | Mapping[str, float] | None) -> NDArray[np.float64]:
        """Joints at the end of the way (joints)."""
        sim, model = self.sim, self.sim.model
        if closed is None and "closed" not in model.keyframe_names:
            raise InputError("closed: the model has no keyframe 'closed': name another, or give joints by name")
        if closed is None or isinstance(closed, str):
            with Simulator(sim.scene, batch=1, device="cpu") as other:
                other.reset(keyframe="closed" if closed is None else closed)
                return np.array(other.qpos, float)[0, self.columns]
        if not isinstance(closed, Mapping):
            raise InputError(f"closed: expected the name of a keyframe or joints by name, got {type(closed).__name__}")
        own = [model.joint_names[joint] for joint in self.joints]
        for name in own:
            if name not in closed:
                raise InputError(f"closed: joint '{name}' is missing{nearest(name, closed)}")
        return np.array([closed[name] for name in own], float)

    def close(self, speed: float | None, time: float, static: bool) -> NDArray[np.float64]:
        """Steps until nothing moves any more; how long it took [s] (batch)."""
        sim = self.sim
        h = sim.scene.step_size
        target = np.array(sim.qpos, float)
        way = np.abs(self.goal - target[:, self.columns]).max()
        reach = h * (way / _WHOLE_WAY if speed is None else speed)
        ctrl = np.array(sim.ctrl, float)
        taken = np.zeros(sim.batch)
        for _ in range(min(_MOST_STEPS, max(1, round(time / h)))):
            stopped = self.touching & static
            left = np.where(stopped, 0.0, self.goal - target[:, self.columns])
            target[:, self.columns] += np.clip(left, -reach, reach)
            self._write_targets(ctrl, target)
            sim.step(ctrl)
            self.touching = self._touched() | stopped
            arrived = (self.touching & static) | (target[:, self.columns] == self.goal)
            moving = ~arrived.all(axis=1) | (np.abs(np.asarray(sim.qvel)[:, self.dofs]) > _AT_REST).any(axis=1)
            taken[moving] += h
            if not moving.any():
                break
        return taken

    def _write_targets(self, ctrl: NDArray[np.float64], target: NDArray[np.float64]) -> None:
        model = self.sim.model
        for actuator in range(model.nu):
            if not np.isin(terms_of(model, int(model.actuator_length[actuator]))[0], self.columns).any():
                continue
            if model.actuator_kind[actuator] != POSITION:
                raise InputError(f"joints: actuator '{model.actuator_names[actuator]}' is a motor; fingers close by position actuators")
            ctrl[:, actuator] = (actuator_length(model, actuator, target) - model.actuator_bias[actuator]) / model.actuator_gain[actuator]

    def _touched(self) -> NDArray[np.bool_]:
        """Joints that move a link which presses on the object (batch, joints)."""
        geom, force, used = used_contacts(self.sim, slice(None), "geom", "force")
        used &= force[..., 0] > 0
        body = self.sim.model.geom_body[np.where(used[..., None], geom, 0)]
        touched = np.zeros((self.sim.batch, self.sim.model.nbody), bool)
        for mine, other in ((0, 1), (1, 0)):
            env, slot = np.nonzero(used & self.own[body[..., mine]] & self.hand[body[..., other]])
            touched[env, body[env, slot, other]] = True
        moved_and_touched: NDArray[np.bool_] = touched[:, None, :] & self.moved
        return np.asarray(moved_and_touched.any(axis=2))
