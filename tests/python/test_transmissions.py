"""Activations, spatial tendons, springs and actuators across kinematic trees: closed forms and MuJoCo's motion."""

import mujoco
import numpy as np
import pytest
import stiction as st

SLIDER = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="s" type="slide" axis="1 0 0" damping="2"/>
  <geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody><actuator>{}</actuator></mujoco>"""
FILTER = '<general joint="s" gainprm="3" dyntype="filterexact" dynprm=".2"{}/>'

ROPE = """<mujoco><worldbody><body name="hook" pos="0 0 2"><site name="hook"/></body>
  <body name="ball" pos="0 0 {}"><freejoint/><geom size=".05" mass="1" contype="0" conaffinity="0"/><site name="ball" pos="0 0 .05"/></body></worldbody>
  <tendon><spatial name="rope" {}><site site="hook"/><site site="ball"/></spatial></tendon></mujoco>"""

PAIR = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body><joint name="a" type="slide" axis="1 0 0"/><geom size=".1" mass="1" contype="0" conaffinity="0"/><site name="a"/></body>
  <body pos="1 0 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="2" contype="0" conaffinity="0"/><site name="b"/></body></worldbody>
  <tendon>{}</tendon><actuator>{}</actuator></mujoco>"""
FIXED = '<fixed name="t" {}><joint joint="a" coef="-1"/><joint joint="b" coef="1"/></fixed>'
SPATIAL = '<spatial name="t" {}><site site="a"/><site site="b"/></spatial>'


def in_mujoco(text, duration, ctrl=(), qvel=(), step=1e-4):
    """State of MuJoCo after `duration`."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator, data = step, mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.MjData(model)
    data.ctrl[:], data.qvel[: len(qvel)] = ctrl, qvel
    for _ in range(round(duration / step)):
        mujoco.mj_step(model, data)
    return data


# --- activations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_a_filter_lags_exactly_behind_its_control(device):
    with st.Simulator(st.load_model(SLIDER.format(FILTER.format("")), step_size=0.05), device=device) as sim:
        assert sim.act.shape == (1, 1)
        for step in range(10):
            sim.step(np.ones((1, 1)))
            assert sim.act[0, 0] == pytest.approx(1 - np.exp(-0.05 * (step + 1) / 0.2), rel=1e-12)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize(("early", "first"), [("false", 0.0), ("true", 3 * (1 - np.exp(-0.25)))])
def test_the_force_of_a_step_is_that_of_its_start_or_early_of_its_end(device, early, first):
    with st.Simulator(st.load_model(SLIDER.format(FILTER.format(f' actearly="{early}"')), step_size=0.05), device=device) as sim:
        sim.step(np.ones((1, 1)))
        assert sim.qvel[0, 0] == pytest.approx(0.05 * first / (1 + 0.05 * 2), abs=1e-12)


@pytest.mark.parametrize(
    "actuator",
    [
        FILTER.format(""),
        '<position joint="s" kp="40" kv="4" timeconst=".1"/>',
        '<intvelocity joint="s" kp="40" kv="4" actrange="-.3 .3"/>',
        '<general joint="s" gainprm="3" dyntype="filter" dynprm=".2" actlimited="true" actrange="-1 .4"/>',
    ],
)
def test_activations_move_as_in_mujoco(actuator):
    text = SLIDER.format(actuator)
    expected = in_mujoco(text, 1.0, ctrl=[0.7])
    with st.Simulator(st.load_model(text, step_size=1e-3), device="cpu") as sim:
        sim.step(np.array([[0.7]]), steps=1000)
        assert sim.act[0, 0] == pytest.approx(expected.act[0], rel=2e-3)
        assert sim.qpos[0, 0] == pytest.approx(expected.qpos[0], rel=1e-2)


def test_activations_belong_to_state_reset_and_keyframes():
    key = '<keyframe><key name="tense" act=".8"/></keyframe></mujoco>'
    text = SLIDER.format(FILTER.format("")).replace("</mujoco>", key)
    with st.Simulator(st.load_model(text, keyframe="tense"), device="cpu", batch=2) as sim:
        assert np.all(sim.act == 0.8)
        saved = sim.state()
        sim.step(np.array([[0.0], [1.0]]), steps=5)
        after = sim.act.copy()
        assert after[0, 0] < 0.8 < after[1, 0]
        sim.set_state(saved)
        sim.step(np.array([[0.0], [1.0]]), steps=5)
        assert np.array_equal(sim.act, after)
        sim.reset([1])
        assert sim.act[1, 0] == 0.8


def test_a_muscle_is_refused_by_name():
    with pytest.raises(st.InputError, match=r"actuator 'pull' has .*muscle"):
        st.load_model(SLIDER.format('<muscle name="pull" joint="s" lengthrange="0 1"/>'))


# --- spatial tendons --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_a_rope_holds_what_falls_into_it(device):
    text = ROPE.format(1.7, 'limited="true" range="0 .5"')
    with st.Simulator(st.load_model(text, step_size=0.01), device=device) as sim:
        sim.step(steps=200)
        assert np.allclose(sim.qpos[0, :3], [0, 0, 1.45], atol=1e-6)
        assert np.abs(sim.qvel[0]).max() < 1e-6


def test_a_ball_on_a_rope_is_a_pendulum():
    text = ROPE.format(1.45, 'limited="true" range="0 .5"').replace('pos="0 0 .05"/></body></worldbody>', '/></body></worldbody>')
    h = 1e-3
    with st.Simulator(st.load_model(text, step_size=h), device="cpu") as sim:
        sim.qpos[0, :3] = 0.5 * np.sin(0.1), 0, 2 - 0.5 * np.cos(0.1)
        lengths, x = [], []
        for _ in range(round(2.0 / h)):
            sim.step()
            lengths.append(np.linalg.norm(sim.qpos[0, :3] - [0, 0, 2]))
            x.append(sim.qpos[0, 0])
        assert max(lengths) < 0.5 + 1e-4
        crossings = np.flatnonzero(np.diff(np.sign(x)) < 0) * h
        assert crossings[1] - crossings[0] == pytest.approx(2 * np.pi * np.sqrt(0.5 / 9.81), rel=5e-3)


def test_an_elastic_rope_stretches_as_in_mujoco():
    text = ROPE.format(1.4, 'stiffness="200" damping="4" springlength="0 .5"')
    expected = in_mujoco(text, 0.5, qvel=[0.5])
    with st.Simulator(st.load_model(text, step_size=1e-3), device="cpu") as sim:
        sim.qvel[0, 0] = 0.5
        sim.step(steps=500)
        assert np.allclose(sim.qpos[0, :3], expected.qpos[:3], atol=2e-3)


def test_an_actuator_pulls_on_a_path_as_in_mujoco():
    arm = """<mujoco><worldbody><site name="base" pos="0 0 1.2"/><body pos="0 0 1"><joint name="j" axis="0 1 0" damping=".3"/>
      <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="1" contype="0" conaffinity="0"/><site name="end" pos=".4 0 0"/></body></worldbody>
      <tendon><spatial name="cable"><site site="base"/><site site="end"/></spatial></tendon>
      <actuator><position tendon="cable" kp="300" kv="20"/></actuator></mujoco>"""
    expected = in_mujoco(arm, 0.5, ctrl=[0.3])
    with st.Simulator(st.load_model(arm, step_size=1e-3), device="cpu") as sim:
        sim.step(np.array([[0.3]]), steps=500)
        assert sim.qpos[0, 0] == pytest.approx(expected.qpos[0], abs=5e-3)
        with pytest.raises(st.InputError, match="spatial tendons"):
            sim.linearize(smoothing=1e-3)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<site site="hook"/><geom geom="drum"/><site site="ball"/>', "'rope' wraps around a geom"),
        ('<site site="hook"/><site site="ball"/><pulley divisor="2"/><site site="hook"/><site site="ball"/>', "'rope' has a pulley"),
    ],
)
def test_what_is_no_straight_path_is_refused(inside, words):
    text = ROPE.format(1.4, "").replace('<site site="hook"/><site site="ball"/>', inside)
    text = text.replace('<site name="hook"/>', '<site name="hook"/><geom name="drum" type="cylinder" size=".01 .1" contype="0" conaffinity="0"/>')
    with pytest.raises(st.InputError, match=words):
        st.load_model(text)


# --- across trees -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("tendon", [FIXED, SPATIAL])
def test_a_spring_between_two_trees_swings_as_in_mujoco(tendon, device):
    rest = "0" if tendon is FIXED else ".8"
    text = PAIR.format(tendon.format(f'stiffness="50" damping="1" springlength="{rest}"'), "")
    expected = in_mujoco(text, 0.4, qvel=[1.0])
    with st.Simulator(st.load_model(text, step_size=1e-3), device=device) as sim:
        sim.qvel[0, 0] = 1.0
        sim.step(steps=400)
        assert np.allclose(sim.qpos[0], expected.qpos, atol=2e-3)
        assert sim.qvel[0] @ [1, 2] == pytest.approx(1.0, abs=1e-6)  # momentum


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize(
    ("actuator", "ctrl"),
    [
        ('<position tendon="t" kp="50" kv="3"/>', 0.2),
        ('<position tendon="t" kp="50" kv="3" forcerange="-1 1"/>', 0.2),
        ('<motor tendon="t" gear="2"/>', 0.3),
        ('<velocity tendon="t" kv="5"/>', 0.2),
    ],
)
def test_an_actuator_moves_two_trees_as_in_mujoco(actuator, ctrl, device):
    text = PAIR.format(FIXED.format(""), actuator)
    expected = in_mujoco(text, 0.5, ctrl=[ctrl])
    with st.Simulator(st.load_model(text, step_size=1e-3), device=device) as sim:
        sim.step(np.array([[ctrl]]), steps=500)
        assert np.allclose(sim.qpos[0], expected.qpos, atol=2e-3)
        assert abs(sim.qvel[0] @ [1, 2]) < 1e-6  # momentum
