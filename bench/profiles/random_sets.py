"""Random contact problems: bodies in layers, each on one below or on the ground. Seeded, with a solution by construction.

    well        masses within a factor of 3, one contact a body, with the one below: a tree, two on each
    ratio_1e4   masses from 0.01 to 100 kg, patches of four coplanar contacts: redundant, W has a fifth to a half of its rank
    ratio_1e6   masses from 0.001 to 1000 kg, the same
    singular    as ratio_1e4, but H is zero on every other body, as in quasistatic steps; g is H v* − Jᵀλ* with λ* inside
                its cone, so that the problem is bounded
"""

import numpy as np
from contact import FACETS, Contact, delassus

KINDS = {"well": (3.0, 1), "ratio_1e4": (1e4, 4), "ratio_1e6": (1e6, 4), "singular": (1e4, 4)}  # mass ratio, contacts a patch
COUNTS = (4, 8, 16, 32, 64, 128, 256)
MOST_SINGLE = 128    # contacts of the first kind, whose bodies are as many
STEP = 0.01          # [s]
SIZE = 0.1           # of a body: arms of its contacts, and the length of its rotations [m]
FRICTION = (0.3, 0.9)
PATCHES = 1.5        # a body of the redundant kinds
SINGLES = 1          # contacts a body of the others, so that no body's motion is nearly determined by its contacts alone


def frame(rng, tilt):
    """Rows n, t, o: n near to the vertical."""
    n = np.array([0.0, 0.0, 1.0]) + tilt * rng.normal(size=3)
    n /= np.linalg.norm(n)
    t = np.cross(n, rng.normal(size=3))
    t /= np.linalg.norm(t)
    return np.array([n, t, np.cross(n, t)])


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def rows_of(axes, arm):
    """Velocity of a body's point along the axes: (3, 6)."""
    return axes @ np.hstack([np.eye(3), -skew(arm)])


def patch(rng, count):
    """`count` points of one body's contact with another, in one plane where there are several, and their frame."""
    axes = frame(rng, 0.3)
    square = SIZE * 0.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * rng.uniform(0.5, 1, 2)
    if count == 1:
        square = SIZE * rng.uniform(-1, 1, (1, 2))
    return axes, [-SIZE * axes[0] + x * axes[1] + y * axes[2] for x, y in square[:count]]


def partner(rng, body, at_once):
    """The body below, -1 for the ground. Single contacts: a tree, in which every body carries two."""
    if at_once == 1:
        return (body + 1) // 2 - 1
    return max(-1, body - 1 - int(rng.integers(0, 3)))


def jacobian(rng, contacts, bodies, at_once):
    """(3 contacts, 6 bodies)."""
    J = np.zeros((3 * contacts, 6 * bodies))
    for k in range(contacts // at_once):
        body = k % bodies
        below = partner(rng, body, at_once)
        axes, arms = patch(rng, at_once)
        for i, arm in enumerate(arms, start=k * at_once):
            J[3 * i : 3 * i + 3, 6 * body : 6 * body + 6] = rows_of(axes, arm)
            if below >= 0:
                J[3 * i : 3 * i + 3, 6 * below : 6 * below + 6] = -rows_of(axes, arm + 2 * SIZE * axes[0])
    return J


def impulses_inside(rng, mu):
    """λ strictly inside the pyramids, normals of 0.1 N s on average."""
    normal = rng.exponential(0.1, len(mu))
    tangential = (0.5 * mu * normal)[:, None] * rng.uniform(-1, 1, (len(mu), 2)) / np.sqrt(2)
    return np.column_stack([normal, tangential]).ravel()


def make(kind, contacts, seed):
    rng = np.random.default_rng([seed, contacts, list(KINDS).index(kind)])
    ratio, at_once = KINDS[kind]
    bodies = max(1, round(contacts / (SINGLES if at_once == 1 else at_once * PATCHES)))
    J = jacobian(rng, contacts, bodies, at_once)
    mass = ratio ** rng.uniform(-0.5, 0.5, bodies)
    inertia = np.repeat(mass, 6) * np.tile([1, 1, 1, *3 * [0.4 * SIZE**2]], bodies)
    mu = rng.uniform(*FRICTION, contacts)
    gap_rate = np.where(rng.random(contacts) < 0.6, 0.0, rng.exponential(1e-3, contacts)) / STEP
    v = rng.normal(size=6 * bodies) * np.tile([0.2, 0.2, 0.2, 1, 1, 1], bodies) - np.tile([0, 0, 0.3, 0, 0, 0], bodies)
    if kind == "singular":
        inertia[np.arange(6 * bodies) // 6 % 2 == 0] = 0.0
        g = inertia * v - J.T @ impulses_inside(rng, mu)
    else:
        g = inertia * v
    radius = np.tile([1, 1, 1, *3 * [SIZE]], bodies)
    return Contact(STEP, np.diag(inertia), g, J, np.zeros(3 * contacts), gap_rate, mu, radius, np.full(bodies, 6))


def counts(kind):
    return [n for n in COUNTS if kind != "well" or n <= MOST_SINGLE]


def lcp_of(p):
    """Stewart and Trinkle's LCP of a problem with a Delassus matrix: (M, q) with z = (λ_n, β, γ), facets of contact.py."""
    W, q = delassus(p)
    n, angle = p.contacts, 2 * np.pi * np.arange(FACETS) / FACETS
    D = np.zeros((3 * n, n * (1 + FACETS)))   # λ = D (λ_n, β)
    D[0::3, :n] = np.eye(n)
    for i in range(n):
        D[3 * i + 1 : 3 * i + 3, n + FACETS * i : n + FACETS * (i + 1)] = [np.cos(angle), np.sin(angle)]
    E = np.kron(np.eye(n), np.ones((FACETS, 1)))
    M = np.zeros((n * (2 + FACETS), n * (2 + FACETS)))
    M[: n * (1 + FACETS), : n * (1 + FACETS)] = D.T @ W @ D
    M[n : n * (1 + FACETS), n * (1 + FACETS) :] = E
    M[n * (1 + FACETS) :, :n], M[n * (1 + FACETS) :, n : n * (1 + FACETS)] = np.diag(p.mu), -E.T
    return M, np.concatenate([D.T @ q, np.zeros(n)])
