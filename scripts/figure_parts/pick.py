"""A cube is picked up and put down by every simulator, for Figs. 7 and 8 of the 2021 paper.

    error = ∫ ‖q(t) − q_truth(t)‖ dt     (13),  q position [m] and unit quaternion of the cube

The truth is Drake's MultibodyPlant at 5e-5 s, as in the paper. Our runs and those of MuJoCo come from
bench/integral_error.py, which has (13); those of Drake come from drake_runs.py, in the environment of bench/peers.
Tables: `pick_truth`, `pick_error`, `pick_path`, and `pick_drake` with Drake's rows of `pick_error`.
"""

import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
from figure_parts import program, tables

sys.path.insert(0, str(program.ROOT / "bench"))
import integral_error


@dataclass(frozen=True)
class Pick:
    """The last cube of a scene; `carried`: the time in which it is lifted and not yet down again, for any step size [s]."""

    scene: str
    words: str
    carried: tuple[float, float]


STACK = Pick("iiwa_stack_3", "The third cube of scenes/iiwa_stack_3, put on a stack of two in 28.4 s", (22.6, 26.4))
ONE = Pick(
    "iiwa_stack_1",
    "The cube of scenes/iiwa_stack_1, carried from one place of the table to another in 9.6 s",
    (4.2, 7.2),
)
PICKS = (STACK, ONE)
WRITES = ("pick_truth", "pick_drake", "pick_error", "pick_path")
PATH_STEPS = [0.001, 0.1, 0.4]  # quasistatic runs of Fig. 8 [s]
OWN_STEP = 1e-4  # second-order run of Fig. 8 [s]
PATH_GRID = 0.04  # rows of pick_path [s]
POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"]
RESULTS = program.ROOT / "bench/results"


def angle(pose):
    """Angle of the cube's orientation in axis-angle form [deg]."""
    return np.rad2deg(2 * np.arctan2(np.linalg.norm(pose[:, 4:], axis=1), np.abs(pose[:, 3])))


class Drake:
    """Runs of Drake, in a separate process; the first run of every scene is the truth."""

    def __init__(self, bench):
        python, self.process = bench.peers_python(), None
        if python is not None:
            self.file = bench.folder() / "drake.json"
            script = program.ROOT / "scripts/figure_parts/drake_runs.py"
            command = [python, script, bench.program, self.file, *(pick.scene for pick in PICKS)]
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def result(self):
        """{scene: [{method, step, time, pose, seconds}]}; None where Drake could not be run."""
        if self.process is None:
            return None
        _, complaint = self.process.communicate()
        if self.process.returncode != 0:
            print(f"figures: Drake did not run ({complaint.strip().splitlines()[-1]})", flush=True)
            return None
        return json.loads(self.file.read_text())


def error_row(pick, simulator, step, run, truth, converged):
    error, position = integral_error.integral_error(*run, *truth)
    return {
        "scene": pick.scene,
        "simulator": simulator,
        "step_s": step,
        "error": float(f"{error:.7g}"),
        "position_error_m_s": float(f"{position:.7g}"),
        "converged": converged,
    }


def truths_and_errors(runs):
    """({scene: (time, pose)} of the truth, rows of Drake's errors); the stored ones if there are no runs."""
    if runs is None:
        print("figures: without Drake (bench/peers/install): its truth and its curves are the stored ones", flush=True)
        stored = {pick: tables.where(tables.read(RESULTS, "pick_truth"), scene=pick.scene) for pick in PICKS}
        truths = {
            pick: (truth["time_s"], np.column_stack([truth[key] for key in POSE])) for pick, truth in stored.items()
        }
        return truths, tables.records(tables.read(RESULTS, "pick_drake"))
    truths, rows = {}, []
    for pick in PICKS:
        found = [(run, (np.array(run["time"]), np.array(run["pose"]))) for run in runs[pick.scene]]
        truths[pick] = tuple(values.round(8) for values in found[0][1])  # as precise as the stored ones
        rows += [error_row(pick, r["method"], r["step"], run, truths[pick], np.nan) for r, run in found[1:]]
    return truths, rows


def our_runs(bench, scene):
    """(simulator, step, (time, pose), converged) of every run of ours and of MuJoCo."""
    for simulator, steps in integral_error.STEPS.items():
        for step in steps:
            if simulator in integral_error.INTEGRATORS:
                kind = integral_error.INTEGRATORS[simulator]
                *run, converged = integral_error.simulate_mujoco(bench.program, scene, kind, step, 1)
            else:
                *run, converged = integral_error.simulate(bench.program, scene, simulator, step, 1)
            yield simulator, step, run, converged


def path_rows(pick, simulator, step, time, pose):
    every = max(1, round(PATH_GRID / max(step, time[1])))
    time, pose = time[::every], pose[::every]
    count = len(time)
    columns = {"scene": [pick.scene] * count, "simulator": [simulator] * count, "step_s": [step] * count}
    columns |= {"time_s": time.round(8)} | dict(zip("xyz", pose[:, :3].T.round(6), strict=True))
    return tables.records(columns | {"angle_deg": angle(pose).round(4)})


def truth_rows(pick, time, pose):
    columns = {"scene": [pick.scene] * len(time), "time_s": time} | dict(zip(POSE, pose.T, strict=True))
    return tables.records(columns)


def shown_in_paths(simulator, step):
    return (simulator == "quasistatic" and step in PATH_STEPS) or (simulator, step) == ("dynamic", OWN_STEP)


def measure(bench):
    drake = Drake(bench)
    ours = {pick: list(our_runs(bench, integral_error.copy_scene(bench.folder(), pick.scene))) for pick in PICKS}
    truths, drake_rows = truths_and_errors(drake.result())
    errors, paths = list(drake_rows), []
    for pick, runs in ours.items():
        paths += path_rows(pick, "truth", 5e-5, *truths[pick])
        for simulator, step, run, converged in runs:
            errors.append(error_row(pick, simulator, step, run, truths[pick], converged))
            if shown_in_paths(simulator, step):
                paths += path_rows(pick, simulator, step, *run)
    truth = [row for pick in PICKS for row in truth_rows(pick, *truths[pick])]
    return {"pick_truth": truth, "pick_drake": drake_rows, "pick_error": errors, "pick_path": paths}
