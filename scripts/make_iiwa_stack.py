#!/usr/bin/env python3
"""Makes the stacking scenes: cubes, command knots from inverse kinematics, targets, scene.toml. Checks what it made.

    make_iiwa_stack.py [--check]     --check: compare with the committed files instead of writing them

The table, the robot and the gripper (scenes/iiwa_stack/*.xml) are written by hand; everything else comes from here.
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from scenes import stack_checks, stack_path
from scenes import stack_model as scene

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
VARIANTS = {"iiwa_stack": 10, "iiwa_stack_3": 3, "iiwa_stack_1": 1}

SCENE_TOML = """\
# A KUKA iiwa 14 stacks {what} (made by scripts/make_iiwa_stack.py; README.md has the figures).
model = "{shared}table.xml"

# knots every {knot:g} s for every step size: time [s], joint1 ... joint7 [rad], finger_left, finger_right [m]
command_file = "command.csv"

[[attach]]
model = "{shared}robot.xml"
prefix = "robot/"

[[attach]]
model = "{shared}gripper.xml"
to = "robot/flange"
prefix = "gripper/"

[[attach]]
model = "cubes.xml"
prefix = "cubes/"

[physics]
dynamics = "quasistatic"
law = "anitescu"
cone = "pyramid"
facets = 4
contact_distance = "auto"

[solver]
name = "interior_point"
tolerance = 1e-6

[step]
step_size = 0.1   # [s], free from 0.001 to 0.4
duration = {duration:g}  # [s]

[initial]
qpos = [
  {arm},  # arm [rad]
  {fingers},  # fingers [m]
{cubes}
]

[randomize]
seed = 1

# half widths: along the closing axis, along the finger face, height [m]; about x, y, z [rad]
[randomize.qpos_noise]
{noise}
"""


def number(value):
    return f"{value + 0.0:.10g}" if abs(value) > 5e-13 else "0"


def scene_toml(jobs, commands, duration):
    what = "one cube" if len(jobs) == 1 else f"{len(jobs)} cubes"
    cubes = [f"  {', '.join(number(c) for c in job.pick)}, 1, 0, 0, 0,  # {job.name} [m], quaternion" for job in jobs]
    half = f"[{scene.NOISE[0]:g}, {scene.NOISE[1]:g}, 0, 0, 0, {scene.NOISE[2]:.6f}]"
    return SCENE_TOML.format(
        what=what, shared="" if len(jobs) == 10 else "../iiwa_stack/", duration=duration, knot=scene.KNOT,
        arm=", ".join(number(c) for c in commands[0, :7]), fingers=", ".join(number(c) for c in commands[0, 7:]),
        cubes="\n".join(cubes), noise="\n".join(f'"{job.name}" = {half}' for job in jobs))


def command_csv(commands):
    """The project's command table: one row per knot, time first."""
    names = [n.split("/")[1] for n in scene.ARM_JOINTS + scene.FINGER_JOINTS]
    lines = ["time," + ",".join(names)]
    for k, row in enumerate(commands):
        lines.append(",".join([f"{scene.KNOT * k:.1f}", *(number(c) for c in row)]))
    return "\n".join(lines) + "\n"


def targets_csv(jobs):
    """Where every cube should end up; yaw counts modulo a quarter turn."""
    rows = [f"{job.name},{','.join(number(c) for c in job.place)},0" for job in jobs]
    return "\n".join(["joint,x,y,z,yaw", *rows]) + "\n"


def print_report(name, rows):
    print(f"{name}")
    for what, value, unit, limit, holds in rows:
        print(f"  {what:28s} {value:9.3g} {unit:4s} {limit:9s} {'ok' if holds else 'FAILS'}")
    return all(row[-1] for row in rows)


def make(name, num_cubes, check):
    """Writes (or compares) one scene; False if a figure fails or a file differs."""
    folder, jobs = SCENES / name, scene.tasks(num_cubes)
    files = {"cubes.xml": scene.cubes_xml(jobs), "targets.csv": targets_csv(jobs)}
    folder.mkdir(exist_ok=True)
    if not check:
        (folder / "cubes.xml").write_text(files["cubes.xml"])
    model = scene.compile_scene(SCENES / "iiwa_stack", folder / "cubes.xml")
    kinematics = stack_path.Kinematics(model)
    knots = stack_path.plan(kinematics, jobs)
    angles, commands = stack_path.solve_knots(kinematics, knots, scene.stiffness(model))
    files["command.csv"] = command_csv(commands)
    files["scene.toml"] = scene_toml(jobs, commands, scene.KNOT * (len(knots) - 1))
    good = print_report(f"{name}: {len(jobs)} cubes, {model.nv} dofs, {len(knots)} knots, "
                        f"{scene.KNOT * (len(knots) - 1):g} s",
                        stack_checks.report(model, knots, angles, commands, jobs))
    return write_or_compare(folder, files, check) and good


def write_or_compare(folder, files, check):
    same = True
    for file, text in files.items():
        if not check:
            (folder / file).write_text(text)
        elif (folder / file).read_text() != text:
            print(f"  {folder.name}/{file} differs from what this script makes")
            same = False
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    arguments = parser.parse_args()
    np.seterr(all="raise", under="ignore")
    good = [make(name, num, arguments.check) for name, num in VARIANTS.items()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
