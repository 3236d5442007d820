"""Claims about patches under Anitescu's law, which makes every round a convex problem: three solvers find the same least objective
½ (v − v_f)ᵀ M (v − v_f), and the points that carry hover at φ⁺ = h μ ‖E w‖, w being the slip and the spin at the ECP."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

STEP, MU, RADIUS, MASS, GRAVITY = 0.01, 0.12, 0.38, 2.0, 9.8  # [s], [-], e_r [m], [kg], [m/s²]
HALF = np.array([0.5, 0.4, 0.3])  # [m]
INERTIA = MASS / 3 * (np.sum(HALF**2) - HALF**2)
MODEL = f"""<mujoco><option gravity="0 0 {-GRAVITY}"/><default><geom condim="4" friction="{MU} {MU * RADIUS} 0"/></default><worldbody>
  <geom type="plane" size="50 50 1"/><body pos="0 0 {HALF[2]}"><freejoint/>
  <geom type="box" size="{HALF[0]} {HALF[1]} {HALF[2]}" mass="{MASS}"/></body></worldbody></mujoco>"""
SOLVERS = ("newton", "interior_point", "admm")
STEPS = 60


def course(solver):
    """qpos and qvel before each step and after it, and of each the patch: ECP, normal force, contact positions that carry."""
    scene = st.load_model(MODEL, dynamics="dynamic", law="anitescu", cone="quadratic", contact="patch", geometry="end",
                          solver=solver, tolerance=1e-11, step_size=STEP)  # fmt: skip
    taken = []
    with st.Simulator(scene, device="cpu") as sim:
        sim.qvel[0] = [4, 3, 0, 0, 0, 2]
        for _ in range(STEPS):
            before = sim.qpos[0].copy(), sim.qvel[0].copy()
            assert sim.step()[0] == st.Status.CONVERGED
            count, contacts = sim.patches.count[0], sim.contacts.count[0]
            carries = sim.contacts.force[0, :contacts, 0] > 1e-3 * MASS * GRAVITY
            taken.append((*before, sim.qpos[0].copy(), sim.qvel[0].copy(), sim.patches.point[0, :count].copy(),
                          sim.contacts.position[0, :contacts][carries].copy()))  # fmt: skip
    return taken


@pytest.fixture(scope="module")
def courses():
    return {solver: course(solver) for solver in SOLVERS}


def objective(before, after):
    """½ (v − v_f)ᵀ M (v − v_f), v_f without contact; spins in the axes of the body [J]."""
    change = after - before
    gyroscopic = STEP * np.cross(before[3:], INERTIA * before[3:]) / INERTIA
    linear, spin = change[:3] + np.array([0, 0, STEP * GRAVITY]), change[3:] + gyroscopic
    return 0.5 * (MASS * linear @ linear + spin @ (INERTIA * spin))


def test_three_solvers_find_the_same_least_objective(courses):
    found = np.array([[objective(before[1], before[3]) for before in taken] for taken in courses.values()])
    scale = MASS * (GRAVITY * STEP) ** 2
    assert np.ptp(found, axis=0).max() <= 1e-8 * scale
    assert (found > 1e-3 * scale).mean() > 0.5  # in the others it flies, as it is set sliding


@pytest.mark.parametrize("solver", SOLVERS)
def test_points_that_carry_hover_by_the_slip_at_the_ecp(courses, solver):
    hovering = 0
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for q, _, q_end, v, points, carrying in courses[solver]:
        start, end = Rotation.from_quat(q[[4, 5, 6, 3]]), Rotation.from_quat(q_end[[4, 5, 6, 3]])
        spin = start.apply(v[3:])
        if len(points) == 0:
            continue
        slip = v[:3] + np.cross(spin, points[0] - q_end[:3])
        expected = STEP * MU * np.linalg.norm([slip[0], slip[1], RADIUS * spin[2]])
        corners = q_end[:3] + end.apply(signs * HALF)
        for position in carrying:
            nearest = corners[np.argmin(np.linalg.norm(corners[:, :2] - position[:2], axis=1) + 10 * (corners[:, 2] > HALF[2]))]
            hovering += 1
            assert nearest[2] == pytest.approx(expected, abs=1e-10)
    assert hovering >= STEPS
