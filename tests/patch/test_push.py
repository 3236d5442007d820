"""Claims: a block that a finger pushes over a table moves as its limit surface says, an ellipsoid at the recorded ECP a
(Lynch, Maekawa and Tanie, "Manipulation and active sensing by pushing using tactile feedback", 1992):

    (f/f_max)² + (m/m_max)² = 1,  m_max = e_r f_max;   velocity ~ its normal:  v = c F,  w = c (rho x F)/e_r²
    velocity of the block where the finger touches:    c A F,  A = 1 + r r^T/e_r²,  r = z x rho,  rho = p - a
    it sticks:  c F = A^-1 u, within the cone of the finger;   else F is the edge of the cone, and n.(c A F) = n.u

    symbol   variable                                             unit
    u        way of the finger, 2 µm a step                       m
    F        force of the finger; -F that of the table at a       N
    p, n     where the finger touches the block, normal           m, -
    v, w     motion of the block at a, and its turn               m, rad

Fingers without friction only slide. Beside it: Coulomb's law at every point of a face under uniform pressure, as a sum.
"""

import dataclasses

import numpy as np
import pytest
from scipy import optimize

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

PUSHES = 100
STEP, STEPS = 2e-6, 8  # way of the finger [m]; its springs give way by 3 µm until the block slides
RELATIVE = 2e-4  # of motion per way of the finger
MOST_OPEN = 0.01  # share of the steps
HALF, RADIUS = 0.05, 0.01
MODEL = """<mujoco><option gravity="0 0 -9.8"/><worldbody><geom name="table" type="plane" size="9 9 1" condim="{condim}"/>
  <body pos="0 0 .05"><freejoint/>
    <geom name="block" type="box" size=".05 .05 .05" mass="1" condim="{condim}" friction="0 0 0" conaffinity="3"/></body>
  <body pos="-.06 0 {height}"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <geom name="finger" size=".01" mass=".1" condim="3" priority="1" contype="2" conaffinity="0"/></body></worldbody>
  <actuator><position joint="x" kp="1e7"/><position joint="y" kp="1e7"/></actuator></mujoco>"""
TABLE, BLOCK, FINGER = range(3)


@dataclasses.dataclass
class Pushes:
    """Of every push: mu and e_r [m] of the table, mu of the finger, its place y [m] and direction (n, 2)."""

    mu: np.ndarray
    e_r: np.ndarray
    finger_mu: np.ndarray
    y: np.ndarray
    direction: np.ndarray


def random_pushes():
    dice = np.random.default_rng(1992)
    finger_mu, angle = dice.uniform(0.1, 0.8, PUSHES), dice.uniform(-0.9, 0.9, PUSHES)
    finger_mu[::4] = 0.0
    return Pushes(dice.uniform(0.1, 0.8, PUSHES), dice.uniform(0.02, 0.06, PUSHES), finger_mu,
                  dice.uniform(-0.04, 0.04, PUSHES), np.column_stack([np.cos(angle), np.sin(angle)]))  # fmt: skip


def take(pushes, words, height=HALF, condim=4):
    """The simulator after the last step, qpos before it, and how many steps were not solved. A step of 1 s has no
    inertia that counts."""
    model = MODEL.format(height=height, condim=condim)
    sim = st.Simulator(st.load_model(model, tolerance=1e-10, step_size=1.0, **words), batch=PUSHES, device="cpu")
    sim.params.friction[:, TABLE, 0], sim.params.friction[:, TABLE, 1] = pushes.mu, pushes.mu * pushes.e_r
    sim.params.friction[:, FINGER] = pushes.finger_mu[:, None] * [1, 0, 0]
    sim.qpos[:, 8] = sim.ctrl[:, 1] = pushes.y
    unsolved = 0  # one finger in a hundred passes the edge of its cone
    for _ in range(STEPS):
        sim.ctrl[:] += STEP * pushes.direction
        before = sim.qpos.copy()
        status = sim.step()
        unsolved += np.count_nonzero(status != st.Status.CONVERGED)
    assert (status == st.Status.CONVERGED).all()
    return sim, before, unsolved


def yaw_of(qpos):
    return 2 * np.arctan2(qpos[:, 6], qpos[:, 3])


def motion(sim, before):
    """Per way of the finger: its direction (n, 2), the block's way (n, 2) and turn [1/m] (n)."""
    u = sim.qpos[:, 7:] - before[:, 7:]
    way = np.linalg.norm(u, axis=1)
    return u / way[:, None], (sim.qpos[:, :2] - before[:, :2]) / way[:, None], (yaw_of(sim.qpos) - yaw_of(before)) / way


def ecp(patches, env, pair):
    (k,) = [k for k in range(patches.count[env]) if set(patches.geom[env, k]) == pair]
    return patches.point[env, k, :2]


def across(r):
    """z x r."""
    return np.array([-r[1], r[0]])


def limit_surface(p, a, n, u, e_r, finger_mu):
    """v at a and w by the closed form, and whether the finger sticks."""
    r, t = across(p - a), across(n)
    A = np.eye(2) + np.outer(r, r) / e_r**2
    F = np.linalg.solve(A, u)
    sticks = abs(F @ t) <= finger_mu * (F @ n)
    if not sticks:
        F = n + np.sign(F @ t) * finger_mu * t
        F *= (n @ u) / (n @ A @ F)
    return F, r @ F / e_r**2, sticks


@pytest.mark.parametrize("words", [{"dynamics": "quasistatic"}, {"dynamics": "quasidynamic", "mass_ratio": 0}])
def test_a_pushed_block_moves_as_the_ellipsoid_at_its_ecp(words):
    pushes = random_pushes()
    sim, before, _ = take(pushes, {"law": "patch", "solver": "newton", **words})
    yaw, modes = yaw_of(sim.qpos), {"stick": 0, "slide": 0, "without friction": 0}
    for env, (u, way, turn) in enumerate(zip(*motion(sim, before), strict=True)):
        a, p = ecp(sim.patches, env, {TABLE, BLOCK}), ecp(sim.patches, env, {BLOCK, FINGER})
        n, finger_mu = np.array([np.cos(yaw[env]), np.sin(yaw[env])]), pushes.finger_mu[env]
        v, w, sticks = limit_surface(p, a, n, u, pushes.e_r[env], finger_mu)
        v = v + w * across(sim.qpos[env, :2] - a)
        assert abs(turn - w) <= RELATIVE * abs(w)
        assert np.linalg.norm(way - v) <= RELATIVE * np.linalg.norm(v)
        modes["stick" if sticks else "slide" if finger_mu else "without friction"] += 1
    assert min(modes.values()) >= PUSHES // 5


@pytest.mark.parametrize("solver", ["newton", "interior_point", "admm"])
def test_every_solver_finds_the_end_of_a_push_although_the_force_of_the_finger_is_not_unique(solver):
    """A finger that sticks may also lift the block or press it down: any of these forces holds."""
    _, _, open_steps = take(random_pushes(), {"law": "patch", "dynamics": "quasistatic", "solver": solver})
    assert open_steps <= MOST_OPEN * PUSHES * STEPS


def uniform_pressure(p, u, finger_mu, cells=40):
    """w of a block at the origin, by the sum over a face: its friction has no moment about p, whichever way it slides."""
    middles = HALF * ((2 * np.arange(cells) + 1) / cells - 1)
    arm = np.stack(np.meshgrid(middles, middles), -1).reshape(-1, 2) - p

    def friction(at_p, w):
        v = at_p + w * np.column_stack([-arm[:, 1], arm[:, 0]])
        f = v / np.linalg.norm(v, axis=1)[:, None]
        return *f.mean(axis=0), np.mean(arm[:, 0] * f[:, 1] - arm[:, 1] * f[:, 0])

    w = optimize.brentq(lambda w: friction(u, w)[2], -200, 200)
    side = friction(u, w)[1] / friction(u, w)[0]
    if abs(side) <= finger_mu:
        return w

    def unbalance(x):  # slip along the face, and w/10
        normal, tangential, moment = friction(u + [0, x[0]], 10 * x[1])
        return tangential - np.sign(side) * finger_mu * normal, moment / HALF

    answer = optimize.root(unbalance, [-0.5 * u[1], w / 10])
    assert answer.success
    return 10 * answer.x[1]


def test_the_sum_over_a_face_is_that_of_the_page():
    assert uniform_pressure(np.array([-HALF, 0.02]), np.array([1.0, 0.0]), 0.0, 100) == pytest.approx(-12.915, abs=2e-3)


def test_the_ellipsoid_turns_a_block_nearer_to_uniform_pressure_than_points():
    """Pushed at its foot, so that the pressure stays uniform: it misses 15 %, points miss 39 % (medians)."""
    pushes, misses = random_pushes(), {}
    for words, condim in (
        ({"law": "patch", "torsion_radius": "uniform"}, 4),
        ({"law": "coulomb", "cone": "quadratic"}, 3),
    ):
        sim, before, _ = take(pushes, {"dynamics": "quasistatic", "solver": "newton", **words}, 1e-3, condim)
        u, _, turn = motion(sim, before)
        truth = [uniform_pressure(np.array([-HALF, y]), *push) for y, *push in zip(pushes.y, u, pushes.finger_mu)]
        misses[condim] = np.median(np.abs(turn / truth - 1))
    assert misses[4] <= 0.2 and misses[3] >= 0.35
