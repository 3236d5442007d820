"""Where the time of a step goes, here and in MuJoCo, in the fastest runs at the least error that both reach.

    prepare  poses, mass matrix, springs, bounds of what can meet        contacts  the rows of what does
    collide  distances, places where bodies meet                         solve     finish  motion, readout
"""

import csv
import pathlib
import subprocess
import tempfile
import time

import mujoco
import mujoco_peer
from runs import TARGETS, fastest

STAGES = ["prepare", "collide", "contacts", "solve", "finish"]
COLUMNS = ["scene", "simulator", "method", "step_s", "error_m", *(f"{stage}_us" for stage in STAGES)]
OUR_PARTS = {"prepare": ["prepare", "drift"], "collide": ["gaps", "go", "stop", "collide", "meet", "arrive"], "contacts": ["merge", "task", "confirm"], "solve": ["warm", "solve", "explain"],
             "finish": ["move", "look", "judge", "finish"]}    # kernels/step/stages.inc
PARTS = {"prepare": ["POS_KINEMATICS", "POS_INERTIA", "VELOCITY", "ACTUATION"], "collide": ["POS_COLLISION"],
         "contacts": ["POS_MAKE", "POS_PROJECT"], "solve": ["CONSTRAINT"]}    # MuJoCo's own; finish: what is left of STEP
MOST = 2.0    # seconds that MuJoCo is watched


def of_ours(program, world, step, options):
    """Microseconds a step by stage, over the whole scene."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bench.csv"
        subprocess.run([program, "bench", world.folder, "--stages", "--device", "cpu", "--threads", "1", "--step-size",
                        f"{step:g}", "--out", file, *options.split()], check=True, capture_output=True)  # fmt: skip
        found = {key: float(value) for key, value in next(csv.DictReader(file.open())).items() if key.endswith("_us")}
    return [sum(found[f"{part}_us"] for part in OUR_PARTS[stage]) for stage in STAGES]


def of_mujoco(world, choice):
    """The same by MuJoCo's timers."""
    model = mujoco_peer.prepare(world, *choice)
    data = mujoco.MjData(model)
    mujoco_peer.initial_state(world, model, data)
    mujoco.set_mjcb_time(time.perf_counter)
    begin, steps = time.perf_counter(), 0
    for data.ctrl[:] in mujoco_peer.controls(world, choice[-1]):
        mujoco.mj_step(model, data)
        steps += 1
        if time.perf_counter() - begin > MOST:
            break
    mujoco.set_mjcb_time(None)
    spent = {name: 1e6 * data.timer[int(timer)].duration / steps
             for name, timer in ((n.removeprefix("mjTIMER_"), t) for n, t in mujoco.mjtTimer.__members__.items())
             if int(timer) < len(data.timer)}  # fmt: skip
    found = [sum(spent[part] for part in PARTS[stage]) for stage in STAGES[:-1]]
    return [*found, spent["STEP"] - sum(found)]


def measure(program, world, rows, our_methods):
    """A row for this program and one for MuJoCo; none where they reach no error both. `rows` are the front's."""
    for error in TARGETS:
        ours, theirs = (fastest(rows, world.name, simulator, error) for simulator in ("stiction", "MuJoCo"))
        if ours and theirs:
            found = (of_ours(program, world, ours["step_s"], our_methods[ours["method"]][1]),
                     of_mujoco(world, mujoco_peer.choice_of(theirs)))
            return [dict(zip(COLUMNS, [world.name, run["simulator"], run["method"], run["step_s"], error, *times]))
                    for run, times in zip((ours, theirs), found)]
    return []
