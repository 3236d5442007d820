"""A recorded run as the pictures and the judge need it."""

import pathlib
import sys

import h5py
import mujoco
import numpy as np

SCENES = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes"


class BadInput(Exception):
    """One line for the user: what is wrong, where, what to do."""


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


class Recording:
    """Opens FILE.h5 and checks everything that its readers rely on."""

    def __init__(self, file):
        self.name = str(file)
        if not pathlib.Path(file).is_file():
            raise BadInput(f"{file}: no such file; record one with stiction run scenes/iiwa_stack --out {file}")
        try:
            self.file = h5py.File(file, "r")
        except OSError as error:
            raise BadInput(f"{file}: not an HDF5 file ({str(error).splitlines()[0]})") from error
        if "qpos" not in self.file:
            raise BadInput(f"{file}: holds no /qpos; record with --record state")
        self.time = self.file["time"][:]
        self.rows = min(len(self.time), self.file["qpos"].shape[0])
        self.batch = self.file["qpos"].shape[1]
        if self.rows < 1 or self.batch < 1:
            raise BadInput(f"{file}: holds no rows")
        self.model = self.compile()
        if self.model.nq != self.file["qpos"].shape[2]:
            raise BadInput(f"{file}: /qpos has {self.file['qpos'].shape[2]} columns, the model {self.model.nq}")
        self.cubes = self.free_joints()

    def compile(self):
        try:
            return mujoco.MjModel.from_xml_string(self.attribute("model_xml"))
        except ValueError as error:
            raise BadInput(f"{self.name}: the recorded model does not compile: {str(error).splitlines()[0]}") from error

    def attribute(self, name):
        if name not in self.file.attrs:
            raise BadInput(f"{self.name}: the attribute {name} is missing; was it written by stiction run?")
        value = self.file.attrs[name]
        return value.decode() if isinstance(value, bytes) else value

    def free_joints(self):
        """qpos address of every free joint by name."""
        joints = [self.model.joint(i) for i in range(self.model.njnt)]
        return {j.name: int(j.qposadr[0]) for j in joints if j.type[0] == mujoco.mjtJoint.mjJNT_FREE}

    def step_size(self):
        return float(self.attribute("step_size"))

    def environment(self, env):
        """qpos (rows, nq) of one environment, as recorded."""
        if not 0 <= env < self.batch:
            raise BadInput(f"{self.name}: environment {env} is not there; give 0 ... {self.batch - 1}")
        return np.asarray(self.file["qpos"][: self.rows, env], dtype=float)


def turn_of(quaternion):
    """Tilt of the upright axis and yaw modulo a quarter turn [deg] of quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    tilt = np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1))
    yaw = np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
    return np.rad2deg(tilt), (np.rad2deg(yaw) + 45) % 90 - 45
