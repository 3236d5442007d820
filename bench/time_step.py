"""Time of a whole step on one thread: median of seven interleaved runs, with automatic and with fixed contact distance.

    .venv/bin/python bench/time_step.py build/host-release/bin/stiction scenes/iiwa_stack [step size]
"""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

RUNS = 7
FIXED = 0.02  # [m]
FIGURES = ("contacts, mean", "rows, mean", "iterations, mean (most)", "residual, worst", "steps converged")


def with_fixed_distance(scene, folder):
    """A copy of the scene whose contact distance is FIXED."""
    shutil.copytree(scene.parent, folder, dirs_exist_ok=True)  # a scene may use its neighbours' models
    copy = pathlib.Path(folder) / scene.name
    text = (copy / "scene.toml").read_text()
    text = re.sub(r"^contact_distance.*\n", "", text, flags=re.MULTILINE)
    (copy / "scene.toml").write_text(text.replace("[physics]\n", f"[physics]\ncontact_distance = {FIXED}\n", 1))
    return copy


def run(program, scene, step_size):
    """Printed figures of one environment on one thread."""
    command = [program, "run", str(scene), "--batch", "1", "--threads", "1", "--device", "cpu", "--allow-failures", "1",
               "--step-size", str(step_size)]  # fmt: skip
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^(\S.*?)  +(.*)$", output, flags=re.MULTILINE))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, scene = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    step_size = float(sys.argv[3]) if len(sys.argv) == 4 else 0.1
    with tempfile.TemporaryDirectory() as folder:
        scenes = {"automatic": scene, f"{FIXED} m": with_fixed_distance(scene, folder)}
        found = {name: [] for name in scenes}
        for _ in range(RUNS):
            for name, path in scenes.items():
                found[name].append(run(program, path, step_size))
    for name, figures in found.items():
        times = sorted(1e3 / float(f["environment-steps/s"].split()[0]) for f in figures)
        print(f"contact distance {name}: {statistics.median(times):.3f} ms a step ({times[0]:.3f} ... {times[-1]:.3f})")
        print("  " + ", ".join(f"{key} {figures[0][key]}" for key in FIGURES))


if __name__ == "__main__":
    main()
