"""Random first steps of bodies that touch or are about to, in batches: one model per pair of shapes and step size.

Sizes, masses, inertias and friction are parameters of an environment; e_r = 0.02-0.5 m, mu = 0.05-1, h = 2-10 ms. A support
set is what a body has farthest along a direction: a point, a line or a face. The upper body stands with its support set
on that of the lower one: at a distance of 0 to 5 mm, flush or tilted by up to 0.02 rad, falling or at rest.
"""

import dataclasses

import mujoco
import numpy as np
import pytest
import recorded
from scipy.spatial.transform import Rotation

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

FLUSH = 1e-9  # what is nearer to the farthest than this belongs to the support set [m]
STEP_SIZES = (0.002, 0.005, 0.01)
UP = np.array([0.0, 0.0, 1.0])


def prism(sides):
    """Vertices; those of a face share a coordinate or a line, so that single precision leaves it plane."""
    angles = 2 * np.pi * np.arange(sides) / sides
    return [[0.3 * np.cos(angle), 0.3 * np.sin(angle), z] for z in (-0.25, 0.25) for angle in angles]


# all faces of the hull are triangles
HULL = [
    [-0.3, 0.02, 0.05],
    [0.33, -0.06, 0.0],
    [0.03, -0.35, 0.04],
    [-0.05, 0.3, -0.03],
    [0.06, 0.05, 0.28],
    [-0.02, -0.04, -0.3],
]
VERTICES = {"prism3": prism(3), "prism5": prism(5), "prism8": prism(8), "hull": HULL}
MESHES = {name: " ".join(f"{x:.9g}" for x in np.ravel(vertices)) for name, vertices in VERTICES.items()}
SHAPES = ("box", "cylinder", *MESHES)


def model_text(shapes):
    """On a plane if there is one shape."""
    assets = "".join(f'<mesh name="{name}" vertex="{MESHES[name]}"/>' for name in set(shapes) & set(MESHES))
    kinds = {"box": 'type="box" size=".3 .3 .3"', "cylinder": 'type="cylinder" size=".2 .3"'}
    geoms = [kinds.get(shape, f'type="mesh" mesh="{shape}"') for shape in shapes]
    bodies = "".join(f'<body pos="0 0 {2 * k}"><freejoint/><geom name="g{k}" {geom} mass="1"/></body>'
                     for k, geom in enumerate(geoms))  # fmt: skip
    plane = '<geom name="floor" type="plane" size="9 9 1"/>' if len(shapes) == 1 else ""
    return (f'<mujoco><option gravity="0 0 -9.8"/><default><geom condim="4"/></default><asset>{assets}</asset>'
            f"<worldbody>{plane}{bodies}</worldbody></mujoco>")  # fmt: skip


@dataclasses.dataclass
class Step:
    world: recorded.World
    start: recorded.State
    end: recorded.State
    patches: list
    status: int
    kind: str  # support sets of the lower and the upper body

    @property
    def converged(self):
        return self.status == st.Status.CONVERGED


def direction(dice):
    x = dice.normal(size=3)
    return x / np.linalg.norm(x)


def down(dice, solid, kind):
    """A direction of a solid along which its support set is of the kind "face", "line" or "point"."""
    if solid.radius < np.inf:
        angle = dice.uniform(0, 2 * np.pi)
        around = np.array([np.cos(angle), np.sin(angle), 0.0])
        return {"face": UP * dice.choice([-1, 1]), "line": around}.get(kind, direction(dice))
    if kind == "point":
        return direction(dice)
    normal = solid.normals[dice.integers(len(solid.normals))]
    if kind == "face":
        return normal
    on_face = solid.corners[solid.corners @ normal >= solid.support(normal) - 1e-6]
    touching = [n for n in solid.normals if (on_face @ n >= solid.support(n) - 1e-6).sum() == 2]
    other = touching[dice.integers(len(touching))]
    share = dice.uniform(0.2, 0.8)
    return (share * normal + (1 - share) * other) / np.linalg.norm(share * normal + (1 - share) * other)


def support_point(dice, solid, n):
    """A point of the support set along n, and the kind of the set."""
    if solid.radius == np.inf:
        height = solid.corners @ n
        corners = solid.corners[height >= height.max() - FLUSH]
        return dice.dirichlet(np.ones(len(corners))) @ corners, ("point", "line", "face")[min(len(corners), 3) - 1]
    across, half = np.hypot(n[0], n[1]), solid.offsets[0]
    if across < FLUSH:
        radius, angle = solid.radius * np.sqrt(dice.uniform()), dice.uniform(0, 2 * np.pi)
        return np.array([radius * np.cos(angle), radius * np.sin(angle), half * np.sign(n[2])]), "face"
    line = abs(n[2]) < FLUSH
    z = half * dice.uniform(-1, 1) if line else half * np.sign(n[2])
    return np.array([*(solid.radius * n[:2] / across), z]), "line" if line else "point"


def turn_onto(dice, n, target):
    """A rotation that takes n to `target`, with any turn about it."""
    return Rotation.from_rotvec(dice.uniform(-np.pi, np.pi) * target) * Rotation.align_vectors([target], [n])[0]


PAIRS = (("face", "point"), ("face", "line"), ("face", "face"), ("line", "line"), ("line", "face"), ("point", "face"))


def place(dice, solids):
    """Rotations and positions of geoms, and the kinds of their support sets; the first, a plane, is not moved."""
    up = UP if solids[0].is_half_space else direction(dice)
    kinds = PAIRS[dice.integers(3 if solids[0].is_half_space else len(PAIRS))]
    tilt = dice.uniform(0, 0.02) * dice.integers(2)
    lean = Rotation.from_rotvec(tilt * np.cross(up, direction(dice)))
    upper = lean * turn_onto(dice, down(dice, solids[1], kinds[1]), -up)
    above, kind_above = support_point(dice, solids[1], upper.inv().apply(-up))
    lower, below, kind_below = Rotation.identity(), np.array([*dice.uniform(-1, 1, 2), 0.0]), "plane"
    if not solids[0].is_half_space:
        lower = turn_onto(dice, down(dice, solids[0], kinds[0]), up)
        below, kind_below = support_point(dice, solids[0], lower.inv().apply(up))
    gap = dice.integers(2) * dice.uniform(0, 0.005)
    at = lower.apply(below) + gap * up - upper.apply(above)
    return up, [lower, upper], [np.zeros(3), at], f"{kind_below}-{kind_above}"


def fill(dice, model):
    """Draws sizes, masses, inertias and friction of an environment into its model."""
    mu = dice.uniform(0.05, 1.0)
    model.geom_friction[:] = [mu, mu * dice.uniform(0.02, 0.5), 0.0]
    for g in range(model.ngeom):
        b = model.geom_bodyid[g]
        if b == 0:
            continue
        if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX:
            model.geom_size[g] = dice.uniform(0.15, 0.5, 3)
        elif model.geom_type[g] == mujoco.mjtGeom.mjGEOM_CYLINDER:
            model.geom_size[g, :2] = dice.uniform(0.1, 0.5, 2)
        model.body_mass[b] = dice.uniform(0.2, 5.0)
        arm = dice.uniform(0.4, 1.0, 3) ** 2
        model.body_inertia[b] = 0.02 * model.body_mass[b] * (arm.sum() - arm)


def start_of(dice, model, geoms):
    """qpos, qvel, and the kinds of support sets of a random start."""
    up, turns, places, kind = place(dice, [recorded.solid_of(model, g) for g in geoms])
    qpos, qvel = [], []
    for g, turn, at in zip(geoms, turns, places, strict=True):
        if model.geom_bodyid[g] == 0:
            continue
        w, *xyz = model.geom_quat[g]
        body = turn * Rotation.from_quat([*xyz, w]).inv()
        *xyz, w = body.as_quat()
        qpos += [*(at - body.apply(model.geom_pos[g])), w, *xyz]
        qvel.append(dice.uniform(-1, 1, 6) * [1, 1, 1, 3, 3, 3] * (1.0 if dice.integers(3) else 0.02))
    closing = (qvel[-1][:3] - (qvel[0][:3] if len(qvel) == 2 else 0)) @ up
    if closing > 0 and dice.integers(4):
        qvel[-1][:3] -= 2 * closing * up
    return np.array(qpos), np.concatenate(qvel), kind


def take(shapes, h, count, seed, tolerance=1e-12):
    """`count` first steps by newton."""
    dice = np.random.default_rng(seed)
    text = model_text(shapes)
    model = mujoco.MjModel.from_xml_string(text)
    names = ["floor", "g0"] if len(shapes) == 1 else ["g0", "g1"]
    scene = st.load_model(text, preset="ecp", solver="newton", tolerance=tolerance, step_size=h)
    sim = st.Simulator(scene, batch=count, device="cpu")
    order = [model.geom(name).id for name in sim.model.geom_names]
    worlds, kinds = [], []
    for env in range(count):
        fill(dice, model)
        qpos, qvel, kind = start_of(dice, model, [model.geom(name).id for name in names])
        sim.qpos[env], sim.qvel[env] = qpos, qvel
        sim.params.size[env], sim.params.friction[env] = model.geom_size[order], model.geom_friction[order]
        sim.params.mass[env, -len(shapes) :], sim.params.inertia[env, -len(shapes) :] = (
            model.body_mass[1:],
            model.body_inertia[1:],
        )
        world, moving = recorded.world_of(model, h, sim.model.geom_names)
        worlds.append(world)
        kinds.append(kind)
    starts = [recorded.state_of(model, moving, *row) for row in zip(sim.qpos.copy(), sim.qvel.copy(), strict=True)]
    status = sim.step()
    columns = {name: getattr(sim.patches, name) for name in ("count", "geom", "point", "frame", "force", "torsion")}
    return [Step(worlds[env], starts[env], recorded.state_of(model, moving, sim.qpos[env], sim.qvel[env]),
                 recorded.patches_of(columns, env, h), int(status[env]), kinds[env]) for env in range(count)]  # fmt: skip
