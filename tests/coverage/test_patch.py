"""Claims of Xie and Chakraborty that no recording of their scenes shows: power, dissipation, what is unique and what is not.

    P_c = −∫ (v_ti β_ti + v_oi β_oi) dA = −(v_t λ_t + v_o λ_o + v_r λ_r) at the ECP                     (4), (5)
    (λ_t, λ_o, λ_r) dissipates most in (λ_t/e_t)² + (λ_o/e_o)² + (λ_r/e_r)² <= (μ λ_n)²                (6)

A cube of 1 m and 1 kg slides and spins, or falls and tumbles, on a floor.
"""

import numpy as np
import pytest

MASS, SIDE, GRAVITY, H = 1.0, 1.0, 9.8, 0.01  # [kg], [m], [m/s²], [s]
INERTIA = MASS * SIDE**2 / 6 * np.eye(3)
FRICTION, RADIUS = 0.2, 0.3  # μ [-], e_r [m]
GRIP = f'friction="{FRICTION} {FRICTION * RADIUS} 0" condim="4"'
CUBE = f"""<mujoco><option gravity="0 0 {-GRAVITY}"/><worldbody><geom type="plane" size="50 50 1" {GRIP}/>
  <body pos="0 0 {SIDE / 2}"><freejoint/><geom type="box" size=".5 .5 .5" mass="{MASS}" {GRIP}/></body></worldbody></mujoco>"""
SPINS, TUMBLES = [4, 3, 0, 0, 0, 2], [1, 0.5, -1, 2, -1.5, 3]  # qvel at the start
SOLVERS = ("newton", "interior_point", "admm", "pgs")
WEIGHT = MASS * GRAVITY * H  # [N s]


def rotation(quat):
    w, v = quat[0], quat[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def steps(st, qvel, count, solver="newton", height=SIDE / 2):
    """(q⁺ (7), ν (6), ν⁺ (6), patch, contacts) of every step of the paper's scheme; ν of the centre, in world axes."""
    scene = st.load_model(CUBE, preset="ecp", solver=solver, step_size=H, tolerance=1e-11)
    with st.Simulator(scene, device="cpu") as sim:
        sim.qvel[0], sim.qpos[0, 2] = qvel, height
        before = np.array(qvel, float)
        for _ in range(count):
            assert sim.step()[0] == st.Status.CONVERGED
            after = np.append(sim.qvel[0, :3], rotation(sim.qpos[0, 3:]) @ sim.qvel[0, 3:])
            patches = {name: values[0] for name, values in sim.patches.padded().items()}
            yield sim.qpos[0].copy(), before, after, patches, sim.contacts.padded()
            before = after


def test_the_power_over_a_patch_is_that_at_its_ecp(st, measured):
    """Whatever the pressure and the friction are at 200 points of the patch; the ECP is found from the body's motion."""
    dice, worst = np.random.default_rng(1), 0.0
    for _ in range(100):
        frame = np.linalg.qr(dice.normal(size=(3, 3)))[0]
        frame *= np.sign(np.linalg.det(frame))
        n, position, after = frame[0], dice.normal(size=3), dice.normal(size=6)
        x = position - 0.5 * n + dice.normal(size=(200, 2)) @ frame[1:]
        beta, friction = dice.uniform(0, 1, 200), dice.normal(size=(200, 2))
        force = beta[:, None] * n + friction @ frame[1:]
        change = np.append(force.sum(0) / MASS, np.linalg.solve(INERTIA, np.cross(x - position, force).sum(0)))
        found = st.contact_from_motion(
            position, after - change, after, MASS, INERTIA, np.zeros(6), n, n @ x[0], tangent=frame[1]
        )
        local = (after[:3] + np.cross(after[3:], x - position)) @ frame[1:].T
        at_ecp = frame[1:] @ (after[:3] + np.cross(after[3:], found.point - position))
        power = at_ecp @ [found.p_t, found.p_o] + n @ after[3:] * found.p_r
        worst = max(worst, abs(power - np.sum(local * friction)) / np.sum(np.abs(local * friction)))
    measured("2016/power", worst)


@pytest.mark.parametrize("qvel", [SPINS, TUMBLES])
def test_friction_is_the_admissible_wrench_that_dissipates_most(st, measured, qvel):
    dice, e = np.random.default_rng(2), np.array([1.0, 1.0, RADIUS])
    others = dice.normal(size=(1000, 3))
    others *= dice.uniform(0, 1, (1000, 1)) / np.linalg.norm(others, axis=1, keepdims=True)  # of the unit ball
    slid = 0
    for q, _, nu, patch, _ in steps(st, qvel, 100):
        if patch["count"] == 0:
            continue
        frame, arm = patch["frame"][0], patch["point"][0] - q[:3]
        slip = np.append(frame[1:] @ (nu[:3] + np.cross(nu[3:], arm)), frame[0] @ nu[3:])
        limit = FRICTION * H * patch["force"][0, 0]
        friction = H * np.append(patch["force"][0, 1:], patch["torsion"][0])
        power, most = -friction @ slip, limit * np.linalg.norm(e * slip)
        assert power >= np.max(-limit * (others * e) @ slip) - 1e-9 * WEIGHT
        measured("2016/dissipation", abs(most - power) / WEIGHT)
        slid += most > 1e-3 * WEIGHT
    assert slid > 20


@pytest.mark.parametrize("qvel", [SPINS, TUMBLES])
def test_the_patch_of_a_step_is_the_one_that_its_motion_tells(st, measured, qvel):
    """Proposition 2 with the recorded end of the step: ECP and wrench of the simulation are its only solution."""
    touched = 0
    for q, before, after, patch, _ in steps(st, qvel, 100):
        if patch["count"] == 0 or patch["force"][0, 0] < 1e-3 * MASS * GRAVITY:
            continue
        n, t = patch["frame"][0, :2]
        found = st.contact_from_motion(q[:3], before, after, MASS, INERTIA, [0, 0, -WEIGHT, 0, 0, 0], n, n @ patch["point"][0],
                                       tangent=t, step_size=H)  # fmt: skip
        impulse = np.array([found.p_n, found.p_t, found.p_o, found.p_r])
        recorded = H * np.append(patch["force"][0], patch["torsion"][0])
        measured("2016/unique-impulse", np.abs(impulse - recorded).max() / WEIGHT)
        measured("2016/unique-point", np.abs(found.point - patch["point"][0]).max() * found.p_n / WEIGHT)
        touched += 1
    assert touched > 20


def test_solvers_share_the_pressure_differently_and_agree_on_the_motion(st, measured):
    """(12) and Remark 1: which points of a patch carry how much is not determined; motion and ECP are."""
    ends = {solver: list(steps(st, SPINS, 100, solver))[-1] for solver in SOLVERS}
    q, _, nu, patch, contacts = ends.pop("newton")
    shared = []
    for other in ends.values():
        measured("2016/same-motion", max(np.abs(other[0] - q).max(), np.abs(other[2] - nu).max()))
        measured("2016/same-point", np.abs(other[3]["point"][0] - patch["point"][0]).max())
        shared.append(np.abs(other[4]["force"][0, :4, 0] - contacts["force"][0, :4, 0]).max() / (MASS * GRAVITY))
    assert max(shared) > 0.01


def highest_corner(st, geometry):
    """How far the lowest corner of a cube of 1 m that topples over it is above the floor, at most, in 1.5 s of 0.1 s [m]."""
    corners = np.stack(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]), -1).reshape(8, 3)
    half = 0.5 * np.arctan(np.sqrt(2.0))
    share = np.sin(half) * np.sqrt(0.5)
    scene = st.load_model(
        CUBE, dynamics="dynamic", law="patch", geometry=geometry, solver="newton", step_size=0.1, tolerance=1e-9
    )
    with st.Simulator(scene, device="cpu") as sim:
        sim.qpos[0] = [0, 0, np.sqrt(0.75), np.cos(half), share, -share, 0]
        spin = rotation(sim.qpos[0, 3:]).T @ [np.sqrt(0.5), -np.sqrt(0.5), 0]
        sim.qvel[0] = [-np.sqrt(6) / 4, -np.sqrt(6) / 4, 0, *spin]
        heights = []
        for _ in range(15):
            assert sim.step()[0] == st.Status.CONVERGED
            heights.append(sim.qpos[0, 2] + np.min(corners @ rotation(sim.qpos[0, 3:])[2]))
    assert min(heights) > -1e-9
    return max(heights)


def test_contact_at_the_start_floats_and_at_the_end_does_not(st, measured):
    measured("2016/floats-start", highest_corner(st, "start"))
    measured("2016/floats-end", highest_corner(st, "end"))
