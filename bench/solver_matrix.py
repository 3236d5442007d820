"""Every solver with every law and cone on every scene: share of steps converged, worst residual, iterations, time.

    .venv/bin/python bench/solver_matrix.py build/host-release/bin/stiction [scene ...]

For a combination that makes no sense, the program's message is shown. Scenes run as written, except for the solver, law
and cone, and with the tolerance that suits the solver (column "asked").
"""

import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
SCENES = ("gripper2d", "fence_particle", "planar_pick", "iiwa_stack_1", "iiwa_stack")
SOLVERS = {"interior_point": (1e-6, 50), "admm": (1e-4, 50), "pgs": (1e-4, 50), "lemke": (1e-6, 50), "newton": (1e-6, 50)}
LAWS = ("anitescu", "coulomb", "frictionless")
CONES = ("pyramid", "quadratic")
LIMIT = 300  # seconds a combination may take


def with_tolerance(scene, folder, tolerance, iterations):
    """A copy of the scene that asks for this tolerance."""
    shutil.copytree(scene.parent, folder, dirs_exist_ok=True)  # a scene may use its neighbours' models
    copy = pathlib.Path(folder) / scene.name
    text = (copy / "scene.toml").read_text()
    text = re.sub(r"^(tolerance|max_iterations|name) *=.*\n", "", text, flags=re.MULTILINE)
    values = f"[solver]\ntolerance = {tolerance}\nmax_iterations = {iterations}\n"
    text = text.replace("[solver]\n", values, 1) if "[solver]\n" in text else text.replace("[step]\n", values + "[step]\n", 1)
    (copy / "scene.toml").write_text(text)
    return copy


def row_of(program, scene, solver, law, cone):
    """Figures of one run, or the program's line of refusal."""
    command = [program, "run", str(scene), "--solver", solver, "--law", law, "--cone", cone, "--device", "cpu",
               "--allow-failures", "1"]  # fmt: skip
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"not finished in {LIMIT} s"
    if run.returncode != 0:
        return run.stderr.strip().split(": ", 1)[-1]
    found = dict(re.findall(r"^(\S.*?)  +(.*)$", run.stdout, flags=re.MULTILINE))
    rate = float(found["environment-steps/s"].split()[0])
    return (f"{found['steps converged']:>10} {found['residual, worst']:>10} {found['iterations, mean (most)']:>16} "
            f"{1e3 / rate:9.3f} ms {found['penetration, largest']:>10}")  # fmt: skip


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    scenes = sys.argv[2:] or SCENES
    print(f"{'scene':<15} {'solver':<15} {'law':<13} {'cone':<10} {'asked':>7}  converged      worst  iterations (most)   a step   overlap")
    for name, (solver, (tolerance, iterations)) in itertools.product(scenes, SOLVERS.items()):
        with tempfile.TemporaryDirectory() as folder:
            scene = with_tolerance(ROOT / "scenes" / name, folder, tolerance, iterations)
            for law, cone in itertools.product(LAWS, CONES):
                figures = row_of(sys.argv[1], scene, solver, law, cone)
                print(f"{name:<15} {solver:<15} {law:<13} {cone:<10} {tolerance:7.0e}  {figures}", flush=True)


if __name__ == "__main__":
    main()
