"""Bodies, joints, actuators and geoms by name: `sim.body("cube").pos` is of every environment, batch first."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction._core import InputError, origin_velocity
from stiction.arrays import FloatArray, GivenArray
from stiction.quaternions import conjugate, product, rotate
from stiction.strict import Strict, nearest

if TYPE_CHECKING:
    from stiction.simulator import Simulator

_FEW = 8  # names that a message lists
_JOINT_TYPES = ("free", "ball", "slide", "hinge")  # in the order of model.joint_type
_QPOS_LENGTH, _DOFS = (7, 4, 1, 1), (6, 3, 1, 1)


class Named(Strict):
    """An element of the model in every environment of a simulator.

    Attributes:
        id: its place in the model's arrays, such as `model.body_names`.
        name: "#3" where the model gives none: the number is MuJoCo's.
    """

    id: int
    name: str
    _kind: str

    def __init__(self, simulator: Simulator, number: int, name: str) -> None:
        self._simulator = simulator
        self.id, self.name = number, name

    def __repr__(self) -> str:
        return f"<{self._kind} {self.name!r}, id {self.id}, of {self._simulator!r}>"

    def _said(self, attribute: str) -> str:
        return f"{attribute} of {self._kind} '{self.name}'"


class Body(Named):
    """A body in every environment, as `sim.body(name)`.

    Of a body with a free joint, `pos`, `quat` and `pose` are live parts of `sim.qpos`, of a mocap body parts of
    `sim.mocap_pose`: what is written there counts from the next step on. Of every other body they are live parts of
    `sim.body_pose`, which a step, `reset` or `forward` leaves, and can only be read.
    """

    _kind = _spoken = "body"

    def __init__(self, simulator: Simulator, number: int, name: str) -> None:
        super().__init__(simulator, number, name)
        model = simulator.model
        joint = int(model.body_joint_adr[number])
        self._free_joint = joint if joint >= 0 and model.joint_type[joint] == 0 else -1
        self._mocap = int(model.body_mocap[number])
        self._start = int(model.joint_qpos_adr[joint]) if self._free_joint >= 0 else -1
        self._moves = bool(model.body_last_dof[number] >= 0)

    @property
    def pos(self) -> FloatArray:
        """Of the body's frame, world axes [m] (batch, 3).

        Raises:
            InputError: when it is set: the body has no free joint and is no mocap body, or the shape is another.
        """
        return self._pose()[:, :3]

    @pos.setter
    def pos(self, values: GivenArray | ArrayLike) -> None:
        self._refuse_fixed("pos")
        _write(self.pos, values, self._said("pos"))

    @property
    def quat(self) -> FloatArray:
        """Orientation of the body's frame, w x y z (batch, 4). Raises InputError as `pos`."""
        return self._pose()[:, 3:]

    @quat.setter
    def quat(self, values: GivenArray | ArrayLike) -> None:
        self._refuse_fixed("quat")
        _write(self.quat, values, self._said("quat"))

    @property
    def pose(self) -> FloatArray:
        """`pos` and `quat` (batch, 7). Raises InputError as `pos`."""
        return self._pose()

    @pose.setter
    def pose(self, values: GivenArray | ArrayLike) -> None:
        self._refuse_fixed("pose")
        _write(self.pose, values, self._said("pose"))

    @property
    def velocity(self) -> NDArray[np.float64]:
        """Of its origin [m/s], then angular [rad/s], world axes (batch, 6); a copy, from qpos and qvel as they are.

        Setting it writes the qvel of a free joint, or the `mocap_velocity` of a mocap body.

        Raises:
            InputError: as `pos`.
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return origin_velocity(self._simulator, self.id)

    @velocity.setter
    def velocity(self, values: GivenArray | ArrayLike) -> None:
        self._refuse_fixed("velocity")
        if self._mocap >= 0:
            return _write(self._simulator.mocap_velocity[:, self._mocap], values, self._said("velocity"))
        given = _given(values, (self._simulator.batch, 6), self._said("velocity"))
        dof = self._simulator.model.joint_dof_adr[self._free_joint]
        own = np.concatenate([given[:, :3], rotate(conjugate(np.asarray(self.quat)), given[:, 3:])], axis=1)
        self._simulator.qvel[:, dof : dof + 6] = own

    @property
    def applied_wrench(self) -> FloatArray:
        """Force [N] and torque [N m] on its centre of mass, world axes (batch, 6): its part of `sim.applied_wrench`."""
        return self._simulator.applied_wrench[:, self.id]

    @applied_wrench.setter
    def applied_wrench(self, values: GivenArray | ArrayLike) -> None:
        _write(self.applied_wrench, values, self._said("applied_wrench"))

    def _pose(self) -> Any:
        if self._free_joint >= 0:
            return self._simulator.qpos[:, self._start : self._start + 7]
        if self._mocap >= 0:
            return self._simulator.mocap_pose[:, self._mocap]
        return self._simulator.body_pose[:, self.id]

    def _refuse_fixed(self, attribute: str) -> None:
        if self._free_joint >= 0 or self._mocap >= 0:
            return
        if self._moves:
            raise InputError(f"{attribute}: body '{self.name}' has no free joint: write the qpos or qvel of joints")
        raise InputError(f"{attribute}: body '{self.name}' does not move, as it has no joint and is no mocap body")


class Joint(Named):
    """A joint in every environment, as `sim.joint(name)`.

    Attributes:
        type: "free", "ball", "slide" or "hinge".
    """

    type: str
    _kind = _spoken = "joint"

    def __init__(self, simulator: Simulator, number: int, name: str) -> None:
        super().__init__(simulator, number, name)
        model = simulator.model
        kind = int(model.joint_type[number])
        self.type = _JOINT_TYPES[kind]
        first_qpos, first_dof = int(model.joint_qpos_adr[number]), int(model.joint_dof_adr[number])
        self._in_qpos = slice(first_qpos, first_qpos + _QPOS_LENGTH[kind])
        self._in_qvel = slice(first_dof, first_dof + _DOFS[kind])

    @property
    def qpos(self) -> FloatArray:
        """Its live part of `sim.qpos` (batch, 7 | 4 | 1 | 1) for free, ball, slide and hinge [m, rad, unit quaternion].

        Raises:
            InputError: when it is set: the shape is another; (batch,) will do for a slide or hinge.
        """
        return self._simulator.qpos[:, self._in_qpos]

    @qpos.setter
    def qpos(self, values: GivenArray | ArrayLike) -> None:
        _write(self.qpos, values, self._said("qpos"))

    @property
    def qvel(self) -> FloatArray:
        """Its live part of `sim.qvel` (batch, 6 | 3 | 1 | 1) [m/s, rad/s]; a free joint's and a ball's angular velocity
        is in body axes. Raises InputError as `qpos`."""
        return self._simulator.qvel[:, self._in_qvel]

    @qvel.setter
    def qvel(self, values: GivenArray | ArrayLike) -> None:
        _write(self.qvel, values, self._said("qvel"))


class Actuator(Named):
    """An actuator in every environment, as `sim.actuator(name)`."""

    _kind = _spoken = "actuator"

    @property
    def ctrl(self) -> FloatArray:
        """Its live part of `sim.ctrl` (batch,): a target [m, rad], a rate or a force as the actuator is.

        Setting it holds the control of all environments, also where the value is the same: they no longer follow the
        scene's knots, until `reset`.

        Raises:
            InputError: when it is set: the shape is another.
        """
        return self._simulator.ctrl[:, self.id]

    @ctrl.setter
    def ctrl(self, values: GivenArray | ArrayLike) -> None:
        ctrl = np.array(self._simulator.ctrl)
        _write(ctrl[:, self.id], values, self._said("ctrl"))
        self._simulator.ctrl = ctrl


class OnBody(Named):
    """What is fixed to a body: a geom, a site."""

    def __init__(self, simulator: Simulator, number: int, name: str) -> None:
        super().__init__(simulator, number, name)
        body, offset, turn = (getattr(simulator.model, f"{self._kind}_{part}") for part in ("body", "pos", "quat"))
        self._body, self._offset, self._turn = int(body[number]), offset[number], turn[number]

    def _placed(self, dtype: Any = None) -> NDArray[Any]:
        """Its pose (batch, 7), world axes: (p_WB + R_WB p_BF, q_WB q_BF); without a dtype in that of the state."""
        pose = np.asarray(self._simulator.body(self._body).pose, dtype)
        position = pose[:, :3] + rotate(pose[:, 3:], self._offset)
        return np.concatenate([position, product(pose[:, 3:], self._turn)], axis=1).astype(pose.dtype)


class Geom(OnBody):
    """A geom that can touch, in every environment, as `sim.geom(name)`; `contacts.geom` has its `id`."""

    _kind = _spoken = "geom"

    @property
    def body(self) -> Body:
        """The body that has it."""
        return self._simulator.body(self._body)

    @property
    def pos(self) -> NDArray[np.float64]:
        """Of its centre, world axes [m] (batch, 3); a copy, from the body's pose."""
        return self._placed(np.float64)[:, :3]

    @property
    def quat(self) -> NDArray[np.float64]:
        """Orientation, w x y z (batch, 4); a copy, from the body's pose."""
        return self._placed(np.float64)[:, 3:]


class NamedElements:
    """What `Simulator` has for names."""

    def body(self, name: str | int) -> Body:
        """A body by its name or its id, in every environment.

        Raises:
            InputError: there is none of this name; with the nearest.
        """
        return element(self, Body, name)

    def joint(self, name: str | int) -> Joint:
        """A joint by its name or its id, in every environment.

        Raises:
            InputError: there is none of this name; with the nearest.
        """
        return element(self, Joint, name)

    def actuator(self, name: str | int) -> Actuator:
        """An actuator by its name or its id, in every environment.

        Raises:
            InputError: there is none of this name; with the nearest.
        """
        return element(self, Actuator, name)

    def geom(self, name: str | int) -> Geom:
        """A geom that can touch, by its name or its id (the one of `contacts.geom`), in every environment.

        Raises:
            InputError: there is none of this name; with the nearest.
        """
        return element(self, Geom, name)


def find(kind: str, names: Sequence[str], which: Any) -> int:
    """The place of a name in `names`, or an index that is one.

    Raises:
        InputError: the model has no such `kind`; with the nearest names.
    """
    if isinstance(which, str):
        if which in names:
            return names.index(which)
        raise InputError(f"{kind}: the model has no {kind} '{which}'{_offers(kind, which, names)}")
    if isinstance(which, bool) or not isinstance(which, int | np.integer):
        raise InputError(f"{kind}: expected a name or a number, got {type(which).__name__}")
    if not 0 <= which < len(names):
        many = f"their numbers are 0 to {len(names) - 1}" if names else "it has none"
        raise InputError(f"{kind}: the model has no {kind} of number {which}; {many}")
    return int(which)


def _offers(kind: str, word: str, names: Sequence[str]) -> str:
    if not names:
        return "; it has none"
    attached = [name for name in names if name.endswith("/" + word)]  # by the prefix of an attachment
    if close := (attached or difflib.get_close_matches(word, names, 3)):
        return "; did you mean " + " or ".join(f"'{name}'" for name in close[:3]) + "?"
    if len(names) <= _FEW:
        return nearest(word, names)
    return f"; it has {len(names)}" if " " in kind else f"; model.{kind}_names has all {len(names)}"


_Element = TypeVar("_Element", bound=Named)


def element(owner: Any, of: type[_Element], which: str | int) -> _Element:
    """Made once for every name."""
    kept: dict[tuple[type, Any], _Element] = owner.__dict__.setdefault("_named", {})
    key = (of, which) if isinstance(which, str) else None
    if key in kept:
        return kept[key]
    names = getattr(owner.model, f"{of._kind}_names")
    number = find(of._kind, names, which)
    made = kept.setdefault((of, names[number]), of(owner, number, names[number]))
    return made


def _given(values: Any, shape: tuple[int, ...], said: str) -> NDArray[Any]:
    """Values on the host, spread to a shape."""
    given = np.asarray(values.cpu() if hasattr(values, "cpu") else values)
    if given.dtype.kind not in "fiu":
        raise InputError(f"{said}: expected numbers of shape {shape}, got {given.dtype}")
    if shape[1:] == (1,) and given.shape == shape[:1]:
        given = given[:, None]
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise InputError(f"{said}: expected an array of shape {shape}, got {given.shape}") from None


def _write(view: Any, values: Any, said: str) -> None:
    view[...] = _given(values, view.shape, said)
