#!/usr/bin/env python3
"""Mixed convex bodies fall into a bin: time per step, share converged, overlaps; also for MuJoCo.

    PYTHONPATH=build/host-release/python .venv/bin/python bench/bins.py [--bodies 12] [--seeds 10] [--step 0.01] [--time 2]
        [--solvers interior_point newton] [--mujoco]

Boxes, balls, capsules, cylinders and meshes of some 30 mm above a bin of box walls, in layers, with random poses, speeds and
spins; second-order steps with Coulomb's law and quadratic cones. One line for each solver and, with --mujoco, for each of
MuJoCo's settings: milliseconds per step (mean, median, 99 % quantile, largest), iterations, share converged, and overlap at the
end of steps [mm]: 99 % quantile and largest while bodies fall (the first half of the run), largest at rest (the last tenth).
"""

import argparse
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from random_models import floats  # beside this file

SHAPES = ("box", "sphere", "capsule", "cylinder", "mesh")
FRICTION, DENSITY = 0.5, 800.0
SPACING = 0.11      # between the bodies of a layer, and between layers [m]
WALL = 0.02         # half thickness [m]
TOLERANCE = 1e-6


def size_of(shape, rng):
    """Attributes of a geom of 16 to 35 mm half size, and its volume [m³]; for a capsule that of its cylinder."""
    a, b, c = rng.uniform(0.02, 0.035, 3).tolist()
    if shape == "sphere":
        return f'size="{a!r}"', 4.19 * a**3
    if shape == "box":
        return f'size="{a!r} {b!r} {c!r}"', 8 * a * b * c
    return f'size="{0.8 * a!r} {b!r}"', 6.28 * (0.8 * a) ** 2 * b


def model(bodies, seed):
    """MJCF of a bin and the bodies that fall into it, and their initial velocities (bodies, 6)."""
    rng, meshes, falling = np.random.default_rng([seed, bodies]), [], []
    inner, height = 0.035 * np.sqrt(bodies) + 0.02, 0.04 * np.sqrt(bodies) + 0.1
    columns = max(2, int(2 * inner / SPACING))
    for i in range(bodies):
        shape = SHAPES[i % len(SHAPES)]
        layer, place = divmod(i, columns * columns)
        x, y = (np.array(divmod(place, columns)) + 0.5 - columns / 2) * min(SPACING, 2 * inner / columns)
        quat = rng.normal(size=4)
        if shape == "mesh":
            corners = rng.normal(size=(10, 3))
            corners *= rng.uniform(0.025, 0.04, 3) / np.linalg.norm(corners, axis=1, keepdims=True)
            meshes.append(f'<mesh name="m{i}" vertex="{floats(corners.ravel())}"/>')
            geom, volume = f'mesh="m{i}"', 8e-5
        else:
            geom, volume = size_of(shape, rng)
        falling.append(f'<body pos="{floats((x, y, 0.1 + SPACING * layer))}" quat="{floats(quat)}"><freejoint/>'
                       f'<geom type="{shape}" {geom} mass="{DENSITY * volume!r}"/></body>')  # fmt: skip
    out = inner + WALL
    boxes = [((-out, 0, height), (WALL, out + WALL, height)), ((out, 0, height), (WALL, out + WALL, height)),
             ((0, -out, height), (inner, WALL, height)), ((0, out, height), (inner, WALL, height)),
             ((0, 0, -WALL), (out + WALL, out + WALL, WALL))]  # fmt: skip
    walls = "".join(f'<geom type="box" pos="{floats(place)}" size="{floats(half)}"/>' for place, half in boxes)
    xml = (f'<mujoco><option gravity="0 0 -9.81"/><default><geom friction="{FRICTION} 0 0"/></default>'
           f"<asset>{''.join(meshes)}</asset><worldbody>{walls}{''.join(falling)}</worldbody></mujoco>")
    return xml, rng.normal(size=(bodies, 6)) * [0.3, 0.3, 0.3, 3, 3, 3]


class Course:
    """Times and overlaps of the steps of all runs of one solver."""

    def __init__(self):
        self.seconds, self.iterations, self.converged, self.falling, self.resting = [], [], [], [], []

    def add(self, share, seconds, iterations, converged, overlap):
        self.seconds.append(seconds)
        self.iterations.append(iterations)
        self.converged.append(converged)
        if share < 0.5:
            self.falling.append(overlap)
        if share >= 0.9:
            self.resting.append(overlap)

    def __str__(self):
        ms = 1e3 * np.array(self.seconds)
        times = f"{ms.mean():8.3f} {np.median(ms):8.3f} {np.quantile(ms, 0.99):8.2f} {ms.max():8.1f}"
        falling, resting = 1e3 * np.array(self.falling), 1e3 * max(self.resting)
        return (f"{times} {np.mean(self.iterations):8.1f} {100 * np.mean(self.converged):8.2f} "
                f"{np.quantile(falling, 0.99):8.3f} {falling.max():8.3f} {resting:8.3f}")  # fmt: skip


def fall(course, bodies, seed, step_size, seconds, **choices):
    """Simulates one bin with this simulator."""
    import stiction as st

    xml, speeds = model(bodies, seed)
    scene = st.load_model(xml, **{"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic", "tolerance": TOLERANCE,
                                  "step_size": step_size, **choices})  # fmt: skip
    with st.Simulator(scene, batch=1, device="cpu", threads=1) as sim:
        sim.qvel[0] = speeds.ravel()
        steps = round(seconds / step_size)
        for i in range(steps):
            begin = time.perf_counter()
            status = int(sim.step()[0])
            used = time.perf_counter() - begin
            course.add(i / steps, used, sim.stats.iterations[0], status == int(st.Status.CONVERGED), sim.stats.penetration[0])


def mujoco_settings(step_size):
    """{name: (attributes of <option>, stiff)}; stiff: a time constant of two steps, impedance 0.99 to 0.999."""
    import mujoco

    names = ["implicitfast"] + ["discrete"] * hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE")
    return {f"{name}, {cone}, {'firm' if stiff else 'default'}": (f'timestep="{step_size}" integrator="{name}" cone="{cone}"', stiff)
            for name in names for cone in ("pyramidal", "elliptic") for stiff in (False, True)}  # fmt: skip


def fall_in_mujoco(course, bodies, seed, step_size, seconds, option, stiff):
    import mujoco

    xml, speeds = model(bodies, seed)
    theirs = mujoco.MjModel.from_xml_string(xml.replace("<option ", f"<option {option} "))
    if stiff:
        theirs.geom_solref[:], theirs.geom_solimp[:, :2] = (2 * step_size, 1), (0.99, 0.999)
    data = mujoco.MjData(theirs)
    data.qvel[:] = speeds.ravel()
    steps = round(seconds / step_size)
    for i in range(steps):
        begin = time.perf_counter()
        mujoco.mj_step(theirs, data)
        used = time.perf_counter() - begin
        overlap = max(0.0, -data.contact.dist.min()) if data.ncon else 0.0
        course.add(i / steps, used, data.solver_niter[0], not data.warning.number.any(), overlap)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=12)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="seed")
    parser.add_argument("--step", type=float, default=0.01)
    parser.add_argument("--time", type=float, default=2.0, help="simulated [s]")
    parser.add_argument("--solvers", nargs="*", default=["interior_point", "newton"])
    parser.add_argument("--law", default="coulomb")
    parser.add_argument("--mujoco", action="store_true")
    a = parser.parse_args()
    print(f"{'':36}{'mean ms':>8} {'p50':>8} {'p99':>8} {'most':>8} {'its':>8} {'conv %':>8} {'fall p99':>8} {'most mm':>8} {'rest':>8}")

    def line(name, one, *settings, **choices):
        course = Course()
        for seed in range(a.first, a.first + a.seeds):
            one(course, a.bodies, seed, a.step, a.time, *settings, **choices)
        print(f"{name:36}{course}", flush=True)

    for solver in a.solvers:
        line(f"{solver}, {a.law}", fall, law=a.law, solver=solver)
    for name, settings in mujoco_settings(a.step).items() if a.mujoco else ():
        line(f"MuJoCo {name}", fall_in_mujoco, *settings)


if __name__ == "__main__":
    main()
