"""hand_cube: the command is made by its script, and the hand turns the cube by the same angle for every step size."""

import os
import pathlib
import subprocess
import sys
import tomllib

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
SCENE = ROOT / "scenes/hand_cube"
FULL = os.environ.get("ST_FULL") == "1"
BATCH = 64 if FULL else 8
STEPS = [0.2, 0.1, 0.05, 0.02, 0.01] if FULL else [0.1, 0.05]
TURNED = 60.0       # least angle [deg]
END = 38.0          # where the command lets go of the cube [deg] ...
END_COARSE = 33.0   # ... and at 0.4 s, where the boundary layer holds the tips off
ABOUT = 6.0         # whatever its start and the step [deg]
FLAT = 1.0          # tilt at the end [deg]


def run(folder, step_size):
    """qpos (steps + 1, batch, nq) and the share of steps converged."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    file = folder / "hand.h5"
    command = [BINARY, "run", SCENE, "--batch", BATCH, "--step-size", step_size, "--out", file, "--quiet"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    with h5py.File(file) as recording:
        return recording["qpos"][:], (recording["status"][1:] & 1).mean()


def yaw_and_tilt(quaternion):
    """[deg], yaw without jumps along the first axis."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    yaw = np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)), axis=0)
    return np.rad2deg(yaw), np.rad2deg(np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1)))


def test_the_command_is_what_its_script_makes():
    script = ROOT / "scripts/make_hand_cube.py"
    made = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def test_the_hand_starts_where_its_command_does():
    start = tomllib.loads((SCENE / "scene.toml").read_text())["initial"]["qpos"]
    command = np.loadtxt(SCENE / "command.csv", delimiter=",", skiprows=1)
    assert start[:16] == list(command[0, 1:])


@pytest.mark.parametrize("step_size, end", [*((h, END) for h in STEPS), (0.4, END_COARSE)])
def test_the_cube_is_turned_and_lies_on_the_palm_again(tmp_path, step_size, end):
    qpos, converged = run(tmp_path, step_size)
    assert converged == 1.0
    yaw, tilt = yaw_and_tilt(qpos[..., -4:])
    assert (yaw[-1] - yaw[0]).min() >= TURNED
    assert yaw[-1] == pytest.approx(end, abs=ABOUT)
    assert tilt[-1].max() <= FLAT
