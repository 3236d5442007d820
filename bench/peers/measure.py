#!/usr/bin/env python3
"""Our simulator and its peers on the same scenes in one run: simulated seconds a processor second against tracking error.

    bench/peers/run [BUILD] [--scenes NAME ...] [--only SIMULATOR ...] [--out FOLDER]      (calls this file)

Every run is one environment on one thread of one core. Its error is that of the cubes' corners against a converged
second-order run, the worst cube at every moment, averaged over time. Peers count their thread's processor time, which
other load disturbs little, our program its wall clock. Short runs are repeated, all taking turns, and the fastest counts.
A run that takes longer than LIMIT, or loses a cube, has no error. Writes peers_front.csv,
peers_batch.csv and peers_stages.csv.
"""

import argparse
import csv
import itertools
import os
import pathlib
import sys
import time

import batches
import drake_peer
import mujoco
import mujoco_peer
import numpy as np
import ours
import stages
import world as worlds

LIMIT = 12.0               # processor seconds a run may take
SHORT, REPEATS = 0.5, 3    # runs shorter than this [s] are repeated
SECOND_ORDER = "--dynamics dynamic --law coulomb --cone quadratic --solver newton"
FITTED = SECOND_ORDER.replace("dynamics dynamic", "dynamics dynamic_fitted")
TRUTH_STEP = {"iiwa_stack_1": 1e-4, "iiwa_stack": 2e-4, "hand_cube": 1e-4}   # [s]
DURATION = {"iiwa_stack": 10.4}    # the first of ten cubes; the others: the whole scene [s]
SIMULATORS = ["stiction", "MuJoCo", "Drake"]
LARGE = ["iiwa_stack"]     # with fewer runs, so that all ends within 25 minutes
TRUTH_TOLERANCE = 1e-9     # residual
OUR_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]
OUR_DYNAMIC_STEPS = [0.001, 0.002, 0.005, *OUR_STEPS]
OUR_FITTED_STEPS = [0.005, *OUR_STEPS]
OUR_METHODS = {"quasistatic, anitescu, pyramid": (OUR_STEPS, "--dynamics quasistatic --law anitescu"),
               "quasidynamic, anitescu, pyramid": (OUR_STEPS, "--dynamics quasidynamic --law anitescu"),
               "quasidynamic, coulomb, quadratic": (OUR_STEPS, "--dynamics quasidynamic --law coulomb --cone quadratic"),
               "second order, anitescu, pyramid": (OUR_DYNAMIC_STEPS, "--dynamics dynamic --law anitescu"),
               "second order, coulomb, quadratic": (OUR_DYNAMIC_STEPS, SECOND_ORDER),
               "fitted, anitescu, pyramid": (OUR_FITTED_STEPS, "--dynamics dynamic_fitted --law anitescu"),
               "fitted, coulomb, quadratic": (OUR_FITTED_STEPS, FITTED)}
SHORT_STEPS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]
MUJOCO_STEPS = [*SHORT_STEPS, 0.03, 0.04, 0.05, 0.1, 0.2, 0.4]
SLOWER = ["euler", "implicit", "rk4"]    # short steps and fewer contacts: their share of the front is on the page
DRAKE_STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4]
ACCURACIES = [1e-1, 1e-3, 1e-4, 1e-5]
CONTACTS = [("hydroelastic", 1e6), ("point", 1e6), ("hydroelastic", 1e7), ("point", 1e4)]  # stiffness [Pa], [N/m]
SOLVERS = {"sap": CONTACTS, "lagged": CONTACTS, "similar": CONTACTS[:2], "tamsi": CONTACTS[:2]}
COLUMNS = ["scene", "dofs", "simulator", "method", "step_s", "speed", "seconds", "error_m", "end_error_m", "contacts",
           "iterations", "residual", "converged", "state"]
SIMILAR = 0.010            # a peer whose cubes end within this did the task [m]


def our_jobs(program, world):
    """(simulator, method, step, function to time, poses, seconds and a function to the figures) of every run."""
    def job(step, options):
        run = ours.simulate(program, world, step, [*options.split(), "--duration", world.duration])
        return run.time, run.poses, run.wall, lambda: (run.contacts, run.iterations, run.residual, run.converged)

    for method, (steps, options) in OUR_METHODS.items():
        for step in steps:
            yield "stiction", method, step, lambda s=step, o=options: job(s, o)


def mujoco_choices(large):
    """(integrator, cone, contact, step) of every run; which are left out, and why, is on the page."""
    for integrator, cone in itertools.product(mujoco_peer.INTEGRATORS, mujoco_peer.CONES):
        if large and integrator in ("implicit", "rk4"):
            continue
        contacts = list(mujoco_peer.CONTACTS)[: 2 if integrator in SLOWER else None]
        contacts += mujoco_peer.UNCLAMPED if integrator == "discrete" else []
        steps = SHORT_STEPS if integrator in SLOWER else MUJOCO_STEPS
        yield from itertools.product([integrator], [cone], contacts, steps[large:])


def mujoco_jobs(world):
    def job(*choice):
        times, qpos, used = mujoco_peer.simulate(world, *choice, limit=LIMIT)
        return times, worlds.cube_poses(world, qpos), used, lambda: (*mujoco_peer.figures(world, *choice, most=0.3)[:2], np.nan, np.nan)

    for choice in mujoco_choices(world.name in LARGE):
        yield "MuJoCo", ", ".join(choice[:3]), choice[3], lambda c=choice: job(*c)


def drake_jobs(world):
    def job(*choice):
        times, poses, used, contacts = drake_peer.simulate(world, *choice, limit=LIMIT)
        return times, poses, used, lambda: (contacts, np.nan, np.nan, np.nan)

    large = world.name in LARGE
    for solver in SOLVERS:
        contacts = SOLVERS[solver][: 1 if large else None]
        for (contact, stiffness), step in itertools.product(contacts, DRAKE_STEPS[large:]):
            choice = (solver, step, contact, stiffness)
            yield "Drake", f"{solver}, {contact} {stiffness:.0e}", step, lambda c=choice: job(*c)
    for (contact, stiffness), accuracy in itertools.product(CONTACTS[: 1 if large else 2], ACCURACIES):
        choice = ("cenic", 0.0, contact, stiffness, accuracy)
        yield "Drake", f"cenic, {contact} {stiffness:.0e}, accuracy {accuracy:g}", np.nan, lambda c=choice: job(*c)


def state_of(row):
    if not np.isfinite(row["error_m"]):
        return "over the limit" if row["seconds"] > LIMIT else "gave up or lost a cube"
    return "done" if row["end_error_m"] < SIMILAR else "did not do the task"


def row_of(world, truth, simulator, method, step, found):
    times, poses, used, figures = found
    contacts, iterations, residual, converged = figures()
    error, end = worlds.tracking_error(world, worlds.on_grid(world, times, poses), truth)
    row = {"scene": world.name, "dofs": world.model.nv, "simulator": simulator, "method": method, "step_s": step,
           "speed": times[-1] / used if len(times) > 1 else np.nan, "seconds": used, "error_m": error, "end_error_m": end,
           "contacts": contacts, "iterations": iterations, "residual": residual, "converged": converged}
    return row | {"state": state_of(row)}


def load_world(program, name, tolerance=1e-6):
    world = worlds.load_world(program, name, tolerance)
    world.duration = DURATION.get(name, world.duration)
    return world


def front(program, world, truth, simulators):
    """A row a run; the short ones are run again, all in turn, and keep their best time."""
    jobs = [job for job in [*our_jobs(program, world), *mujoco_jobs(world), *drake_jobs(world)] if job[0] in simulators]
    rows = []
    for simulator, method, step, job in jobs:
        rows.append(row_of(world, truth, simulator, method, step, job()))
        print(f"  {simulator:9s} {method:42s} {step:7g} s  x{rows[-1]['speed']:8.1f}  error {1e3 * rows[-1]['error_m']:8.3f} mm"
              f"  {rows[-1]['state']}", flush=True)
    for _ in range(REPEATS - 1):
        for row, (*_, job) in zip(rows, jobs):
            if row["seconds"] < SHORT and np.isfinite(row["error_m"]):
                times, _, used, _ = job()
                if used < row["seconds"]:
                    row |= {"seconds": used, "speed": times[-1] / used}
    return rows


def true_poses(program, name):
    """Poses of the second-order run on the grid, and how far twice its step is from it [m]."""
    step, world, runs = TRUTH_STEP[name], load_world(program, name, TRUTH_TOLERANCE), []
    for factor in (1, 2):
        run = ours.simulate(program, world, factor * step, [*SECOND_ORDER.split(), "--duration", world.duration])
        runs.append(worlds.on_grid(world, run.time, run.poses))
    return runs[0], worlds.tracking_error(world, runs[1], runs[0])[0]


def machine():
    """What the figures hang on, in words."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, load {load:.1f} before the run" + (" (others computed too)" if load > 0.5 else "")


def write(file, columns, rows, note):
    """The rows, and those that the file holds of other scenes and simulators."""
    names = {(row["scene"], row["simulator"]) for row in rows}
    if file.exists():
        lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
        rows = [row for row in csv.DictReader(lines) if (row["scene"], row["simulator"]) not in names] + rows
    with file.open("w", newline="") as out:
        out.write(f"# {note}\n")
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        for row in sorted(rows, key=lambda row: list(TRUTH_STEP).index(row["scene"])):
            writer.writerow({k: f"{v:.6g}" if isinstance(v, (float, np.floating)) else v for k, v in row.items()})


def measure(program, name, cores, simulators):
    """Rows of the front, of the batches (where all simulators take part) and of the stages of one scene."""
    world = load_world(program, name)
    os.sched_setaffinity(0, cores[-1:])  # one core for everything that follows, children too
    truth, converged = true_poses(program, name)
    print(f"{name}: truth at {TRUTH_STEP[name]:g} s, {1e3 * converged:.3f} mm from that at twice the step", flush=True)
    rows = front(program, world, truth, simulators)
    rows.append({"scene": name, "dofs": world.model.nv, "simulator": "truth", "method": "second order, coulomb, quadratic",
                 "step_s": TRUTH_STEP[name], "error_m": converged, "state": "twice its step"})
    stage_rows = stages.measure(program, world, rows, OUR_METHODS)
    os.sched_setaffinity(0, cores)
    batch_rows = batches.measure(program, world, rows, OUR_METHODS, len(cores)) if simulators == SIMULATORS else []
    return rows, batch_rows, stage_rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--scenes", nargs="+", default=list(TRUTH_STEP), choices=list(TRUTH_STEP))
    parser.add_argument("--only", nargs="+", default=SIMULATORS, choices=SIMULATORS, help="the others keep the rows they have")
    parser.add_argument("--out", type=pathlib.Path, default=worlds.ROOT / "bench/results")
    arguments = parser.parse_args()
    mujoco.set_mju_user_warning(lambda message: None)
    note, cores, begin = machine(), sorted(os.sched_getaffinity(0)), time.perf_counter()
    for name in arguments.scenes:
        rows, batch_rows, stage_rows = measure(arguments.program, name, cores, arguments.only)
        write(arguments.out / "peers_front.csv", COLUMNS, rows, note)
        write(arguments.out / "peers_batch.csv", batches.COLUMNS, batch_rows, note)
        write(arguments.out / "peers_stages.csv", stages.COLUMNS, stage_rows, note)
    print(f"{time.perf_counter() - begin:.0f} s in all")


if __name__ == "__main__":
    sys.exit(main())
