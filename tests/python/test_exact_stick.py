"""Claims about what should stick: it does, to the last digits, and what should just slide does so by what friction lets it."""

import numpy as np
import pytest
import stiction as st
from load_script import load_script

exact = load_script("bench/exact_stick.py")


@pytest.mark.parametrize("step_size", exact.STEPS)
def test_a_box_slides_below_the_friction_that_holds_it_and_stays_above(step_size):
    below, above = exact.SHARES
    slid, converged = exact.ours(exact.slope(below), step_size, exact.SECONDS)
    assert converged == 1 and slid[0] == pytest.approx(exact.slide_of(below), rel=2 * step_size / exact.SECONDS + 1e-4)
    stayed, converged = exact.ours(exact.slope(above), step_size, exact.SECONDS)
    assert converged == 1 and abs(stayed[0]) <= 1e-9  # [m], in ten seconds


@pytest.mark.parametrize("step_size", exact.STEPS)
def test_a_pinched_capsule_does_not_creep(step_size):
    held, converged = exact.ours(exact.pinch(), step_size, exact.PINCHED, (exact.PRESS,) * 2)
    assert converged == 1 and abs(held[4]) <= 1e-9  # [m], in a minute


PADS = """<mujoco>
  <default><geom friction="1 .02" condim="{condim}"/></default>
  <worldbody>
    <body name="left" pos="-.03 0 0"><joint name="left" type="slide" axis="1 0 0"/><geom type="box" size=".01 .02 .02" mass=".1"/></body>
    <body name="right" pos=".03 0 0"><joint name="right" type="slide" axis="-1 0 0"/><geom type="box" size=".01 .02 .02" mass=".1"/></body>
    <body name="capsule"><freejoint/><geom type="capsule" size=".0199 .02" mass=".05"/></body>
  </worldbody>
  <actuator><position joint="left" kp="1000" kv="20"/><position joint="right" kp="1000" kv="20"/></actuator>
</mujoco>"""


@pytest.mark.parametrize("dynamics", ["quasistatic", "quasidynamic", "dynamic", "dynamic_fitted"])
@pytest.mark.parametrize("law", ["coulomb", "anitescu"])
@pytest.mark.parametrize(("cone", "condim"), [("pyramid", 3), ("box", 3), ("quadratic", 3), ("quadratic", 4)])
def test_a_capsule_between_pads_stays_in_every_choice(dynamics, law, cone, condim):
    scene = st.load_model(PADS.format(condim=condim), step_size=0.05, dynamics=dynamics, law=law, cone=cone)
    with st.Simulator(scene, device="cpu") as sim:
        sim.ctrl[:] = 0.02
        sim.step(steps=20)
        begin = sim.qpos[0].copy()
        for _ in range(60):
            assert sim.step(steps=20)[0] == st.Status.CONVERGED
        assert np.abs(sim.qpos[0] - begin).max() <= 1e-8  # after 60 s
