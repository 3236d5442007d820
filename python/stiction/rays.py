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
