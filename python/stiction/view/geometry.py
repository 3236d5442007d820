"""The compiled model as instanced shapes, and their poses.

A shape is one unit mesh (box, ball, tube, ... or a mesh of the model) and the geoms that are drawn with it, each with
its own scale, so that all environments of a shape are one object of the page. A capsule is a tube and two balls.
"""

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from stiction.view import meshes
from stiction.view.forces import multiply, rotate

SHOWN_GROUPS = 3           # geoms of the groups 0, 1, 2 are drawn, as by MuJoCo
ENDLESS = 20.0             # half width of a plane without a size [m]
GEOM = mujoco.mjtGeom
JOINT_TRANSMISSIONS = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))


@dataclass
class Shape:
    """Instances of one mesh in one environment."""

    name: str
    vertices: np.ndarray  # (V, 3) of the unit mesh
    faces: np.ndarray     # (F, 3)
    body: list[int] = field(default_factory=list)           # (n)
    position: list[np.ndarray] = field(default_factory=list)  # (n, 3) in the body's frame [m]
    quat: list[np.ndarray] = field(default_factory=list)      # (n, 4) wxyz
    scale: list[np.ndarray] = field(default_factory=list)     # (n, 3)
    rgba: list[np.ndarray] = field(default_factory=list)      # (n, 4)
    flat: bool = False    # edges are sharp

    def add(self, model, geom: int, scale, along: float = 0.0) -> None:
        """Adds an instance for the geom, shifted by `along` [m] on the geom's z axis."""
        quat = model.geom_quat[geom]
        self.body.append(int(model.geom_bodyid[geom]))
        self.position.append(model.geom_pos[geom] + rotate(quat, np.array([0.0, 0.0, along])))
        self.quat.append(quat)
        self.scale.append(np.asarray(scale, dtype=float))
        self.rgba.append(geom_rgba(model, geom))

    def select(self, which: np.ndarray, name: str) -> "Shape":
        """Some of the instances."""
        lists: Any = (np.asarray(part)[which] for part in (self.body, self.position, self.quat, self.scale, self.rgba))
        return Shape(name, self.vertices, self.faces, *lists, flat=self.flat)

    def place(self, body_pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """World positions (E, n, 3) and quaternions (E, n, 4) for body poses (E, nbody, 7) [m, wxyz]."""
        pose = body_pose[:, self.body]
        position = pose[..., :3] + rotate(pose[..., 3:], np.asarray(self.position)[None])
        return position, multiply(pose[..., 3:], np.asarray(self.quat)[None])


def geom_rgba(model, geom: int) -> np.ndarray:
    """Colour (4) of the geom or its material, with the mean colour of a texture."""
    material = int(model.geom_matid[geom])
    if material < 0:
        return model.geom_rgba[geom].astype(float)
    rgba = model.mat_rgba[material].astype(float)
    texture = int(model.mat_texid[material].max())
    if texture < 0:
        return rgba
    channels, start = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
    size = channels * int(model.tex_width[texture]) * int(model.tex_height[texture])
    texels = model.tex_data[start : start + size].reshape(-1, channels)
    mean = np.ones(4)
    mean[: min(channels, 3)] = texels.mean(axis=0)[:3] / 255
    return rgba * mean


def shapes_of(model) -> list[Shape]:
    """Shapes of every visible geom except the planes of the world."""
    unit = {"box": Shape("box", *meshes.box(), flat=True), "ball": Shape("ball", *meshes.ball()),
            "tube": Shape("tube", *meshes.tube()), "disc": Shape("disc", *meshes.disc()),
            "sheet": Shape("sheet", *meshes.sheet(), flat=True)}
    for geom in visible_geoms(model):
        if geom not in floors(model):
            _add_geom(model, geom, unit)
    return [shape for shape in unit.values() if shape.body]


def visible_geoms(model) -> list[int]:
    return [g for g in range(model.ngeom) if model.geom_group[g] < SHOWN_GROUPS and geom_rgba(model, g)[3] > 0]


def floors(model) -> list[int]:
    """The level planes of the world, which are drawn as one sheet below all environments."""
    return [g for g in range(model.ngeom)
            if model.geom_type[g] == GEOM.mjGEOM_PLANE and model.geom_bodyid[g] == 0
            and rotate(model.geom_quat[g], np.array([0.0, 0.0, 1.0]))[2] > 1 - 1e-6]


def _add_geom(model, geom: int, unit: dict[str, Shape]) -> None:
    kind, (a, b, c) = GEOM(int(model.geom_type[geom])), model.geom_size[geom]
    if kind == GEOM.mjGEOM_SPHERE:
        unit["ball"].add(model, geom, (a, a, a))
    elif kind == GEOM.mjGEOM_ELLIPSOID:
        unit["ball"].add(model, geom, (a, b, c))
    elif kind == GEOM.mjGEOM_BOX:
        unit["box"].add(model, geom, (a, b, c))
    elif kind == GEOM.mjGEOM_PLANE:
        unit["sheet"].add(model, geom, (a or ENDLESS, b or ENDLESS, 1))
    elif kind in (GEOM.mjGEOM_CAPSULE, GEOM.mjGEOM_CYLINDER):
        unit["tube"].add(model, geom, (a, a, b))
        end = "ball" if kind == GEOM.mjGEOM_CAPSULE else "disc"
        for side in (-b, b):
            unit[end].add(model, geom, (a, a, a), along=side)
    elif kind == GEOM.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        name = f"mesh_{mesh}"
        if name not in unit:
            unit[name] = Shape(name, *meshes.of_model(model, mesh), flat=True)
        unit[name].add(model, geom, (1, 1, 1))


class BodyPoses:
    """Poses of all bodies by MuJoCo's kinematics."""

    def __init__(self, model):
        self.model = model
        self._data = mujoco.MjData(model)

    def __call__(self, qpos: np.ndarray, mocap: np.ndarray | None = None) -> np.ndarray:
        """Poses (E, nbody, 7) for qpos (E, nq) and mocap (E, nmocap, 7), None: the model's mocap poses [m, wxyz]."""
        poses = np.empty((len(qpos), self.model.nbody, 7))
        data = self._data
        for env, pose in enumerate(poses):
            data.qpos[:] = qpos[env]
            if mocap is not None:
                data.mocap_pos[:], data.mocap_quat[:] = mocap[env, :, :3], mocap[env, :, 3:]
            mujoco.mj_kinematics(self.model, data)
            pose[:, :3], pose[:, 3:] = data.xpos, data.xquat
        return poses


def moving_bodies(model) -> np.ndarray:
    """True where a joint or a table moves the body (nbody)."""
    root = model.body_weldid
    return (root != 0) | (model.body_mocapid[root] >= 0)


def loose_bodies(model) -> np.ndarray:
    """True where the body moves and is in no tree with an actuator: a body that a robot handles (nbody)."""
    driven = np.zeros(model.nbody, dtype=bool)
    for actuator in range(model.nu):
        if model.actuator_trntype[actuator] in JOINT_TRANSMISSIONS:
            driven |= model.body_rootid == model.body_rootid[model.jnt_bodyid[model.actuator_trnid[actuator, 0]]]
    return moving_bodies(model) & ~driven


def handled_bodies(model) -> np.ndarray:
    """True for loose bodies without joints between them: a cube, not a robot whose model has no actuators (nbody)."""
    loose = loose_bodies(model)
    parts = {root: set(model.body_weldid[loose & (model.body_rootid == root)]) for root in set(model.body_rootid[loose])}
    return np.array([bool(loose[b]) and len(parts[model.body_rootid[b]]) == 1 for b in range(model.nbody)])


def object_size(model, extent: np.ndarray) -> float:
    """Radius of loose bodies, for the width of arrows and points [m]; `extent` (3) is that of the scene [m]."""
    radius = model.geom_rbound[loose_bodies(model)[model.geom_bodyid]]
    return min(float(np.median(radius)) if len(radius) else np.inf, float(np.linalg.norm(extent)) / 10)


def longest_arrow(model, extent: np.ndarray) -> float:
    """Length of the largest force [m]: 6 radii of loose bodies, at most 0.3 diagonals of the scene's `extent` (3) [m]."""
    return min(6 * object_size(model, extent), 0.3 * float(np.linalg.norm(extent)))


def reach(model, body_pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3), (3) of a box around all visible, bounded geoms in environment 0, without floor decoration [m]."""
    low, high = [], []
    for geom in visible_geoms(model):
        radius = model.geom_rbound[geom]
        if radius > 0 and model.geom_type[geom] != GEOM.mjGEOM_PLANE:
            pose = body_pose[0, model.geom_bodyid[geom]]
            centre = pose[:3] + rotate(pose[3:], model.geom_pos[geom])
            low.append(centre - radius)
            high.append(centre + radius)
    if not low:
        return -np.ones(3), np.ones(3)
    return np.min(low, axis=0), np.max(high, axis=0)
