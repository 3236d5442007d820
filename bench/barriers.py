#!/usr/bin/env python3
"""Barriers that the threads of an environment pass in a step on a GPU, counted on an emulated GPU: bench/results/barriers.csv.

    bench/barriers.py [BUILD]      BUILD: build/host-release, built on a machine with the CUDA toolkit's headers
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = (("gripper2d", 0.01, 35), ("hand_cube", 0.1, 60), ("iiwa_stack", 0.1, 104), ("iiwa_stack", 0.4, 26))  # scene, h [s], steps
COLUMNS = "scene step_size dofs contacts iterations converged kernel barriers most".split()

STEP = """
import sys
import stiction as st
scene, step_size, steps = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
with st.Simulator(st.load_scene(scene, step_size=step_size, tolerance=1e-6), device="cuda") as sim:
    sums = [0, 0, 0]
    for _ in range(steps):
        status = sim.step()
        sums = [a + int(b[0]) for a, b in zip(sums, (sim.contacts.count, sim.stats.iterations, status == st.Status.CONVERGED))]
    print(sim.model.nv, *(total / steps for total in sums))
"""


def short(kernel):
    """"solve" of "void stiction::solve_kernel<stiction::SolvePhase<..>, ..>"."""
    name = kernel.split("::")[1].split("_kernel")[0]
    return "explain" if "ExplainPhase" in kernel else name


def measure(package, scene, step_size, steps):
    with tempfile.NamedTemporaryFile() as counts:
        environment = os.environ | {"PYTHONPATH": str(package), "EMULATED_GPU_BARRIERS": counts.name}
        command = [sys.executable, "-c", STEP, str(ROOT / "scenes" / scene), str(step_size), str(steps)]
        figures = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment).stdout.split()
        with open(counts.name) as lines:
            for row in csv.DictReader(lines, delimiter=";"):
                if int(row["barriers"]) > 0 and short(row["kernel"]) != "place":  # place is not part of a step
                    yield [scene, step_size, *figures, short(row["kernel"]), int(row["barriers"]) / steps, row["most"]]


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "host-release").resolve()
    package = build / "emulated" / "python"
    if not package.is_dir():
        sys.exit(f"barriers.py: {package} is not there: build {build} where the CUDA toolkit's headers are")
    with open(ROOT / "bench" / "results" / "barriers.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for run in RUNS:
            writer.writerows(measure(package, *run))


if __name__ == "__main__":
    main()
