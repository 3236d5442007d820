"""Recorded tosses of a real cube, simulated with every law and cone: how far a simulation goes from what happened.

    python bench/cube_tosses.py TOSSES.npz [OUT.csv]

TOSSES.npz: arrays (T, 13) of samples 1/148 s apart: quaternion, position [m], angular velocity [rad/s] in the body's axes, velocity
[m/s]; half of the tosses of Pfrommer, Halm and Posa, "ContactNets", 2020. Every second toss is used to fit the friction coefficient
and the height of the table, separately for each choice; the others are simulated freely from their second sample to their end.
Position errors are means over tosses of means over time, and so are rotation errors.
"""

import csv
import itertools
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import stiction as st

SAMPLES_A_SECOND = 148
FRICTION = (0.125, 0.15, 0.175, 0.2, 0.225)
TABLE = (-0.0012, -0.0006, 0.0)  # [m]
CHOICES = [
    {"law": "coulomb", "cone": "quadratic"},
    {"law": "coulomb", "cone": "pyramid", "facets": 4},
    {"law": "coulomb", "cone": "pyramid", "facets": 16},
    {"law": "anitescu", "cone": "quadratic"},
    {"law": "anitescu", "cone": "pyramid", "facets": 4},
    {"law": "patch", "torsion_radius": "uniform"},
]
CUBE = """<mujoco><worldbody><geom type="plane" size="5 5 1" pos="0 0 {table}" friction="{mu}"/><body><freejoint/>
<inertial pos="0 0 0" mass=".37" diaginertia=".00081 .00081 .00081"/>
<geom type="box" size=".0524 .0524 .0524" friction="{mu}"/></body></worldbody></mujoco>"""

Toss = np.ndarray


def turn_between(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angles between unit quaternions (n, 4) [rad]."""
    return 2 * np.arccos(np.clip(np.abs((p * q).sum(axis=-1)), 0, 1))


def simulate(tosses: list[Toss], mu: float, table: float, every: int, choice: dict[str, Any]) -> tuple[np.ndarray, float, int]:
    """Positions and quaternions (steps, tosses, 7) of steps of `every` samples, processor time of a step [us], steps not converged."""
    scene = st.load_model(CUBE.format(mu=mu, table=table), dynamics="dynamic", step_size=every / SAMPLES_A_SECOND, **choice)
    steps = (max(map(len, tosses)) - 2) // every
    poses, open_steps = np.empty((steps + 1, len(tosses), 7)), 0
    with st.Simulator(scene, batch=len(tosses), device="cpu", threads=1) as sim:
        sim.qpos[...] = [np.r_[toss[1, 4:7], toss[1, :4]] for toss in tosses]
        sim.qvel[...] = [np.r_[toss[1, 10:13], toss[1, 7:10]] for toss in tosses]
        poses[0] = sim.qpos
        begin = time.process_time()
        for step in range(steps):
            open_steps += int((sim.step() & st.Status.FAILED != 0).sum())
            poses[step + 1] = sim.qpos
        seconds = time.process_time() - begin
    return poses, 1e6 * seconds / steps / len(tosses), open_steps


def errors(tosses: list[Toss], poses: np.ndarray, every: int) -> tuple[float, float]:
    """Mean errors of position [m] and rotation [rad]."""
    position, rotation = [], []
    for env, toss in enumerate(tosses):
        samples = toss[1::every]
        ours = poses[: len(samples), env]
        samples = samples[: len(ours)]
        position.append(np.linalg.norm(ours[:, :3] - samples[:, 4:7], axis=1).mean())
        rotation.append(turn_between(ours[:, 3:], samples[:, :4]).mean())
    return float(np.mean(position)), float(np.mean(rotation))


def main(tosses_file: str, out: str | None = None) -> None:
    with np.load(tosses_file) as file:
        tosses = [file[name] for name in sorted(file.files)]
    fitted, judged = tosses[::2], tosses[1::2]
    rows = []
    for choice in CHOICES:

        def error_of(parameters: tuple[float, float], choice: dict[str, Any] = choice) -> float:
            return errors(fitted, simulate(fitted, *parameters, 1, choice)[0], 1)[0]

        mu, table = min(itertools.product(FRICTION, TABLE), key=error_of)
        for every in (1, 2, 4):
            poses, microseconds, open_steps = simulate(judged, mu, table, every, choice)
            position, rotation = errors(judged, poses, every)
            name = " ".join(str(word) for word in choice.values())
            rows.append([name, round(1e3 * every / SAMPLES_A_SECOND, 1), mu, round(1e3 * table, 1), round(1e3 * position, 1),
                         round(np.degrees(rotation), 1), open_steps, round(microseconds, 1)])  # fmt: skip
            print(*rows[-1], sep=",", flush=True)
    if out:
        with Path(out).open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["choice", "step_ms", "friction", "table_mm", "position_mm", "rotation_deg", "open_steps", "step_us"])
            writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
