"""2005, 1.1: without stabilisation a step's LCP always has a solution, and Lemke's method finds it (Anitescu, Potra).

    w = [Fᵀ M⁻¹ F, E; U, −Eᵀ, 0] z + [Fᵀ v; 0],   F = (W_n, W_f),   z = (λ_n, λ_f, σ)

Two bodies of random masses, six contacts with the world at random points, four directions each, μ up to 2, random v.
"""

import numpy as np

PROBLEMS, BODIES, CONTACTS, SIDES = 500, 2, 6, 4
SOLVED = 1e-9  # of min(z, w), z and w of order 1


def random_problem(rng):
    normals, tangents = [], []
    for _ in range(CONTACTS):
        body, point = rng.integers(BODIES), rng.normal(size=3)
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
        along = [frame[:, 0], *(np.cos(a) * frame[:, 1] + np.sin(a) * frame[:, 2] for a in angles)]
        columns = np.zeros((len(along), BODIES, 6))
        columns[:, body] = [np.append(d, np.cross(point, d)) for d in along]
        columns = columns.reshape(len(along), -1)
        normals.append(columns[0])
        tangents.extend(columns[1:])
    mass = np.exp(rng.uniform(-1.0, 1.0, BODIES)).repeat(6)
    forces = np.array(normals + tangents).T
    members = np.kron(np.eye(CONTACTS), np.ones((SIDES, 1)))  # E
    size = forces.shape[1]
    matrix = np.zeros((size + CONTACTS, size + CONTACTS))
    matrix[:size, :size] = forces.T @ (forces / mass[:, None])
    matrix[CONTACTS:size, size:] = members
    matrix[size:, :CONTACTS] = np.diag(rng.uniform(0.0, 2.0, CONTACTS))
    matrix[size:, CONTACTS:size] = -members.T
    return matrix, np.append(forces.T @ rng.normal(size=6 * BODIES), np.zeros(CONTACTS))


def test_without_stabilisation_every_step_has_a_solution(st, measured):
    rng = np.random.default_rng(1)
    matrices, right = map(np.array, zip(*(random_problem(rng) for _ in range(PROBLEMS)), strict=True))
    answers = st.solve_lcp(matrices, right, tolerance=SOLVED)
    w = np.einsum("bij,bj->bi", matrices, answers.z) + right
    assert np.abs(np.minimum(answers.z, w)).max() <= SOLVED * max(1.0, np.abs(answers.z).max())
    measured("2005/always-solvable", (answers.status == st.Status.CONVERGED).mean())
