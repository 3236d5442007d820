"""The gripper of Pang and Tedrake 2021, Fig. 2: its matrices, and what a step leaves of the paper's equations.

    0 = N_u λ_n + D_u λ_f + h τ_u,   0 = N_a λ_n + D_a λ_f + h τ_a + h K (Δq̄_a − h v_a)                    (6b), (6c)
    0 <= λ_n ⊥ φ + h n·v >= 0                                                                              (1d)
    0 <= λ_f ⊥ Γ e + h Dᵀv >= 0,   0 <= Γ ⊥ μ λ_n − eᵀλ_f >= 0                                             (1e), (1f)
    0 <= β_j ⊥ φ/h + n·v + μ d_j·v >= 0,   λ_n = Σ β_j,  λ_f = μ (β_1 − β_2)                               (7), (8)
    0 = Σ (n + μ d_j) β_j + h τ + h K (Δq̄ − h v)                                                          (9a), (9b)
    min ½ h² v_aᵀ K v_a − h (K Δq̄_a)·v_a − h τ·v   s.t.   φ/h + (n + μ d_j)·v >= 0                        (10)

    symbol       variable       shape                                                unit
    q            q              (5): x_c, y_c | x_l, x_r, y                          m
    n_i, d_i1    NORMAL, SIDE   (5, 3) columns: left finger, right finger, ground; d_i2 = −d_i1
    K            STIFFNESS      (5), 0 where not actuated                            N/m
    τ            LOAD           (5)                                                  N
    φ            gaps           (3)                                                  m
    c = λ/h      normal, side   (3) each                                             N

Readings: (10a) as printed leaves out τ_u, which the Lagrangian (11) has; (11) prints q̄ for Δq̄; "impulses" of (6) are h
times the forces here. There is no equation (12) in the paper.
"""

import numpy as np

STEP_SIZE, STEPS, RADIUS, FRICTION = 0.01, 35, 0.1, 0.5
STIFFNESS = np.array([0.0, 0.0, 1000.0, 1000.0, 1000.0])
LOAD = np.array([0.0, -10.0, 0.0, 0.0, 0.0])
ACTUATED = slice(2, 5)
LEFT, RIGHT, GROUND = range(3)
NORMAL = np.array([[1.0, 0.0, -1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]]).T
SIDE = np.array([[0.0, 1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 0.0, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0, 0.0]]).T
GENERATORS = np.hstack([NORMAL + FRICTION * SIDE, NORMAL - FRICTION * SIDE])  # n + μ d_j: j = 1 of all, then j = 2


def gaps(q):
    """φ of Fig. 2"""
    return np.array([q[0] - q[2] - RADIUS, q[3] - q[0] - RADIUS, q[1] - RADIUS])


def complement(a, b):
    """Largest |min(a, b)|: zero where 0 <= a ⊥ b >= 0."""
    return np.abs(np.minimum(a, b)).max()


class Step:
    """One step: q, q⁺ and the command at its end in the paper's order, forces on the ball [N]."""

    def __init__(self, q, q_next, v, command, normal, side):
        self.q, self.q_next, self.command = q, q_next, command
        self.v = v  # v [m/s]
        self.normal, self.side = normal, side
        self.lag = np.concatenate([np.zeros(2), command - q[ACTUATED]])  # Δq̄ [m]

    def imbalance(self):
        """(6b) and (6c), divided by h [N]"""
        spring = STIFFNESS * (self.lag - STEP_SIZE * self.v)
        total = NORMAL @ self.normal + SIDE @ self.side + LOAD + spring
        return np.abs(total[:2]).max(), np.abs(total[ACTUATED]).max()

    def finger_imbalance(self):
        """(3): k (x̄_l − x_l) + f_n1 [N], the force on the left finger being −c_n1"""
        return abs(STIFFNESS[2] * (self.command[0] - self.q_next[2]) - self.normal[LEFT])

    def normal_complementarity(self):
        """(1d): forces in 10 N, distances in m"""
        return complement(self.normal / -LOAD[1], gaps(self.q) + STEP_SIZE * NORMAL.T @ self.v)

    def coulomb_friction(self):
        """(1e), (1f): λ_f in 10 N, Γ/h and slips in m/s"""
        slip = SIDE.T @ self.v
        shares = np.maximum(np.stack([self.side, -self.side]), 0.0) / -LOAD[1]
        gamma = np.abs(slip)
        along = complement(shares, np.stack([gamma + slip, gamma - slip]))
        return max(along, complement(gamma, FRICTION * self.normal / -LOAD[1] - shares.sum(axis=0)))

    def generator_forces(self):
        """β_j over h: all of j = 1, then all of j = 2 [N]"""
        return np.concatenate([self.normal + self.side / FRICTION, self.normal - self.side / FRICTION]) / 2.0

    def anitescu_friction(self):
        """(7), (8), (9c): β in 10 N, speeds in m/s"""
        gap_rate = np.tile(gaps(self.q), 2) / STEP_SIZE
        return complement(self.generator_forces() / -LOAD[1], gap_rate + GENERATORS.T @ self.v)

    def generator_imbalance(self):
        """(9a), (9b), divided by h [N]: the gradient of the Lagrangian (11)"""
        spring = STIFFNESS * (self.lag - STEP_SIZE * self.v)
        return np.abs(GENERATORS @ self.generator_forces() + LOAD + spring).max()

    def objective(self, v):
        """(10a) with τ_u [J]"""
        return 0.5 * STEP_SIZE**2 * v @ (STIFFNESS * v) - STEP_SIZE * (STIFFNESS * self.lag + LOAD) @ v

    def lagrangian(self, v):
        """(11) [J]"""
        rows = np.tile(gaps(self.q), 2) / STEP_SIZE + GENERATORS.T @ v
        return self.objective(v) - STEP_SIZE * self.generator_forces() @ rows

    def program(self):
        """H, g, A, b of (10): minimise ½ vᵀH v − gᵀv subject to A v + b >= 0"""
        gradient = STEP_SIZE * (STIFFNESS * self.lag + LOAD)
        return np.diag(STEP_SIZE**2 * STIFFNESS), gradient, GENERATORS.T, np.tile(gaps(self.q), 2) / STEP_SIZE
