"""Every step of the planar gripper satisfies the equations of the 2021 paper, and moves as its Figs. 5 and 6 show."""

import clarabel
import gripper_equations as paper
import numpy as np
import pytest
from scipy import sparse

SIMULATED = [0, 1, 3, 4, 2]  # x_c, y_c, x_l, x_r, y among the simulator's dofs
TOUCHES = 1e-9  # a gap is closed [m]
PRESSES = 1e-6  # a contact carries force [N]
SLIDES = 0.1  # half of the speed of the command; the QP's slide dies out by thirds after the stop [m/s]
TELLING = 1e-4  # the layer is 1 mm thick [m], [m/s]
SLIDING = range(13, 23)  # steps in which the fingers slide


class Run:
    """35 recorded steps of scenes/gripper2d."""

    def __init__(self, st, device="cpu", **choices):
        self.steps = []
        with st.Simulator(st.load_scene("scenes/gripper2d", **choices), device=device) as sim:
            names = sim.model.geom_names
            for _ in range(paper.STEPS):
                before = sim.qpos[0, SIMULATED].copy()
                if sim.step()[0] != st.Status.CONVERGED:
                    break
                forces = read_forces(sim.contacts, names)
                normal = np.array([forces[0][0], -forces[1][0], forces[2][2]])
                side = np.array([forces[0][2], forces[1][2], forces[2][0]])
                after, v, command = sim.qpos[0, SIMULATED], sim.qvel[0, SIMULATED], sim.ctrl[0]
                self.steps.append(paper.Step(before, after.copy(), v.copy(), command.copy(), normal, side))

    def series(self, name):
        return np.array([getattr(step, name) for step in self.steps])

    def time(self, steps):
        """When the first of these steps ends [s]."""
        return paper.STEP_SIZE * (np.flatnonzero(steps)[0] + 1)

    def friction(self):
        """c_f1 + c_f2 at every step [N]"""
        return self.series("side")[:, :2].sum(axis=1)

    def gap(self):
        """φ_1 at the end of every step [m]"""
        return np.array([paper.gaps(step.q_next)[paper.LEFT] for step in self.steps])

    def slip(self):
        """of the left finger along the ball [m/s]"""
        return np.abs([paper.SIDE[:, paper.LEFT] @ step.v for step in self.steps])


def read_forces(contacts, names):
    """World forces on the ball at left finger, right finger, ground."""
    forces, ball = np.zeros((3, 3)), names.index("ball")
    for slot in range(contacts.count[0]):
        geoms = list(contacts.geom[0, slot])
        which = ["finger_left", "finger_right", "ground"].index(names[geoms[1 - geoms.index(ball)]])
        sign = 1.0 if geoms[1] == ball else -1.0
        forces[which] += sign * contacts.frame[0, slot].T @ contacts.force[0, slot]
    return forces


@pytest.fixture(scope="module")
def coulomb(st):
    """The LCP (6)"""
    return Run(st, law="coulomb")


@pytest.fixture(scope="module")
def anitescu(st):
    """The QP (10)"""
    return Run(st, law="anitescu")


@pytest.fixture(scope="module")
def prescribed(st):
    """The LCP (1), as far as it has solutions"""
    return Run(st, law="coulomb", dynamics="kinematic")


def test_the_lcp_with_springs_holds_at_every_step(coulomb, measured):
    assert len(coulomb.steps) == paper.STEPS
    for step in coulomb.steps:
        ball, fingers = step.imbalance()
        measured("2021/balance-u", ball)
        measured("2021/balance-a", fingers)
        measured("2021/nonpenetration", step.normal_complementarity())
        measured("2021/coulomb", step.coulomb_friction())


def test_the_finger_balances_its_spring(coulomb, anitescu, measured):
    for step in coulomb.steps + anitescu.steps:
        measured("2021/finger-spring", step.finger_imbalance())


def test_without_contact_the_springs_do_what_the_command_says(coulomb, measured):
    """III-C: until the fingers touch, (3) is (1b)."""
    before = [step for step in coulomb.steps if step.normal[paper.LEFT] <= PRESSES][:3]
    assert len(before) == 3
    measured("2021/free-fingers", max(np.abs(step.q_next[paper.ACTUATED] - step.command).max() for step in before))


def test_the_lcp_of_anitescus_law_holds_at_every_step(anitescu, measured):
    assert len(anitescu.steps) == paper.STEPS
    for step in anitescu.steps:
        measured("2021/anitescu-balance", step.generator_imbalance())
        measured("2021/anitescu", step.anitescu_friction())


def test_the_qp_has_the_same_objective_motion_and_multipliers(anitescu, measured):
    """(10) of every step, solved by Clarabel: v_a and the objective are unique, its multipliers satisfy (9)."""
    for step in anitescu.steps:
        H, g, A, b = step.program()
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
        cones = [clarabel.NonnegativeConeT(len(b))]
        answer = clarabel.DefaultSolver(sparse.csc_matrix(H), -g, sparse.csc_matrix(-A), b, cones, settings).solve()
        v = np.array(answer.x)
        measured("2021/qp-motion", paper.STEP_SIZE * np.abs(v - step.v)[paper.ACTUATED].max())
        measured("2021/qp-objective", abs(step.objective(v) - step.objective(step.v)))


def test_the_lagrangian_is_stationary(anitescu, measured):
    """(11): central differences of a quadratic function are exact; over h, so in N."""
    for step in anitescu.steps:
        for axis in np.eye(5):
            change = step.lagrangian(step.v + axis) - step.lagrangian(step.v - axis)
            measured("2021/stationary", abs(change) / (2.0 * paper.STEP_SIZE))


def test_the_equations_tell_the_laws_apart(coulomb, anitescu):
    """What one law leaves of the other's equations while the fingers slide: its layer, or the lack of one."""
    sliding = SLIDING[1:]
    assert max(anitescu.steps[k].normal_complementarity() for k in sliding) > TELLING
    assert max(coulomb.steps[k].anitescu_friction() for k in sliding) > TELLING


def test_prescribed_fingers_follow_and_the_ball_balances_until_they_squeeze(prescribed, measured):
    """(1): solvable up to the touch; then (1b) contradicts (1d)."""
    measured("2021/prescribed-steps", len(prescribed.steps))
    for step in prescribed.steps:
        measured("2021/prescribed", np.abs(step.q_next[paper.ACTUATED] - step.command).max())
        measured("2021/prescribed-balance", step.imbalance()[0])
        measured("2021/prescribed-nonpenetration", max(step.normal_complementarity(), step.coulomb_friction()))


def test_a_configuration_follows_from_its_velocity(coulomb, anitescu, measured):
    """(2), G = I: no body turns here."""
    for step in coulomb.steps + anitescu.steps:
        measured("2021/update", np.abs(step.q_next - step.q - paper.STEP_SIZE * step.v).max())


def test_the_state_is_the_configuration_alone(st, measured):
    """II, III-A: velocities are none of the state, masses of what is driven are no part of the model."""
    ends = []
    for speed, mass in ((0.0, 1.0), (3.0, 1.0), (0.0, 50.0)):
        with st.Simulator("scenes/gripper2d", device="cpu") as sim:
            sim.qvel[0] = speed
            for name in ("hand", "finger_left", "finger_right"):
                sim.params.mass[0, sim.model.body_names.index(name)] *= mass
            sim.step(steps=paper.STEPS)
            ends.append(sim.qpos[0].copy())
    measured("2021/state", max(np.abs(end - ends[0]).max() for end in ends))


def test_rolling_is_the_same_under_both_laws(coulomb, anitescu, measured):
    """IV-A.1: until step 12 nothing slides, and Anitescu's constraints are Coulomb's law."""
    for exact, convex in zip(coulomb.steps[:13], anitescu.steps[:13], strict=True):
        measured("2021/rolling-motion", np.abs(exact.q_next - convex.q_next).max())
        force = [[s.normal[0], s.normal[1], s.normal[2], s.side[:2].sum(), s.side[2]] for s in (exact, convex)]
        measured("2021/rolling-force", np.abs(np.subtract(*force)).max())


def test_contact_modes_change_when_the_figure_says(coulomb, anitescu, measured):
    """Fig. 5: they touch at 0.03 s, slide from 0.13 s and stick again from 0.23 s."""
    for name, run in (("lcp", coulomb), ("qp", anitescu)):
        slides = run.slip() > SLIDES
        measured(f"2021/{name}-touch", run.time(np.abs(run.gap()) <= TOUCHES))
        measured(f"2021/{name}-slide", run.time(slides) - paper.STEP_SIZE)
        measured(f"2021/{name}-stop", paper.STEP_SIZE * (np.flatnonzero(slides)[-1] + 1))
        assert slides[SLIDING].all() and slides.sum() == len(SLIDING)


def test_forces_of_the_squeeze_and_the_slide_are_those_of_the_figure(coulomb, anitescu, measured):
    """Fig. 6 and its text: c_n1 from 0 to 10 N until 0.08 s; constant under the LCP while it slides."""
    for name, run in (("lcp", coulomb), ("qp", anitescu)):
        normal = run.series("normal")
        measured(f"2021/{name}-touch-force", abs(normal[2, paper.LEFT]))
        measured(f"2021/{name}-squeeze", normal[7, paper.LEFT])
        measured(f"2021/{name}-squeeze-gap", np.abs(run.gap()[2:8]).max())
        measured(f"2021/{name}-slide-normal", normal[22, paper.LEFT])
        measured(f"2021/{name}-slide-friction", run.friction()[22])
        measured(f"2021/{name}-slide-ground", normal[22, paper.GROUND])
    slide = slice(12, 35)
    steady = np.column_stack([coulomb.series("normal"), coulomb.friction(), coulomb.gap()])[slide]
    measured("2021/lcp-steady", np.ptp(steady, axis=0).max())
    for run in (coulomb, anitescu):
        ground = run.series("normal")[:, paper.GROUND]
        measured("2021/ground-grows", np.abs(ground + paper.LOAD[1] + run.friction()).max())


def test_the_boundary_layer_grows_with_the_slide_and_goes_with_it(coulomb, anitescu, measured):
    gap = anitescu.gap()
    measured("2021/layer", gap[22])
    assert (np.diff(gap[12:23]) > 0.0).all() and (gap[SLIDING] > TOUCHES).all()
    measured("2021/layer-dissipates", np.max(gap[23:] / gap[22:-1]))
    measured("2021/layer-lcp", np.abs(coulomb.gap()[2:]).max())
    slip = anitescu.slip()[SLIDING]
    measured("2021/layer-slope", np.abs(gap[SLIDING] - paper.FRICTION * paper.STEP_SIZE * slip).max())


def test_left_and_right_finger_are_symmetric(coulomb, anitescu, measured):
    for step in coulomb.steps + anitescu.steps:
        measured("2021/symmetry", abs(step.q_next[2] + step.q_next[3]))
        measured("2021/symmetry-force", abs(step.normal[paper.LEFT] - step.normal[paper.RIGHT]))


def test_contacts_are_the_pairs_below_the_threshold(st, measured):
    """A(q, ε): with ε = 4 mm the fingers' contacts appear on the way; with a large one all three are always there."""
    for threshold in (0.004, 0.2):
        counts, off = [], 0
        with st.Simulator(st.load_scene("scenes/gripper2d", contact_distance=threshold), device="cpu") as sim:
            for _ in range(paper.STEPS):
                near = (paper.gaps(sim.qpos[0, SIMULATED]) < threshold).sum()
                assert sim.step()[0] == st.Status.CONVERGED
                counts.append(int(sim.contacts.count[0]))
                off += counts[-1] != near
            end = sim.qpos[0].copy()
        assert off == 0 and set(counts) == ({1, 3} if threshold < 0.006 else {3})
        measured(f"2021/contacts-{threshold:g}", np.abs(end - Run(st).steps[-1].q_next[np.argsort(SIMULATED)]).max())


def test_impedance_at_rest_is_the_quasistatic_balance(st, measured):
    """(4) settles where (5) holds: the damped second-order gripper squeezes as the quasistatic one does."""
    squeeze = np.array([[-0.09, 0.09, 0.0]])
    ends = []
    for dynamics in ("dynamic", "quasistatic"):
        with st.Simulator(st.load_scene("scenes/gripper2d", dynamics=dynamics, law="coulomb"), device="cpu") as sim:
            sim.params.kd[0] = 20.0  # [N s/m]
            sim.step(squeeze, steps=500)
            forces = read_forces(sim.contacts, sim.model.geom_names)
            ends.append(np.concatenate([sim.qpos[0], [forces[0][0] * 1e-3, -forces[1][0] * 1e-3]]))
            spring = 1000.0 * (sim.qpos[0, 3] - squeeze[0, 0])  # K (q − q̄)
            measured("2021/impedance", abs(spring + forces[0][0]))
    measured("2021/impedance-rest", np.abs(ends[0] - ends[1]).max())
