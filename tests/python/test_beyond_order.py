"""Claims about steps of first order in which something goes far: a warning, and only then; slides have none."""

import numpy as np
import pytest
import stiction as st

H = 0.1  # [s]
BALL = '<body pos="0 0 1"><{}/><geom size=".1" mass="1" contype="0" conaffinity="0"/></body>'
JOINTS = {"hinge": 'joint name="j" axis="0 1 0"', "slide": 'joint name="j" type="slide"', "free": "freejoint"}


def driven(joint):
    """A body whose joint one motor drives, which nothing else holds."""
    motor = '<actuator><velocity joint="j" kv="1"/></actuator>'
    return f"<mujoco><option gravity='0 0 0'/><worldbody>{BALL.format(JOINTS[joint])}</worldbody>{motor}</mujoco>"


@pytest.mark.parametrize("joint", ("hinge", "slide"))
@pytest.mark.parametrize("dynamics", ("quasistatic", "quasidynamic", "kinematic"))
def test_a_turn_of_more_than_a_radian_is_a_warning(dynamics, joint):
    scene = st.load_model(driven(joint), dynamics=dynamics, step_size=H)
    for way in (-0.99, 0.99, 1.01, -1.5):
        with st.Simulator(scene, device="cpu") as sim:
            status = int(sim.step(np.array([[way / H]]))[0])
            assert sim.qpos[0, 0] == pytest.approx(way, abs=1e-7)
            far = joint == "hinge" and abs(way) > 1.0
            assert status == (st.Status.CONVERGED | st.Status.BEYOND_ORDER * far)
            assert not status & st.Status.FAILED


FALLING = {  # weights beside what holds them
    "ball": '<body><joint type="ball"/><geom size=".1" pos="1 0 0" mass="1" contype="0" conaffinity="0"/></body>',
    "free": '<geom type="box" size=".5 .5 .1" pos="0 0 -.1"/>'
            '<body pos=".55 0 .1"><freejoint/><geom type="box" size=".3 .1 .1" mass="1"/></body>',
}  # fmt: skip


@pytest.mark.parametrize("joint", FALLING)
@pytest.mark.parametrize("dtype", ("float64", "float32"))
def test_balls_and_free_bodies_are_warned_of_too(joint, dtype):
    seen = set()
    for gravity in (1.0, 30.0, 80.0, 130.0, 1000.0):
        model = f"<mujoco><option gravity='0 0 {-gravity}'/><worldbody>{FALLING[joint]}</worldbody></mujoco>"
        scene = st.load_model(model, dynamics="quasidynamic", step_size=H, tolerance=1e-5)
        with st.Simulator(scene, device="cpu", dtype=dtype) as sim:
            status = st.Status(int(sim.step()[0]))
            turn = H * np.linalg.norm(sim.qvel[0, -3:])
            assert turn == 0 or abs(turn - 1) > 1e-3  # neither side of the bound by chance
            assert bool(status & st.Status.BEYOND_ORDER) == (turn > 1), (gravity, turn, status)
            seen.add(turn > 1)
    assert seen == {False, True}


def test_a_way_of_more_than_a_hundred_sizes_is_a_warning():
    model = f"<mujoco><option gravity='0 0 -1'/><worldbody>{BALL.format(JOINTS['free'])}</worldbody></mujoco>"
    ways = {}
    for h in (0.1, 1.0, 3.0, 10.0, 30.0):
        with st.Simulator(st.load_model(model, dynamics="quasidynamic", step_size=h), device="cpu") as sim:
            status = int(sim.step()[0])
            ways[1.0 - sim.qpos[0, 2]] = bool(status & st.Status.BEYOND_ORDER)
    assert [far for _, far in sorted(ways.items())] == sorted(ways.values()) and set(ways.values()) == {False, True}
    # the size of a ball is its radius of gyration or its radius, 0.06 to 0.1 m
    assert max(way for way, far in ways.items() if not far) <= 100 * 0.1
    assert min(way for way, far in ways.items() if far) >= 100 * 0.06


def test_with_momentum_a_fast_spin_is_none():
    model = f"<mujoco><option gravity='0 0 0'/><worldbody>{BALL.format(JOINTS['free'])}</worldbody></mujoco>"
    with st.Simulator(st.load_model(model, dynamics="dynamic", step_size=H), device="cpu") as sim:
        sim.qvel[0, 3:] = [0.0, 50.0, 0.0]
        assert int(sim.step()[0]) == st.Status.CONVERGED
