#!/usr/bin/env python3
"""Judges recorded runs of the stacking scenes: does every cube end on its place, is nothing thrown away or pushed in?

    judge_stack.py FILE.h5 ... [--targets FILE.csv] [--share 0.96875] [--each]

Limits by step size h [s]: position 5 mm and angle 2 deg up to 0.1, else 15 mm and 6 deg; overlap 1 mm up to 0.1, 3 mm up
to 0.2, else 8 mm. Exit 0: in every file enough environments succeed, none throws a cube and no overlap is too deep;
1: otherwise; 2: bad input.
"""

import argparse
import csv
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from scenes.recording import SCENES, BadInput, Recording, fail, turn_of

ARENA = 1.5          # a cube farther from the origin than this was thrown [m]
CONVERGED = 1        # status bit


def limits(step_size):
    """(position [m], angle [deg], overlap [m]) that a run with this step may show."""
    h = step_size - 1e-9
    overlap = 0.001 if h <= 0.1 else 0.003 if h <= 0.2 else 0.008
    return (0.005, 2.0, overlap) if h <= 0.1 else (0.015, 6.0, overlap)


def read_targets(recording, file):
    """{joint: (x, y, z, yaw)} from the scene's targets.csv."""
    path = pathlib.Path(file) if file else SCENES / str(recording.attribute("scene")) / "targets.csv"
    if not path.is_file():
        raise BadInput(f"{path}: no such file; name the targets with --targets FILE.csv")
    with open(path, newline="") as lines:
        rows = list(csv.DictReader(lines))
    try:
        targets = {row["joint"]: [float(row[key]) for key in ("x", "y", "z", "yaw")] for row in rows}
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{path}: expected the columns joint, x, y, z, yaw with numbers ({error})") from error
    missing = [name for name in targets if name not in recording.cubes]
    if missing or not targets:
        raise BadInput(f"{path}: {missing[0] if missing else 'no target'} is no free joint of {recording.name}")
    return targets


def errors(recording, targets):
    """Position error [m], tilt and yaw error [deg], (batch, cubes) each, at the last row."""
    last = np.asarray(recording.file["qpos"][recording.rows - 1], dtype=float)
    position, tilt, yaw = [], [], []
    for name, (x, y, z, turn) in targets.items():
        a = recording.cubes[name]
        position.append(np.linalg.norm(last[:, a : a + 3] - [x, y, z], axis=1))
        tilted, turned = turn_of(last[:, a + 3 : a + 7])
        tilt.append(tilted)
        yaw.append(np.abs((turned - np.rad2deg(turn) + 45) % 90 - 45))
    return np.array(position).T, np.array(tilt).T, np.array(yaw).T


def thrown(recording):
    """Environments in which a cube was far away, or nowhere, at any recorded time (batch)."""
    away = np.zeros(recording.batch, dtype=bool)
    for start in range(0, recording.rows, 256):
        qpos = np.asarray(recording.file["qpos"][start : min(start + 256, recording.rows)], dtype=float)
        for a in recording.cubes.values():
            distance = np.linalg.norm(qpos[:, :, a : a + 3], axis=2)
            away |= ~np.all(distance < ARENA, axis=0)
    return away


def deepest(recording):
    """Deepest overlap after any step [m]; NaN if it was not recorded."""
    if "penetration" not in recording.file or recording.rows < 2:
        return np.nan
    return float(np.nanmax(recording.file["penetration"][1 : recording.rows]))


def count_steps(recording):
    """Recorded steps of all environments, and how many of them did not converge."""
    if "status" not in recording.file or recording.rows < 2:
        return 0, 0
    status = recording.file["status"][1 : recording.rows]
    return status.size, int(np.sum(status & CONVERGED == 0))


def judge(recording, targets):
    """The figures of one file."""
    position, tilt, yaw = errors(recording, targets)
    most_position, most_angle, most_overlap = limits(recording.step_size())
    good = np.isfinite(position) & (position <= most_position) & (tilt <= most_angle) & (yaw <= most_angle)
    away = thrown(recording)
    steps, not_converged = count_steps(recording)
    return {"good": good, "success": good.all(axis=1) & ~away, "thrown": away, "position": position, "tilt": tilt,
            "yaw": yaw, "overlap": deepest(recording), "most_overlap": most_overlap,
            "steps": steps, "not_converged": not_converged}


HEADER = (f"{'file':28s} {'h [s]':>7s} {'success':>9s} {'thrown':>6s} {'worst mm':>9s} {'tilt deg':>8s} {'yaw deg':>8s} "
          f"{'overlap mm':>10s} {'converged':>9s}")


def print_row(recording, found):
    success = f"{found['success'].sum()}/{recording.batch}"
    share = 100 * (1 - found["not_converged"] / found["steps"]) if found["steps"] else np.nan
    print(f"{pathlib.Path(recording.name).name:28s} {recording.step_size():7.4g} {success:>9s} "
          f"{found['thrown'].sum():6d} {1e3 * found['position'].max():9.3g} {found['tilt'].max():8.2g} "
          f"{found['yaw'].max():8.2g} {1e3 * found['overlap']:10.3g} {share:8.2f}%")


def print_failures(found, targets):
    for env, cube in np.argwhere(~found["good"]):
        print(f"  environment {env}, {list(targets)[cube]}: {1e3 * found['position'][env, cube]:.1f} mm, "
              f"tilt {found['tilt'][env, cube]:.2f} deg, yaw {found['yaw'][env, cube]:.2f} deg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="+", help="recording of stiction run")
    parser.add_argument("--targets", help="targets.csv; default: that of the recorded scene")
    parser.add_argument("--share", type=float, default=62 / 64, help="least share of environments that succeed")
    parser.add_argument("--each", action="store_true", help="list every cube that is off its place")
    arguments = parser.parse_args()
    passed = True
    print(HEADER)
    for file in arguments.file:
        recording = Recording(file)
        targets = read_targets(recording, arguments.targets)
        found = judge(recording, targets)
        print_row(recording, found)
        if arguments.each:
            print_failures(found, targets)
        passed &= found["success"].mean() >= arguments.share and not found["thrown"].any()
        passed &= not found["overlap"] > found["most_overlap"]
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        fail(error)
