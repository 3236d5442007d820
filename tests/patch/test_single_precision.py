"""Claims: with the state in single precision steps find their end as well as in double, to the same tolerance.

Only what is written is rounded: x by 6e-8 |x|, which is a gap of 1e-7 m on a body of a metre. The scenes of p5.py keep the
equations of the paper to what that leaves, and bodies stand, slide and tumble near the origin and far from it, in any size,
without a step whose end stays open.
"""

import dataclasses
import functools

import certificate
import h5py
import numpy as np
import p5
import pytest
import recorded
from load_script import load_script

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")
cube = load_script("bench/patches/sliding_cube.py")

TOLERANCE = 1e-8  # of every step: stiction's default
RESIDUAL = 1e-4  # of (18), (19), relative to m g h, and in metres
DEPTH = 1e-5  # of overlaps [m]
ON_FACET = 3e-6  # a facet passes through a point that is nearer to it than this: roundings at 20 m [m]
COURSE = {"s1": 1e-3, "s2": 1e-2, "s3": 1e-2, "s4": 1e-2}  # of all positions and quaternions [m], [-]
ROUNDING = 2.0**-24
OPEN = 4e-3  # share of steps whose end stays open where rims meet edges, as in double: test_cold_steps.py [-]
STILL = 16  # roundings of its position that a body which stands moves in all its steps


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """course(name, dtype): the recording of a scene of p5.py, run once."""

    @functools.cache
    def take(name, dtype="float32"):
        scene = dataclasses.replace(p5.SCENES[name], tolerance=TOLERANCE)
        return p5.run(scene, tmp_path_factory.mktemp(name), 'preset = "ecp"', "--dtype", dtype, "--allow-failures", 1)

    return take


@pytest.mark.parametrize("name", p5.SCENES)
def test_every_step_of_the_paper_is_solved(course, name):
    with h5py.File(course(name)) as file:
        assert file["qpos"].dtype == np.float32
        assert (file["status"][1:, 0] == st.Status.CONVERGED).all()
        assert file["residual"][1:, 0].max() <= TOLERANCE


@pytest.mark.parametrize("name", p5.SCENES)
def test_the_equations_of_the_paper_hold_in_what_is_written(course, name):
    found = certificate.certificate(*recorded.read(course(name)), active_within=ON_FACET)
    assert found.pop("overlap").max() <= DEPTH
    assert {kind: values.max() for kind, values in found.items() if values.max() > RESIDUAL} == {}


@pytest.mark.parametrize("name", COURSE)
def test_the_course_is_that_of_double_precision(course, name):
    with h5py.File(course(name)) as single, h5py.File(course(name, "float64")) as double:
        assert np.abs(single["qpos"][:] - double["qpos"][:]).max() <= COURSE[name]


def test_s1_slides_as_its_closed_form(course):
    with h5py.File(course("s1")) as file:
        assert np.abs(file["qpos"][:, 0, :2] - cube.closed_form()).max() <= COURSE["s1"]


POINTS = {"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic", "geometry": "end"}
WORDS = {"ecp": {"preset": "ecp"}, "uniform": {"preset": "ecp", "torsion_radius": "uniform"}, "points": POINTS,
         "start": POINTS | {"contact": "patch", "geometry": "start"}}  # fmt: skip
SHAPES = {"cylinder": 'type="cylinder" size="{r} {r}"', "box": 'type="box" size="{r} {r} {r}"',
          "mesh": 'type="mesh" mesh="hull"'}  # fmt: skip


def model_text(shapes, size, height=0.0):
    corners = " ".join(f"{x} {y} {z}" for x in (-size, size) for y in (-size, size) for z in (-size, size))
    bodies = "".join(
        f'<body><freejoint/><geom {SHAPES[shape].format(r=size)} mass="{1e3 * size**3}"/></body>' for shape in shapes
    )
    return (f'<mujoco><option gravity="0 0 -9.8"/><default><geom condim="4" friction=".4 {0.2 * size} 0"/></default>'
            f'<asset><mesh name="hull" vertex="{corners}"/></asset><worldbody><geom type="plane" size="900 900 1" pos="0 0 {height}"/>'
            f"{bodies}</worldbody></mujoco>")  # fmt: skip


def simulator(shapes, words, h=0.005, size=0.1, height=0.0):
    scene = st.load_model(model_text(shapes, size, height), solver="newton", step_size=h, **WORDS[words])
    return st.Simulator(scene, device="cpu", dtype="float32")


def take_steps(sim, count):
    """Status of every step."""
    return [int(sim.step()[0]) for _ in range(count)]


# shapes from below; words, step size [s], half size [m], where the tower stands [m]
TOWERS = [
    (("cylinder", "cylinder"), "ecp", 0.005, 0.1, (0, 0, 0)),
    (("cylinder", "cylinder", "cylinder"), "ecp", 0.005, 0.1, (0, 0, 0)),
    (("box", "box", "box"), "ecp", 0.005, 0.1, (0, 0, 0)),
    (("mesh", "mesh"), "ecp", 0.005, 0.1, (0, 0, 0)),
    (("box", "cylinder"), "ecp", 0.005, 0.1, (0, 0, 0)),
    (("cylinder", "box"), "ecp", 0.005, 0.1, (0, 0, 0)),
    (("cylinder", "cylinder"), "ecp", 0.001, 0.1, (0, 0, 0)),
    (("cylinder", "cylinder"), "ecp", 0.02, 0.1, (0, 0, 0)),
    (("box", "box", "box"), "ecp", 0.005, 0.01, (0, 0, 0)),
    (("cylinder", "cylinder"), "ecp", 0.005, 0.01, (0, 0, 0)),
    (("cylinder", "cylinder"), "ecp", 0.005, 0.1, (10, 7, 0)),
    (("cylinder", "cylinder"), "ecp", 0.005, 0.1, (100, 70, 0)),
    (("box", "box"), "ecp", 0.005, 0.1, (10, 7, 10)),
    (("cylinder", "cylinder"), "uniform", 0.005, 0.1, (0, 0, 0)),
    (("cylinder", "cylinder"), "points", 0.005, 0.1, (0, 0, 0)),
    (("box", "box", "box"), "points", 0.005, 0.1, (100, 70, 0)),
    (("box", "box", "box"), "start", 0.005, 0.1, (100, 70, 0)),
]


@pytest.mark.parametrize("shapes, words, h, size, place", TOWERS)
def test_a_tower_stands(shapes, words, h, size, place):
    """Aside by a tenth of its size for every storey, and turned: nothing is aligned."""
    with simulator(shapes, words, h, size, place[2]) as sim:
        start = np.zeros((len(shapes), 7))
        for k in range(len(shapes)):
            half_turn = 0.2 * k
            start[k, :3] = np.array(place) + size * np.array([0.1 * k, 0.07 * k, 2 * k + 1])
            start[k, 3], start[k, 6] = np.cos(half_turn), np.sin(half_turn)
        sim.qpos[0] = start.ravel()
        assert set(take_steps(sim, 100)) == {st.Status.CONVERGED}
        moved = np.abs(sim.qpos[0].astype(float) - start.ravel()).reshape(-1, 7)
        assert (moved <= STILL * ROUNDING * np.maximum(1.0, np.abs(start))).all()
        assert sim.stats.residual[0] <= TOLERANCE


def turned(axis, angle):
    half = 0.5 * angle
    return [np.cos(half), *(np.sin(half) * np.array(axis, float))]


# words, half size [m], step size [s], place [m]
THROWS = [("ecp", 0.1, 0.005, 0.0), ("ecp", 0.1, 0.005, 10.0), ("ecp", 0.1, 0.005, 100.0), ("ecp", 0.01, 0.002, 0.0),
          ("ecp", 0.1, 0.001, 0.0), ("ecp", 0.1, 0.02, 0.0), ("uniform", 0.1, 0.005, 0.0), ("points", 0.1, 0.005, 10.0)]  # fmt: skip


@pytest.mark.parametrize("words, size, h, place", THROWS)
@pytest.mark.parametrize("shapes", [("box", "box"), ("mesh", "box")])
def test_bodies_that_tumble_over_one_another_find_their_end(shapes, words, size, h, place):
    with simulator(shapes, words, h, size) as sim:
        speed = np.sqrt(size / 0.1)
        lower = [place, -0.7 * place, 2 * size, *turned([0.6, 0.8, 0.0], 0.7)]
        upper = [place + 0.5 * size, -0.7 * place, 5 * size, *turned([0.8, 0.0, 0.6], 0.9)]
        sim.qpos[0] = [*lower, *upper]
        sim.qvel[0] = np.array([0.2 * speed, 0, 0, 1 / speed, 0, 0, 0, 0, -speed, 0, 1 / speed, 2 / speed])
        assert set(take_steps(sim, min(400, round(0.6 * speed / h)))) == {st.Status.CONVERGED}
        assert sim.stats.penetration[0] <= DEPTH


@pytest.mark.parametrize("words", ["ecp", "uniform"])
def test_a_coin_that_spins_on_its_edge_finds_its_end(words):
    text = model_text(["box"], 0.1).replace(SHAPES["box"].format(r=0.1), 'type="cylinder" size=".1 .01"')
    with st.Simulator(
        st.load_model(text, solver="newton", step_size=0.005, **WORDS[words]), device="cpu", dtype="float32"
    ) as sim:
        sim.qpos[0] = [0, 0, 0.1, *turned([1, 0, 0], np.pi / 2)]
        sim.qvel[0] = [0, 0, 0, 0, 20, 0]
        assert set(take_steps(sim, 200)) == {st.Status.CONVERGED}


def thrown(dtype, words, batch=16):
    """A box and a cylinder in any rotation, the cylinder above; share of the steps whose end stays open [-]."""
    dice = np.random.default_rng(5)
    scene = st.load_model(model_text(("box", "cylinder"), 0.1), solver="newton", step_size=0.005, **WORDS[words])
    with st.Simulator(scene, batch=batch, device="cpu", dtype=dtype) as sim:
        for env in range(batch):
            for k in range(2):
                turn = dice.normal(size=4)
                sim.qpos[env, 7 * k : 7 * k + 3] = [*dice.uniform(-0.05, 0.05, 2), 0.2 + 0.35 * k]
                sim.qpos[env, 7 * k + 3 : 7 * k + 7] = turn / np.linalg.norm(turn)
                sim.qvel[env, 6 * k : 6 * k + 6] = [*dice.uniform(-0.5, 0.5, 3), *dice.uniform(-3, 3, 3)]
        return np.mean([np.asarray(sim.step()) != st.Status.CONVERGED for _ in range(100)])


@pytest.mark.parametrize("words", ["ecp", "points"])
def test_rims_on_edges_leave_no_more_steps_open_than_in_double(words):
    assert thrown("float32", words) <= OPEN
    assert thrown("float64", words) <= OPEN


@pytest.mark.parametrize("words", WORDS)
def test_bodies_on_a_slope_far_from_the_origin_find_their_end(words):
    """A slope of 0.2 rad through a point at (10, 20, 30) m: a box and a cylinder slide and spin."""
    slope, height = [np.cos(0.1), np.sin(0.1), 0.0, 0.0], np.array([0, -np.sin(0.2), np.cos(0.2)])
    text = model_text(("box", "cylinder"), 0.1).replace(
        'pos="0 0 0.0"', f'pos="10 20 30" quat="{" ".join(map(str, slope))}"'
    )
    with st.Simulator(
        st.load_model(text, solver="newton", step_size=0.005, **WORDS[words]), device="cpu", dtype="float32"
    ) as sim:
        places = [np.array([10 + 0.5 * k, 20, 30]) + 0.101 * height for k in range(2)]
        sim.qpos[0] = np.concatenate([np.append(place, slope) for place in places])
        sim.qvel[0, 5] = sim.qvel[0, 11] = 3.0
        assert set(take_steps(sim, 200)) == {st.Status.CONVERGED}
