"""Grasps by chance: jaws meet surfaces within their friction cones, most of them hold, and the same generator gives the same ones."""

import numpy as np
import pytest
import stiction as st
from stiction import grasp
from stiction.errors import InputError
from stiction.quaternions import conjugate, matrix_of, multiply, rotate

CUBE, BATTERY, GOLF_BALL, EGG, RING, MUG = 0, 4, 9, 11, 18, 19  # in the list of scenes/grasp_jaws
COUNT = 30
ROUNDING = 1e-9
MOST = 0.8  # share of grasps that must hold: others begin in the object, or press on an edge


@pytest.fixture(scope="module")
def sim():
    with st.Simulator("scenes/grasp_jaws", batch=26) as made:
        made.forward()
        yield made


@pytest.fixture(scope="module")
def sampled(sim):
    return grasp.sample_jaws(sim, "object", COUNT, np.random.default_rng(5))


def middle_and_closing(grasps):
    """In the object's frame, (N, 3) each."""
    axes = matrix_of(grasps.quat)
    return grasps.position + 0.105 * axes[:, :, 2], axes[:, :, 1]


def test_a_ball_is_pinched_within_its_cones(sampled):
    grasps, radius = sampled[GOLF_BALL], 0.02135
    middle, closing = middle_and_closing(grasps)
    for side, half in zip((1, -1), grasps.grasp.T, strict=True):
        contact = middle + side * half[:, None] * closing
        assert np.linalg.norm(contact, axis=1) == pytest.approx(radius, abs=ROUNDING)
        assert (side * np.einsum("ni,ni->n", contact / radius, closing)).min() >= np.cos(np.arctan(0.6)) - ROUNDING


def test_a_cube_is_pinched_on_opposite_faces(sampled):
    middle, closing = middle_and_closing(sampled[CUBE])
    ends = np.stack([middle + s * sampled[CUBE].grasp[:, :1] * closing for s in (1, -1)])
    assert abs(ends).max(axis=2) == pytest.approx(0.025, abs=ROUNDING)
    axis = abs(ends).argmax(axis=2)
    assert (axis[0] == axis[1]).all() and set(axis[0]) == {0, 1, 2}


def test_walls_and_handles_are_pinched_too(sampled):
    width = 2 * sampled[MUG].grasp[:, 0]
    assert (width < 0.01).any() and (width > 0.04).any()
    assert (2 * sampled[RING].grasp[:, 0]).min() < 0.02


def test_the_joints_open_touch_and_press(sampled):
    for grasps in sampled:
        assert grasps.joint_names == ["jaw_left", "jaw_right"]
        assert (grasps.pregrasp >= grasps.grasp).all() and grasps.pregrasp.max() <= 0.04
        assert (grasps.squeeze < grasps.grasp).all()


def test_the_object_may_be_anywhere():
    with st.Simulator("scenes/grasp_jaws") as sim:
        poses = [[0, 0, 0, 1, 0, 0, 0], [0.3, -0.2, 0.1, 0.5, 0.5, -0.5, 0.5]]
        for pose in poses:
            sim.qpos[0, 2:] = pose
            sim.forward()
            (grasps,) = grasp.sample_jaws(sim, "object", COUNT, np.random.default_rng(2))
            middle, closing = middle_and_closing(grasps)
            assert abs(middle + grasps.grasp[:, :1] * closing).max(axis=1) == pytest.approx(0.025, abs=ROUNDING)


def test_the_same_generator_gives_the_same_grasps(sim, sampled):
    again = grasp.sample_jaws(sim, "object", COUNT, np.random.default_rng(5))
    for one, other in zip(sampled, again, strict=True):
        assert np.array_equal(one.position, other.position) and np.array_equal(one.quat, other.quat)


def held(scene, variant, grasps):
    """Which grasps of an object are kept: closed within 0.4 s, and from 0.8 to 1.5 s against the object's weight."""
    before, n = grasps.pregrasp, grasps.pregrasp.shape[1]
    with st.Simulator(scene, batch=len(grasps)) as sim:
        sim.params.variant[:] = variant
        sim.reset()
        sim.params.gravity[:] = 0
        palm, turned = np.array(sim.body("palm").pos), np.array(sim.body("palm").quat)
        of_object = multiply(turned, conjugate(grasps.quat))
        sim.qpos[:] = np.concatenate([before, palm - rotate(of_object, grasps.position), of_object], axis=1)
        for k in range(75):
            sim.ctrl[:] = before + min(1, k / 20) * (grasps.squeeze - before)
            if k == 40:
                place = sim.qpos[:, n : n + 3].copy()
                sim.params.gravity[:] = [0, 0, -9.81]
            sim.step()
        assert np.isfinite(sim.qpos).all()
        return np.linalg.norm(sim.qpos[:, n : n + 3] - place, axis=1) < 0.05


def test_most_grasps_of_jaws_hold(sampled):
    scene = st.load_scene("scenes/grasp_jaws")
    for variant in (CUBE, BATTERY, GOLF_BALL, EGG):
        assert held(scene, variant, sampled[variant]).mean() > MOST, variant


def test_a_hand_keeps_a_ball_that_it_closes_on():
    grasps = grasp.sample_hand(COUNT, np.random.default_rng(3))
    assert grasps.joint_names[:4] == ["index_0", "index_1", "index_2", "index_3"] and grasps.grasp.shape == (COUNT, 16)
    assert held(st.load_scene("scenes/grasp_hand"), GOLF_BALL, grasps).mean() > MOST


@pytest.mark.parametrize(
    "change, message",
    [
        ({"count": 0}, "count"),
        ({"count": True}, "count"),
        ({"friction": 0.0}, "friction"),
        ({"friction": float("nan")}, "friction"),
        ({"body": "mug"}, "mug"),
        ({"body": "palm", "jaws": grasp.Jaws(stroke=0.002)}, "too wide"),
        ({"jaws": grasp.Jaws(stroke=-1)}, "stroke"),
    ],
)
def test_wrong_arguments_are_refused(sim, change, message):
    given = {"body": "object", "count": 3, "friction": 0.6, "jaws": None} | change
    with pytest.raises(InputError, match=message):
        grasp.sample_jaws(sim, given["body"], given["count"], np.random.default_rng(1), jaws=given["jaws"], friction=given["friction"])


WRONG = [
    {"opened": [0.0] * 15},
    {"closed": [np.nan] * 16},
    {"noise": -1.0},
    {"press": float("nan")},
    {"center": [0, 0]},
    {"spread": "wide"},
    {"rng": 1},
]


@pytest.mark.parametrize("change", WRONG)
def test_wrong_postures_are_refused(change):
    with pytest.raises(InputError, match=next(iter(change))):
        grasp.sample_hand(3, **({"rng": np.random.default_rng(1)} | change))
