"""MuJoCo's library is loaded when a model is read; one that is missing or of another release is one line."""

import shutil
import subprocess

import pytest
from stiction_program import ROOT, assert_one_line

INSTALL = "pip install 'mujoco-core>=4.0.0,<4.1'"


def fake_library(tmp_path, source):
    """A shared library of these lines of C."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    file = tmp_path / "libmujoco.so.4.1.0"
    (tmp_path / "fake.c").write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", tmp_path / "fake.c", "-o", file], check=True)
    return file


def info(stiction, library):
    return stiction("info", ROOT / "scenes/gripper2d", env={"STICTION_MUJOCO_LIBRARY": str(library), "PATH": "/usr/bin:/bin"})


def test_a_library_of_another_release_is_refused(stiction, tmp_path):
    run = info(stiction, fake_library(tmp_path, "int mj_version(void) { return 4001000; }\n"))
    assert_one_line(run, 2)
    assert "is of version 4.1.0, which does not fit" in run.stderr and INSTALL in run.stderr


def test_a_library_without_a_function_is_refused(stiction, tmp_path):
    run = info(stiction, fake_library(tmp_path, "int mj_version(void) { return 4000007; }\n"))
    assert_one_line(run, 2)
    assert "has no function mj_" in run.stderr and INSTALL in run.stderr


def test_a_file_that_is_no_library_is_refused(stiction, tmp_path):
    run = info(stiction, tmp_path / "none.so")
    assert_one_line(run, 2)
    assert "MuJoCo's library cannot be loaded" in run.stderr and "none.so" in run.stderr


def test_the_program_does_not_need_the_library_to_start(stiction, tmp_path):
    run = stiction("--version", env={"STICTION_MUJOCO_LIBRARY": str(tmp_path / "none.so"), "PATH": "/usr/bin:/bin"})
    assert run.returncode == 0, run.stderr
