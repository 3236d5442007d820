"""Claims: a step in which something is newly met is taken again in parts, as the closed form of a knock says; where nothing is met a
step keeps its bits; how many are taken again at once does not matter."""

import pathlib

import numpy as np
import pytest
import stiction as st
from jaws import around, jaws, text
from stiction import grasp
from stiction.errors import InputError
from stiction.grasp.knocks import Steps, Taken
from stiction.status import Status

H, SPEED, SIDEWAYS = 0.02, 1.0, 0.2  # [s], towards the wall and along it [m/s]
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
RADIUS, AWAY = 0.05, np.array([-10.0, 0.0])
WALL = f"""<mujoco>
  <worldbody>
    <geom type="box" size=".1 1 1" pos=".1 0 0"/>
    <body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><geom type="sphere" size="{RADIUS}" mass="1"/></body>
  </worldbody>
</mujoco>"""


def thrown(gaps, parts, places=2):
    """(simulator, what one step did) of balls that fly at a wall."""
    sim = st.Simulator(st.load_model(WALL, step_size=H), batch=len(gaps), device="cpu")
    fine = None if parts == 1 else st.Simulator(st.load_model(WALL, step_size=H / parts), batch=places, device="cpu")
    steps = Steps(sim, fine, AWAY, 0)
    sim.reset(qpos=np.array([[-RADIUS - gap, 0.0] for gap in gaps]), qvel=np.tile([SPEED, SIDEWAYS], (len(gaps), 1)))
    return sim, steps.take(np.zeros((len(gaps), 0)), np.ones(len(gaps), bool))


@pytest.mark.parametrize("parts", [1, 2, 4, 8])
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_what_slides_before_it_hits_a_wall_keeps_its_way(parts, share):
    """Friction stops the ball for good in the part in which it hits."""
    sim, taken = thrown([share * SPEED * H], parts)
    x, y = np.asarray(sim.qpos)[0]
    assert x == pytest.approx(-RADIUS, abs=1e-9)
    assert y == pytest.approx(SIDEWAYS * H / parts * int(share * parts), abs=1e-9)
    assert taken.steps[0] == taken.good[0] == parts and taken.status[0] == Status.CONVERGED and taken.knocked[0] == (parts > 1)


def test_what_meets_nothing_keeps_its_bits():
    gaps = [0.5 * SPEED * H, 10.0, 1e-4]  # hits, flies on, was there already
    (sim, taken), (whole, _) = thrown(gaps, 4), thrown(gaps, 1)
    assert taken.knocked.tolist() == [True, False, False] and taken.steps.tolist() == [4, 1, 1]
    assert np.array_equal(np.asarray(sim.qpos)[1:], np.asarray(whole.qpos)[1:])
    assert not np.array_equal(np.asarray(sim.qpos)[0], np.asarray(whole.qpos)[0])


@pytest.mark.parametrize("places", [1, 2, 7, 16])
def test_any_number_may_be_taken_again_at_once(places):
    gaps = np.linspace(0.1, 0.9, 7) * SPEED * H
    (some, taken), (all_, _) = thrown(gaps, 4, places), thrown(gaps, 4, len(gaps))
    assert taken.knocked.all() and np.array_equal(np.asarray(some.qpos), np.asarray(all_.qpos))
    assert np.array_equal(np.asarray(some.qvel), np.asarray(all_.qvel))


def test_a_failure_in_any_part_is_one():
    sim, taken = thrown([0.5 * SPEED * H], 2)
    failed = Taken.of(sim, np.array([int(Status.CONVERGED | Status.ITERATION_LIMIT)], np.uint32))
    for both in (taken.then(failed), failed.then(taken)):
        assert both.status[0] & Status.ITERATION_LIMIT and both.steps[0] == 3 and both.good[0] == 2
    assert taken.then(failed).status[0] & Status.CONVERGED


def test_a_hand_takes_parts_while_it_closes():
    """One pad meets the cube before the other."""
    steps = {
        parts: grasp.evaluate(jaws(), around([[1, 0, 0, 0]], [0.01, 0, 0]), {"base": "six_forces", "knock_parts": parts}).steps[0]
        for parts in (1, 2, 4)
    }
    assert steps[1] < steps[2] < steps[4] <= steps[1] + 12


@pytest.mark.parametrize("given", [0, -1, 1.5, True, "two", 101])
def test_parts_are_counted(given):
    with pytest.raises(InputError, match=r"knock_parts: .* given, must be an integer of at least 1 and at most 100"):
        grasp.read_protocol({"base": "six_forces", "knock_parts": given})


@pytest.mark.parametrize("step", [0.01, 0.04])
def test_slots_that_depend_on_the_step_are_as_many_in_parts(step):
    """Automatic room for contacts grows with steps of more than 20 ms."""
    scene, grasps = st.load_scene(SCENES / "grasp_hand"), grasp.sample_hand(8, np.random.default_rng(1))
    ball = next(k for k, one in enumerate(scene.variants) if "golf_ball" in one.name)
    whole, parts = (
        grasp.evaluate(scene, grasps, {"base": "six_forces", "step_size": step, "knock_parts": count}, variant=[ball] * 8) for count in (1, 2)
    )
    assert parts.steps.sum() > whole.steps.sum() and parts.held.any()


@pytest.mark.parametrize("dynamics", ["dynamic", "dynamic_fitted"])
def test_parts_are_steps_of_their_length(dynamics):
    """Pads that follow their commands in parts are where a simulator with short steps has them."""
    fast = {"dynamics": dynamics, "step_size": H}
    sim, fine, plain = (st.Simulator(st.load_model(text(), **fast | {"step_size": h}), batch=1, device="cpu") for h in (H, H / 2, H / 2))
    away = np.array(sim.qpos)[0] + np.array([0, 0, 0, 0, 100, 0, 0, 0, 0])
    start = np.array([[-0.05, -0.05, 1, 1, 1, 1, 0, 0, 0]])
    for one in (sim, plain):
        one.params.gravity[:] = 0.0
        one.reset(qpos=start)
    steps, open_ = Steps(sim, fine, away, 2), np.array([[-0.05, -0.05]])
    steps._meets_new = steps._is_knocked_aside = lambda *_: np.ones(1, bool)
    plain.step(open_)
    sim.set_state(plain.state())
    steps.begin(np.arange(1), open_)
    for k in range(1, 6):
        control, last = open_ + 0.004 * k, open_ + 0.004 * (k - 1)
        steps.take(control, np.ones(1, bool))
        plain.step((last + control) / 2)
        plain.step(control)
        np.testing.assert_allclose(np.asarray(sim.qpos)[0, :2], np.asarray(plain.qpos)[0, :2], atol=1e-9)
