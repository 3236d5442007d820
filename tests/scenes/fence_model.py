"""The fence and the particle of Trinkle, Berard and Pang 2005, section 5, written from the paper: oracle of the tests.

    minimise  −fᵀ q⁺ + Σ_i λ_in s_i(Δ_i)   subject to   W_nᵀ q⁺ + b_n >= 0                                 (29), (36)
    s_i(Δ) = max { −F·Δ : F in the friction section of contact i for λ_in = 1 }

In (29) the section is a disc and s = μ‖Δ‖, in (36) a square and s = μ (|Δ_t| + |Δ_o|); for Model-DLC it is the
polygon of n_d directions. Unknown here is v = (q⁺ − q)/h, the impulses are in units of m g h.

    symbol   variable   shape                        unit
    q        q          (3) x, y, z                  m
    W_n      NORMAL     rows: wall, fence, floor     -
    b_n      gap        (3) ψ + h ∂ψ/∂t              m
    Δ        slip       (2) t, o of one contact      m/s
"""

import itertools

import clarabel
import numpy as np
from scipy import optimize, sparse

STEP_SIZE = 0.01   # h [s]
STEPS = 600
WEIGHT = 9.81      # m g [N]
START = np.array([0.7, 0.0, 0.0])
WALL, FENCE, FLOOR = range(3)
NORMAL = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
TANGENT = [np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]), np.eye(3)[:2]]  # no friction along z
ROUND = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)


def fence(t):
    """Position and velocity of the fence (52), (53)."""
    return np.array([0.5 + 0.4 * np.sin(t), t]), np.array([0.4 * np.cos(t), 1.0])


def gaps(q, t):
    """ψ_n at the start of a step plus h ∂ψ_n/∂t."""
    (x_fence, _), (rate, _) = fence(t)
    return np.array([1.0 - q[0], q[0] - x_fence - STEP_SIZE * rate, q[2]])


def carried(contact, t):
    """Velocity along the tangents with which the contact's surface moves."""
    return fence(t)[1][1:] if contact == FENCE else np.zeros(len(TANGENT[contact]))


def directions(contact, cone):
    """Unit friction directions of a contact; None for the disc. `cone`: "quadratic", "box" or the number n_d."""
    if contact != FLOOR:
        return np.array([[1.0], [-1.0]])
    if cone == "quadratic":
        return None
    if cone == "box":
        return np.array(list(itertools.product((1.0, -1.0), repeat=2)))
    angles = 2.0 * np.pi * np.arange(cone) / cone
    return np.column_stack([np.cos(angles), np.sin(angles)])


def solve_convex_problem(q, t, friction, normal_impulse, cone):
    """(29): v and the multipliers of its constraint, for given λ_n (m g h)."""
    loaded = [i for i in range(3) if friction[i] * normal_impulse[i] > 0.0]
    cost = np.concatenate([[0.0, 0.0, 1.0], [friction[i] * normal_impulse[i] for i in loaded]])
    rows, bounds, cones = [np.hstack([-NORMAL, np.zeros((3, len(loaded)))])], [gaps(q, t) / STEP_SIZE], []
    cones.append(clarabel.NonnegativeConeT(3))
    for k, i in enumerate(loaded):
        pick = np.zeros((1, len(loaded)))
        pick[0, k] = -1.0
        along = directions(i, cone)
        if along is None:   # (s, Δ) in the second-order cone
            rows.append(np.vstack([np.hstack([np.zeros((1, 3)), pick]),
                                   np.hstack([-TANGENT[i], np.zeros((2, len(loaded)))])]))
            bounds.append(np.concatenate([[0.0], -carried(i, t)]))
            cones.append(clarabel.SecondOrderConeT(3))
        else:               # s >= −d·Δ for every direction d
            rows.append(np.hstack([-along @ TANGENT[i], np.repeat(pick, len(along), axis=0)]))
            bounds.append(-along @ carried(i, t))
            cones.append(clarabel.NonnegativeConeT(len(along)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = 1e-9
    size = 3 + len(loaded)
    solver = clarabel.DefaultSolver(sparse.csc_matrix((size, size)), cost, sparse.csc_matrix(np.vstack(rows)),
                                    np.concatenate(bounds), cones, settings)
    answer = solver.solve()
    assert "Solved" in str(answer.status), (str(answer.status), t)
    return np.array(answer.x[:3]), np.array(answer.z[:3])


def find_normal_impulses(q, t, friction, cone, guess, accuracy):
    """A λ_n that is the multiplier of (29) for itself, by damped substitution; its slope is about −μ_2²."""
    impulse = np.array(guess, dtype=float)
    for _ in range(400):
        v, multiplier = solve_convex_problem(q, t, friction, impulse, cone)
        if np.abs(multiplier - impulse).max() <= accuracy:
            return v, impulse
        impulse += (multiplier - impulse) / (1.0 + friction[FENCE] ** 2)
    raise AssertionError(f"no fixed point at t = {t}: {impulse}, {multiplier}")


def friction_imbalance(q, t, v, friction, normal_impulse, cone, still):
    """Least imbalance of (1) over the friction that (27), (28) allow for v: the most dissipative of every section.

    Directions d share μ λ_n where −d·Δ is largest; where nothing slides (|Δ| <= still) they share at most that."""
    columns, balance = [], -NORMAL.T @ normal_impulse + np.array([0.0, 0.0, 1.0])
    shares, limits = [], []
    for i in range(3):
        limit = friction[i] * normal_impulse[i]
        if not limit > 0.0:
            continue
        slip = TANGENT[i] @ v - carried(i, t)
        along = directions(i, cone)
        if along is None:
            along = np.column_stack([np.cos(ROUND), np.sin(ROUND)])
            if np.linalg.norm(slip) > still:
                along = -slip[None] / np.linalg.norm(slip)
        dissipation = -along @ slip
        sticks = np.linalg.norm(slip) <= still
        chosen = along if sticks else along[dissipation >= dissipation.max() - still]
        parts = [np.append(TANGENT[i].T @ d, 0.0) for d in chosen] + ([np.zeros(4)] if sticks else [])
        shares.append((len(columns), len(columns) + len(parts)))
        limits.append(limit)
        columns += [part[:3] for part in parts]
    matrix = np.array(columns).T.reshape(3, -1)
    for (first, last), limit in zip(shares, limits, strict=True):
        share = np.zeros(matrix.shape[1])
        share[first:last] = 1.0
        matrix, balance = np.vstack([matrix, share]), np.append(balance, limit)
    return optimize.nnls(matrix, balance)[1]


def motion_is_unique(in_contact, loaded, with_friction):
    """(32): nothing but dq = 0 keeps the contacts, does not slide on the loaded ones and does not lose work."""
    keep = [NORMAL[i] for i in range(3) if in_contact[i]] + [np.array([0.0, 0.0, -1.0])]
    hold = [row for i in range(3) if loaded[i] and with_friction for row in TANGENT[i]]
    for axis, sign in itertools.product(range(3), (1.0, -1.0)):
        farthest = optimize.linprog(-sign * np.eye(3)[axis], A_ub=-np.array(keep), b_ub=np.zeros(len(keep)),
                                    A_eq=np.array(hold) if hold else None, b_eq=np.zeros(len(hold)) if hold else None,
                                    bounds=[(-1.0, 1.0)] * 3)
        assert farthest.status == 0
        if farthest.fun < -1e-9:
            return False
    return True
