"""Claims: spheres, capsules and ellipsoids that fall, roll and spin on a plane, on a box and on each other keep the equations
of the paper, step by step, as the certificate says; nothing overlaps or is pushed across a gap.

    dE = sum p.u − ½ Δν.M Δν     energy of a step; u at the ECP, relative, of the end; M at the start
    p_t v_t + p_o v_o + p_r v_r <= 0

The total falls wherever a sphere rolls on a plane. Of other shapes it may grow by the order of h²: arms are those of the end.
ST_FULL=1 takes longer courses.
"""

import functools
import itertools
import os

import certificate
import mujoco
import numpy as np
import pytest
import recorded

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

FULL = os.environ.get("ST_FULL") == "1"
H, G, BATCH, STEPS = 0.005, 9.8, 6 if FULL else 2, 200 if FULL else 90
RESIDUAL = 1e-9  # of impulses over m g h of the lightest, of lengths in metres
DEPTH = 1e-9  # of overlaps [m]
NEAR = 1e-8  # widest gap across which anything is pushed [m]
ENERGY = 1e-9  # of the account of a step, of the work of friction, and of growth, over the energy [-]
LITTLE = 1e-9  # share of m g h below which nothing is pushed
ROUND = {"sphere": 'type="sphere" size=".1"', "capsule": 'type="capsule" size=".08 .15"',
         "ellipsoid": 'type="ellipsoid" size=".1 .15 .2"'}  # fmt: skip
SHAPES = ROUND | {"box": 'type="box" size=".15 .2 .1"'}
FLOORS = {"plane": 'type="plane" size="9 9 1"', "box": 'type="box" size="5 5 .5" pos="0 0 -.5"'}
COURSES = [*itertools.product(FLOORS, [(shape,) for shape in ROUND]),
           *(("plane", pair) for pair in itertools.product(SHAPES, ROUND))]  # fmt: skip


def model_text(floor, shapes):
    bodies = "".join(f'<body><freejoint/><geom name="g{k}" {SHAPES[shape]} mass="{k + 1}"/></body>'
                     for k, shape in enumerate(shapes))  # fmt: skip
    return (f'<mujoco><option gravity="0 0 {-G}" ccd_tolerance="1e-12" ccd_iterations="500"/><default><geom condim="4" '
            f'friction=".4 .02 0"/></default><worldbody><geom name="floor" {FLOORS[floor]}/>{bodies}</worldbody></mujoco>')  # fmt: skip


def throw(sim, count):
    """One above the other, in any rotation, at up to 1 m/s and 6 rad/s."""
    dice = np.random.default_rng(8)
    for env, k in itertools.product(range(sim.batch), range(count)):
        turn = dice.normal(size=4)
        place = [*dice.uniform(-0.05, 0.05, 2), 0.25 + 0.55 * k + dice.uniform(0, 0.05)]
        sim.qpos[env, 7 * k : 7 * k + 7] = [*place, *(turn / np.linalg.norm(turn))]
        sim.qvel[env, 6 * k : 6 * k + 6] = [*dice.uniform(-1, 1, 3), *dice.uniform(-6, 6, 3)]


@functools.cache
def course(floor, shapes):
    """Model, world, and of every environment rows of qpos, states, and of its steps patches, status, and whether they parted
    what an open step had left in overlap."""
    text = model_text(floor, shapes)
    model = mujoco.MjModel.from_xml_string(text)
    sim = st.Simulator(
        st.load_model(text, preset="ecp", solver="newton", tolerance=1e-12, step_size=H), batch=BATCH, device="cpu"
    )
    throw(sim, len(shapes))
    world, moving = recorded.world_of(model, H, sim.model.geom_names)
    rows, patches, status, parted = [(sim.qpos.copy(), sim.qvel.copy())], [], [], []
    for _ in range(STEPS):
        status.append(sim.step().copy())
        parted.append(sim.stats.position_residual > 0)
        rows.append((sim.qpos.copy(), sim.qvel.copy()))
        columns = {name: getattr(sim.patches, name) for name in ("count", "geom", "point", "frame", "force", "torsion")}
        columns = {name: array.copy() for name, array in columns.items()}
        patches.append([recorded.patches_of(columns, env, H) for env in range(BATCH)])
    envs = []
    for env in range(BATCH):
        states = [recorded.state_of(model, moving, qpos[env], qvel[env]) for qpos, qvel in rows]
        envs.append(
            (
                [qpos[env] for qpos, _ in rows],
                states,
                [p[env] for p in patches],
                [s[env] for s in status],
                [p[env] for p in parted],
            )
        )
    return model, world, envs


def steps(floor, shapes):
    """world, start, end, patches of every step that converged, from a start without overlap."""
    _, world, envs = course(floor, shapes)
    for _, states, patches, status, parted in envs:
        for start, end, touching, bits, moved in zip(states, states[1:], patches, status, parted):
            if bits & st.Status.CONVERGED and not moved:
                yield world, start, end, touching


def energy(world, state):
    """Kinetic and potential [J]."""
    kinetic = potential = 0.0
    for b, (mass, inertia) in enumerate(world.bodies):
        spin = state.rotation[b].T @ state.velocity[b, 3:]
        kinetic += 0.5 * (mass * state.velocity[b, :3] @ state.velocity[b, :3] + spin @ inertia @ spin)
        potential -= mass * world.gravity @ state.position[b]
    return np.array([kinetic, potential])


def work(world, start, end, patches):
    """What the step gives by its equations, and what friction gives [J]."""
    total = friction = 0.0
    for b, (mass, inertia) in enumerate(world.bodies):
        change, turn = end.velocity[b] - start.velocity[b], start.rotation[b]
        spin = turn.T @ change[3:]
        total -= 0.5 * (mass * change[:3] @ change[:3] + spin @ inertia @ spin)
    for patch in patches:
        (linear_0, angular_0), (linear_1, angular_1) = (
            end.velocity_at(world.geoms[g].body, patch.point) for g in patch.geom
        )
        u = np.append(patch.frame @ (linear_1 - linear_0), patch.frame[0] @ (angular_1 - angular_0))
        total += patch.impulse @ u
        friction = max(friction, patch.impulse[1:] @ u[1:])
    return total, friction


@pytest.mark.parametrize("floor, shapes", COURSES)
def test_every_step_converges(floor, shapes):
    _, _, envs = course(floor, shapes)
    assert all(bits == st.Status.CONVERGED for *_, status, _ in envs for bits in status)
    assert any(patch for _, _, patches, *_ in envs for patch in patches)


@pytest.mark.parametrize("floor, shapes", COURSES)
def test_momentum_friction_and_touch_are_those_of_the_paper(floor, shapes):
    for world, start, end, patches in steps(floor, shapes):
        assert certificate.motion(world, start, end, patches, np.zeros((len(shapes), 6))) <= RESIDUAL
        assert certificate.kinematics(world, start, end) <= RESIDUAL
        for patch in patches:
            assert max(certificate.friction(world, end, patch), certificate.touch(world, end, patch)) <= RESIDUAL


@pytest.mark.parametrize("floor, shapes", COURSES)
def test_nothing_overlaps_or_pushes_from_afar(floor, shapes):
    """By the plane through the ECP; where nothing pushes, by MuJoCo's distance."""
    model, world, envs = course(floor, shapes)
    data = mujoco.MjData(model)
    for qpos, states, patches, status, _ in envs:
        for at, end, touching, bits in zip(qpos[1:], states[1:], patches, status, strict=True):
            if not bits & st.Status.CONVERGED:
                continue
            pushed = set()
            for patch in touching:
                depth = certificate.depth(world, end, patch.geom, patch.frame[0])
                weight = world.weight(*(world.geoms[g].body for g in patch.geom))
                assert depth <= DEPTH and (-depth <= NEAR or patch.impulse[0] <= LITTLE * weight)
                pushed.add(frozenset(patch.geom))
            data.qpos[:] = at
            mujoco.mj_kinematics(model, data)
            for pair in itertools.combinations(range(len(world.geoms)), 2):
                if frozenset(pair) not in pushed:
                    assert mujoco.mj_geomDistance(model, data, *pair, 1.0, None) >= -DEPTH


@pytest.mark.parametrize("floor, shapes", COURSES)
def test_energy_is_accounted_for(floor, shapes):
    for world, start, end, patches in steps(floor, shapes):
        before, after = energy(world, start), energy(world, end)
        given, friction = work(world, start, end, patches)
        assert abs(after.sum() - before.sum() - given) <= ENERGY * max(before.sum(), after.sum())
        assert friction <= ENERGY * before.sum()
        if shapes == ("sphere",):
            assert after.sum() - before.sum() <= ENERGY * before.sum()


CLAMP = """<mujoco><option gravity="0 0 -9.8"/><default><geom condim="4" friction=".4 .02 0"/></default><worldbody>
  <geom type="plane" size="9 9 1"/><geom type="box" size=".1 .5 .5" pos="-.195 0 .5"/>
  <geom type="box" size=".1 .5 .5" pos=".195 0 .5"/>
  <body pos="2 0 .1"><freejoint/><geom {} mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("shape", ['type="box" size=".1 .1 .1"', 'type="cylinder" size=".1 .1"', 'type="sphere" size=".1"',
                                   'type="capsule" size=".1 .05"', 'type="ellipsoid" size=".1 .15 .1"'])  # fmt: skip
def test_a_body_between_walls_that_are_too_near_is_infeasible_and_its_neighbours_are_not_moved(shape):
    ends = []
    for clamped in (False, True):
        with st.Simulator(st.load_model(CLAMP.format(shape), preset="ecp", step_size=H), batch=3, device="cpu") as sim:
            sim.qvel[:, 0], sim.qvel[:, 5] = 0.5, 1.0
            if clamped:
                sim.qpos[1, 0], sim.qvel[1] = 0.0, 0.0
            for _ in range(20):
                status = sim.step()
                assert not clamped or status[1] == st.Status.INFEASIBLE
            assert (status[[0, 2]] == st.Status.CONVERGED).all() and np.isfinite(sim.qpos).all()
            ends.append(np.hstack([sim.qpos, sim.qvel])[[0, 2]])
    assert np.array_equal(*ends)
