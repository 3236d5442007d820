"""Drake on picks of a cube, with the same command as the other simulators; runs in the environment of bench/peers.

    drake_runs.py PROGRAM OUT.json SCENE ...     (pick.py calls it; about seven minutes on one core)

    drake         the present default solver (lagged), implicit springs in the actuators, hydroelastic contact
    drake_tamsi   the solver and the actuators of the paper's time (2020): springs evaluated at the start of a step

The first run of a scene is the truth: drake at 5e-5 s. The picked cube is the scene's last one.
"""

import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers"))
import drake_peer  # noqa: E402
import numpy as np  # noqa: E402
import world as worlds  # noqa: E402

TRUTH_STEP, GRID = 5e-5, 0.02  # [s]
STEPS = [2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4]  # [s]
METHODS = {"drake": ("lagged", "hydroelastic", 1e7), "drake_tamsi": ("tamsi", "hydroelastic", 1e6)}  # modulus [Pa]
THROWN = 10.0  # [m]


def simulate(world, method, step):
    """Poses of the cube at the ends of steps, at multiples of GRID or of the step; stops where Drake gives up."""
    solver, contact, modulus = METHODS[method]
    begin = time.perf_counter()
    plant = drake_peer.Plant(world, solver, step, contact, modulus)
    every = max(1, round(GRID / step))
    times, poses = [0.0], [plant.poses()[-1]]
    for k in range(every, round(world.duration / step) + 1, every):
        try:
            plant.simulator.AdvanceTo(k * step)
        except RuntimeError:  # its solver did not converge
            break
        times.append(k * step)
        poses.append(plant.poses()[-1])
        if not np.abs(poses[-1]).max() < THROWN:
            break
    return {
        "method": method,
        "step": step,
        "time": times,
        "pose": np.array(poses).tolist(),
        "seconds": time.perf_counter() - begin,
    }


def main(program, out, *scenes):
    jobs = [("drake", TRUTH_STEP), *((method, step) for method in METHODS for step in STEPS)]
    runs = {}
    for scene in scenes:
        world = worlds.load_world(program, scene, 1e-9)
        runs[scene] = [simulate(world, *job) for job in jobs]
    pathlib.Path(out).write_text(json.dumps(runs))


if __name__ == "__main__":
    main(*sys.argv[1:])
