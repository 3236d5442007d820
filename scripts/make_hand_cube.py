#!/usr/bin/env python3
"""Makes the command of scenes/hand_cube: joint targets of four fingers that turn the cube.

    make_hand_cube.py [--check]     --check: compare with the committed file instead of writing it

In a stroke, the tips of the four fingers close on the four faces, turn the cube about its upright axis, let go and
return. The targets make the hand hold with FORCE: q + Jᵀ f / kp, with q from inverse kinematics.
"""

import argparse
import pathlib
import sys
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from scipy.optimize import least_squares

SCENE = pathlib.Path(__file__).resolve().parent.parent / "scenes/hand_cube"
KNOT = 0.4            # [s]
CENTRE = np.array([-0.009, 0.0, 0.0311])  # of the cube [m]
HALF, TIP = 0.020, 0.012  # half edge and radius of a fingertip [m]
STROKES = np.deg2rad([(-34, 0, 8), (0, 44, -8)])  # the cube's angle at either end, the tips' offset between them
CHORDS = 4            # chords per stroke
GRIP_HEIGHT = 0.006   # of the tips above the cube's centre [m]
OPEN, WIDE = 0.008, 0.018  # clearance of open tips between the strokes, and before and after them [m]
FORCE = 3.0           # of a tip [N]
SIDEWAYS = 0.019      # reach of the middle finger to either side [m]
MISS = 0.001          # largest distance of a closed tip from its place: the middle finger bends no further [m]
FACES = {"index": -90.0, "middle": 0.0, "ring": 90.0, "thumb": 180.0}  # where a finger works, about the cube's axis [deg]
POSTURE = {"index": [0.0, 0.9, 1.3, 0.6], "middle": [0.0, 0.9, 1.3, 0.6], "ring": [0.0, 0.9, 1.3, 0.6],
           "thumb": [1.1, 0.6, 0.5, 0.8]}  # inverse kinematics stays near [rad]
FINGERS = list(POSTURE)


@dataclass(frozen=True)
class Knot:
    """Tips around the cube: the cube's angle, where the tips are along its faces, their clearance and share of the force."""
    angle: float
    along: float
    clearance: float = 0.0
    force: float = 0.0

    def tip(self):
        """Centre of a tip at the face x = HALF of the cube [m]."""
        return np.array([HALF + TIP + self.clearance, self.along, GRIP_HEIGHT])


def stroke_knots(first, last, offset):
    """One stroke, from open hand to open hand. A tip does not turn with the cube: it rolls back along the face."""
    angles = np.linspace(first, last, CHORDS + 1)
    alongs = HALF * np.tan(offset) - TIP * (angles - (first + last) / 2)
    places = [Knot(*place) for place in zip(angles, alongs)]
    grip = [replace(places[0], clearance=OPEN), places[0], *(replace(place, force=1.0) for place in places)]
    return [*grip, places[-1], replace(places[-1], clearance=OPEN)]


def path():
    """All knots; between two strokes the cube's faces lie square to the hand, and the open tips go back along them."""
    knots = [knot for stroke in STROKES for knot in stroke_knots(*stroke)]
    return [replace(knots[0], clearance=WIDE), *knots, replace(knots[-1], clearance=WIDE)]


def turned(vector, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ vector


class Hand:
    """Kinematics of the hand alone."""

    def __init__(self):
        self.model = mujoco.MjModel.from_xml_path(str(SCENE / "hand.xml"))
        self.data = mujoco.MjData(self.model)
        self.columns = {f: [self.model.joint(f"{f}_{k}").qposadr[0] for k in range(4)] for f in FINGERS}
        self.kp = self.model.actuator_gainprm[:, 0]

    def tip(self, finger, angles):
        """Position of the tip's centre [m] and its Jacobian (3, 4)."""
        self.data.qpos[self.columns[finger]] = angles
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        jacobian, site = np.zeros((3, self.model.nv)), self.model.site(f"{finger}_tip").id
        mujoco.mj_jacSite(self.model, self.data, jacobian, None, site)
        return self.data.site_xpos[site].copy(), jacobian[:, self.columns[finger]]

    def reach(self, finger, target):
        """Of the angles within limits that bring the tip to the target, those nearest to the posture."""
        posture, limits = np.array(POSTURE[finger]), self.model.jnt_range[self.columns[finger]].T

        def residual(angles):
            return np.append(100 * (self.tip(finger, angles)[0] - target), 0.003 * (angles - posture))

        return least_squares(residual, posture, bounds=limits, xtol=1e-15, ftol=1e-15, gtol=1e-15).x

    def command(self, finger, knot):
        """Targets of a finger's actuators [rad], and how far its tip is from its place [m]."""
        face = np.deg2rad(FACES[finger])
        target = CENTRE + turned(knot.tip(), knot.angle + face)
        if finger == "middle":
            target[1] = np.clip(target[1], -SIDEWAYS, SIDEWAYS)
        angles = self.reach(finger, target)
        position, jacobian = self.tip(finger, angles)
        inwards = turned([-1.0, 0.0, 0.0], knot.angle + np.arctan2(knot.along, HALF) + face)
        return (angles + jacobian.T @ inwards * knot.force * FORCE / self.kp[self.columns[finger]],
                np.linalg.norm(position - target))


def commands(hand, knots):
    """(knots, 16) targets in the order of the actuators, and the largest distance of a tip from its place [m]."""
    rows, worst = np.zeros((len(knots), 16)), 0.0
    for row, knot in zip(rows, knots):
        for finger in FINGERS:
            row[hand.columns[finger]], missed = hand.command(finger, knot)
            worst = max(worst, 0.0 if knot.clearance > 0 else missed)  # open tips need not reach their places
    return rows, worst


def command_csv(rows):
    names = [f"{finger}_{k}" for finger in FINGERS for k in range(4)]
    lines = ["time," + ",".join(names)]
    lines += [",".join([f"{KNOT * k:.1f}", *(f"{c + 0.0:.5f}" for c in row)]) for k, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed file, write nothing")
    arguments = parser.parse_args()
    rows, worst = commands(Hand(), path())
    print(f"hand_cube: {len(rows)} knots, {KNOT * (len(rows) - 1):g} s, tips within {1e3 * worst:.1f} mm of their places")
    file = SCENE / "command.csv"
    if not arguments.check:
        file.write_text(command_csv(rows))
    elif file.read_text() != command_csv(rows):
        sys.exit(f"error: {file.name} differs from what this script makes")
    if worst > MISS:
        sys.exit("error: a tip does not reach its place")


if __name__ == "__main__":
    main()
