#!/usr/bin/env python3
"""Writes the table of the fence of scenes/fence_particle: fence_command.py [FILE].

The fence (Trinkle, Berard and Pang 2005, section 5) is the plane x = x_f(t) that also slides along y,

    x_f = 0.5 + 0.4 sin t,  y_f = t,      velocity (0.4 cos t, 1)

with one row per step of 0.01 s, so that gap and rate are those of the paper at every step.
"""

import math
import pathlib
import sys

STEP = 0.01  # [s]
STEPS = 600
FILE = pathlib.Path(__file__).parents[2] / "scenes/fence_particle/fence.csv"


def row(t):
    pose = [0.5 + 0.4 * math.sin(t), t, 0.0, 1.0, 0.0, 0.0, 0.0]
    velocity = [0.4 * math.cos(t), 1.0, 0.0, 0.0, 0.0, 0.0]
    return ",".join(repr(x) for x in [t, *pose, *velocity])


def main():
    file = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    lines = ["time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"]
    lines += [row(round(STEP * k, 10)) for k in range(STEPS + 2)]  # the last step's end, and one row beyond it
    file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
