#!/usr/bin/env python3
"""Anitescu's law with the hover layer of the present state taken out of its gap, compared with the law as printed and
Coulomb's: ADR 0405.

    lagged_law.py [--mu 0.1 0.5 1] [--h 0.01 0.001 0.0002]        needs the Python package

    anitescu   K ∋ λ ⊥ u + φ/h e_n ∈ K*
    lagged     K ∋ λ ⊥ u + (φ/h + μ ‖u_t(v)‖) e_n ∈ K*     v: the velocity in the state; convex too
    free       the same, but v is the velocity that the step would have without contact
    coulomb    K ∋ λ ⊥ u + (φ/h + μ ‖u_t(v⁺)‖) e_n ∈ K*

Each step is posed here and solved with `solve_contact` and quadratic cones; v⁺ and q⁺ = q + h v⁺ are computed here.
Printed per run: the largest upward speed, how far the body climbs above its lowest place since something carried it,
the largest overlap, the distance along x, and the largest gain of energy in a step.
"""

import argparse

import numpy as np
import stiction as st

GRAVITY = 9.81  # [m/s²]
SPEED = 2.0     # along x at the start [m/s]
HALF = 0.05     # half an edge of the block, radius of the ball [m]
FRAME = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # rows n, t, o
LAWS = ("anitescu", "lagged", "free", "coulomb")


def cross(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def rotate(Q, w):
    """Q turned by the rotation vector w [rad] (Cayley's map: orthogonal, of second order)."""
    return np.linalg.solve(np.eye(3) - cross(w) / 2, np.eye(3) + cross(w) / 2) @ Q


class Body:
    """A block or a ball of 1 kg over the floor; velocities in world axes."""

    def __init__(self, shape, height, speed=SPEED):
        inertia = (2 / 3 if shape == "block" else 2 / 5) * HALF**2
        self.shape, self.mass = shape, np.diag([1.0, 1.0, 1.0, inertia, inertia, inertia])
        self.p, self.Q, self.v = np.array([0, 0, HALF + height]), np.eye(3), np.array([speed, 0, 0, 0, 0, 0])

    def contacts(self):
        corners = HALF * np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) @ self.Q.T
        lowest = corners[np.argsort(corners[:, 2])[:4]] if self.shape == "block" else np.array([[0, 0, -HALF]])
        J = np.vstack([FRAME @ np.hstack([np.eye(3), -cross(r)]) for r in lowest])
        return self.p[2] + lowest[:, 2], J, np.ones(len(lowest))

    def move(self, v, h):
        self.v, self.p, self.Q = v, self.p + h * v[:3], rotate(self.Q, h * v[3:])

    def height(self):
        return self.contacts()[0].min()


class Struck:
    """A point of 1 kg at rest, struck along x by another without friction: velocities x, y, z and that of the striker."""

    def __init__(self):
        self.mass, self.p, self.v = np.eye(4), np.zeros(4), np.array([0, 0, 0, SPEED])

    def contacts(self):
        hit = np.array([[1.0, 0, 0, -1], [0, 0, 0, 0], [0, 0, 0, 0]])
        J = np.vstack([np.hstack([FRAME, np.zeros((3, 1))]), hit])
        return np.array([self.p[2], self.p[0] - self.p[3]]), J, np.array([1.0, 0.0])

    def move(self, v, h):
        self.v, self.p = v, self.p + h * v

    def height(self):
        return self.p[2]


def energy(system):
    return system.v @ system.mass @ system.v / 2 + GRAVITY * system.p[2]


def run(system, law, mu, h, duration):
    """(upward speed, climb, overlap, distance, gain of energy)"""
    rises = climb = overlap = gain = 0.0
    lowest = system.height() if system.height() <= 0.0 else np.inf
    weight = np.zeros(len(system.v))
    weight[2] = -GRAVITY
    for _ in range(round(duration / h)):
        phi, J, rough = system.contacts()
        g, before = system.mass @ system.v + h * weight, energy(system)
        shifts = {"lagged": system.v, "free": np.linalg.solve(system.mass, g)}
        slip = np.linalg.norm((J @ shifts[law]).reshape(-1, 3)[:, 1:], axis=1) if law in shifts else 0.0
        answer = st.solve_contact(system.mass, g, J, phi + h * mu * rough * slip, mu * rough, h, cone="quadratic",
                                  law="coulomb" if law == "coulomb" else "anitescu", tolerance=1e-10)  # fmt: skip
        assert answer.status == st.Status.CONVERGED, (law, mu, h)
        system.move(np.array(answer.v), h)
        gain, overlap = max(gain, energy(system) - before), max(overlap, -system.height())
        if lowest < np.inf or answer.lambda_[0] > 1e-9:
            lowest = min(lowest, system.height())
            rises, climb = max(rises, system.v[2]), max(climb, system.height() - lowest)
    return rises, climb, overlap, system.p[0], gain


CASES = {
    "block set sliding": lambda: Body("block", 0.0),
    "block dropped by 0.1 m": lambda: Body("block", 0.1),
    "ball set sliding": lambda: Body("ball", 0.0),
    "point struck at rest": Struck,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mu", type=float, nargs="+", default=[0.1, 0.5, 1.0])
    parser.add_argument("--h", type=float, nargs="+", default=[0.01, 0.001, 0.0002])
    arguments = parser.parse_args()
    print("| case | μ | h [ms] | law | rises with [m/s] | climbs [mm] | overlap [mm] | way [m] | gains [mJ] |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case, make in CASES.items():
        for mu in arguments.mu:
            for h in arguments.h:
                for law in LAWS:
                    rises, climb, overlap, way, gain = run(make(), law, mu, h, 0.6)
                    print(f"| {case} | {mu:g} | {1e3 * h:g} | {law} | {rises:.3f} | {1e3 * climb:.2f} | "
                          f"{1e3 * overlap:.3f} | {way:.4f} | {1e3 * gain:.1f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
