"""A scene as every simulator of this folder gets it: one compiled model, one start, one command, one measure of error."""

import pathlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

import h5py
import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRID = 0.04        # poses are compared at multiples of this [s]
THROWN = 10.0      # a cube farther away than this is lost [m]


@dataclass
class World:
    """Model, start and command; `cubes` are the qpos addresses and half sizes of the free boxes."""
    name: str
    folder: pathlib.Path   # scene without noise
    model: mujoco.MjModel
    start: np.ndarray      # qpos
    knots: np.ndarray      # rows time [s], ctrl
    duration: float        # [s]
    cubes: list

    def command(self, time):
        """ctrl (n, nu) at the times (n)."""
        return np.column_stack([np.interp(time, self.knots[:, 0], column) for column in self.knots[:, 1:].T])

    def grid(self):
        return GRID * np.arange(round(self.duration / GRID) + 1)


def without_noise(name, folder, tolerance):
    """A copy of the scene without its noise, which asks for this residual."""
    for source in {name, name.rstrip("_0123456789")}:  # iiwa_stack_1 uses the models of iiwa_stack
        shutil.copytree(ROOT / "scenes" / source, folder / source, dirs_exist_ok=True)
    file = folder / name / "scene.toml"
    text = re.sub(r"\[randomize\.qpos_noise\]\n(?:.+\n)*", "", file.read_text())
    file.write_text(re.sub(r"tolerance = \S+", f"tolerance = {tolerance:g}", text))
    return folder / name


def load_world(program, name, tolerance=1e-6):
    folder = without_noise(name, pathlib.Path(tempfile.mkdtemp()), tolerance)
    file = folder / "start.h5"
    subprocess.run([program, "run", folder, "--duration", "0.4", "--step-size", "0.4", "--out", file, "--quiet"], check=True)
    with h5py.File(file) as recording:
        model = mujoco.MjModel.from_xml_string(recording.attrs["model_xml"])
        start = recording["qpos"][0, 0]
    duration = float(re.search(r"^duration = (\S+)", (folder / "scene.toml").read_text(), re.MULTILINE)[1])
    knots = np.loadtxt(folder / "command.csv", delimiter=",", skiprows=1)
    return World(name, folder, model, start, knots, duration, free_boxes(model))


def free_boxes(model):
    """(qpos address, half sizes) of every free body."""
    free = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    return [(model.jnt_qposadr[j], model.geom_size[model.body_geomadr[model.jnt_bodyid[j]]]) for j in free]


def corners(poses, half):
    """Corners (..., 8, 3) of boxes with poses (..., 7): position, quaternion w x y z."""
    w, x, y, z = np.moveaxis(poses[..., 3:] / np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True), -1, 0)
    rotation = np.stack([np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
                         np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
                         np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)
    local = half * np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), -1).reshape(8, 3)
    return poses[..., None, :3] + np.einsum("...ij,kj->...ki", rotation, local)


def cube_poses(world, qpos):
    """(n, cubes, 7) of rows of qpos."""
    return np.stack([qpos[:, a : a + 7] for a, _ in world.cubes], axis=1)


def on_grid(world, time, poses):
    """Poses at the world's grid, linear between the rows; None where a cube was lost on the way."""
    if len(time) == 0 or time[-1] < world.duration - GRID or not np.abs(poses).max() < THROWN:
        return None
    poses = poses.copy()
    for cube in range(poses.shape[1]):  # q and -q are one orientation
        flips = np.cumprod(np.where((poses[1:, cube, 3:] * poses[:-1, cube, 3:]).sum(-1) < 0, -1.0, 1.0))
        poses[1:, cube, 3:] *= flips[:, None]
    flat = poses.reshape(len(time), -1)
    return np.column_stack([np.interp(world.grid(), time, c) for c in flat.T]).reshape(-1, *poses.shape[1:])


def tracking_error(world, poses, truth):
    """Distance of the corners of the worst cube from the truth's [m]: mean over time, and at the end; infinite if one is lost."""
    if poses is None:
        return np.inf, np.inf
    half = np.array([h for _, h in world.cubes])[0]
    distance = np.linalg.norm(corners(poses, half) - corners(truth, half), axis=-1).mean(axis=2).max(axis=1)
    return distance.mean(), distance[-1]
