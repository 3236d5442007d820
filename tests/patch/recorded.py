"""Bodies, states and patches of a recording of `stiction run --record contacts`, in the paper's variables.

It reads the compiled model (/model, MuJoCo's binary), the columns and the text of the scene, and asks nothing of
stiction. A free joint's qvel is linear of the body's origin in world axes, angular in body axes; here ν is of the centre
of mass, in world axes. It knows all of MuJoCo's convex shapes, fixed or on bodies with a free joint.
"""

import dataclasses
import tomllib

import h5py
import mujoco
import numpy as np
from scipy import spatial

FREE = mujoco.mjtJoint.mjJNT_FREE
KIND = mujoco.mjtGeom


@dataclasses.dataclass
class Solid:
    """{x : normals·x <= offsets, ‖(x, y)‖ <= radius} in a geom's axes [m]; a half-space has no corners (k, 3)."""
    normals: np.ndarray
    offsets: np.ndarray
    corners: np.ndarray
    radius: float = np.inf

    @property
    def is_half_space(self):
        return len(self.offsets) == 1

    def facets(self, x):
        """f_i(x) [m] and their gradients (m, 3)."""
        if self.radius == np.inf:
            return self.normals @ x - self.offsets, self.normals
        out = np.array([x[0], x[1], 0.0]) / max(np.hypot(x[0], x[1]), 1e-300)
        return np.append(self.normals @ x - self.offsets, out @ x - self.radius), np.vstack([self.normals, out])

    def support(self, n):
        """max n·x [m]; of a half-space for its own normal n only."""
        if self.is_half_space:
            return self.offsets[0]
        if self.radius < np.inf:
            return self.radius * np.hypot(n[0], n[1]) + self.offsets[0] * abs(n[2])
        return np.max(self.corners @ n)


@dataclasses.dataclass
class RoundSolid:
    """All that is within `ball` of the segment ±`half` e_z, or an ellipsoid with semi-axes `axes` (3) [m]: one smooth facet."""
    ball: float = 0.0
    half: float = 0.0
    axes: np.ndarray | None = None
    is_half_space = False

    def facets(self, x):
        """f(x) [m], near the surface a distance, and its gradient (1, 3)."""
        if self.axes is None:
            out = x - [0, 0, np.clip(x[2], -self.half, self.half)]
            return np.array([np.linalg.norm(out) - self.ball]), out[None] / np.linalg.norm(out)
        level, slope = np.linalg.norm(x / self.axes), x / self.axes**2
        return np.array([level * (level - 1)]) / np.linalg.norm(slope), slope[None] / np.linalg.norm(slope)

    def support(self, n):
        if self.axes is None:
            return self.ball * np.linalg.norm(n) + self.half * abs(n[2])
        return np.linalg.norm(self.axes * n)


@dataclasses.dataclass
class Geom:
    """`body` counts World.bodies, -1: fixed. Placed from the body's centre of mass, in its axes; fixed: in the world."""
    solid: Solid
    body: int
    position: np.ndarray
    rotation: np.ndarray
    friction: np.ndarray   # sliding [-], torsional [m]
    priority: int = 0


@dataclasses.dataclass
class World:
    """`bodies`: (mass [kg], inertia about the centre of mass in the body's axes (3, 3) [kg m²])."""
    h: float
    gravity: np.ndarray
    bodies: list
    geoms: list

    def weight(self, *bodies):
        """m g h of the lightest that moves [N s]."""
        return min(self.bodies[b][0] for b in bodies if b >= 0) * np.linalg.norm(self.gravity) * self.h

    def friction(self, pair):
        """μ and (e_t, e_o, e_r) by MuJoCo's rule: the geom with the higher priority, else the larger coefficients."""
        a, b = sorted((self.geoms[g] for g in pair), key=lambda geom: geom.priority)
        slide, turn = np.maximum(a.friction, b.friction) if a.priority == b.priority else b.friction
        return slide, np.array([1.0, 1.0, max(turn / slide, 1e-12) if slide > 0 else 1.0])


@dataclasses.dataclass
class State:
    """Of all bodies: centre of mass (n, 3), quaternion (n, 4), rotation (n, 3, 3), ν (n, 6)."""
    position: np.ndarray
    quaternion: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray

    def place(self, geom):
        """Position and rotation in the world."""
        if geom.body < 0:
            return geom.position, geom.rotation
        turn = self.rotation[geom.body]
        return self.position[geom.body] + turn @ geom.position, turn @ geom.rotation

    def velocity_at(self, body, x):
        """Linear and angular velocity of the body's point x."""
        if body < 0:
            return np.zeros(3), np.zeros(3)
        linear, angular = self.velocity[body, :3], self.velocity[body, 3:]
        return linear + np.cross(angular, x - self.position[body]), angular


@dataclasses.dataclass
class Patch:
    """Two geoms that touch: the ECP [m], rows n, t, o, and p_n, p_t, p_o [N s], p_r [N m s] on geom[1]."""
    geom: tuple
    point: np.ndarray
    frame: np.ndarray
    impulse: np.ndarray


def rotation_of(quaternion):
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quaternion)
    return flat.reshape(3, 3)


def solid_of(model, g):
    size, eye = model.geom_size[g], np.eye(3)
    if model.geom_type[g] == KIND.mjGEOM_PLANE:
        return Solid(eye[2:], np.zeros(1), np.zeros((0, 3)))
    if model.geom_type[g] == KIND.mjGEOM_CYLINDER:
        return Solid(np.vstack([eye[2], -eye[2]]), np.full(2, size[1]), np.zeros((0, 3)), size[0])
    if model.geom_type[g] == KIND.mjGEOM_BOX:
        corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), -1).reshape(8, 3) * size
        return Solid(np.vstack([eye, -eye]), np.tile(size, 2), corners)
    if model.geom_type[g] == KIND.mjGEOM_MESH:
        mesh = model.geom_dataid[g]
        first = model.mesh_vertadr[mesh]
        hull = spatial.ConvexHull(model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float))
        return Solid(hull.equations[:, :3], -hull.equations[:, 3], hull.points[hull.vertices])
    if model.geom_type[g] == KIND.mjGEOM_ELLIPSOID:
        return RoundSolid(axes=size.copy())
    if model.geom_type[g] == KIND.mjGEOM_SPHERE:
        return RoundSolid(size[0])
    if model.geom_type[g] == KIND.mjGEOM_CAPSULE:
        return RoundSolid(size[0], size[1])
    raise ValueError(f"geom {g}: the certificate knows MuJoCo's convex shapes")


def world_of(model, h, names):
    """World, with the geoms in the order of `names`, and the body of each of its bodies in `model`."""
    moving = [int(model.jnt_bodyid[j]) for j in range(model.njnt)]
    if any(model.jnt_type != FREE) or model.dof_damping.any():
        raise ValueError("the certificate knows bodies with a free joint and without damping")
    bodies = []
    for b in moving:
        turn = rotation_of(model.body_iquat[b])
        bodies.append((model.body_mass[b], turn @ np.diag(model.body_inertia[b]) @ turn.T))
    geoms = []
    for name in names:
        g = int(name[1:]) if name.startswith("#") else model.geom(name).id
        at, body = int(model.geom_bodyid[g]), -1
        position, turn = model.geom_pos[g], rotation_of(model.geom_quat[g])
        if at in moving:
            body, position = moving.index(at), position - model.body_ipos[at]
        elif at != 0:
            raise ValueError(f"geom {name}: the certificate knows geoms of the world and of free bodies")
        geoms.append(Geom(solid_of(model, g), body, position, turn, model.geom_friction[g, :2].copy(), model.geom_priority[g]))
    return World(h, model.opt.gravity.copy(), bodies, geoms), moving


def state_of(model, moving, qpos, qvel):
    q, v = qpos.reshape(-1, 7), qvel.reshape(-1, 6)
    turn = np.array([rotation_of(quaternion) for quaternion in q[:, 3:]])
    arm = np.einsum("bij,bj->bi", turn, model.body_ipos[moving])
    omega = np.einsum("bij,bj->bi", turn, v[:, 3:])
    return State(q[:, :3] + arm, q[:, 3:], turn, np.hstack([v[:, :3] + np.cross(omega, arm), omega]))


def applied_of(file, model, moving, steps):
    """p_app without gravity (steps, bodies, 6) of [[impulse]], with the tables that the recording keeps."""
    texts = dict(zip(file.attrs.get("scene_file_names", ()), file.attrs.get("scene_file_texts", ()), strict=True))
    applied = np.zeros((steps, len(moving), 6))
    for entry in tomllib.loads(file.attrs["scene_text"]).get("impulse", ()):
        b = moving.index(model.body(entry["body"]).id)
        if "file" in entry:
            rows = np.loadtxt(texts[entry["file"]].splitlines(), delimiter=",", ndmin=2)
            rows = rows[rows[:, 0] < steps]
            applied[rows[:, 0].astype(int), b] += rows[:, 1:]
        elif entry["step"] < steps:
            applied[entry["step"], b] += entry["value"]
    return applied


def read(path, env=0):
    """World, states (S), patches of each step (S - 1 lists) and p_app (S - 1, bodies, 6) of a recorded environment."""
    with h5py.File(path) as file:
        model = mujoco.MjModel.from_binary_path("m.mjb", {"m.mjb": file["model"][:].tobytes()})
        h, time = float(file.attrs["step_size"]), file["time"][:]
        if not np.allclose(np.diff(time), h, rtol=1e-6):
            raise ValueError(f"{path}: rows are not one step apart; record every step")
        world, moving = world_of(model, h, list(file.attrs["geom_names"]))
        rows = zip(file["qpos"][:, env].astype(float), file["qvel"][:, env].astype(float), strict=True)
        states = [state_of(model, moving, qpos, qvel) for qpos, qvel in rows]
        columns = {name: file[f"patch/{name}"][:, env] for name in ("count", "geom", "point", "frame", "force", "torsion")}
        columns = {name: rows.astype(float) if rows.dtype.kind == "f" else rows for name, rows in columns.items()}
        patches = [patches_of(columns, row, h) for row in range(1, len(time))]
        return world, states, patches, applied_of(file, model, moving, len(time) - 1)


def patches_of(columns, row, h):
    geom, point, frame, force, torsion = (columns[name][row] for name in ("geom", "point", "frame", "force", "torsion"))
    return [Patch(tuple(map(int, geom[k])), point[k], frame[k], h * np.append(force[k], torsion[k]))
            for k in range(columns["count"][row])]  # fmt: skip
