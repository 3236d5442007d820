"""Every step of the particle and the fence satisfies the equations of the 2005 paper, as they are printed."""

import re
import shutil

import fence_equations as paper
import numpy as np
import pytest
from scipy import optimize

STILL = 1e-6  # a contact that slides slower sticks, as far as rounding can tell [m/s]
MOVED = 1e-12  # a step that moves the particle by less does not push it [m]
TELLING = 0.01  # what one model leaves of another's equations at least
SIDES = [4, 8]
SPEED = 1.0 / paper.STEP_SIZE


class Run:
    """600 recorded steps of scenes/fence_particle, forces along the paper's directions."""

    def __init__(self, st, folder="scenes/fence_particle", **choices):
        self.friction = paper.friction_coefficients()
        self.steps, self.gaps = [], []
        scene = st.load_scene(folder, **choices)
        with st.Simulator(scene, device="cpu") as sim:
            names = sim.model.geom_names
            for _ in range(paper.STEPS):
                before = sim.qpos[0].copy()
                t = float(sim.time[0])
                assert sim.step()[0] == st.Status.CONVERGED, t
                self.read(sim.contacts, names, t, before, sim.qpos[0].copy())
                assert np.allclose(sim.qvel[0] * paper.STEP_SIZE, sim.qpos[0] - before, rtol=0, atol=1e-15)
        self.q = np.array([step.q for step in self.steps] + [self.steps[-1].q_next])

    def read(self, contacts, names, t, before, after):
        forces, gaps = np.zeros((3, 3)), np.full(3, np.inf)
        particle = names.index("particle")
        for slot in range(contacts.count[0]):
            geoms = list(contacts.geom[0, slot])
            which = ["wall", "fence", "floor"].index(names[geoms[1 - geoms.index(particle)]])
            sign = 1.0 if geoms[1] == particle else -1.0
            forces[which] = sign * contacts.frame[0, slot].T @ contacts.force[0, slot]
            gaps[which] = contacts.gap[0, slot]
        along = [np.einsum("ij,ji->i", forces, basis) for basis in (paper.NORMAL, paper.TANGENT, paper.BITANGENT)]
        self.steps.append(paper.Step(t, before, after, *along))
        self.gaps.append(gaps)

    def pushed(self):
        return np.flatnonzero(np.diff(self.q[:, 0]) > MOVED)


@pytest.fixture(scope="module")
def quadratic(st):
    """Model-DQC"""
    return Run(st, law="coulomb", cone="quadratic")


@pytest.fixture(scope="module", params=SIDES)
def linear(request, st):
    """Model-DLC with 4 and with 8 directions"""
    return Run(st, law="coulomb", facets=request.param), request.param


@pytest.fixture(scope="module")
def box(st):
    return Run(st, law="coulomb", cone="box")


def test_the_scene_is_the_papers_example(quadratic, measured):
    assert np.array_equal(quadratic.q[0], paper.START)
    expected = np.array([paper.distances(step.q, step.t) for step in quadratic.steps])
    measured("2005/distances", np.abs(np.array(quadratic.gaps) - expected).max())
    fence = np.array([paper.fence_position(step.t)[0] for step in quadratic.steps])
    measured("2005/fence-reach", fence.max())
    assert fence.max() < 1.0


def test_the_table_of_the_fence_is_its_motion(measured):
    rows = np.loadtxt("scenes/fence_particle/fence.csv", delimiter=",", skiprows=1)
    position = np.array([paper.fence_position(t) for t in rows[:, 0]])
    rate = np.array([paper.fence_rate(t) for t in rows[:, 0]])
    off = np.abs(np.hstack([rows[:, 1:3] - position, rows[:, 8:10] - rate]))
    measured("2005/fence-motion", off.max())


def test_the_quadratic_model_holds_at_every_step(quadratic, measured):
    for step in quadratic.steps:
        along, rest = step.quadratic_friction(quadratic.friction)
        measured("2005/equilibrium", step.imbalance())
        measured("2005/nonpenetration", step.normal_complementarity())
        measured("2005/coulomb-direction", along)
        measured("2005/coulomb-cone", rest)
        measured("2005/dissipation", step.dissipation_gap(quadratic.friction))


def test_the_equations_tell_the_models_apart(quadratic, box):
    """The box cone's friction is not the disc's, and the disc's is not that of four directions."""
    pushed = quadratic.pushed()
    assert max(box.steps[k].quadratic_friction(box.friction)[1] for k in pushed) > TELLING
    assert max(quadratic.steps[k].linear_friction(quadratic.friction, 4)[2] for k in pushed) > TELLING


def test_friction_of_a_slide_is_the_explicit_formula(quadratic, measured):
    off = [step.explicit_friction(quadratic.friction, STILL) for step in quadratic.steps]
    off = [value for value in off if value is not None]
    assert len(off) > 100
    measured("2005/explicit-friction", max(off))


def test_the_linear_model_holds_at_every_step(linear, measured):
    run, sides = linear
    for step in run.steps:
        balance, along, limit = step.linear_friction(run.friction, sides)
        measured("2005/linear-equilibrium", balance)
        measured("2005/linear-nonpenetration", step.normal_complementarity())
        measured("2005/linear-direction", along)
        measured("2005/linear-cone", limit)


def test_the_printed_mixed_lcp_has_the_same_motion(st, linear, measured):
    """(24) to (26), solved as they are by pivoting, step after step from its own configuration."""
    run, sides = linear
    q, size = paper.START, 0
    for step in run.steps:
        matrix, right = paper.mixed_lcp(q, step.t, run.friction, sides)
        equations = np.arange(len(right)) < 3
        answer = st.solve_mlcp(matrix, right, equations, tolerance=1e-10)
        assert answer.status == st.Status.CONVERGED, step.t
        q, size = answer.z[:3], len(right)
        measured("2005/mixed-lcp", np.abs(q - step.q_next).max())
    n_d = [2, 2, sides]
    assert size == 3 + sum(2 + n for n in n_d)  # n_q + (2 + n_d) n_c


def test_the_particle_ends_where_the_models_put_it(quadratic, linear, box, measured):
    run, sides = linear
    measured("2005/x-end", run.q[-1, 0])
    measured(f"2005/y-end-{sides}", run.q[-1, 1])
    measured("2005/x-end", quadratic.q[-1, 0])
    measured("2005/y-end-quadratic", quadratic.q[-1, 1])
    measured("2005/y-end-box", abs(box.q[-1, 1]))


def test_a_pyramids_slide_has_two_directions_of_equal_dissipation(linear, measured):
    run, sides = linear
    pushed = run.pushed()
    equal = [run.steps[k].equal_directions(sides, STILL) for k in pushed]
    measured("2005/equal-directions", np.mean(equal))


def test_the_floor_carries_the_weight_and_nothing_else_happens_before_the_push(quadratic, linear, box, measured):
    for run in (quadratic, linear[0], box):
        measured("2005/floor-force", max(abs(step.normal[paper.FLOOR] - 1.0) for step in run.steps))
        measured("2005/floor-distance", np.abs(run.q[:, 2]).max())
        first = run.pushed()[0]
        measured("2005/first-push", first)
        measured("2005/rest", np.abs(run.q[:first] - paper.START).max())


def test_the_box_cones_linear_program_has_the_same_motion(box, measured):
    """(36) for the λ_n of the simulation: minimise −fᵀq⁺ + Σ μ λ_n (|Δ_t| + |Δ_o|) over what does not penetrate."""
    limit_names = [paper.WALL, paper.FENCE, paper.FLOOR, paper.FLOOR]  # of |Δ_t| three times, of |Δ_o| of the floor
    along = np.column_stack([paper.TANGENT, paper.BITANGENT[:, paper.FLOOR]])
    for step in box.steps:
        rate = np.append(paper.tangential_rates(step.t), 0.0)
        limit = (box.friction * step.normal)[limit_names]
        cost = np.concatenate([-paper.LOAD / paper.WEIGHT, limit])  # of v, and of a bound on every |Δ|
        signs = [np.hstack([sign * along.T, -np.eye(4)]) for sign in (1.0, -1.0)]
        keep = np.hstack([-paper.NORMAL.T, np.zeros((3, 4))])
        gaps = paper.distances(step.q, step.t) * SPEED + paper.distance_rates(step.t)
        program = optimize.linprog(cost, A_ub=np.vstack([keep, *signs]), b_ub=np.concatenate([gaps, -rate, rate]),
                                   bounds=[(None, None)] * 7)
        assert program.status == 0, step.t
        v = (step.q_next - step.q) * SPEED
        ours = -paper.LOAD @ v / paper.WEIGHT + limit @ np.abs(along.T @ v + rate)
        measured("2005/lp-objective", abs(ours - program.fun))
        measured("2005/lp-motion", np.abs(step.q + paper.STEP_SIZE * program.x[:3] - step.q_next).max())


def test_friction_of_the_box_is_full_along_every_axis_that_slides(box, measured):
    """(33) to (35)"""
    sliding = 0
    for step in box.steps:
        limit = box.friction * step.normal
        for force, slip in ((step.t_force, step.slip_t), (step.o_force, step.slip_o)):
            measured("2005/box-section", max(0.0, (np.abs(force) - limit).max()))
            slides = np.abs(slip) > STILL
            sliding += (slides & (limit > STILL)).sum()
            measured("2005/box-friction", np.abs(force + limit * np.sign(slip))[slides].max(initial=0.0))
    assert sliding > 100


def first_step(st, start, **choices):
    scene = st.load_scene("scenes/fence_particle", start=[w * SPEED for w in start], **choices)
    with st.Simulator(scene, device="cpu") as sim:
        assert sim.step()[0] == st.Status.CONVERGED
        return sim.qpos[0].copy()


def test_without_friction_the_answer_is_where_the_solver_starts(st, measured):
    """5.1.1: from the fence to the wall, and any y."""
    starts = [(way, y, 0.0) for way in (-0.5, 0.0, 0.1, 2.0) for y in (-3.0, 0.2)]
    ends = np.array([first_step(st, start, law="frictionless") for start in starts])
    fence = paper.fence_position(0.0)[0] + paper.STEP_SIZE * paper.fence_rate(0.0)[0]
    measured("2005/frictionless-least-x", ends[:, 0].min())
    measured("2005/frictionless-most-x", ends[:, 0].max())
    assert ends[:, 0].min() == pytest.approx(fence, abs=STILL) and np.ptp(ends[:, 1]) > 3.0
    measured("2005/frictionless-height", np.abs(ends[:, 2]).max())


def test_with_friction_the_answer_is_not_where_the_solver_starts(st, measured):
    """5.1.2"""
    for choices in ({"cone": "quadratic"}, {"facets": 4}, {"facets": 8}):
        for way in (-0.5, 0.0, 0.1, 2.0):
            q = first_step(st, (way, 0.01, 0.0), law="coulomb", **choices)
            measured("2005/friction-start", np.abs(q - paper.START).max())


def test_without_friction_both_models_are_one(st, tmp_path, measured):
    """5.1.1: Model-DQC and Model-DLC with U = 0, and the law without friction."""
    scene = shutil.copytree("scenes/fence_particle", tmp_path / "scene")
    text, pairs = re.subn(r'friction="[^"]*"', 'friction="0 0 0 0 0"', (scene / "model.xml").read_text())
    assert pairs == 3
    (scene / "model.xml").write_text(text)
    models = ({"law": "coulomb", "cone": "quadratic"}, {"law": "coulomb", "facets": 4}, {"law": "frictionless"})
    ways = [Run(st, scene, **choices).q for choices in models]
    measured("2005/frictionless-models", max(np.abs(way - ways[0]).max() for way in ways))
    assert np.ptp(ways[0][:, 1]) == 0.0 < np.ptp(ways[0][:, 0])  # pushed, and nothing drags it along the fence


def test_second_order_motion_without_friction_is_not_where_the_solver_starts(st, measured):
    """5 and 6: momentum makes unique what a quasistatic model without friction leaves open; starts up to 10 m/s off."""
    ways = [first_step(st, (way, way, 0.0), law="frictionless", dynamics="dynamic") for way in (-0.1, 0.0, 0.1)]
    measured("2005/second-order-start", max(np.abs(way - ways[0]).max() for way in ways))
