"""The contact that a body's motion tells of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stiction import _core
from stiction.problems import doubles, together, with_tail


class EquivalentContact(NamedTuple):
    """The equivalent contact point of a body and the impulse that the surface gave it there.

    All are NaN where `valid` is False, except for `frame`. The impulse in world axes is p_n n + p_t t + p_o o at
    `point`, and p_r n about it.

    Attributes:
        point: the equivalent contact point a, in the supporting plane, world axes [m] (..., 3).
        p_n: impulse along n [N s] (...).
        p_t: impulse of friction along t [N s] (...).
        p_o: impulse of friction along o [N s] (...).
        p_r: impulse of friction about n, at `point` [N m s] (...).
        frame: rows n, t, o in world axes (..., 3, 3).
        valid: whether the surface pushed (...) bool. False: p_n is negative, or too small to tell it from the rounding
            of the momentum, or numbers overflow.
    """

    point: np.ndarray
    p_n: np.ndarray
    p_t: np.ndarray
    p_o: np.ndarray
    p_r: np.ndarray
    frame: np.ndarray
    valid: np.ndarray


_SHAPES = {
    "position": (3,), "velocity_before": (6,), "velocity_after": (6,), "mass": (), "inertia": (3, 3), "impulse": (6,),
    "normal": (3,), "plane_offset": (), "tangent": (3,), "step_size": (), "inertia_after": (3, 3),
}  # fmt: skip
_ANSWER = {"point": (3,), "p_n": (), "p_t": (), "p_o": (), "p_r": (), "frame": (3, 3), "valid": ()}


def contact_from_motion(
    position: Any, velocity_before: Any, velocity_after: Any, mass: Any, inertia: Any, impulse: Any, normal: Any,
    plane_offset: Any, *, tangent: Any = None, step_size: Any = None, inertia_after: Any = None,
) -> EquivalentContact:  # fmt: skip
    """Finds where and how hard a surface pushed a rigid body in a step, from the body's motion alone.

    Proposition 2 of Xie and Chakraborty, "Rigid body dynamic simulation with line and surface contact", (20) to (28):
    the change of the momentum, less the given impulse, is the impulse of the contact, and one point of the supporting
    plane n·a = d is such that the moment about it is along n. Friction laws do not matter. A body that touches in more
    than one plane has no such answer.

    Leading axes are a batch and are broadcast as in NumPy, for every argument; they may be empty. All arrays are in
    world axes.

    Args:
        position: centre of mass (..., 3) [m], from which the arms of contact forces are taken: that of the end of the
            step in the paper's scheme and of the start in `Simulator`.
        velocity_before: velocity of the centre of mass, then angular velocity, before the step (..., 6) [m/s, rad/s].
        velocity_after: the same after the step (..., 6).
        mass: (...) [kg].
        inertia: (..., 3, 3) about the centre of mass, at the start of the step [kg m²].
        impulse: linear, then angular about the centre of mass (..., 6) [N s, N m s], of all that acts on the body beside
            this contact: h m g of its weight, pushes, and the gyroscopic impulse unless one of the last two arguments
            brings it in.
        normal: n (..., 3), a unit vector from the surface towards the body.
        plane_offset: d (...) [m], n·x of the plane's points x.
        tangent: t (..., 3), a unit vector in the plane; o is n × t. None: MuJoCo's, as of all contacts.
        step_size: h (...) [s]. If given, the impulse of (7), -h ω+ × I ω+, acts on the body, too.
        inertia_after: (..., 3, 3) at the end of the step [kg m²]. If given, the angular momentum changes from I ω to
            I+ ω+, which is what any rigid motion does; not together with `step_size`.

    Returns:
        The point, the impulses and `valid` of every entry. An entry depends on its own numbers only.

    Raises:
        InputError: shapes do not fit, a number is not finite, the mass or h is not positive, an inertia is not symmetric
            and positive definite, n or t is not a unit vector (to 1e-6), or t is not in the plane. Entries are counted
            over all leading axes, the last one fastest.
    """
    values = {"position": position, "velocity_before": velocity_before, "velocity_after": velocity_after, "mass": mass,
              "inertia": inertia, "impulse": impulse, "normal": normal, "plane_offset": plane_offset}  # fmt: skip
    optional = {"tangent": tangent, "step_size": step_size, "inertia_after": inertia_after}
    values |= {name: value for name, value in optional.items() if value is not None}
    given = {name: with_tail(name, doubles(name, value), _SHAPES[name]) for name, value in values.items()}
    batch = together({name: array.shape[: array.ndim - len(_SHAPES[name])] for name, array in given.items()})
    count = int(np.prod(batch))
    arrays = {
        name: np.ascontiguousarray(np.broadcast_to(array, batch + _SHAPES[name])).reshape(-1)
        for name, array in given.items()
    }
    out: dict[str, Any] = _core.contact_from_motion(count, arrays)
    out["valid"] = out["valid"].astype(bool)
    return EquivalentContact(**{name: out[name].reshape(batch + tail)[()] for name, tail in _ANSWER.items()})
