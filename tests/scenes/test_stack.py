"""The stacking scenes: made by their script, honest in their motion, and every cube ends on its place for every step size."""

import math
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest
from load_script import load_script

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
FULL = os.environ.get("ST_FULL") == "1"
BATCH = 64
STEPS = [0.4, 0.2, 0.1, 0.05, 0.01] if FULL else [0.4, 0.1]
SUCCEED = 62 / 64        # least share of environments
NOT_CONVERGED = 0.001    # largest share of steps


sys.path.insert(0, str(ROOT / "scripts"))  # where the script finds its parts
judge_stack = load_script("scripts/judge_stack.py")


def run_script(name, *arguments):
    command = [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def record(folder, scene, step_size, batch, *options):
    """A recording of the scene; skips where the program is not built."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    file = folder / f"{scene}_{step_size}.h5"
    every = max(1, round(0.04 / step_size))
    run = subprocess.run([str(BINARY), "run", str(ROOT / "scenes" / scene), "--step-size", str(step_size), "--batch",
                          str(batch), "--every", str(every), "--out", str(file), "--quiet", "--allow-failures",
                          str(batch), *options], capture_output=True, text=True, timeout=3600, check=False)
    assert run.returncode == 0, run.stderr
    return file


@pytest.fixture(scope="module")
def stacked(tmp_path_factory):
    """The shortest complete recording: one cube, one environment."""
    return record(tmp_path_factory.mktemp("stacked"), "iiwa_stack_1", 0.4, 1)


def found_in(file):
    recording = judge_stack.Recording(file)
    return judge_stack.judge(recording, judge_stack.read_targets(recording, None))


def test_the_files_are_what_the_script_makes_and_the_motion_is_honest():
    run = run_script("make_iiwa_stack.py", "--check")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("scene", ["iiwa_stack", "iiwa_stack_3", "iiwa_stack_1"])
@pytest.mark.parametrize("step_size", STEPS)
def test_every_cube_ends_on_its_place(tmp_path, scene, step_size):
    found = found_in(record(tmp_path, scene, step_size, BATCH))
    assert found["success"].mean() >= SUCCEED, (1e3 * found["position"].max(), found["tilt"].max(), found["yaw"].max())
    assert not found["thrown"].any()
    assert found["overlap"] <= found["most_overlap"]
    assert found["not_converged"] <= math.ceil(NOT_CONVERGED * found["steps"])


def test_a_solver_that_is_stopped_early_costs_no_cube(tmp_path):
    """Contacts that carry where bodies do not meet are left out, and a cube may then hang on too little for a short solve."""
    found = found_in(record(tmp_path, "iiwa_stack", 0.4, BATCH, "--max-iterations", "20"))
    assert found["success"].mean() >= SUCCEED
    assert found["overlap"] <= found["most_overlap"]


def test_the_noise_moves_every_cube_within_its_half_widths(tmp_path):
    file = record(tmp_path, "iiwa_stack", 0.4, 8)
    recording = judge_stack.Recording(file)
    start = np.asarray(recording.file["qpos"][0])
    for name, address in recording.cubes.items():
        offset = start[:, address : address + 3] - recording.model.body(name).pos
        tilt, yaw = judge_stack.turn_of(start[:, address + 3 : address + 7])
        assert np.abs(offset[:, 0]).max() <= 0.010 and np.abs(offset[:, 1]).max() <= 0.002
        assert np.ptp(offset[:, 0]) > 0.002 and np.ptp(offset[:, 1]) > 0.0004 and np.ptp(yaw) > 2
        assert np.abs(yaw).max() <= 10 and tilt.max() < 1e-4


@pytest.mark.parametrize("spoil", ["shift", "tilt", "turn", "throw"])
def test_the_judge_sees_a_cube_that_is_off_its_place(tmp_path, stacked, spoil):
    file = tmp_path / "spoiled.h5"
    shutil.copy(stacked, file)
    with h5py.File(file, "r+") as recording:
        qpos = recording["qpos"]
        half = np.deg2rad(7) / 2
        if spoil == "shift":
            qpos[-1, 0, 9] += 0.016
        elif spoil == "throw":
            qpos[5, 0, 9] = np.nan
        else:
            axis = [1, 0, 0] if spoil == "tilt" else [0, 0, 1]
            qpos[-1, 0, 12:16] = [np.cos(half), *(np.sin(half) * c for c in axis)]
    assert run_script("judge_stack.py", stacked).returncode == 0
    assert run_script("judge_stack.py", file).returncode == 1


def test_the_judge_counts_yaw_modulo_a_quarter_turn(tmp_path, stacked):
    file = tmp_path / "turned.h5"
    shutil.copy(stacked, file)
    with h5py.File(file, "r+") as recording:
        recording["qpos"][-1, 0, 12:16] = [np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)]
    assert run_script("judge_stack.py", file).returncode == 0


def test_pictures_are_made_from_a_recording(tmp_path, stacked):
    run = run_script("render_stack.py", stacked, tmp_path, "--frames", 2)
    assert run.returncode == 0, run.stderr
    for name in ("frames.png", "heights.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("script", ["judge_stack.py", "render_stack.py"])
@pytest.mark.parametrize("content", [None, b"", b"no recording"])
def test_bad_input_is_one_line_and_exit_2(tmp_path, script, content):
    file = tmp_path / "bad.h5"
    if content is not None:
        file.write_bytes(content)
    run = run_script(script, file, *([tmp_path / "out"] if script == "render_stack.py" else []))
    assert run.returncode == 2
    assert run.stderr.startswith("error: ") and run.stderr.count("\n") == 1
