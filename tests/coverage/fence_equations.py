"""Section 5 of Trinkle, Berard and Pang 2005 as printed: its matrices, and what a step leaves of every equation.

    0 = W_n λ_n + W_t λ_t + W_o λ_o + f                                                         (1)
    0 <= λ_n ⊥ W_nᵀ q⁺ + b_n >= 0                                                               (20)
    0 = (U λ_n) ∘ (W_tᵀ q⁺ + b_t) + λ_t ∘ σ h,  the same for o                                  (21), (22)
    0 <= σ ⊥ (U λ_n)² − λ_t² − λ_o² >= 0                                                        (23)
    0 = W_n λ_n + W_f λ_f + f                                                                   (12)
    0 <= λ_f ⊥ W_fᵀν + E σ + ∂ψ_f/∂t >= 0,  0 <= σ ⊥ U λ_n − Eᵀλ_f >= 0                         (17), (18)

    symbol     variable             shape                        unit
    W_n        NORMAL               (3, 3) columns: wall, fence, floor
    W_t, W_o   TANGENT, BITANGENT   (3, 3) columns as of W_n
    W_f        directions           (3, n_f): 2 of the wall, 2 of the fence, n_d of the floor
    E          sides                (n_f, 3): which contact a direction belongs to
    λ          normal, t, o         (3)                          N; here over the weight m g
    b          offset_*             (3)                          m

G is the identity: the particle does not turn. Readings: (50) prints Eᵀ, as (26) multiplies E with σ (3); (51) has the
vertical as direction o of wall and fence, where the paper's third footnote allows no friction, so μ_o is 0 there.
"""

import numpy as np

MASS, GRAVITY, STEP_SIZE, STEPS = 1.0, 9.81, 0.01, 600
WEIGHT = MASS * GRAVITY  # [N]
LOAD = np.array([0.0, 0.0, -WEIGHT])  # f [N]
START = np.array([0.7, 0.0, 0.0])
WALL, FENCE, FLOOR = range(3)

NORMAL = np.array([[-1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # (48)
TANGENT = np.array([[0.0, 0.0, 1.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])  # (51)
BITANGENT = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])


def friction_coefficients(of_fence=0.5):
    """U (48), its diagonal."""
    return np.array([0.5, of_fence, 0.5])


def directions(sides_of_floor):
    """W_f (49) and the contact of every column; the floor's directions at angles 2πj/n_d from +x (Figs. 1 and 3)."""
    angles = 2.0 * np.pi * np.arange(sides_of_floor) / sides_of_floor
    along = [(0.0, -1.0), (0.0, 1.0), (0.0, 1.0), (0.0, -1.0), *zip(np.cos(angles), np.sin(angles), strict=True)]
    contact = np.array([WALL, WALL, FENCE, FENCE] + [FLOOR] * sides_of_floor)
    return np.array([[x, y, 0.0] for x, y in along]).T, contact


def fence_position(t):
    """x_fence, y_fence (52), (53)."""
    return np.array([0.5 + 0.4 * np.sin(t), t])


def fence_rate(t):
    return np.array([0.4 * np.cos(t), 1.0])


def distances(q, t):
    """ψ_n (37) to (39)."""
    return np.array([1.0 - q[0], q[0] - fence_position(t)[0], q[2]])


def distance_rates(t):
    """∂ψ_n/∂t"""
    return np.array([0.0, -fence_rate(t)[0], 0.0])


def tangential_rates(t):
    """∂ψ_t/∂t of (42), with (44), (45): only the fence's surface moves."""
    return np.array([0.0, -fence_rate(t)[1], 0.0])


def normal_offset(q, t):
    """b_n = ψ_n + h ∂ψ_n/∂t − W_nᵀ q"""
    return distances(q, t) + STEP_SIZE * distance_rates(t) - NORMAL.T @ q


def complement(a, b):
    """Largest |min(a, b)|: zero where 0 <= a ⊥ b >= 0."""
    return np.abs(np.minimum(a, b)).max(initial=0.0)


class Step:
    """One step of the particle: q at t, q⁺ at t + h, forces over the weight."""

    def __init__(self, t, q, q_next, normal, t_force, o_force):
        self.t, self.q, self.q_next = t, q, q_next
        self.normal, self.t_force, self.o_force = normal / WEIGHT, t_force / WEIGHT, o_force / WEIGHT
        self.next_distance = NORMAL.T @ q_next + normal_offset(q, t)  # (20) [m]
        moved = q_next - q
        self.slip_t = TANGENT.T @ moved / STEP_SIZE + tangential_rates(t)  # v_t [m/s]
        self.slip_o = BITANGENT.T @ moved / STEP_SIZE  # v_o [m/s]
        self.slip_o[:FLOOR] = 0.0  # no friction along o there

    def imbalance(self):
        """(1)"""
        total = NORMAL @ self.normal + TANGENT @ self.t_force + BITANGENT @ self.o_force + LOAD / WEIGHT
        return np.abs(total).max()

    def normal_complementarity(self):
        """(20): forces over the weight, distances in metres"""
        return complement(self.normal, self.next_distance)

    def slip_speed(self):
        return np.hypot(self.slip_t, self.slip_o)

    def quadratic_friction(self, friction):
        """(21) and (22) over h m g [m/s], and (23) over (m g)²"""
        limit, sigma = friction * self.normal, self.slip_speed()
        along_t = limit * self.slip_t + self.t_force * sigma
        along_o = limit * self.slip_o + self.o_force * sigma
        rest = limit**2 - self.t_force**2 - self.o_force**2
        return max(np.abs(along_t).max(), np.abs(along_o).max()), complement(sigma, rest)

    def dissipation_gap(self, friction):
        """(5): what the dissipation lacks to its maximum over the cone (4), μ λ_n |v| [m/s]"""
        power = -self.t_force * self.slip_t - self.o_force * self.slip_o
        return np.abs(friction * self.normal * self.slip_speed() - power).max()

    def explicit_friction(self, friction, still):
        """(27), (28): largest difference of the forces of the sliding contacts; None where nothing slides"""
        sigma = self.slip_speed()
        sliding = sigma > still
        if not (sliding & (self.normal > still)).any():
            return None
        expected_t = -friction * self.normal * self.slip_t / np.where(sliding, sigma, 1.0)
        expected_o = -friction * self.normal * self.slip_o / np.where(sliding, sigma, 1.0)
        off = np.maximum(np.abs(expected_t - self.t_force), np.abs(expected_o - self.o_force))
        return off[sliding].max()

    def direction_forces(self, sides):
        """λ_f: the shares of least sum of the friction among the directions"""
        columns, contact = directions(sides)
        shares = np.zeros(len(contact))
        for i in range(3):
            force = TANGENT[:2, i] * self.t_force[i] + BITANGENT[:2, i] * self.o_force[i]
            shares[contact == i] = least_shares(columns[:2, contact == i], force)
        return shares

    def linear_friction(self, friction, sides):
        """(12), (17), (18): imbalance, and both complementarities (forces over the weight, speeds in m/s)"""
        columns, contact = directions(sides)
        shares = self.direction_forces(sides)
        belongs = (contact[:, None] == np.arange(3)).astype(float)  # E
        speed = columns.T @ (self.q_next - self.q) / STEP_SIZE
        speed -= fence_rate(self.t)[1] * columns[1] * (contact == FENCE)  # ∂ψ_f/∂t of (42), (43)
        sigma = np.array([max(0.0, (-speed[contact == i]).max()) for i in range(3)])
        balance = NORMAL @ self.normal + columns @ shares + LOAD / WEIGHT
        along = complement(shares, speed + belongs @ sigma)
        return np.abs(balance).max(), along, complement(sigma, friction * self.normal - belongs.T @ shares)

    def equal_directions(self, sides, still):
        """Do two directions of the floor share the largest dissipation of a slide?"""
        columns, contact = directions(sides)
        speed = np.sort((columns.T @ (self.q_next - self.q) / STEP_SIZE)[contact == FLOOR])
        return speed[0] < -still and speed[1] - speed[0] <= still


def least_shares(columns, force):
    """Shares >= 0 of neighbouring columns whose sum is `force`; columns: (2, n) around the circle, or ± one axis."""
    n = columns.shape[1]
    best = None
    for j in range(n):
        shares = np.zeros(n)
        pair = [j, (j + 1) % n]
        shares[pair] = np.linalg.lstsq(columns[:, pair], force, rcond=None)[0] if n > 2 else 0.0
        if n == 2:
            shares[j] = columns[:, j] @ force
        shares = np.maximum(shares, 0.0)
        off = np.abs(columns @ shares - force).max()
        if best is None or off < best[0]:
            best = off, shares
    return best[1]


def mixed_lcp(q, t, friction, sides):
    """B and b of (24) to (26) as printed, forces over the weight: unknowns q⁺, λ_n, λ_f, σ h."""
    columns, contact = directions(sides)
    n = len(contact)
    belongs = (contact[:, None] == np.arange(3)).astype(float)  # E
    zero = np.zeros
    first = np.hstack([zero((3, 3)), NORMAL, columns, zero((3, 3))])
    second = np.hstack([NORMAL.T, zero((3, 3)), zero((3, n)), zero((3, 3))])
    third = np.hstack([columns.T, zero((n, 3)), zero((n, n)), belongs])
    fourth = np.hstack([zero((3, 3)), np.diag(friction), -belongs.T, zero((3, 3))])
    moving = -STEP_SIZE * fence_rate(t)[1] * columns[1] * (contact == FENCE)  # h ∂ψ_f/∂t of (42), (43)
    right = [LOAD / WEIGHT, normal_offset(q, t), moving - columns.T @ q, zero(3)]
    return np.vstack([first, second, third, fourth]), np.concatenate(right)
