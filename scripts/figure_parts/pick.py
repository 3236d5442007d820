"""One pick of a cube (scenes/iiwa_stack_1) by every simulator, for Figs. 7 and 8 of the 2021 paper.

    error = ∫ ‖q(t) − q_truth(t)‖ dt     (13),  q position [m] and unit quaternion of the cube

The truth is Drake's MultibodyPlant at 5e-5 s, as in the paper. Runs of ours and of MuJoCo are those of
bench/integral_error.py, which has (13); those of Drake are made by drake_runs.py, in the environment of bench/peers.
Tables: `pick_truth`, `pick_drake` (a row a run), `pick_error`, `pick_path`.
"""

import json
import subprocess
import sys

import numpy as np
from figure_parts import program, tables

sys.path.insert(0, str(program.ROOT / "bench"))
import integral_error  # noqa: E402

WRITES = ("pick_truth", "pick_drake", "pick_error", "pick_path")
PATH_STEPS = [0.001, 0.01, 0.1, 0.4]  # quasistatic runs of Fig. 8 [s]
POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"]
RESULTS = program.ROOT / "bench/results"


def angle(pose):
    """Of the axis and angle of the cube's orientation [deg]."""
    return np.rad2deg(2 * np.arctan2(np.linalg.norm(pose[:, 4:], axis=1), np.abs(pose[:, 3])))


def drake_runs(bench):
    """[{method, step, time, pose, seconds}], the truth first; None where Drake's environment is missing."""
    python = bench.peers_python()
    if python is None:
        return None
    file = bench.folder() / "drake.json"
    script = program.ROOT / "scripts/figure_parts/drake_runs.py"
    done = subprocess.run([python, script, bench.program, file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"figures: Drake did not run ({done.stderr.strip().splitlines()[-1]})", flush=True)
        return None
    return json.loads(file.read_text())


def truth_and_drake(bench):
    """(time, pose) of the truth, rows of Drake's errors; as stored where Drake can not be run."""
    runs = drake_runs(bench)
    if runs is None:
        print("figures: without Drake (bench/peers/install): its truth and its curves are the stored ones", flush=True)
        truth, rows = tables.read(RESULTS, "pick_truth"), tables.records(tables.read(RESULTS, "pick_drake"))
        return truth["time_s"], np.column_stack([truth[key] for key in POSE]), rows
    time, pose = (np.array(runs[0][key]).round(9) for key in ("time", "pose"))  # as stored
    rows = []
    for run in runs[1:]:
        error, position = integral_error.integral_error(np.array(run["time"]), np.array(run["pose"]), time, pose)
        rows.append(
            {
                "simulator": run["method"],
                "step_s": run["step"],
                "error": error,
                "position_error_m_s": position,
                "converged": np.nan,
            }
        )
    return time, pose, rows


def our_runs(bench, scene):
    """(simulator, step, (time, pose, converged)) of every run of ours and of MuJoCo."""
    for simulator, steps in integral_error.STEPS.items():
        for step in steps:
            if simulator in integral_error.INTEGRATORS:
                kind = integral_error.INTEGRATORS[simulator]
                yield simulator, step, integral_error.simulate_mujoco(bench.program, scene, kind, step, 1)
            else:
                yield simulator, step, integral_error.simulate(bench.program, scene, simulator, step, 1)


def path_rows(name, step, time, pose):
    columns = {"simulator": [name] * len(time), "step_s": [step] * len(time), "time_s": time}
    columns |= dict(zip("xyz", pose[:, :3].T.round(7), strict=True)) | {"angle_deg": angle(pose).round(5)}
    return tables.records(columns)


def measure(bench):
    time, truth, drake = truth_and_drake(bench)
    scene = integral_error.copy_scene(bench.folder())
    errors, paths = list(drake), path_rows("truth", 5e-5, time, truth)
    for simulator, step, (run_time, pose, converged) in our_runs(bench, scene):
        error, position = integral_error.integral_error(run_time, pose, time, truth)
        errors.append(
            {
                "simulator": simulator,
                "step_s": step,
                "error": error,
                "position_error_m_s": position,
                "converged": converged,
            }
        )
        if (simulator == "quasistatic" and step in PATH_STEPS) or (simulator, step) == ("dynamic", 1e-4):
            paths += path_rows(simulator, step, run_time, integral_error.align(pose, pose))
    truth_rows = tables.records({"time_s": time} | dict(zip(POSE, truth.T, strict=True)))
    return {"pick_truth": truth_rows, "pick_drake": drake, "pick_error": errors, "pick_path": paths}
