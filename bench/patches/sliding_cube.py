"""A cube that slides flat on a plane and spins about the vertical, after Xie and Chakraborty: S1 of their section VI, solved
without a simulator.

Nothing tilts, so p_n = m g h, and the moments about x and y put the ECP at r = a − q⁺ = −(p_x, p_y, p_n) s / (2 p_n),
where the friction has no moment about z. What is left of (18) and (9) are six equations per step:

    m (v⁺ − v) = p,   I (ω⁺ − ω) = p_r,   p_i = −e_i² μ p_n v_i / σ,   σ = sqrt(Σ e_i² v_i²);   at rest: σ = 0
    v_t = v_x − ω r_y,   v_o = v_y + ω r_x,   v_r = ω                  at the ECP
    q⁺ = normalise(q + h G(q) ν⁺):   yaw⁺ = yaw + 2 atan(h ω⁺ / 2)

Without spin it slides straight: p_k = (5 k h − 1.176 h² k (k + 1)/2) (.8, .6) until it stops.
"""

import dataclasses

import numpy as np
from scipy import optimize

SIDE, MASS, GRAVITY = 1.0, 1.0, 9.8   # [m], [kg], [m/s²]
FRICTION, RADIUS = 0.12, 1.0          # μ [-], e_r [m]
VELOCITY = np.array([4.0, 3.0])       # at the start [m/s]
SPIN = 2.0                            # of the scene that turns [rad/s]
STEP_SIZE, STEPS = 0.01, 400
INERTIA = MASS * SIDE**2 / 6.0
MASSES = np.array([MASS, MASS, INERTIA])
LIMIT = FRICTION * MASS * GRAVITY * STEP_SIZE   # μ p_n [N s]
LENGTHS = np.array([1.0, 1.0, RADIUS])          # e


@dataclasses.dataclass
class Motion:
    """Rows of the start and of every step: position (x, y) [m], yaw [rad], velocity (v_x, v_y, ω), and of the step that
    ended there the impulse (p_x, p_y, p_r) and the ECP's place (r_x, r_y) from the centre [m]."""
    position: np.ndarray
    yaw: np.ndarray
    velocity: np.ndarray
    impulse: np.ndarray
    arm: np.ndarray


def arm_of(impulse):
    return -0.5 * SIDE * impulse[:2] * FRICTION / LIMIT


def slip_of(velocity, impulse):
    """(v_t, v_o, v_r) at the ECP."""
    r = arm_of(impulse)
    return velocity + velocity[2] * np.array([-r[1], r[0], 0.0])


def step(velocity):
    """ν⁺ and the impulse of friction of one step."""
    stop = -MASSES * velocity
    if np.linalg.norm(stop / LENGTHS) <= LIMIT:
        return np.zeros(3), stop

    def equations(p):
        """In units of the ellipsoid, p = LIMIT e u: u σ + e v = 0."""
        impulse = LIMIT * LENGTHS * p
        slip = LENGTHS * slip_of(velocity + impulse / MASSES, impulse)
        return p * np.linalg.norm(slip) + slip

    first = LENGTHS * velocity
    answer = optimize.root(equations, -first / np.linalg.norm(first), tol=1e-15)
    p = answer.x / np.linalg.norm(answer.x)
    if np.abs(equations(p)).max() > 1e-13 * (1.0 + np.linalg.norm(velocity)):
        raise ArithmeticError(f"sliding cube: no solution from {velocity}: {answer.message}")
    impulse = LIMIT * LENGTHS * p
    return velocity + impulse / MASSES, impulse


def slide(spin=0.0, steps=STEPS):
    position, yaw, velocity = [np.zeros(2)], [0.0], [np.append(VELOCITY, spin)]
    impulses, arms = [np.zeros(3)], [np.zeros(2)]
    for _ in range(steps):
        after, impulse = step(velocity[-1])
        velocity.append(after)
        position.append(position[-1] + STEP_SIZE * after[:2])
        yaw.append(yaw[-1] + 2.0 * np.arctan(0.5 * STEP_SIZE * after[2]))
        impulses.append(impulse)
        arms.append(arm_of(impulse))
    return Motion(*map(np.array, (position, yaw, velocity, impulses, arms)))


def closed_form(steps=STEPS):
    """(x, y) of every row without spin [m], while it slides."""
    k = np.arange(steps + 1)
    way = 5.0 * STEP_SIZE * k - 1.176 * STEP_SIZE**2 * k * (k + 1) / 2.0
    return way[:, None] * [0.8, 0.6]
