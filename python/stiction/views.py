"""Named arrays of a simulator's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stiction.simulator import Simulator


class live:  # reads like a declaration
    """An attribute that is an array of the simulator's memory, made once and kept.

    `shape` follows the batch: numbers, or names of the model's counts ("nq") or of the simulator's ("max_contacts").
    """

    def __init__(self, field: str, *shape: int | str, doc: str = "", writable: bool = True) -> None:
        self.field, self.shape, self.writable = field, shape, writable
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.kept = name, "_live_" + name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        array = instance.__dict__.get(self.kept)
        if array is None:
            simulator = _simulator_of(instance)
            array = instance.__dict__[self.kept] = simulator._array(self.field, self._tail(simulator))
        return array

    def __set__(self, instance: Any, values: Any) -> None:
        if not self.writable:
            raise AttributeError(f"{self.name} is what a step leaves and can not be set")
        simulator = _simulator_of(instance)
        if values is not instance.__dict__.get(self.kept):  # x.array += 1 ends in x.array = x.array
            simulator._set(self.field, values, self._tail(simulator))

    def _tail(self, simulator: Simulator) -> list[int]:
        def length(dimension: int | str) -> int:
            if isinstance(dimension, int):
                return dimension
            return getattr(simulator if dimension == "max_contacts" else simulator.model, dimension)

        return [length(dimension) for dimension in self.shape]


def _simulator_of(instance: Any) -> Simulator:
    return getattr(instance, "_simulator", instance)


class _Views:
    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator


class Contacts(_Views):
    """Contacts of the last step, or of `forward`, as `sim.contacts`.

    Environment e has `count[e]` of them, and values beyond are stale; `padded()` gives copies with NaN and -1 there.
    Forces act on geom[1] along the rows of `frame`: normal n from geom[0] to geom[1], then the tangents t and o. None
    of the arrays can be written.
    """

    count = live("contact_count", doc="Contacts that are used (batch,) int32.", writable=False)
    geom = live(
        "contact_geom", "max_contacts", 2, doc="Geoms of the pair (batch, max_contacts, 2) int32.", writable=False
    )
    gap = live("contact_gap", "max_contacts", doc="Where the step began [m] (batch, max_contacts).", writable=False)
    gap_next = live(
        "contact_gap_next", "max_contacts", doc="As solved, gap + h n·v [m] (batch, max_contacts).", writable=False
    )
    position = live(
        "contact_position",
        "max_contacts",
        3,
        doc="Between the surfaces where the step began, world [m] (batch, max_contacts, 3).",
        writable=False,
    )
    frame = live(
        "contact_frame",
        "max_contacts",
        3,
        3,
        doc="Rows n, t, o in world axes (batch, max_contacts, 3, 3).",
        writable=False,
    )
    force = live(
        "contact_force",
        "max_contacts",
        3,
        doc="Along n, t, o, on geom[1]: impulse / h [N] (batch, max_contacts, 3).",
        writable=False,
    )
    torsion = live(
        "contact_torsion", "max_contacts", doc="About n, on geom[1]: [N m] (batch, max_contacts).", writable=False
    )

    def padded(self) -> dict[str, np.ndarray]:
        """Copies of all arrays by name, NaN and -1 beyond each environment's count.

        Raises:
            ClosedError: the simulator is closed, or another thread uses it.
        """
        return self._simulator._padded_contacts()


class Parameters(_Views):
    """Parameters of every environment, as `sim.params`.

    What is written counts from the next step on, and `reset` keeps it unless the scene draws it at random. A value that
    makes no sense sets `Status.BAD_PARAMETER` in that environment alone.
    """

    friction = live("geom_friction", "ngeom", 3, doc="Sliding [-], torsional [m], rolling [m] (batch, ngeom, 3).")
    mass = live("body_mass", "nbody", doc="Of bodies [kg] (batch, nbody). `inertia` does not follow.")
    inertia = live("body_inertia", "nbody", 3, doc="Principal moments of inertia [kg m²] (batch, nbody, 3).")
    size = live(
        "geom_size",
        "ngeom",
        3,
        doc="Radius and half lengths as in MuJoCo [m] (batch, ngeom, 3); those of meshes mean nothing. The "
        "lengths that scale the residual stay the model's.",
    )
    kp = live("actuator_kp", "nu", doc="Stiffness of position actuators [N/m] or [N m/rad] (batch, nu).")
    kd = live("actuator_kd", "nu", doc="Damping of position and velocity actuators [N s/m], [N m s/rad] (batch, nu).")
    gravity = live("gravity", 3, doc="In world axes [m/s²] (batch, 3).")


class Stats(_Views):
    """Figures of the last step of every environment, as `sim.stats`; none can be written."""

    iterations = live("iterations", doc="Of the solver (batch,) int32.", writable=False)
    rounds = live(
        "rounds",
        doc="Rounds of the last step (batch,) int32: 1 where the first answer stood, more where contacts were looked for "
        "again, 0 where the state was kept.",
        writable=False,
    )
    residual = live(
        "residual", doc="Of the contact problem [-] (batch,); not computed by the solver.", writable=False
    )
    position_residual = live(
        "position_residual",
        doc="Of the problem that parts what overlaps where the step begins [-] (batch,); 0 where none did.",
        writable=False,
    )
    penetration = live("penetration", doc="Deepest overlap after the step [m] (batch,).", writable=False)
    hover = live(
        "hover", doc="Largest gap over which a contact carries force (anitescu) [m] (batch,); not what flies.", writable=False
    )
    violation = live("violation", doc="Least total overlap of an infeasible step [m] (batch,).", writable=False)
    contacts = live("contact_count", doc="Contact points of the problem (batch,) int32.", writable=False)
    rows = live("num_rows", doc="Scalar rows, facets of all contacts and general rows (batch,) int32.", writable=False)

    @property
    def energy(self) -> Any:
        """Potential and kinetic energy where every environment is now (batch, 2) [J].

        U = -sum m (1 - gravcomp) g.c + sum of k/2 stretch^2 of joint and tendon springs, T = v.M v / 2 with the velocity
        of the last step; bodies of the world and of tables (`mocap`) count in U. Measured whenever it is read; the array
        is live and keeps what was measured last.
        """
        self._simulator._measure_energy()
        if self._energy is None:
            self._energy = self._simulator._array("energy", [2])
        return self._energy

    _energy = None
