"""Claims: a cube that two fingers hold by patches without torsion comes to rest, and then the line through the two ECPs passes
above or below its centre of mass, as nothing else keeps it from turning about this line."""

import numpy as np
import pytest

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

STEPS, GRIP = 60, 0.015  # [-], [m]
LINE = 1e-6  # distance of the line from the vertical through the centre of mass [m]
REST = 1e-6  # [m/s], [rad/s]
MODEL = """<mujoco><option gravity="0 0 -9.81"/><default><geom friction=".8" condim="3"/></default><worldbody>
  <body pos="0 -.06 0"><joint name="left" type="slide" axis="0 1 0"/><geom type="box" size=".02 .01 .02" mass=".1"/></body>
  <body pos="0 .06 0"><joint name="right" type="slide" axis="0 -1 0"/><geom type="box" size=".02 .01 .02" mass=".1"/></body>
  <body pos=".004 0 .003" euler="0 3 0"><freejoint/><geom name="cube" type="box" size=".04 .04 .04" mass=".3"/></body>
  </worldbody><actuator><position joint="left" kp="2000"/><position joint="right" kp="2000"/></actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dynamics", ["quasidynamic", "dynamic"])
def test_a_cube_held_without_torsion_comes_to_rest(dynamics, seed):
    scene = st.load_model(MODEL, law="patch", dynamics=dynamics, solver="newton", tolerance=1e-9, step_size=0.02)
    with st.Simulator(scene, device="cpu") as sim:
        sim.qpos[0, 2:5] += np.random.default_rng(seed).uniform(-0.005, 0.005, 3)
        sim.ctrl[0] = GRIP
        status = [sim.step()[0] for _ in range(STEPS)]
        centre, speed, count = sim.qpos[0, 2:5].copy(), np.abs(sim.qvel[0]).max(), sim.patches.count[0]
        points, forces = sim.patches.point[0, :count].copy(), sim.patches.force[0, :count].copy()
    assert np.mean([bits == st.Status.CONVERGED for bits in status]) >= 0.9
    assert status[-1] == st.Status.CONVERGED
    assert count == 2 and speed <= REST
    assert forces[:, 0] == pytest.approx(2000 * (GRIP - 0.01), rel=1e-6)  # of a spring kept 10 mm from where it aims
    assert abs(points[:, 0].mean() - centre[0]) <= LINE
