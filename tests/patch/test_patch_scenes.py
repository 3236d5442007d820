"""Claims: the scenes of Xie and Chakraborty, the slope and the push that come with the program do what their pages say."""

import pathlib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

SCENES = pathlib.Path(__file__).parents[2] / "scenes"
STEP = 0.01  # of all of them [s]


def course(name, read):
    """What `read(sim)` says after each step, all of which converge and leave no overlap."""
    scene, found = st.load_scene(SCENES / name), []
    assert scene.step_size == STEP
    with st.Simulator(scene, device="cpu") as sim:
        for _ in range(round(scene.duration / STEP)):
            assert (sim.step() == st.Status.CONVERGED).all()
            assert sim.stats.penetration[0] <= 1e-10
            found.append(read(sim))
    return np.array(found)


def pose(sim):
    return sim.qpos[0].copy()


def upright(q):
    """Cosine of the angle between the axis of the body and the vertical."""
    return 1.0 - 2.0 * (q[:, 4] ** 2 + q[:, 5] ** 2)


def test_the_cube_slides_as_its_closed_form_and_friction_acts_ahead_of_its_centre():
    found = course("sliding_cube", lambda sim: [*sim.qpos[0, :3], *sim.patches.point[0, 0]])
    k = np.arange(1, len(found) + 1)
    way = np.outer(5 * k * STEP - 1.176 * STEP**2 * k * (k + 1) / 2, [0.8, 0.6])
    assert np.abs(found[:, :2] - way).max() <= 1e-9
    assert np.abs(found[:, 3:] - found[:, :3] - [0.048, 0.036, -0.5]).max() <= 1e-9


def test_the_cylinder_stops_turning_before_every_pulse():
    found = course("pulsed_cylinder", lambda sim: [*sim.qpos[0, [4, 5, 6, 3]], *sim.qvel[0, 3:]])
    spin = np.abs(Rotation.from_quat(found[:, :4]).apply(found[:, 4:])[:, 2])  # about the vertical
    pulses = np.loadtxt(SCENES / "pulsed_cylinder/impulses.csv", delimiter=",")[:, 0].astype(int)
    assert len(pulses) == 89
    assert spin[pulses - 1].max() <= 1e-8 and spin[pulses].min() >= 0.1


def test_the_cube_goes_from_corner_to_edge_to_face():
    found = course("tumbling_cube", lambda sim: [*sim.qpos[0], sim.patches.count[0]])
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    heights = Rotation.from_quat(found[:, [4, 5, 6, 3]]).as_matrix()[:, 2] @ corners.T + found[:, 2:3]
    touching = (heights <= 1e-7).sum(axis=1)
    at = np.arange(1, len(found) + 1) * STEP
    assert (touching[(at < 0.425) & (at > STEP)] == 1).all()
    assert (touching[(at > 0.435) & (at < 1.005)] == 2).all()
    assert (touching[(at > 1.025) & (at < 1.185)] == 0).all()
    assert (touching[at > 1.265] == 4).all()


def test_the_cylinder_is_tipped_rolled_and_raised():
    found = course("walked_cylinder", pose)
    cosine, at = upright(found), np.arange(1, len(found) + 1) * STEP
    lies = np.abs(cosine) < 1e-6
    assert lies[(at > 0.485) & (at < 1.535)].all() and lies[(at > 2.095) & (at < 3.335)].all()
    assert not lies[(at < 0.475) | ((at > 1.545) & (at < 2.085)) | (at > 3.345)].any()
    assert (cosine[at > 4.575] > 1 - 1e-9).all() and abs(found[-1, 2] - 0.15) <= 1e-9
    assert found[:, 2].max() == pytest.approx(np.hypot(0.1, 0.15), abs=1e-3)  # over its rim


def test_the_cylinder_stands_on_the_slope():
    found = course("tipping_cylinder", pose)
    assert np.abs(found - [0, 0, 0.15, 1, 0, 0, 0]).max() <= 1e-9


def test_the_block_turns_as_the_ellipsoid_says():
    found = course("pushed_block", pose)
    turn, way = 2 * np.arctan2(found[:, 6], found[:, 3]), found[:, 7]
    rate = np.diff(turn[1:5]) / np.diff(way[1:5])
    radius = 0.1 * (np.sqrt(2) + np.log(1 + np.sqrt(2))) / 6  # of a square, from its middle [m]
    start = np.polyval(np.polyfit(way[2:5], rate, 1), 0.0)  # the finger drifts along the side as the block turns
    assert start == pytest.approx(-0.02 / (radius**2 + 0.02**2), rel=2e-3)
