"""Rays in every environment of a simulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction import _core
from stiction._core import InputError
from stiction.arrays import FloatArray, GivenArray
from stiction.named import Body, find
from stiction.quaternions import rotate
from stiction.sensing import Camera

Bodies = str | int | Body | Sequence[str | int | Body]


class RayHits(NamedTuple):
    """What rays met: the nearest surface on each.

    Attributes:
        distance: from the origin [m] (batch, nray); -1 where nothing was met.
        geom: its id, as in `model.geom_names` (batch, nray) int32; -1 where nothing was met.
        normal: of the surface, outward, world axes (batch, nray, 3); zero where nothing was met.
    """

    distance: FloatArray
    geom: NDArray[np.int32]
    normal: FloatArray


class RayCasting:
    """What a `Simulator` sees along rays."""

    def cast_rays(
        self: Any,
        origin: GivenArray | ArrayLike,
        direction: GivenArray | ArrayLike,
        *,
        exclude: Bodies = (),
        cutoff: float | None = None,
    ) -> RayHits:
        """Where rays meet geoms at the present state, as MuJoCo's `mj_ray` and `mj_multiRay`.

        They meet the geoms that can touch (`model.geom_names`), hulls of meshes included, and no others: a visual geom is
        not part of the model. A plane is met from above only and, where the model gives it a size, within that; a ray
        that starts inside a geom meets its surface on the way out.

        Args:
            origin: world axes [m], (nray, 3) for all environments or (batch, nray, 3); (3,) for all rays.
            direction: world axes, of any length but zero; shapes as `origin`.
            exclude: names or ids of bodies whose geoms rays pass through; one, or several.
            cutoff: what is farther away is not met [m], > 0; None: there is no such limit.

        Returns:
            `RayHits`: new arrays in the simulator's dtype on its device.

        Raises:
            InputError: shapes do not match the batch or each other, a direction is zero, a number is not finite, there is
                no such body, or the device is "reference".
            ClosedError: the simulator is closed, or another thread uses it.
        """
        start, towards = _rays(origin, direction, self.batch)
        found = _core.cast_rays(self, start, towards, bodies(self.model, exclude), limit(cutoff))
        return RayHits(*found)

    def depth_image(
        self: Any,
        camera: str | int | Camera | GivenArray | ArrayLike,
        width: int,
        height: int,
        *,
        fovy: float | None = None,
        exclude: Bodies = (),
        cutoff: float | None = None,
    ) -> FloatArray:
        """What a camera sees at the present state, as depth along its optical axis [m] (batch, height, width).

        A ray goes through the middle of every pixel, as in `cast_rays`; the first row is the upper one. Cameras are
        MuJoCo's: they look along -z, with x to the right and y up.

        Args:
            camera: name or id of a camera of the model, which moves with its body; or a pose in world axes, position [m]
                and quaternion w x y z, (7,) for all environments or (batch, 7).
            width: pixels in a row.
            height: pixels in a column.
            fovy: vertical angle of view [deg], in (0, 180); None: the camera's, and 45 for a pose.
            exclude: bodies that are not seen, as in `cast_rays`; a camera on a robot may be inside one of its geoms.
            cutoff: what is deeper is not seen [m]; None: there is no such limit.

        Returns:
            A new array in the simulator's dtype on its device; infinite where nothing is seen.

        Raises:
            InputError: there is no such camera or body, the camera follows something or is not a plain perspective one, a
                number or a shape is wrong, or the device is "reference".
            ClosedError: the simulator is closed, or another thread uses it.
        """
        _check_pixels(width=width, height=height)
        body, pose, view = 0, _pose_of(camera, self.batch), 45.0
        if pose is None:
            seen = camera if isinstance(camera, Camera) else self.camera(camera)
            body, view = seen.body, seen.fovy
            pose = np.concatenate([self.model.camera_pos[seen.id], self.model.camera_quat[seen.id]])
        directions = pixel_rays(width, height, _angle(view if fovy is None else fovy))
        origins, place = np.zeros_like(directions), pose
        if pose.ndim == 2:
            directions = np.stack([rotate(quat[None], directions) for quat in pose[:, 3:]])
            origins = np.broadcast_to(pose[:, None, :3], directions.shape)
            place = np.array([0, 0, 0, 1.0, 0, 0, 0])
        start, towards = np.ascontiguousarray(origins), np.ascontiguousarray(directions)
        hidden, most = bodies(self.model, exclude), limit(cutoff)
        return _core.cast_depth(self, start, towards, body, place[:3].tolist(), place[3:].tolist(), hidden, most, width)


def pixel_rays(width: int, height: int, fovy: float) -> NDArray[np.float64]:
    """Directions through the middle of every pixel, row by row from above, in the axes of a camera, of length 1 along -z
    (height * width, 3); `fovy` [deg]."""
    half = np.tan(np.radians(fovy) / 2)
    x = half * (2 * np.arange(width) + 1 - width) / height
    y = half * (height - 2 * np.arange(height) - 1) / height
    rays = np.full((height, width, 3), -1.0)
    rays[:, :, 0], rays[:, :, 1] = x, y[:, None]
    return rays.reshape(-1, 3)


def _check_pixels(**numbers: Any) -> None:
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{name}: {value} given, must be a whole number of pixels, at least 1")


def _angle(fovy: Any) -> float:
    if isinstance(fovy, bool) or not isinstance(fovy, int | float | np.number) or not 0 < fovy < 180:
        raise InputError(f"fovy: {fovy} given, must be in (0, 180) [deg]")
    return float(fovy)


def _pose_of(camera: Any, batch: int) -> NDArray[np.float64] | None:
    """A pose that is given, (7,) or (batch, 7), with a unit quaternion; None for a camera of the model."""
    if isinstance(camera, str | int | np.integer | Camera):
        return None
    values = np.asarray(camera.cpu() if hasattr(camera, "cpu") else camera)
    wanted = f"a camera's name or id, or a pose of shape (7,) or ({batch}, 7)"
    if values.dtype.kind not in "fiu" or values.shape not in ((7,), (batch, 7)):
        raise InputError(f"camera: expected {wanted}, got {values.shape if values.ndim else type(camera).__name__}")
    size = np.linalg.norm(values[..., 3:], axis=-1, keepdims=True)
    if not (np.isfinite(values).all() and (size > 0).all()):
        raise InputError("camera: the pose is not finite, or its quaternion is zero")
    return np.concatenate([values[..., :3], values[..., 3:] / size], axis=-1)


def _vectors(name: str, given: Any, batch: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
        if values.dtype.kind not in "fiu":
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers of shape (nray, 3) or ({batch}, nray, 3)") from None
    if values.ndim not in (1, 2, 3) or values.shape[-1] != 3 or (values.ndim == 3 and values.shape[0] not in (1, batch)):
        raise InputError(f"{name}: expected shape (nray, 3) or ({batch}, nray, 3), got {values.shape}")
    return values.astype(np.float64)


def _rays(origin: Any, direction: Any, batch: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both of the same shape, (nray, 3) or (batch, nray, 3)."""
    start, towards = _vectors("origin", origin, batch), _vectors("direction", direction, batch)
    try:
        shape = np.broadcast_shapes(start.shape, towards.shape, (1, 3))
    except ValueError:
        raise InputError(f"origin, direction: shapes {start.shape} and {towards.shape} do not have the same number of rays") from None
    if len(shape) == 3:
        shape = (batch, *shape[1:])
    return tuple(np.ascontiguousarray(np.broadcast_to(part, shape)) for part in (start, towards))  # type: ignore[return-value]


def bodies(model: Any, named: Bodies) -> list[int]:
    """Ids of bodies that are named, one or several."""
    listed = [named] if isinstance(named, str | int | np.integer | Body) else list(named)
    return [one.id if isinstance(one, Body) else find("body", model.body_names, one) for one in listed]


def limit(cutoff: Any) -> float:
    """A cutoff in metres; infinite for None."""
    if cutoff is None:
        return float("inf")
    if isinstance(cutoff, bool) or not isinstance(cutoff, int | float | np.number):
        raise InputError(f"cutoff: expected a number [m], got {type(cutoff).__name__}")
    return float(cutoff)
