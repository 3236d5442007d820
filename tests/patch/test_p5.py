"""Claims of Xie and Chakraborty's section VI, along whole free runs: `preset = "ecp"`, newton, tolerance 1e-12.

    dE = ν⁺·p_app + p_n v_n + (p_t v_t + p_o v_o + p_r v_r) − ½ Δνᵀ M Δν        energy of a step; M at its start
"""

import functools

import certificate
import h5py
import numpy as np
import p5
import pytest
import recorded
from load_script import load_script

cube = load_script("bench/patches/sliding_cube.py")

RESIDUAL = 1e-9   # of (18), (19), relative to m g h, and in metres
EXACT = 1e-9      # trajectory of s1, and the ECP's place [m, rad]
DEPTH = 1e-10     # of overlaps, and of heights at rest [m]
ENERGY = 1e-10    # [J/kg]
NEAR = 1e-8       # what is nearer to the floor than this touches it [m]
STILL = 1e-8      # |ω_z| below which S2 is pushed [rad/s]
LINE = 0.0388     # farthest that the ECP of S2 leaves the middle of its line [m]
FACETS = {"vertex": 3, "edge": 2, "face": 1, "rim": 2, "line": 1, "disk": 1}
# what touches from which step on, the start being row 0
COURSES = {
    "s3": {1: "vertex", 44: "edge", 102: "flight", 120: "edge", 126: "face"},
    "s4": {1: "rim", 48: "line", 154: "rim", 209: "line", 334: "rim", 457: "disk"},
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """course(name): the recording of a scene, run once."""
    return functools.cache(lambda name: p5.run(name, tmp_path_factory.mktemp(name)))


@pytest.fixture(scope="module")
def facts(course):
    """facts(name): world, states, patches and p_app of a recording."""
    return functools.cache(lambda name: recorded.read(course(name)))


def only(patches):
    assert len(patches) == 1
    return patches[0]


def positions(states):
    return np.array([state.position[0] for state in states])


@pytest.mark.parametrize("name", p5.SCENES)
def test_every_step_solves_the_equations_of_the_paper(course, facts, name):
    with h5py.File(course(name)) as file:
        assert (file["status"][1:, 0] & 1).all()
    found = certificate.certificate(*facts(name))
    assert found.pop("overlap").max() <= DEPTH
    assert {kind: values.max() for kind, values in found.items() if values.max() > RESIDUAL} == {}


def test_s1_slides_as_its_closed_form(facts):
    _, states, patches, _ = facts("s1")
    assert np.abs(positions(states)[:, :2] - cube.closed_form()).max() <= EXACT
    arms = np.array([only(touching).point for touching in patches]) - positions(states)[1:]
    assert np.abs(arms - [0.048, 0.036, -0.5]).max() <= EXACT
    assert positions(states)[-1, :2] == pytest.approx([8.454784, 6.341088], abs=EXACT)
    assert np.linalg.norm(states[-1].velocity[0, :3]) == pytest.approx(0.296, abs=EXACT)


def test_s1_with_spin_moves_as_its_six_equations(facts):
    _, states, patches, _ = facts("s1_spin")
    expected = cube.slide(cube.SPIN)
    assert np.abs(positions(states)[:, :2] - expected.position).max() <= EXACT
    turned = np.unwrap([np.arctan2(state.rotation[0][1, 0], state.rotation[0][0, 0]) for state in states])
    assert np.abs(turned - expected.yaw).max() <= EXACT
    arms = np.array([only(touching).point[:2] for touching in patches]) - positions(states)[1:, :2]
    assert np.abs(arms - expected.arm[1:]).max() <= EXACT


def test_s2_stops_turning_89_times(facts):
    _, states, _, _ = facts("s2")
    still = [step for step, state in enumerate(states[:-1]) if abs(state.velocity[0, 5]) <= STILL]
    assert still == list(p5.PULSES) and len(still) == 89


def test_the_ecp_of_s2_stays_on_the_line(facts):
    _, states, patches, _ = facts("s2")
    for state, touching in zip(states[1:], patches, strict=True):
        arm, axis = only(touching).point - state.position[0], state.rotation[0][:, 2]
        assert abs(axis @ arm) <= LINE
        assert abs(np.cross([0, 0, 1], axis) @ arm) <= EXACT


def what_touches(name, state):
    """By the pose alone: corners of the cube; of the cylinder the lowest and highest point of both rims."""
    x, turn = state.position[0], state.rotation[0]
    if name == "s3":
        corners = np.stack(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]), -1).reshape(8, 3)
        return {0: "flight", 1: "vertex", 2: "edge", 4: "face"}[np.sum(x[2] + corners @ turn[2] <= NEAR)]
    axis, across = turn[2, 2], 0.1 * np.hypot(turn[2, 0], turn[2, 1])
    low = x[2] + 0.15 * axis * np.array([-1, 1]) - across <= NEAR
    high = x[2] + 0.15 * axis * np.array([-1, 1]) + across <= NEAR
    return "disk" if high.any() else "line" if low.all() else "rim" if low.any() else "flight"


@pytest.mark.parametrize("name", COURSES)
def test_contact_goes_from_mode_to_mode(course, facts, name):
    _, states, patches, _ = facts(name)
    modes = [what_touches(name, state) for state in states]
    assert {row: modes[row] for row in range(1, len(modes)) if row == 1 or modes[row] != modes[row - 1]} == COURSES[name]
    assert [len(touching) for touching in patches] == [mode != "flight" for mode in modes[1:]]
    with h5py.File(course(name)) as file:
        facets = file["patch/active_faces"][1:, 0, 0]
    touching = [row for row, mode in enumerate(modes[1:]) if mode != "flight"]
    assert facets[touching].tolist() == [FACETS[modes[row + 1]] for row in touching]


def test_s4_rests_at_its_heights(facts):
    """On its mantle, over its rim, on its mantle, and standing again [m]."""
    height = positions(facts("s4")[1])[:, 2]
    for row, rest in ((100, 0.1), (150, 0.1), (300, 0.1), (500, 0.15)):
        assert height[row] == pytest.approx(rest, abs=DEPTH)
    assert height[154:209].max() == pytest.approx(0.154, abs=5e-4)
    assert height[334:457].max() == pytest.approx(0.18, abs=1e-3)  # sqrt(.1² + .15²): over the rim


def account(world, start, end, touching, applied):
    """What dE of body 0 differs by from the work of all impulses, and the work of friction [J/kg]."""
    mass, inertia = world.bodies[0]
    turn, before, after = start.rotation[0], start.velocity[0], end.velocity[0]
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = mass * np.eye(3), turn @ inertia @ turn.T
    given = applied + np.append(world.h * mass * world.gravity, np.zeros(3))
    work, friction = after @ given - 0.5 * (after - before) @ M @ (after - before), 0.0
    for patch in touching:
        linear, angular = end.velocity_at(0, patch.point)
        velocity = np.append(patch.frame @ linear, patch.frame[0] @ angular)
        friction += patch.impulse[1:] @ velocity[1:]
        work += patch.impulse @ velocity
    gain = 0.5 * (after @ M @ after - before @ M @ before)
    return abs(gain - work) / mass, friction / mass


@pytest.mark.parametrize("name", ["s1", "s1_spin", "s2", "s3", "s4"])
def test_energy_is_accounted_for_and_friction_gives_none(facts, name):
    world, states, patches, applied = facts(name)
    steps = zip(states, states[1:], patches, applied[:, 0])
    error, friction = np.array([account(world, *step) for step in steps]).max(axis=0)
    assert error <= ENERGY and friction <= ENERGY
