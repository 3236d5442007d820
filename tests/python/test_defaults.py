"""A bare model does what a newcomer expects of it: it is dropped and falls, is thrown and flies, slides and stops."""

import numpy as np
import pytest
import stiction as st

BALL = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 {height}"><freejoint/>
<geom type="{shape}" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>"""
G, H = 9.81, 0.01


def test_a_bare_model_has_momentum_coulombs_law_and_round_cones():
    scene = st.load_model(BALL.format(height=1, shape="sphere"))
    assert (scene.dynamics, scene.law, scene.cone) == ("dynamic", "coulomb", "quadratic")


def test_a_ball_falls_and_comes_to_rest_on_the_floor():
    with st.Simulator(st.load_model(BALL.format(height=1, shape="sphere"))) as sim:
        for step in range(1, 41):
            sim.step()
            t = H * step
            assert sim.qpos[0, 2] == pytest.approx(1 - 0.5 * G * t * t, abs=0.5 * G * t * H + 1e-12)
        sim.step(steps=100)
        assert sim.qpos[0, 2] == pytest.approx(0.1, abs=2e-6) and abs(sim.qvel[0]).max() < 1e-6


def test_a_ball_that_is_thrown_flies():
    with st.Simulator(st.load_model(BALL.format(height=1, shape="sphere"))) as sim:
        sim.qvel[0, :3] = 3, 0, 2
        sim.step(steps=40)
        t = 0.4
        np.testing.assert_allclose(sim.qpos[0, :3], [3 * t, 0, 1 + 2 * t - 0.5 * G * t * t], atol=0.5 * G * t * H + 1e-9)


def test_a_box_slides_as_far_as_friction_lets_it_and_stays_on_the_floor():
    with st.Simulator(st.load_model(BALL.format(height=0.1, shape="box"))) as sim:
        sim.qvel[0, 0] = 2
        for _ in range(100):
            sim.step()
            assert abs(sim.qpos[0, 2] - 0.1) < 2e-6
        assert sim.qpos[0, 0] == pytest.approx(2**2 / (2 * G), abs=2 * H)  # friction 1 of MuJoCo's geoms
        assert abs(sim.qvel[0]).max() < 1e-6


def test_facets_beside_a_round_cone_are_refused():
    with pytest.raises(st.InputError, match=r'facets.*cone = "quadratic" has none'):
        st.load_model(BALL.format(height=1, shape="sphere"), facets=6)
    assert st.load_model(BALL.format(height=1, shape="sphere"), facets=6, cone="pyramid").facets == 6
