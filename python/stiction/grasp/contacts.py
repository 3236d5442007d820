"""The contacts of a simulator as those of grasps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stiction._core import InputError
from stiction.grasp.quality import Quality, quality
from stiction.simulator import Simulator


@dataclass(frozen=True)
class GraspContacts:
    """Contacts on a body in every environment, in the order of `sim.contacts`; NaN beyond each environment's count.

    Attributes:
        position: world axes [m] (batch, n, 3).
        normal: into the body, unit, world axes (batch, n, 3).
        friction: sliding, the smaller one of both directions [-] (batch, n).
        torsion: friction about the normal [m] (batch, n); 0 for points that do not resist twisting.
        tangent: t of the contact, unit, world axes (batch, n, 3).
        force: along the normal [N] (batch, n).
        count: contacts of each environment (batch,) int32.
        center: centre of mass of the body [m] (batch, 3).
    """

    position: NDArray[np.float64]
    normal: NDArray[np.float64]
    friction: NDArray[np.float64]
    torsion: NDArray[np.float64]
    tangent: NDArray[np.float64]
    force: NDArray[np.float64]
    count: NDArray[np.int32]
    center: NDArray[np.float64]

    def select(self, which: ArrayLike) -> GraspContacts:
        """Those of some environments, by ids or a mask (batch)."""
        return GraspContacts(**{field.name: getattr(self, field.name)[np.asarray(which)] for field in fields(self)})

    def quality(self, length: ArrayLike, *, facets: int = 8, volume: bool = False, threads: int = 0) -> Quality:
        """How well they hold the body; `stiction.grasp.quality` with torques about the centre of mass."""
        return quality(self.position, self.normal, self.friction, length, center=self.center, facets=facets, torsion=self.torsion,
                       tangent=self.tangent, count=self.count, volume=volume, threads=threads)  # fmt: skip


def of_contacts(
    sim: Simulator, body: str | Sequence[str], by: str | Sequence[str] | None = None, *, least_force: float = 1e-3
) -> GraspContacts:
    """The contacts of the last step that press on a body.

    Args:
        sim: after a step.
        body: name of a body or geom, or several that are one object; contacts between these are left out.
        by: names of the bodies or geoms that hold it; None: everything that touches it, the ground included.
        least_force: contacts with at most this normal force do not count [N].

    Raises:
        InputError: there is no body or geom of such a name, or none is given.
        ClosedError: the simulator is closed, or another thread uses it.
    """
    for name, given in (("body", body), ("by", by)):
        if given is not None and not isinstance(given, str) and not all(isinstance(one, str) for one in _listed(given)):
            raise InputError(f"{name}: expected names of bodies or geoms, got {given!r}")
    if isinstance(least_force, bool) or not isinstance(least_force, int | float | np.number) or not np.isfinite(least_force):
        raise InputError(f"least_force: {least_force!r} given, must be a finite number [N]")
    access: Any = sim
    own = access._geoms_of("body", body)
    others = None if by is None else access._geoms_of("by", by)
    contacts = sim.contacts.padded()
    everything = np.arange(sim.model.ngeom)
    return loaded_contacts(contacts, own, everything if others is None else others, access._centre_of(body), least_force)


def loaded_contacts(
    contacts: Mapping[str, NDArray[Any]], own: ArrayLike, others: ArrayLike, center: NDArray[np.float64], least_force: float = 1e-3
) -> GraspContacts:
    """Those of some arrays of `sim.contacts` that press on geoms `own` and come from `others`; geom -1 is none."""
    geom, force = contacts["geom"], contacts["force"][..., 0]
    is_own = np.isin(geom, own)
    holds = np.isin(geom, others) & ~is_own
    second, first = is_own[..., 1] & holds[..., 0], is_own[..., 0] & holds[..., 1]
    chosen = (first | second) & (force > least_force)
    sign = np.where(second, 1.0, -1.0)[..., None]
    values = {
        "position": contacts["position"],
        "normal": sign * contacts["frame"][..., 0, :],
        "friction": contacts["friction"][..., :2].min(axis=-1),
        "torsion": contacts["friction"][..., 2],
        "tangent": contacts["frame"][..., 1, :],
        "force": force,
    }
    count = chosen.sum(axis=1).astype(np.int32)
    front = np.argsort(~chosen, axis=1, kind="stable")[:, : max(count.max(initial=0), 0)]
    beyond = np.arange(front.shape[1]) >= count[:, None]
    packed = {name: _pack(array.astype(np.float64), front, beyond) for name, array in values.items()}
    return GraspContacts(**packed, count=count, center=center)


def used_contacts(sim: Simulator, ids: Any, *names: str) -> Any:
    """Arrays of `sim.contacts` of some environments, as long as the most that one of them uses, and which entries are used (ids, n)."""
    contacts: Any = sim.contacts
    count = np.asarray(contacts.count)[ids]
    most = int(count.max(initial=0))
    arrays = [np.asarray(getattr(contacts, name))[ids, :most] for name in names]
    return *arrays, np.arange(most) < count[:, None]


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Sequence) else [given]


def _pack(array: NDArray[np.float64], front: NDArray[np.intp], beyond: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The chosen values of each environment first, NaN behind them."""
    index = front.reshape(front.shape + (1,) * (array.ndim - 2))
    packed = np.take_along_axis(array, index, axis=1)
    packed[beyond] = np.nan
    return packed
