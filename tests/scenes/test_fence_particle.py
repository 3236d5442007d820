"""fence_particle: its table is made by its script, and the particle ends where the paper's models put it."""

import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
SCENE = ROOT / "scenes/fence_particle"
X_END = 0.9000198726    # in every model [m]
PUSHED = (52, 156)      # first and last step that moves the particle
PRINTED = 1e-9          # ten digits of the expected values [m]
STILL = 1e-12           # a step that moves the particle by less does not push it [m]


def trajectory(folder, *options):
    """qpos after every step; skips where the program, or the choice that `options` name, is not built."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    file = folder / "fence.h5"
    run = subprocess.run([str(BINARY), "run", str(SCENE), "--out", str(file), "--quiet", *options],
                         capture_output=True, text=True, timeout=600, check=False)
    if "not yet" in run.stderr:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stderr
    with h5py.File(file) as recording:
        return np.array(recording["qpos"][:, 0])


def test_the_table_is_what_its_script_writes(tmp_path):
    script = ROOT / "scripts/scenes/fence_command.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "fence.csv")], check=True, timeout=60)
    assert (tmp_path / "fence.csv").read_text() == (SCENE / "fence.csv").read_text()


@pytest.mark.parametrize("facets, y_end", [(4, 0.2000198726), (8, 0.0828509440)])
def test_a_pyramid_of_coulomb_friction_ends_as_printed(tmp_path, facets, y_end):
    q = trajectory(tmp_path, "--law", "coulomb", "--facets", str(facets))
    assert q[-1] == pytest.approx([X_END, y_end, 0.0], abs=PRINTED)
    moved = np.flatnonzero(np.abs(np.diff(q[:, 0])) > STILL)
    assert (moved[0], moved[-1]) == PUSHED


def test_the_quadratic_cone_ends_as_printed(tmp_path):
    q = trajectory(tmp_path, "--law", "coulomb", "--cone", "quadratic")
    assert q[-1] == pytest.approx([X_END, 0.1000099363, 0.0], abs=10 * PRINTED)


def test_anitescu_runs_ahead_of_the_fence_by_its_boundary_layer(tmp_path):
    q = trajectory(tmp_path)
    fence = 0.5 + 0.4 * np.sin(0.01 * np.arange(len(q)))
    ahead = q[:, 0] - fence
    assert ahead.min() > -PRINTED
    assert q[-1, 0] == pytest.approx(X_END + 0.5 * 0.01, abs=2e-5)  # mu h (1 - v) where the fence turns, v almost 0
