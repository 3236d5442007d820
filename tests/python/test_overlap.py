"""Claims about what a step with momentum begins with beyond its limits: it is brought back in position, without momentum."""

import itertools

import numpy as np
import pytest
import stiction as st

DEPTHS = (1e-5, 1e-4, 1e-3, 5e-3)  # overlaps [m]
STEPS = (1e-4, 1e-3, 1e-2)  # [s]
LAWS = ("anitescu", "coulomb", "frictionless")
CONES = ("pyramid", "box", "quadratic")
TIME = 0.05  # that a body has to come free [s]
STILL = 1e-3  # what rests moves no faster afterwards [m/s, rad/s]
PARTED = 1e-6  # overlap that is none [m, rad]
SAME_CENTRE = 1e-9  # of masses: the residual's tolerance, of ways of millimetres [m]
BEYOND = 0.1  # of a limit or coupling [m, rad]

SPHERE = '<geom type="sphere" size=".05" mass="{m}"/>'
BOX = '<geom type="box" size=".05 .05 .05" mass="{m}"/>'
CAPSULE = '<geom type="capsule" size=".05 .1" mass="{m}"/>'
CYLINDER = '<geom type="cylinder" size=".05 .05" mass="{m}"/>'
SHAPES = {"sphere": SPHERE, "box": BOX, "capsule": CAPSULE, "cylinder": CYLINDER}


def simulate(worldbody, extra="", **choices):
    """One environment without gravity, second order, in double precision unless `dtype` says otherwise."""
    defaults = {"dtype": "float64", "solve_threads": 0, "device": "cpu", "threads": 1}
    run = {name: choices.pop(name, value) for name, value in defaults.items()}
    gravity = choices.pop("gravity", 0.0)
    choices = {"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic", **choices}
    xml = (
        f'<mujoco><compiler angle="radian"/><option gravity="0 0 {gravity}"/>'
        f"<worldbody>{worldbody}</worldbody>{extra}</mujoco>"
    )
    return st.Simulator(st.load_model(xml, **choices), batch=1, **run)


def body(geom, x=0.0, y=0.0, z=0.0, joint="<freejoint/>", m=1.0):
    return f'<body pos="{x!r} {y!r} {z!r}">{joint}{geom.format(m=m)}</body>'


def pair(geom, depth, **_):
    """Two free bodies, one of three kilograms."""
    return body(geom) + body(geom, 0.1 - depth, m=3.0)


def on_a_plane(geom, depth, **_):
    height = 0.15 if geom is CAPSULE else 0.05
    return '<geom type="plane" size="2 2 1"/>' + body(geom, z=height - depth)


def in_a_wall(geom, depth, **_):
    return '<geom type="box" size=".2 .2 .2" pos="-.25 0 0"/>' + body(geom, -depth)


def jointed(geom, depth, **_):
    """On slides along x, one with a second slide under it."""
    slide = '<joint type="slide" axis="1 0 0"/>'
    bow = '<body pos="0 0 .3"><joint type="slide" axis="1 0 0"/><geom type="sphere" size=".02" mass=".5" contype="0" conaffinity="0"/></body>'
    return body(geom, joint=slide) + body(geom, 0.1 - depth, joint=slide).replace("</body>", bow + "</body>")


def hinged(geom, depth, **_):
    """An arm that turns, with its hand in a free body."""
    arm = (
        f'<body pos="0 0 .3"><joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".01" mass=".2"'
        f' contype="0" conaffinity="0"/><body pos="0 0 -.3">{geom.format(m=0.5)}</body></body>'
    )
    return arm + body(geom, 0.1 - depth)


def three(geom, depth, **_):
    return body(geom) + body(geom, 0.1 - depth, m=0.1) + body(geom, 0.2 - 2 * depth, m=3.0)


PLACES = {"pair": pair, "plane": on_a_plane, "wall": in_a_wall, "jointed": jointed, "hinged": hinged, "three": three}


def centre_of_mass(sim):
    """Of all free bodies (3)."""
    model = sim.params.mass[0]
    return sum(model[b] * sim.body_pose[0, b, :3] for b in range(1, len(model))) / model[1:].sum()


def run(sim, h, time=TIME, fastest=np.inf):
    """Steps for `time`, never faster than `fastest`; the status bits of all steps."""
    bits = 0
    for _ in range(max(1, round(time / h))):
        bits |= int(sim.step()[0])
        assert np.abs(sim.qvel[0]).max() <= fastest
    return bits


def check_still(sim, h, centre=True):
    """Runs what begins at rest in overlap."""
    sim.forward()
    before = centre_of_mass(sim)
    assert not run(sim, h, fastest=STILL) & st.Status.FAILED
    assert sim.stats.energy[0, 1] <= 1e-6
    sim.forward()
    gaps = sim.contacts.gap[0, : sim.contacts.count[0]]
    assert gaps.size == 0 or gaps.min() >= -PARTED
    if centre:
        assert np.abs(centre_of_mass(sim) - before).max() <= SAME_CENTRE


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", PLACES)
def test_what_overlaps_comes_apart_and_stays_at_rest(place, shape, h):
    for depth in DEPTHS:
        with simulate(PLACES[place](SHAPES[shape], depth), step_size=h) as sim:
            check_still(sim, h, centre=place in ("pair", "three"))


@pytest.mark.parametrize("dynamics", ("dynamic", "dynamic_fitted"))
@pytest.mark.parametrize(("law", "cone"), list(itertools.product(LAWS, CONES)))
@pytest.mark.parametrize("shape", SHAPES)
def test_no_law_gives_momentum(law, cone, shape, dynamics):
    for place, depth in itertools.product(PLACES, (1e-4, 5e-3)):
        with simulate(PLACES[place](SHAPES[shape], depth), law=law, cone=cone, dynamics=dynamics, step_size=1e-3) as sim:
            check_still(sim, 1e-3, centre=place in ("pair", "three"))


@pytest.mark.parametrize("solver", ("interior_point", "newton", "pgs", "admm", "lemke"))
@pytest.mark.parametrize("threads", (0, 32))
def test_every_solver_parts(solver, threads):
    choices = {"solver": solver, "cone": "pyramid", "law": "anitescu", "step_size": 1e-3}
    for place, depth in itertools.product(("pair", "plane", "jointed"), (1e-4, 5e-3)):
        with simulate(PLACES[place](SPHERE, depth), solve_threads=threads, **choices) as sim:
            check_still(sim, 1e-3, centre=place == "pair")


@pytest.mark.parametrize("shape", ("sphere", "box"))
@pytest.mark.parametrize("place", PLACES)
def test_the_reference_parts_in_the_same_way(place, shape):
    for depth, h in itertools.product((1e-4, 5e-3), (1e-3, 1e-2)):
        ends = []
        for device in ("cpu", "reference"):
            with simulate(PLACES[place](SHAPES[shape], depth), step_size=h, device=device) as sim:
                assert not int(sim.step()[0]) & st.Status.FAILED
                assert np.abs(sim.qvel[0]).max() <= STILL and 0.0 <= sim.stats.position_residual[0] <= 1e-8
                ends.append(np.concatenate((sim.qpos[0], sim.qvel[0])))
        assert ends[0] == pytest.approx(ends[1], abs=1e-8)


@pytest.mark.parametrize("h", STEPS)
def test_spheres_in_one_place_part(h):
    with simulate(body(SPHERE) + body(SPHERE), step_size=h) as sim:
        check_still(sim, h)
        assert np.linalg.norm(sim.qpos[0, :3] - sim.qpos[0, 7:10]) == pytest.approx(0.1, abs=PARTED)


LIMITS = {
    "hinge": ('<joint type="hinge" axis="0 1 0" range="-.5 .5"/>', 0.5 + BEYOND),
    "hinge below": ('<joint type="hinge" axis="0 1 0" range="-.5 .5"/>', -0.5 - BEYOND),
    "slide": ('<joint type="slide" axis="1 0 0" range="-.5 .5"/>', 0.5 + BEYOND),
    "ball": ('<joint type="ball" range="0 .5"/>', None),
}


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("kind", LIMITS)
def test_a_joint_beyond_its_limit_comes_back_at_rest(kind, h):
    joint, value = LIMITS[kind]
    with simulate(body('<geom type="box" size=".05 .05 .05" mass="{m}" pos="0 0 .2"/>', joint=joint), step_size=h) as sim:
        angle = 0.5 + BEYOND
        sim.qpos[0] = value if value is not None else [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]
        assert not run(sim, h, fastest=STILL) & st.Status.FAILED
        if value is not None:
            assert abs(sim.qpos[0, 0]) == pytest.approx(0.5, abs=PARTED)
        else:
            assert 2.0 * np.arccos(sim.qpos[0, 0]) == pytest.approx(0.5, abs=PARTED)


TWO_SLIDES = "".join(
    f'<body pos="0 {y} 0"><joint name="{name}" type="slide" axis="1 0 0"/><geom size=".05" mass="{m}"/></body>'
    for name, y, m in (("a", 0.0, 1.0), ("b", 1.0, 3.0))
)
TENDON = (
    '<tendon><fixed limited="true" range="-.2 .2"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/></fixed></tendon>'
)
COUPLING = '<equality><joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/></equality>'


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(("extra", "left"), ((TENDON, 0.2), (COUPLING, 0.0)))
def test_tendons_and_couplings_come_back_at_rest(extra, left, h):
    with simulate(TWO_SLIDES, extra, step_size=h) as sim:
        sim.qpos[0] = [left + BEYOND, 0.0]
        assert not run(sim, h, fastest=STILL) & st.Status.FAILED
        assert sim.qpos[0, 0] - 2.0 * sim.qpos[0, 1] == pytest.approx(left, abs=PARTED)
        # the way is shared as the masses say: M w is along the row (1, -2)
        moved = sim.qpos[0] - [left + BEYOND, 0.0]
        assert -2.0 * 1.0 * moved[0] == pytest.approx(3.0 * moved[1], abs=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("h", STEPS)
def test_in_single_precision_too(shape, h):
    for place, depth in itertools.product(("pair", "plane", "jointed"), (1e-4, 5e-3)):
        with simulate(PLACES[place](SHAPES[shape], depth), step_size=h, dtype="float32") as sim:
            assert not run(sim, h, fastest=STILL) & st.Status.FAILED
            sim.forward()
            gaps = sim.contacts.gap[0, : sim.contacts.count[0]]
            assert gaps.size == 0 or gaps.min() >= -1e-5


@pytest.mark.parametrize("law", LAWS)
def test_an_approach_ends_and_a_departure_goes_on(law):
    for speed, depth in itertools.product((-2.0, -0.1, 0.1, 2.0), (1e-4, 5e-3)):
        with simulate(pair(SPHERE, depth), law=law, step_size=1e-3) as sim:
            sim.qvel[0, 0], sim.qvel[0, 6] = -0.75 * speed, 0.25 * speed  # without momentum
            assert not run(sim, 1e-3) & st.Status.FAILED
            expected = max(speed, 0.0)
            assert sim.qvel[0, 6] - sim.qvel[0, 0] == pytest.approx(expected, abs=1e-6)
            assert sim.qvel[0, 0] + 3.0 * sim.qvel[0, 6] == pytest.approx(0.0, abs=1e-6)


def test_a_settled_stack_is_not_parted():
    stack = '<geom type="plane" size="2 2 1"/>' + "".join(body(BOX, z=0.05 + 0.1 * i) for i in range(5))
    with simulate(stack, gravity=-9.81, step_size=1e-2) as sim:
        assert not run(sim, 1e-2, 0.5) & st.Status.FAILED
        for _ in range(50):
            sim.step()
            assert sim.stats.rounds[0] == 1 and sim.stats.position_residual[0] == 0.0


def test_a_stack_that_begins_in_overlap_settles():
    stack = '<geom type="plane" size="2 2 1"/>' + "".join(body(BOX, z=0.045 + 0.095 * i) for i in range(5))
    with simulate(stack, gravity=-9.81, step_size=1e-3) as sim:
        sim.step()
        assert sim.stats.rounds[0] > 1 and 0.0 < sim.stats.position_residual[0] <= 1e-8
        assert not run(sim, 1e-3, 0.5, fastest=STILL) & st.Status.FAILED
        assert [sim.qpos[0, 7 * i + 2] for i in range(5)] == pytest.approx([0.05 + 0.1 * i for i in range(5)], abs=1e-5)


def vice(gap):
    walls = "".join(f'<geom type="box" size=".1 .2 .2" pos="{x!r} 0 0"/>' for x in (-0.15 + gap, 0.15 - gap))
    return walls + body(BOX)


@pytest.mark.parametrize("law", LAWS)
def test_what_can_not_be_parted_is_infeasible_and_stays(law):
    with simulate(vice(1e-3), law=law, step_size=1e-3) as sim:
        for _ in range(20):
            assert sim.step()[0] & st.Status.INFEASIBLE
        assert sim.stats.violation[0] == pytest.approx(8e-3, rel=0.01)  # four corners on each side
        assert np.abs(sim.qvel[0]).max() <= STILL and abs(sim.qpos[0, 0]) <= PARTED
        assert "overlap" in sim.infeasibility(0).what
    with simulate(vice(1e-3), law=law, step_size=1e-3, infeasible="keep") as sim:
        sim.qvel[0, 1] = 1.0
        assert sim.step()[0] & st.Status.INFEASIBLE
        assert sim.qpos[0, 1] == 0.0 and sim.qvel[0, 1] == 1.0


VICES = [(1e-3, False, 1e-3), (1e-4, False, 5e-3), (1e-5, False, 1e-3), (1e-5, True, 5e-3), (2e-6, True, 5e-3)]


@pytest.mark.parametrize("solver", (None, "interior_point", "newton", "admm"))
@pytest.mark.parametrize("gap, yawed, h", VICES)
def test_what_can_not_be_parted_is_not_thrown_out_where_it_may_leave(gap, yawed, h, solver):
    """On a floor and open above: a body thrown upwards would leave the walls, and seem right to within its own speed."""
    floor = '<geom type="plane" size="2 2 1"/>'
    walls = "".join(f'<geom type="box" size=".1 .2 .2" pos="{x!r} 0 .2"/>' for x in (-0.15 + gap, 0.15 - gap))
    box = body(BOX, z=0.05).replace("<body ", f'<body euler="0 0 {gap / 10 if yawed else 0!r}" ')
    choices = {"solver": solver} if solver else {}
    with simulate(floor + walls + box, gravity=-9.81, cone="pyramid", step_size=h, **choices) as sim:
        for _ in range(10):
            assert sim.step()[0] & st.Status.INFEASIBLE
            assert sim.stats.position_residual[0] > 1e-6
        assert sim.qpos[0, :3] == pytest.approx([0.0, 0.0, 0.05], abs=gap)
        assert np.abs(sim.qvel[0]).max() <= STILL


def test_a_weightless_dof_gives_way():
    light = '<joint type="slide" axis="1 0 0"/>'
    with simulate(body(SPHERE) + body(SPHERE, 0.099, joint=light, m=1e-9), step_size=1e-3) as sim:
        assert not run(sim, 1e-3) & st.Status.FAILED
        assert abs(sim.qpos[0, 0]) <= PARTED and sim.qpos[0, 7] == pytest.approx(1e-3, abs=PARTED)


def test_without_momentum_nothing_is_parted():
    for dynamics in ("quasidynamic", "quasistatic", "kinematic"):
        with simulate(pair(SPHERE, 1e-3), dynamics=dynamics, step_size=1e-3) as sim:
            sim.step()
            assert sim.stats.position_residual[0] == 0.0
