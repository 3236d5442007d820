#!/usr/bin/env python3
"""What a solve by pgs does on a GPU, counted on the emulated GPU: one line a scene (ADR 0219).

    .venv/bin/python bench/pgs_meter.py [BUILD]          BUILD as for gpu_meter.py, which says what the counts are

A pile is N boxes that fell for a second into a pit, stepped by the default solver on the host; then one step is counted, of
100 sweeps. The other scenes are counted from their start. Every solve may take 100 sweeps. Counts are of one sweep: the
colours, the factors and the looks at the residual are shared out over the sweeps.
"""

import csv
import math
import os
import subprocess
import sys
import tempfile

import gpu_meter

PILES = (60, 100)
SCENES = (("iiwa_stack", 40), ("hand_cube", 20))  # scene, steps
H = 0.05  # half edge of a box [m]
SETTLE = 100  # steps of 0.01 s

RUN = """
import sys
import stiction as st
model, steps, settle = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def scene(solver):
    choices = {"tolerance": 1e-6, "max_iterations": 1 if solver == "pgs" else 50}
    return st.load_model(model, step_size=0.01, solver=solver, **choices) if settle else st.load_scene(model, solver=solver, **choices)
with st.Simulator(scene("pgs"), device="cuda") as sim:
    if settle:
        with st.Simulator(scene("interior_point"), device="cpu") as fallen:
            for _ in range(settle):
                fallen.step()
            sim.qpos[:], sim.qvel[:] = fallen.qpos, fallen.qvel
    contacts = sweeps = 0
    for _ in range(steps):
        sim.step()
        contacts, sweeps = contacts + int(sim.contacts.count[0]), sweeps + int(sim.stats.iterations[0])
    print(contacts / steps, sweeps)
"""


def pile_model(count):
    """Layers of a loose lattice, every box turned by its own angle, in a pit: pile:N of host/scene/families.cpp."""
    side, spacing, friction = max(2, math.ceil(round(count ** (1 / 3), 9))), 2.9 * H, "friction='.5 0 0'"
    pit, lines = 0.5 * side * spacing, [f"<geom type='plane' size='50 50 .1' {friction}/>"]
    for i in range(count):
        x, y = (i % side + 0.5) * spacing - pit, (i // side % side + 0.5) * spacing - pit
        turn = math.pi * (0.5 * (1 + math.sqrt(5)) * i % 1)
        lines.append(f"<body pos='{x} {y} {H + i // side**2 * spacing}' quat='{math.cos(turn)} 0 0 {math.sin(turn)}'><freejoint/>"
                     f"<geom type='box' size='{H} {H} {H}' mass='.5' {friction}/></body>")  # fmt: skip
    for sign in (-1, 1):
        lines.append(f"<geom type='box' pos='{sign * (pit + H)} 0 .5' size='{H} {pit + 2 * H} .5' {friction}/>")
        lines.append(f"<geom type='box' pos='0 {sign * (pit + H)} .5' size='{pit + 2 * H} {H} .5' {friction}/>")
    return "<mujoco><worldbody>" + "\n".join(lines) + "</worldbody></mujoco>"


def count(package, name, model, steps, settle):
    with tempfile.NamedTemporaryFile() as counts:
        environment = os.environ | {"PYTHONPATH": str(package), "EMULATED_GPU_METER": counts.name}
        command = [sys.executable, "-c", RUN, str(model), str(steps), str(settle)]
        run = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment)
        contacts, sweeps = map(float, run.stdout.split())
        with open(counts.name) as lines:
            (row,) = (r for r in csv.DictReader(lines, delimiter=";") if "SolvePhase" in r["kernel"])
    of_sweep = {key: int(row[key]) / sweeps for key in ("longest", "warp_loads", "lines", "barriers")}
    print(f"{name}: {contacts:.4g} contacts, {sweeps / steps:.4g} sweeps a step; longest lane {of_sweep['longest']:,.0f} loads a sweep, "
          f"busy {int(row['loads']) / int(row['longest']):.1f} of {row['threads']}, warp loads {of_sweep['warp_loads']:,.0f}, "
          f"lines {of_sweep['lines']:,.0f}, barriers {of_sweep['barriers']:.1f}", flush=True)  # fmt: skip


def main():
    package = gpu_meter.package_of(sys.argv[1] if len(sys.argv) > 1 else gpu_meter.ROOT / "build" / "host-release")
    for name, steps in SCENES:
        count(package, name, gpu_meter.ROOT / "scenes" / name, steps, 0)
    for boxes in PILES:
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as model:
            model.write(pile_model(boxes))
            model.flush()
            count(package, f"pile:{boxes}", model.name, 1, SETTLE)


if __name__ == "__main__":
    main()
