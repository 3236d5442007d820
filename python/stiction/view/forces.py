"""The drawing of contact forces: per face patch the resultant at its centre of pressure, inside its friction cone. A step with
`contact = "patch"` says both itself: the force at the equivalent contact point.

    R = Σ f_i                      resultant of a patch (two geoms of one environment), world axes [N]
    p = Σ f_n,i p_i / Σ f_n,i      centre of pressure [m]
    K = { f : (f_t/μ_t)² + (f_o/μ_o)² ≤ f_n² }, drawn with the height f_n; a pyramid with k facets has the corners
        f_n (1, μ_t cos 2πj/k, μ_o sin 2πj/k)

Arrays of contacts are flat: (N) contacts of all environments that are shown, without padding. The code is pure numpy.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np


@dataclass(frozen=True)
class Contacts:
    """Contact points of one moment."""

    env: np.ndarray       # (N) which of the environments looked at
    geom: np.ndarray      # (N, 2) ids in MuJoCo's model
    gap: np.ndarray       # (N) [m]
    position: np.ndarray  # (N, 3) world, without the offset of the environment in a grid [m]
    frame: np.ndarray     # (N, 3, 3) rows n, t, o, world
    force: np.ndarray     # (N, 3) along n, t, o on geom 1 [N]

    def __len__(self) -> int:
        return len(self.env)

    def select(self, which: np.ndarray) -> "Contacts":
        return Contacts(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def flatten(count, geom, gap, position, frame, force, source_geom: np.ndarray) -> Contacts:
    """Contacts from arrays (E, C, ...) with padding, of which `count` (E) are used.

    source_geom: MuJoCo's id of every geom in the numbering of contacts, (nslot), or (E, nslot) where environments differ.
    """
    env, geom, *others = _used(count, geom, gap, position, frame, force)
    return Contacts(env, _ids(source_geom, env, geom), *(np.asarray(part, dtype=float) for part in others))


def _ids(source_geom: np.ndarray, env: np.ndarray, geom: np.ndarray) -> np.ndarray:
    """MuJoCo's ids (N, 2)."""
    return source_geom[geom] if source_geom.ndim == 1 else source_geom[env[:, None], geom]


def _used(count, *arrays) -> list[np.ndarray]:
    """The environments (N) of what is used, and the used parts (N, ...) of arrays (E, C, ...)."""
    capacity = int(np.max(count, initial=0))
    used = np.arange(capacity) < np.asarray(count)[:, None]
    env, slot = np.nonzero(used)
    return [env, *(np.asarray(array)[env, slot] for array in arrays)]


def loaded(contacts: Contacts, least: float) -> Contacts:
    """The contacts whose normal force exceeds `least` [N]."""
    return contacts.select(contacts.force[:, 0] > least)


@dataclass(frozen=True)
class Arrows:
    """Forces at points, with the cones that bound them, for M patches or single contacts."""

    env: np.ndarray    # (M)
    geom: np.ndarray   # (M, 2)
    point: np.ndarray  # (M, 3) centre of pressure [m]
    frame: np.ndarray  # (M, 3, 3) rows n, t, o, world
    force: np.ndarray  # (M, 3) world axes, on geom 1 [N]

    def __len__(self) -> int:
        return len(self.env)

    def local(self) -> np.ndarray:
        """The forces along n, t, o (M, 3) [N]."""
        return np.einsum("mij,mj->mi", self.frame, self.force)


def single_forces(contacts: Contacts) -> Arrows:
    """One arrow for every contact."""
    return _arrows(contacts.env, contacts.geom, contacts.position, contacts.frame, contacts.force)


def patch_forces(count, geom, point, frame, force, source_geom: np.ndarray) -> Arrows:
    """One arrow for every patch of a step's readout, at its equivalent contact point. Arrays as of `flatten`."""
    env, geom, *others = _used(count, geom, point, frame, force)
    return _arrows(env, _ids(source_geom, env, geom), *(np.asarray(part, dtype=float) for part in others))


def _arrows(env, geom, point, frame, force) -> Arrows:
    """force: (N, 3) along n, t, o."""
    return Arrows(env, geom, point, frame, np.einsum("nij,ni->nj", frame, force))


def patch_resultants(contacts: Contacts) -> Arrows:
    """One arrow for all loaded contacts of two geoms, in the frame of the contact with the largest normal force."""
    points = loaded(contacts, 0.0)
    if len(points) == 0:
        return single_forces(points)
    geoms = int(points.geom.max()) + 1
    keys = (points.env.astype(np.int64) * geoms + points.geom[:, 0]) * geoms + points.geom[:, 1]
    found, patch = np.unique(keys, return_inverse=True)
    num = len(found)
    world = np.einsum("nij,ni->nj", points.frame, points.force)
    pressure = points.force[:, 0]
    total = np.bincount(patch, pressure, num)
    hardest = np.lexsort((-pressure, patch))[np.searchsorted(np.sort(patch), np.arange(num))]
    return Arrows(points.env[hardest], points.geom[hardest],
                  _sum(patch, pressure[:, None] * points.position, num) / total[:, None],
                  points.frame[hardest], _sum(patch, world, num))


def facing(arrows: Arrows, towards: np.ndarray) -> Arrows:
    """The same forces, reversed where they then act on a wanted geom: towards (ngeom) bool.

    -f in the frame (-n, -t, o) is in the cone of f in (n, t, o), because with D_k its mirror image along o is a
    generator, too.
    """
    turn = ~towards[arrows.geom[:, 1]] & towards[arrows.geom[:, 0]]
    signs = np.where(turn[:, None], [-1.0, -1.0, 1.0], 1.0)
    geom = np.where(turn[:, None], arrows.geom[:, ::-1], arrows.geom)
    force = np.where(turn[:, None], -arrows.force, arrows.force)
    return Arrows(arrows.env, geom, arrows.point, signs[:, :, None] * arrows.frame, force)


def _sum(patch: np.ndarray, values: np.ndarray, num: int) -> np.ndarray:
    return np.column_stack([np.bincount(patch, values[:, k], num) for k in range(values.shape[1])])


Points = TypeVar("Points", Contacts, Arrows)


def carry_along(points: Points, before: np.ndarray, after: np.ndarray, geom_body: np.ndarray, moves: np.ndarray) -> Points:
    """Contacts or arrows at the start of a step, moved to its end with the body on which the force acts.

    before, after: (E, nbody, 7) poses [m, wxyz]. geom_body: (ngeom). moves: (nbody) bodies that can move; if the body
    of geom 1 can not, the contact moves with the body of geom 0.
    """
    body = geom_body[points.geom[:, 1]]
    body = np.where(moves[body], body, geom_body[points.geom[:, 0]])
    start, end = before[points.env, body], after[points.env, body]
    name = "position" if isinstance(points, Contacts) else "point"
    local = rotate(conjugate(start[:, 3:]), getattr(points, name) - start[:, :3])
    return replace(points, **{name: end[:, :3] + rotate(end[:, 3:], local)})


def cone_mesh(sides: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a cone's side: apex at the origin, height 1 along x, corners at (1, cos, sin) of 2πj/k."""
    angle = 2 * np.pi * np.arange(sides) / sides
    rim = np.column_stack([np.ones(sides), np.cos(angle), np.sin(angle)])
    j = np.arange(sides)
    faces = np.column_stack([np.zeros(sides, dtype=int), 1 + (j + 1) % sides, 1 + j])
    return np.vstack([np.zeros(3), rim]), faces


def cone_scales(arrows: Arrows, friction: np.ndarray, length: float) -> np.ndarray:
    """Scales (M, 3) of the unit cone along n, t, o: its height is the normal force at `length` metres per newton."""
    height = length * np.maximum(arrows.local()[:, 0], 0)
    return height[:, None] * np.column_stack([np.ones(len(arrows)), friction])


def rotate(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) rotated by unit quaternions (..., 4) wxyz."""
    w, u = quat[..., :1], quat[..., 1:]
    twice = 2 * np.cross(u, vector)
    return vector + w * twice + np.cross(u, twice)


def conjugate(quat: np.ndarray) -> np.ndarray:
    return quat * np.array([1.0, -1.0, -1.0, -1.0])


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of quaternions (..., 4) wxyz."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                     aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw], axis=-1)


def quaternion_of(matrix: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) -> unit quaternions (..., 4) wxyz, by the largest component."""
    m = np.asarray(matrix, dtype=float)
    d = np.stack([m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]], axis=-1)
    trace = d.sum(axis=-1, keepdims=True)
    squares = np.concatenate([1 + trace, 1 + 2 * d - trace], axis=-1)  # 4 (w², x², y², z²)
    off = np.empty((*m.shape[:-2], 4, 4))  # row i: 4 q_i q
    for i in range(4):
        off[..., i, i] = squares[..., i]
    for i, (a, b) in enumerate(((2, 1), (0, 2), (1, 0)), 1):
        off[..., 0, i] = off[..., i, 0] = m[..., a, b] - m[..., b, a]
    for i, j in ((1, 2), (1, 3), (2, 3)):
        off[..., i, j] = off[..., j, i] = m[..., i - 1, j - 1] + m[..., j - 1, i - 1]
    best = np.argmax(squares, axis=-1)
    rows = np.take_along_axis(off, best[..., None, None], axis=-2)[..., 0, :]
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def turn_x_to(direction: np.ndarray) -> np.ndarray:
    """Quaternions (M, 4) that turn the x axis to unit vectors (M, 3)."""
    half = np.column_stack([1 + direction[:, 0], np.zeros(len(direction)), -direction[:, 2], direction[:, 1]])
    opposite = half[:, 0] < 1e-9
    half[opposite] = [0, 0, 0, 1]
    return half / np.linalg.norm(half, axis=1, keepdims=True)
