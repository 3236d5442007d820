"""The program itself on the world's scene."""

import re
import subprocess
from dataclasses import dataclass

import h5py
import numpy as np
import world as worlds


@dataclass
class Run:
    """Poses over time and the figures that the program prints."""
    time: np.ndarray
    poses: np.ndarray
    wall: float             # [s] of stepping, by the program's own clock
    contacts: float
    iterations: float
    residual: float
    converged: float        # share of steps
    rate: float             # environment-steps/s


def number(text):
    return float(re.match(r"[-+.\deE]+", text)[0])


def simulate(program, world, step, options=(), batch=1, threads=1):
    """One run of the program; `options` are words of its command line."""
    file = world.folder / "run.h5"
    command = [program, "run", world.folder, "--step-size", f"{step:g}", "--batch", batch, "--threads", threads,
               "--every", max(1, round(0.02 / step)), "--device", "cpu", "--out", file, "--envs", 0,
               "--allow-failures", batch, *options]
    printed = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^(\S.*?)  +(.*)$", printed, flags=re.MULTILINE))
    with h5py.File(file) as recording:
        time, poses = recording["time"][:], worlds.cube_poses(world, recording["qpos"][:, 0])
    file.unlink()
    rate = found["environment-steps/s"]
    return Run(time, poses, number(re.search(r" in (\S+) s", rate)[1]), number(found["contacts, mean"]),
               number(found["iterations, mean (most)"]), number(found["residual, worst"]),
               number(found["steps converged"]) / 100, number(rate))
