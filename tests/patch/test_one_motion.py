"""Claims: a cube that slides and spins has one motion with a patch, whatever the solver, and many with points.

From 20 starts: speeds in any direction, spins, yaws, mu and e_r at random, with mu times half the side at most half of e_r.
The solvers take every step from the same state, that which `newton` reached.
"""

import os

import numpy as np
import pytest

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

FULL = os.environ.get("ST_FULL") == "1"
SOLVERS = ["newton", "interior_point", "admm"]
STARTS, STEPS = 20, 400 if FULL else 60
TOLERANCE = 1e-11  # of the solvers
EQUAL = 1e-8  # of velocity [m/s, rad/s], ECP [m] and torsion [N m]
APART = 1e-3  # that points differ by in a step, at least [m/s, rad/s]; seen: .05
PATCH = {"preset": "ecp"}
POINTS = {"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic"}
MODEL = """<mujoco><option gravity="0 0 -9.8"/><worldbody><geom type="plane" size="50 50 1" condim="{0}"/>
  <body pos="0 0 .5"><freejoint/><geom type="box" size=".5 .5 .5" mass="1" condim="{0}"/></body></worldbody></mujoco>"""


def simulators(condim, words):
    """One per solver, all at the same random starts."""
    dice = np.random.default_rng(28)
    heading, yaw = dice.uniform(-np.pi, np.pi, (2, STARTS))
    speed, spin = dice.uniform(0.5, 5.0, STARTS), dice.choice([-1, 1], STARTS) * dice.uniform(0.2, 4.0, STARTS)
    mu = dice.uniform(0.05, 0.5, STARTS)
    e_r = mu * dice.uniform(1.0, 4.0, STARTS)
    made = []
    for solver in SOLVERS:
        scene = st.load_model(MODEL.format(condim), solver=solver, tolerance=TOLERANCE, step_size=0.01, **words)
        sim = st.Simulator(scene, batch=STARTS, device="cpu")
        sim.qpos[:, 3], sim.qpos[:, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        sim.qvel[:, 0], sim.qvel[:, 1], sim.qvel[:, 5] = speed * np.cos(heading), speed * np.sin(heading), spin
        sim.params.friction[:, :, 0], sim.params.friction[:, :, 1] = mu[:, None], (mu * e_r)[:, None]
        made.append(sim)
    return made


def spread(sims, read):
    """The largest difference of read(sim) between solvers over all steps."""
    worst = 0.0
    for _ in range(STEPS):
        qpos, qvel = sims[0].qpos.copy(), sims[0].qvel.copy()
        answers = []
        for sim in sims:
            sim.qpos[:], sim.qvel[:] = qpos, qvel
            assert (sim.step() == st.Status.CONVERGED).all()
            answers.append(read(sim))
        worst = max(worst, np.ptp(answers, axis=0).max())
    return worst


def motion_and_patch(sim):
    patches = sim.patches
    assert (patches.count == 1).all()
    return np.hstack([sim.qvel, patches.point[:, 0], patches.torsion[:, :1]])


def test_solvers_agree_on_motion_ecp_and_torsion_of_a_patch():
    assert spread(simulators(4, PATCH), motion_and_patch) <= EQUAL


@pytest.mark.parametrize("condim", [3, 4])
def test_solvers_differ_on_the_motion_of_points(condim):
    """Each answer is a solution: the four normal forces are not determined, and friction follows them."""
    assert spread(simulators(condim, POINTS), lambda sim: sim.qvel.copy()) >= APART


CAN = """<mujoco><option gravity="0 0 -9.8"/><worldbody><geom type="plane" size="9 9 1" friction=".4"/>
  <body pos="0 0 .06"><freejoint/><geom type="cylinder" size=".03 .06" mass=".3" friction=".4"/></body></worldbody></mujoco>"""


def test_a_can_that_spins_where_it_stands_is_solved():
    """z is half of its height; at 20 rad/s and .2 m/s friction is nearly all torsion. It does not tip: mu z < r."""
    with st.Simulator(st.load_model(CAN, dynamics="dynamic", law="patch", torsion_radius="uniform", step_size=0.005),
                      device="cpu") as sim:  # fmt: skip
        sim.qvel[0] = [0.2, 0, 0, 0, 0, 20]
        assert (sim.step(steps=60) & st.Status.CONVERGED).all()
