"""A path below `scenes` that is not there is one of the scenes of the installed package."""

import shutil
import subprocess

import pytest
from stiction_program import BINARY, ROOT, assert_one_line


@pytest.fixture
def moved(tmp_path):
    """Runs a copy of the program in `bin`, with one scene in `scenes` beside that, from another folder."""
    (tmp_path / "bin").mkdir()
    program = shutil.copy(BINARY, tmp_path / "bin/stiction")
    shutil.copytree(ROOT / "scenes/gripper2d", tmp_path / "scenes/gripper2d")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(*words):
        return subprocess.run([program, *words], cwd=elsewhere, capture_output=True, text=True, check=False)

    return run


def test_a_scene_of_the_package_is_found_from_elsewhere(moved):
    run = moved("info", "scenes/gripper2d")
    assert run.returncode == 0, run.stderr
    assert "gripper2d" in run.stdout


@pytest.mark.parametrize("path", ["scenes/none", "gripper2d", "other/gripper2d"])
def test_other_paths_are_as_given(moved, path):
    run = moved("info", path)
    assert_one_line(run, 2)
    assert f"{path}: no such file or folder" in run.stderr
