"""Kernels compute the same bits on a 64-bit ARM processor, which qemu emulates, as here."""

import shutil
import subprocess

import pytest
import sources

CROSS, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64-static"


def answers_of(compiler, program, *start):
    flags = ["-std=c++20", "-O1", "-ffp-contract=off", "-static"]
    subprocess.run([compiler, *flags, "-I.", "tests/aarch64/kernel_bits.cpp", "-o", program], cwd=sources.ROOT, check=True)
    return subprocess.run([*start, program], capture_output=True, text=True, check=True).stdout


def test_projections_and_contacts_have_the_same_bits_on_arm(tmp_path):
    absent = [tool for tool in ("g++", CROSS, EMULATOR) if not shutil.which(tool)]
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)} (scripts/setup)")
    here = answers_of("g++", tmp_path / "here")
    assert len(here.splitlines()) > 100
    assert answers_of(CROSS, tmp_path / "there", EMULATOR) == here
