"""Links that turn by a tenth of a radian and more in a step pass what they miss by a millimetre, and hit what they do not."""

import numpy as np
import pytest
import stiction as st

TURN = 2.0  # of the arm, past what may stand in its way [rad]
REACH, RADIUS = 0.8, 0.02  # of the arm; of all shapes [m]
CLEAR, HIT = 5e-4, -2e-3  # from the tip's circle to the post [m]
STEPS = [5, 6, 7, 9, 12, 20, 50]

ARM = """<body><joint name="arm" type="hinge" axis="0 0 1"/>
  <geom type="capsule" size=".02" fromto=".1 0 0 .8 0 0" mass="1"/></body>"""
FAN = """<mujoco><option gravity="0 0 0"/><worldbody><body>
  <joint type="hinge" axis="0 0 1"/><geom type="cylinder" size=".5 .01" mass="5"/>
  <body><joint type="slide" axis="0 0 1"/><geom type="capsule" size=".02" mass=".1" fromto="{0} 0 .02 {0} 0 .3"/></body>
  <body pos="0 0 .15" euler="0 0 90"><joint type="hinge" axis="0 0 1"/>
    <geom type="capsule" size=".02" fromto="-.38 0 0 .38 0 0" mass=".5"/></body></body></worldbody></mujoco>"""


def model(clear, post, drive):
    """The arm, and a post on the circle of its tip: fixed, or a ball that flies, or one on an arm of its own."""
    x = REACH + 2 * RADIUS + clear
    joint = {"fixed": "", "ball": "<freejoint/>", "other arm": '<joint type="hinge" axis="0 0 1"/>'}[post]
    shape = f'<geom type="sphere" size="{RADIUS}" mass=".1" pos="{x} 0 0"/>'
    if post == "ball":
        shape = shape.replace(f' pos="{x} 0 0"', "")
    body = f'<body pos="{x if post == "ball" else 0} 0 0">{joint}{shape}</body>' if joint else shape
    return f'<mujoco><option gravity="0 0 0"/><worldbody>{body}{ARM}</worldbody><actuator>{drive}</actuator></mujoco>'


def swing(clear, post, dynamics, steps):
    """The arm's last angle [rad] and the largest force [N] of a swing of TURN in so many steps; each must converge."""
    h = 0.02 if dynamics == "dynamic" else 0.1
    rate = TURN / (steps * h)
    drive = '<velocity joint="arm" kv="100"/>' if dynamics == "dynamic" else '<position joint="arm" kp="100"/>'
    scene = st.load_model(model(clear, post, drive), step_size=h, dynamics=dynamics)
    force = 0.0
    with st.Simulator(scene, device="cpu", threads=1) as sim:
        sim.qpos[0, -1] = -TURN / 2
        if dynamics == "dynamic":
            sim.qvel[0, -1] = rate
        for step in range(steps):
            sim.ctrl[0] = rate if dynamics == "dynamic" else -TURN / 2 + rate * h * (step + 1)
            assert sim.step()[0] == st.Status.CONVERGED
            force = max(force, float(np.abs(sim.contacts.force[0, : sim.stats.contacts[0]]).max(initial=0.0)))
        return sim.qpos[0, -1], force


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("post, dynamics", [("fixed", "quasistatic"), ("fixed", "dynamic"), ("ball", "dynamic"), ("other arm", "dynamic")])
def test_an_arm_passes_what_its_tip_misses(post, dynamics, steps):
    angle, force = swing(CLEAR, post, dynamics, steps)
    assert force == 0.0
    assert angle == pytest.approx(TURN / 2, abs=1e-6)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("post, dynamics", [("fixed", "quasistatic"), ("fixed", "dynamic"), ("ball", "dynamic"), ("other arm", "dynamic")])
def test_an_arm_hits_what_its_tip_does_not_miss(post, dynamics, steps):
    angle, force = swing(HIT, post, dynamics, steps)
    assert force > 0.5
    if post == "fixed":
        assert angle < 0.0


@pytest.mark.parametrize("step_size", [0.005, 0.01, 0.02])
@pytest.mark.parametrize("clear", [0.005, -0.005])
def test_a_fan_that_turns_against_its_table_passes_posts_that_turn_with_it(step_size, clear):
    scene = st.load_model(FAN.format(0.42 + clear), step_size=step_size, law="coulomb")
    with st.Simulator(scene, device="cpu", threads=1) as sim:
        sim.qpos[0] = [0, 0, 1.0]
        sim.qvel[0] = [-20, 0, 20]
        deepest = 0.0
        for _ in range(round(3 / step_size)):
            assert sim.step()[0] == st.Status.CONVERGED
            deepest = max(deepest, sim.stats.penetration[0])
        if clear > 0:
            np.testing.assert_allclose(sim.qvel[0], [-20, 0, 20], atol=1e-9)
        else:  # the blade comes to lean on the post, as in an impact that does not bounce
            assert abs(sim.qvel[0, 2]) < 1e-6
            assert deepest < 1e-9
