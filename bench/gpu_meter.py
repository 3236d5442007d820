#!/usr/bin/env python3
"""What the kernels of a step do on a GPU, counted on the emulated GPU over whole scenes: bench/results/gpu_meter.csv.

    .venv/bin/python bench/gpu_meter.py [BUILD]      count and keep the table; bench/gpu_page.py writes it into docs/gpu.md

BUILD: build/host-release, built on a machine with the CUDA toolkit's headers. One environment, float64, tolerance 1e-6,
from the scene's start to its end. The counts are means over the steps; tests/emulated_gpu/meter.hpp says what is counted:

    threads        of a row of a block: of a solve and the stages around it those of one environment; 128 are four warps
    longest        loads of the thread that has the most, summed over what lies between two barriers
    loads          of all threads; loads / longest is the number of busy lanes
    warp_loads     loads that a warp issues;  lines: of 128 B that they touch;  asked: bytes that they ask for
    needed         lines that the bytes of each warp load would fill if they lay together
    read, written  sectors of 32 B that a kernel touches first;  shared: bytes of shared memory that a block asks for
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench" / "results" / "gpu_meter.csv"
RUNS = (("gripper2d", 0.01), ("hand_cube", 0.1), ("iiwa_stack", 0.1), ("iiwa_stack", 0.4))  # scene, h [s]
MEANS = ("barriers", "longest", "loads", "warp_loads", "lines", "needed", "asked", "read", "written")
COLUMNS = ("scene", "step_size", "steps", "dofs", "contacts", "iterations", "converged", "kernel", "threads", *MEANS, "most_barriers", "shared")

RUN = """
import sys
import stiction as st
scene, step_size = st.load_scene(sys.argv[1], step_size=float(sys.argv[2]), tolerance=1e-6), float(sys.argv[2])
steps = round(scene.duration / step_size)
with st.Simulator(scene, device="cuda") as sim:
    sums = [0, 0, 0]
    for _ in range(steps):
        status = sim.step()
        sums = [a + int(b[0]) for a, b in zip(sums, (sim.contacts.count, sim.stats.iterations, status == st.Status.CONVERGED))]
    print(steps, sim.model.nv, *(total / steps for total in sums))
"""


def short(kernel):
    """"solve" of "void stiction::solve_kernel<stiction::SolvePhase<..>, ..>"."""
    name = kernel.split("::")[1].split("_kernel")[0]
    phases = {"ExplainPhase": "explain", "WarmPhase": "warm"}
    return next((phases[phase] for phase in phases if phase in kernel), name)


def count(package, scene, step_size):
    """Rows of the table for a scene."""
    with tempfile.NamedTemporaryFile() as counts:
        environment = os.environ | {"PYTHONPATH": str(package), "EMULATED_GPU_METER": counts.name}
        command = [sys.executable, "-c", RUN, str(ROOT / "scenes" / scene), str(step_size)]
        text = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment).stdout
        taken, dofs, *figures = text.split()
        with open(counts.name) as lines:
            for row in csv.DictReader(lines, delimiter=";"):
                if int(row["barriers"]) == 0 or short(row["kernel"]) in ("place", "rows"):  # these are not part of a step
                    continue
                means = {name: f"{int(row[name]) / int(taken):.2f}" for name in MEANS}
                known = dict(zip(("contacts", "iterations", "converged"), (f"{float(f):.4g}" for f in figures)))
                yield {"scene": scene, "step_size": step_size, "steps": taken, "dofs": dofs, **known, "kernel": short(row["kernel"]),
                       **{name: row[name] for name in ("threads", "most_barriers", "shared")}, **means}  # fmt: skip


def read_kept():
    with open(KEPT, newline="") as file:
        return list(csv.DictReader(file))


def package_of(build):
    package = Path(build).resolve() / "emulated" / "python"
    if not package.is_dir():
        sys.exit(f"gpu_meter.py: {package} is not there: build {build} where the CUDA toolkit's headers are")
    return package


def main():
    package = package_of(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "host-release")
    rows = [row for run in RUNS for row in count(package, *run)]
    with open(KEPT, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
