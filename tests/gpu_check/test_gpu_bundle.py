"""Claims about the bundle for a machine with a GPU: it starts the program that the driver there can run; one file is both
gpu_check and stiction."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TOO_OLD = "CUDA driver version is insufficient for CUDA runtime version (CUDA error 35)"
NO_DEVICE = "no CUDA-capable device is detected (CUDA error 100)"


def start(folder, *arguments, **environment):
    command = [str(folder / "start"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)


@pytest.fixture
def bundle(tmp_path):
    """Makes a bundle of programs that say what they are, and why they are not usable where a reason is given."""

    def make(**reasons):
        folder = tmp_path / "a bundle"
        (folder / "bin").mkdir(parents=True)
        shutil.copy(ROOT / "bench/gpu_bundle/start", folder)
        for name, why in reasons.items():
            program = folder / "bin" / name
            answer = f"echo '{why}'; exit 4" if why else "echo 'a GPU'; exit 0"
            program.write_text(f'#!/bin/sh\nif [ "$1" = usable ]; then {answer}; fi\necho {name} "$@"; exit 7\n')
            program.chmod(0o755)
        return folder

    return make


def test_a_new_driver_gets_the_program_of_its_own_cuda(bundle):
    result = start(bundle(cuda13="", cuda12=""), "--minutes", "1", "--out", "a file")
    assert (result.returncode, result.stdout) == (7, "cuda13 --minutes 1 --out a file\n")


def test_an_older_driver_gets_the_program_of_the_older_cuda(bundle):
    result = start(bundle(cuda13=TOO_OLD, cuda12=""), "--minutes", "1")
    assert (result.returncode, result.stdout, result.stderr) == (7, "cuda12 --minutes 1\n", "")


def test_a_driver_that_neither_knows_is_named_in_one_line(bundle):
    result = start(bundle(cuda13=TOO_OLD, cuda12=NO_DEVICE))
    assert result.returncode == 4 and result.stdout == ""
    expected = f"run: no usable GPU; made for CUDA 13: {TOO_OLD}; made for CUDA 12: {NO_DEVICE} (--dry-run"
    assert result.stderr.startswith(expected) and result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--dry-run",), ("--help",), ("stiction", "info", "scenes/gripper2d")])
def test_what_needs_no_gpu_runs_without_one(bundle, arguments):
    result = start(bundle(cuda13=TOO_OLD, cuda12=NO_DEVICE), *arguments)
    assert (result.returncode, result.stdout) == (7, f"cuda12 {' '.join(arguments)}\n")


def test_the_choice_can_be_taken_away(bundle):
    folder = bundle(cuda13="", cuda12="")
    assert start(folder, BUNDLE_CUDA="12").stdout == "cuda12\n"
    result = start(folder, BUNDLE_CUDA="11")
    assert result.returncode == 4 and "made for CUDA 11: not in this bundle" in result.stderr


def test_a_bundle_with_one_program_says_that_the_other_is_missing(bundle):
    result = start(bundle(cuda12=TOO_OLD))
    assert result.returncode == 4 and "made for CUDA 13: not in this bundle; made for CUDA 12: CUDA driver" in result.stderr


def test_one_file_is_both_programs():
    if "STICTION_BUILD" not in os.environ:
        pytest.skip("STICTION_BUILD names no build")
    program = pathlib.Path(os.environ["STICTION_BUILD"], "bin", "gpu_bundle").resolve()

    def run(*arguments):
        return subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)

    assert run("stiction", "--version").stdout.startswith("stiction ")
    assert "Checks and measures stiction on a GPU" in run("--help").stdout
    usable, checks = run("usable"), run("--only", "interplay", "--scenes", str(ROOT / "no such folder"))
    assert usable.stdout.count("\n") >= 1
    if usable.returncode == 4:
        assert checks.returncode == 4 and usable.stdout.strip() in checks.stderr
    else:
        assert usable.returncode == 0 and checks.returncode != 4
