#!/usr/bin/env python3
"""A cube that slides on a plane, straight and with a spin of 2 rad/s, in stiction and in other simulators: figure 6(d) of
Xie and Chakraborty.

    compare_s1.py [--stiction PROGRAM] [--csv FILE]       bench/patches/run installs what the others need

Printed per simulator: the largest percent error of x and y at 1, 2, 3 and 4 s, |q − q_true| / q_true, the distance from the
true place and the error of the yaw at the end. True are the closed form of the scheme, without spin, and with spin the
six equations of the ECP with e_r = 1 m (sliding_cube.py). Others know no friction at a patch: with spin their error is that of their
model, too. Simulators that are not installed are named and left out. --csv keeps every step.
"""

import argparse
import csv

import numpy as np
import ode_peer
import peers
import sliding_cube

SECONDS = (1, 2, 3, 4)


def truth(spin):
    """Rows x, y [m], yaw [rad]."""
    motion = sliding_cube.slide(spin)
    position = motion.position if spin else sliding_cube.closed_form()
    return np.column_stack([position, motion.yaw])


def simulators(program):
    """(name, choices, function)."""
    found = [("ODE", ode_peer.CHOICES, ode_peer.ode), ("Bullet", peers.BULLET, peers.bullet),
             ("MuJoCo", peers.MUJOCO, peers.mujoco), ("Drake", peers.DRAKE, peers.drake)]  # fmt: skip
    ours = lambda spin, choice: peers.stiction(spin, choice, program)
    return [*found, ("stiction", peers.STICTION, ours)] if program else found


def report(label, rows, true):
    """One line of the table."""
    percent = 100 * np.abs(rows[1:, :2] / true[1:, :2] - 1).max(axis=1)
    at = [percent[round(t / sliding_cube.STEP_SIZE) - 1] for t in SECONDS]
    away, turned = np.linalg.norm(rows[-1, :2] - true[-1, :2]), np.degrees(rows[-1, 2] - true[-1, 2])
    print(f"| {label} | " + " | ".join(f"{value:.3g}" for value in at) + f" | {away:.3g} | {turned:.3g} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stiction", metavar="PROGRAM", help="such as build/host-release/bin/stiction")
    parser.add_argument("--csv", metavar="FILE")
    arguments = parser.parse_args()
    kept, missing = [], {}
    for spin in (0.0, sliding_cube.SPIN):
        true = truth(spin)
        print(f"\nspin {spin:g} rad/s; true end ({true[-1, 0]:.6f}, {true[-1, 1]:.6f}) m, {np.degrees(true[-1, 2]):.2f}°\n")
        print("| simulator | % at 1 s | 2 s | 3 s | 4 s | at the end [m] | yaw [deg] |\n|---|---|---|---|---|---|---|")
        for name, choices, simulate in simulators(arguments.stiction):
            for choice in choices:
                label = f"{name}: {choice}"
                try:
                    rows = simulate(spin, choice)
                except (ImportError, OSError) as error:
                    missing[name] = error
                    break
                except RuntimeError as error:
                    missing[label] = str(error).splitlines()[0]
                    continue
                report(label, rows, true)
                kept += [(spin, label, k, *row, *(row - true[k])) for k, row in enumerate(rows)]
    for name, error in missing.items():
        print(f"left out: {name} ({error})")
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            csv.writer(file).writerows([("spin", "simulator", "step", "x", "y", "yaw", "dx", "dy", "dyaw"), *kept])


if __name__ == "__main__":
    main()
