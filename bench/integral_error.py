#!/usr/bin/env python3
"""Total integral error of a carried cube against the step size: Pang and Tedrake 2021, (13) and Fig. 7.

    integral_error.py PROGRAM [--truth STEP] [--out FOLDER] [--picture FILE.png] [--threads 1]

    error = ∫ ‖q(t) − q_truth(t)‖ dt,   q position [m] and unit quaternion of the cube, linear between steps

One pick of scenes/iiwa_stack_1. The truth is this project's second-order simulation (`dynamic`, critically damped joints)
at a step of 5e-5 s. Compared with it: the quasistatic QP, the second-order simulation itself (implicit springs and
dampers), and MuJoCo with an implicit and with its default integrator, which evaluates the actuators at the start of the step.
Writes FOLDER/iiwa_stack_1_truth.csv and FOLDER/iiwa_stack_1_error.csv, prints the table.
"""

import argparse
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
TRUTH_STEP = 5e-5       # [s]
GRID = 0.02             # the truth is stored at multiples of this [s]
TOLERANCE = 1e-9        # residual asked of every run
STEPS = {
    "quasistatic": [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4],
    "dynamic": [1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4],
    "mujoco_implicit": [2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05],
    "mujoco_euler": [2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01],
}
THROWN = 10.0           # a cube farther away than this counts as lost [m]


def copy_scene(folder, picked="iiwa_stack_1"):
    """A copy of the scene with a tight tolerance and the cube where its command expects it, with the files that it refers to."""
    for name in ("iiwa_stack", picked):
        shutil.copytree(ROOT / "scenes" / name, folder / name)
    scene = folder / picked / "scene.toml"
    text, tolerances = re.subn(r"tolerance = \S+", f"tolerance = {TOLERANCE:g}", scene.read_text())
    text, noises = re.subn(r"\[randomize\.qpos_noise\]\n(?:.+\n)*", "", text)
    assert (tolerances, noises) == (1, 1)
    scene.write_text(text)
    return scene.parent


def simulate(program, scene, dynamics, step, threads):
    """(time, pose of the cube, share of steps converged) of one run, recorded at multiples of GRID or of the step."""
    file = scene.parent / f"{dynamics}_{step:g}.h5"
    every = max(1, round(GRID / step))
    command = [program, "run", scene, "--dynamics", dynamics, "--step-size", f"{step:g}", "--every", every, "--out", file,
               "--threads", threads, "--allow-failures", 1, "--quiet"]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"error: {dynamics} at {step:g} s: {run.stderr.strip()}")
    with h5py.File(file) as recording:
        time, pose = recording["time"][:], recording["qpos"][:, 0, -7:]
        converged = (recording["status"][1:, 0] & 1).mean()
    file.unlink()
    return time, pose, converged


def sample(knots, values, t):
    return np.array([np.interp(t, knots, column) for column in values.T])


INTEGRATORS = {"mujoco_implicit": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
               "mujoco_euler": mujoco.mjtIntegrator.mjINT_EULER}


def simulate_mujoco(program, scene, integrator, step, threads):
    """The same for MuJoCo on the model and command of the scene, with its defaults except step and integrator."""
    file = scene.parent / "model.h5"
    subprocess.run([program, "run", scene, "--duration", "0.4", "--step-size", "0.4", "--out", file, "--quiet",
                    "--threads", str(threads)], check=True)
    with h5py.File(file) as recording:
        model = mujoco.MjModel.from_xml_string(recording.attrs["model_xml"])
        start = recording["qpos"][0, 0]
    command = np.loadtxt(scene / "command.csv", delimiter=",", skiprows=1)
    model.opt.timestep = step
    model.opt.integrator = integrator
    data = mujoco.MjData(model)
    data.qpos[:] = start
    mujoco.set_mju_user_warning(lambda message: None)  # it would write a file; the problems that it warns of are checked below
    every, poses, times = max(1, round(GRID / step)), [start[-7:].copy()], [0.0]
    for k in range(1, round(command[-1, 0] / step) + 1):
        data.ctrl[:] = sample(command[:, 0], command[:, 1:], k * step)
        mujoco.mj_step(model, data)
        if data.warning.number.any() or not np.abs(data.qpos[-7:]).max() < THROWN:
            break
        if k % every == 0:
            times.append(k * step)
            poses.append(data.qpos[-7:].copy())
    return np.array(times), np.array(poses), np.nan


def align(pose, like):
    """Picks, of q and −q (one orientation), the sign that is nearer to `like`."""
    flip = (pose[:, 3:] * like[:, 3:]).sum(axis=1) < 0
    pose = pose.copy()
    pose[flip, 3:] *= -1
    return pose


def integral_error(time, pose, truth_time, truth):
    """(13), and the same for the position alone; infinite if the cube was lost on the way."""
    if time[-1] < truth_time[-1] - 1e-9 or not np.abs(pose).max() < THROWN:
        return np.inf, np.inf
    pose = align(pose, sample(truth_time, truth, time).T)
    difference = sample(time, pose, truth_time).T - truth
    return tuple(np.trapezoid(np.linalg.norm(d, axis=1), truth_time) for d in (difference, difference[:, :3]))


def read_truth(file):
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    return rows[:, 0], rows[:, 1:]


def write_truth(file, time, pose):
    rows = np.column_stack([time, pose])
    np.savetxt(file, rows, delimiter=",", fmt="%.7g", header="time,x,y,z,qw,qx,qy,qz", comments="")


def measure(program, scene, threads, truth_time, truth):
    """Yields a row (simulator, step, error, position error, share converged) for every run."""
    for simulator, steps in STEPS.items():
        for step in steps:
            if simulator in INTEGRATORS:
                run = simulate_mujoco(program, scene, INTEGRATORS[simulator], step, threads)
            else:
                run = simulate(program, scene, simulator, step, threads)
            error, position_error = integral_error(run[0], run[1], truth_time, truth)
            print(f"{simulator:15s} {step:8g} s   {error:9.5f}   {position_error:9.5f} m s   converged {run[2]:.4f}",
                  flush=True)
            yield simulator, step, error, position_error, run[2]


def draw(rows, file):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    names = {"quasistatic": "quasistatic QP", "dynamic": "second order", "mujoco_implicit": "MuJoCo, implicitfast",
             "mujoco_euler": "MuJoCo, Euler"}
    figure, axes = plt.subplots(figsize=(6.4, 3.6), dpi=150)
    for simulator, name in names.items():
        points = np.array([row[1:3] for row in rows if row[0] == simulator])
        kept = np.isfinite(points[:, 1])
        line, = axes.loglog(*points[kept].T, "o-", label=name)
        axes.loglog(points[~kept, 0], np.ones((~kept).sum()), "x", color=line.get_color())
    axes.set(xlabel="step h [s]", ylabel="integral error of the cube's pose (x: lost)")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--truth", type=float, default=TRUTH_STEP, help="step of the truth [s]")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        scene = copy_scene(pathlib.Path(folder))
        truth_time, truth, converged = simulate(arguments.program, scene, "dynamic", arguments.truth, arguments.threads)
        print(f"truth           {arguments.truth:8g} s   converged {converged:.6f}", flush=True)
        write_truth(arguments.out / "iiwa_stack_1_truth.csv", truth_time, truth)
        rows = list(measure(arguments.program, scene, arguments.threads, truth_time, truth))
    with open(arguments.out / "iiwa_stack_1_error.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["simulator", "step_s", "error", "position_error_m_s", "converged"])
        writer.writerows([s, f"{h:g}", f"{e:.6g}", f"{p:.6g}", f"{c:.6g}"] for s, h, e, p, c in rows)
    if arguments.picture:
        draw(rows, arguments.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
