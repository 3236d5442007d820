"""Sites, sensors and contact wrenches of a simulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stiction._core import InputError
from stiction.arrays import Float, FloatArray
from stiction.named import OnBody, element, find
from stiction.quaternions import rotate
from stiction.views import readout

if TYPE_CHECKING:
    from stiction.simulator import Simulator


class FrameOnBody(OnBody):
    """A frame that is fixed to a body, in every environment. Its pose follows that of its body (`sim.body`).

    Arrays are copies.

    Attributes:
        body: id of the body that it is fixed to.
    """

    body: int

    def __init__(self, simulator: Simulator, number: int, name: str) -> None:
        super().__init__(simulator, number, name)
        self.body = self._body

    @property
    def pos(self) -> NDArray[Any]:
        """Position p_WB + R_WB p_BF, world axes [m] (batch, 3)."""
        return self.pose[:, :3]

    @property
    def quat(self) -> NDArray[Any]:
        """Orientation, w x y z (batch, 4)."""
        return self.pose[:, 3:]

    @property
    def pose(self) -> NDArray[Any]:
        """`pos` and `quat` (batch, 7)."""
        return self._placed()


class Site(FrameOnBody):
    """A site in every environment, as `sim.site(name)`."""

    _kind = _spoken = "site"


class Camera(FrameOnBody):
    """A camera in every environment, as `sim.camera(name)`: it looks along -z of its frame, with y up in the picture.

    Attributes:
        fovy: vertical angle of view [deg].
    """

    fovy: float
    _kind = _spoken = "camera"

    def __init__(self, simulator: Simulator, number: int, name: str) -> None:
        if gap := simulator.model._camera_gaps[number]:
            raise InputError(f"camera '{name}': {gap}")
        super().__init__(simulator, number, name)
        self.fovy = float(simulator.model.camera_fovy[number])


class Sensing:
    """What a `Simulator` tells about sites, sensors and contact wrenches."""

    _live_sensors = readout[Float]("sensordata", "nsensordata")

    @property
    def sensordata(self: Any) -> FloatArray:
        """Values of all sensors in the present state, with the forces of the last step (batch, nsensordata).

        Sensor s has `model.sensor_dim[s]` values from `model.sensor_adr[s]` on, as in MuJoCo; units and axes are
        MuJoCo's, too. They are computed whenever this is read, and a step that nobody reads computes none; the array is
        live and keeps the values read last. NaN: what `sensor` refuses, and accelerations and what follows from them
        before the first step, after `reset`, `forward` and a step that kept the state.

        Raises:
            InputError: device "reference".
            ClosedError: the simulator is closed, or another thread uses it.
        """
        self._measure_sensors()
        return self._live_sensors

    def sensor(self: Any, name: str | int) -> NDArray[Any]:
        """Values of one sensor, by its name or its number, in the present state (batch, dim), a copy; `sensordata` has those of all at once.

        Raises:
            InputError: there is no such sensor, it is not computed, or not in these dynamics (docs/sensors.md).
        """
        number = find("sensor", self.model.sensor_names, name)
        refusal = self._sensor_refusal(number)
        if refusal:
            raise InputError(f"sensor '{self.model.sensor_names[number]}': {refusal}")
        first = int(self.model.sensor_adr[number])
        values = np.asarray(self.sensordata)[:, first : first + int(self.model.sensor_dim[number])]
        return np.array(values)

    def site(self: Any, name: str | int) -> Site:
        """A site by its name or its id, in every environment.

        Raises:
            InputError: there is none of this name; with the nearest.
        """
        return element(self, Site, name)

    def camera(self: Any, name: str | int) -> Camera:
        """A camera by its name or its id, in every environment.

        Raises:
            InputError: there is none of this name; with the nearest. Or it follows something, is orthographic, or has a
                sensorsize.
        """
        return element(self, Camera, name)

    def contact_wrench(self: Any, a: str | Sequence[str], b: str | Sequence[str] | None = None) -> NDArray[np.float64]:
        """Force [N] and torque [N m] that the contacts of `b` exert on `a`, world axes (batch, 6), float64.

        f = sum of the contact forces f_i, torque = sum of (x_i - p) x f_i + torsion_i, of the last step. p is the centre of
        mass of the body that `a` names first, where the step ended; the contact points x_i are those where it began.
        Contacts within `a` cancel.

        Args:
            a: names of bodies or geoms, one or several; a body stands for all of its own geoms. Where a body and a geom
                have the same name, it means the body.
            b: likewise; None: everything.

        Raises:
            InputError: there is no body or geom of such a name, or none is given.
        """
        on = self._geoms_of("a", a)
        by = None if b is None else self._geoms_of("b", b)
        contacts = self.contacts.padded()
        geom = contacts["geom"]
        of_a = np.isin(geom, on)
        of_b = geom >= 0 if by is None else np.isin(geom, by)
        sign = (of_a[..., 1] & of_b[..., 0]).astype(float) - (of_a[..., 0] & of_b[..., 1])
        force, frame, arm = contacts["force"], contacts["frame"], contacts["position"] - self._centre_of(a)[:, None]
        used = contacts["geom"][..., 0] >= 0
        world = np.where(used[..., None], np.einsum("bik,bikx->bix", force, frame), 0.0)
        turn = np.where(used[..., None], contacts["torsion"][..., None] * frame[..., 0, :], 0.0)
        torque = np.cross(np.where(used[..., None], arm, 0.0), world) + turn
        return np.concatenate([np.sum(sign[..., None] * part, axis=1) for part in (world, torque)], axis=1)

    def _geoms_of(self: Any, argument: str, names: str | Sequence[str]) -> NDArray[np.int32]:
        """Ids of the geoms that are named, or that belong to bodies that are."""
        found: list[int] = []
        listed = [names] if isinstance(names, str) else list(names)
        if not listed:
            raise InputError(f"{argument}: expected names of bodies or geoms, got none")
        for name in listed:
            if name in self.model.body_names:
                found += np.flatnonzero(self.model.geom_body == self.model.body_names.index(name)).tolist()
            else:
                find("body or geom", list(dict.fromkeys([*self.model.body_names, *self.model.geom_names])), name)
                found.append(self.model.geom_names.index(name))
        return np.array(found, np.int32)

    def _centre_of(self: Any, names: str | Sequence[str]) -> NDArray[np.float64]:
        """Centre of mass of the body that is named first (batch, 3)."""
        name = names if isinstance(names, str) else names[0]
        bodies = self.model.body_names
        body = bodies.index(name) if name in bodies else int(self.model.geom_body[self.model.geom_names.index(name)])
        pose = np.asarray(self.body_pose)[:, body].astype(float)
        return pose[:, :3] + rotate(pose[:, 3:], np.asarray(self.params.com)[:, body].astype(float))
