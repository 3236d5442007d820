"""Named arrays of a simulator's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction.arrays import Float, FloatArray, GivenArray
from stiction.strict import Strict

if TYPE_CHECKING:
    from stiction._core import ContactTypes as _ContactTypes
    from stiction._core import PatchTypes as _PatchTypes
    from stiction.simulator import Simulator
else:
    _ContactTypes = _PatchTypes = object

Scalar = TypeVar("Scalar", bound=np.generic)


class readout(Generic[Scalar]):  # reads like a declaration
    """An attribute that is an array of the simulator's memory and can only be read; it is made once and kept.

    `shape` is the shape after the batch axis: numbers, or names of counts of the model ("nq") or of the simulator
    ("max_contacts", "max_patches").
    """

    writable = False

    def __init__(self, field: str, *shape: int | str, doc: str = "") -> None:
        self.field, self.shape = field, shape
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.kept = name, "_live_" + name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> NDArray[Scalar]: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        array = instance.__dict__.get(self.kept)
        if array is None:
            simulator = _simulator_of(instance)
            array = simulator._array(self.field, self._tail(simulator), self.writable)
            instance.__dict__[self.kept] = array
        return array

    if not TYPE_CHECKING:  # type checkers refuse what has no __set__

        def __set__(self, instance: Any, values: Any) -> None:
            raise AttributeError(f"{self.name} is what a step leaves and can not be set")

    def _tail(self, simulator: Simulator) -> list[int]:
        def length(dimension: int | str) -> int:
            if isinstance(dimension, int):
                return dimension
            return getattr(simulator if dimension.startswith("max_") else simulator.model, dimension)

        return [length(dimension) for dimension in self.shape]


class live(readout[Scalar]):
    """The same for an array that can be written."""

    writable = True

    def __set__(self, instance: Any, values: GivenArray) -> None:
        simulator = _simulator_of(instance)
        if values is not instance.__dict__.get(self.kept, simulator):  # x.array += 1 ends in x.array = x.array
            simulator._set(self.field, values, self._tail(simulator))


def _simulator_of(instance: Any) -> Simulator:
    return instance.__dict__.get("_simulator", instance)


class _Views(Strict):
    _spoken: str  # as a program writes it

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def __repr__(self) -> str:
        if self._simulator.closed:
            return f"<{self._spoken} of a closed simulator>"
        fields = [(name, value) for name, value in vars(type(self)).items() if isinstance(value, readout)]
        sizes = [f"{name} {(self._simulator.batch, *field._tail(self._simulator))}" for name, field in fields]
        return f"<{self._spoken}: {', '.join(sizes)}>"


def _listed(prefix: str, slots: str, fields: Sequence[tuple[str, Sequence[int], str, str]]) -> dict[str, readout[Any]]:
    """The arrays of a list such as contact_fields.inc, by name."""
    made: dict[str, readout[Any]] = {}
    for name, shape, unit, meaning in fields:
        of_batch = ", ".join(("batch", slots, *map(str, shape)))
        doc = f"{meaning[0].upper()}{meaning[1:]}{f' [{unit}]' if unit else ''} ({of_batch})."
        made[name] = readout(f"{prefix}_{name}", slots, *shape, doc=doc)
    return made


class Contacts(_Views, _ContactTypes):
    """Contacts of the last step, or of `forward`, as `sim.contacts`: its arrays are those of kernels/model/contact_fields.inc.

    Environment e has `count[e]` contacts, and values beyond these are stale; `padded()` gives copies with NaN and -1
    there. Forces act on geom[1] along the rows of `frame`: the normal n from geom[0] to geom[1], then the tangents t
    and o. None of the arrays can be written.
    """

    _spoken = "sim.contacts"
    count = readout[np.int32]("contact_count", doc="Contacts that are used (batch,) int32.")

    # one for each line of the list
    locals().update(_listed("contact", "max_contacts", _core.contact_fields()))

    def padded(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays by name, with NaN and -1 beyond each environment's count.

        Raises:
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return _core.padded_contacts(self._simulator)


class Patches(_Views, _PatchTypes):
    """Contact patches of the last step that carry force, as `sim.patches`: its arrays are those of kernels/model/patch_fields.inc.

    A patch is all contacts of two geoms: their one force acts at the equivalent contact point `point`, with no moment but
    `torsion`. Environment e has `count[e]` patches, and values beyond these are stale; `padded()` gives copies with NaN
    and -1 there. Forces act on geom[1] along the rows of `frame`, as those of `Contacts`. Without
    `contact = "patch"` every count is 0 and there is no room for any. None of the arrays can be written.
    """

    _spoken = "sim.patches"
    count = readout[np.int32]("patch_count", doc="Patches that are used (batch,) int32.")

    # one for each line of the list
    locals().update(_listed("patch", "max_patches", _core.patch_fields()))

    def padded(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays by name, with NaN and -1 beyond each environment's count.

        Raises:
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return _core.padded_patches(self._simulator)


class Parameters(_Views):
    """Parameters of every environment, as `sim.params`.

    Values that are written count from the next step on, and `reset` keeps them unless the scene draws them at random. A
    value that makes no sense sets `Status.BAD_PARAMETER` in that environment only.
    """

    _spoken = "sim.params"
    friction = live[Float]("geom_friction", "ngeom", 3, doc="Sliding [-], torsional [m], rolling [m] (batch, ngeom, 3).")
    mass = live[Float]("body_mass", "nbody", doc="Of bodies [kg] (batch, nbody). `inertia` does not follow.")
    inertia = live[Float]("body_inertia", "nbody", 3, doc="Principal moments of inertia [kg m²] (batch, nbody, 3).")
    frozen = live[Float](
        "body_frozen",
        "nbody",
        doc="1: nothing moves the body (batch, nbody), else 0. All joints between it and the world stand still, whatever "
        "drives or pushes them, and what touches it meets a wall; contacts have their forces. Its velocity becomes zero "
        "with the next step, `forward` or `linearize`.",
    )
    size = live[Float](
        "geom_size",
        "ngeom",
        3,
        doc="Radius and half lengths as in MuJoCo [m] (batch, ngeom, 3); those of meshes mean nothing. The "
        "lengths that scale the residual stay the model's.",
    )
    geom_pos = live[Float]("geom_pos", "ngeom", 3, doc="Of geoms in the frames of their bodies [m] (batch, ngeom, 3). Pictures show those of the model.")
    geom_quat = live[Float](
        "geom_quat", "ngeom", 4, doc="Orientations of geoms in the frames of their bodies, unit (batch, ngeom, 4)."
    )
    com = live[Float](
        "body_ipos",
        "nbody",
        3,
        doc="Centres of mass in the frames of their bodies [m] (batch, nbody, 3). `inertia` is about them, and does not "
        "follow; the lengths that scale the residual, and the inverse masses of soft welds, stay the model's.",
    )
    variant = live[np.int32](
        "variant",
        doc="Which model of every list (`[[attach]] model = [..]`) the environment has from its next `reset` on, (batch,) "
        "int32; at first its id modulo their number. A new one brings its shapes, masses, centres of mass and friction, "
        "whatever was written there; until that `reset`, steps set `Status.BAD_PARAMETER`. Without lists it is 0, and a `reset` "
        "puts it back.",
    )
    kp = live[Float]("actuator_kp", "nu", doc="Stiffness of position actuators [N/m] or [N m/rad] (batch, nu).")
    kd = live[Float]("actuator_kd", "nu", doc="Damping of position and velocity actuators [N s/m], [N m s/rad] (batch, nu).")
    damping = live[Float]("dof_damping", "nv", doc="Of dofs [N s/m], [N m s/rad] (batch, nv).")
    armature = live[Float]("dof_armature", "nv", doc="Of dofs [kg], [kg m²] (batch, nv), equal in all dofs of a joint.")
    force_range = live[Float](
        "actuator_force_range",
        "nu",
        2,
        doc="Least and largest force of actuators [N], [N m] (batch, nu, 2); it counts where "
        "`model.actuator_force_limited` is 1, and the least must be below the largest.",
    )
    gravity = live[Float]("gravity", 3, doc="In world axes [m/s²] (batch, 3).")


class Stats(_Views):
    """Figures of the last step of every environment, as `sim.stats`. They can not be written."""

    _spoken = "sim.stats"
    iterations = readout[np.int32]("iterations", doc="Of the solver (batch,) int32.")
    rounds = readout[np.int32](
        "rounds",
        doc="Rounds of the last step (batch,) int32: 1 where the first answer stood, more where contacts were looked for "
        "again, 0 where the state was kept.")
    residual = readout[Float](
        "residual", doc="Of the contact problem [-] (batch,); not computed by the solver.")
    position_residual = readout[Float](
        "position_residual",
        doc="Of the problem that parts what overlaps where the step begins [-] (batch,); 0 where none did.")
    penetration = readout[Float](
        "penetration",
        doc="Deepest overlap after the step [m] (batch,); up to 1 µm too large, in single precision 10 µm.")
    hover = readout[Float](
        "hover", doc="Largest gap over which a contact carries force (anitescu) [m] (batch,); not what flies.")
    violation = readout[Float]("violation", doc="Least total overlap of an infeasible step [m] (batch,).")
    contacts = readout[np.int32]("contact_count", doc="Contact points of the problem (batch,) int32.")
    rows = readout[np.int32]("num_rows", doc="Scalar rows, facets of all contacts and general rows (batch,) int32.")

    @property
    def energy(self) -> FloatArray:
        """Potential and kinetic energy of every environment in its present state (batch, 2) [J].

        U = -sum m (1 - gravcomp) g.c + sum of k/2 stretch^2 of joint and tendon springs, T = v.M v / 2 with the velocity
        of the last step; bodies of the world and bodies that tables move (`mocap`) count in U. The energy is measured
        whenever it is read; the array is live and keeps the values measured last.
        """
        self._simulator._measure_energy()
        if self._energy is None:
            self._energy: Any = self._simulator._array("energy", [2], False)
        return self._energy

    _energy = None
