"""Build limits, read from the log that cmake/timed_compile writes: processor seconds of a machine that compiles nanobind, which
does not change, in the seconds that it took where the limits were set. With ST_FULL=1, on a machine that does nothing else:
the pace of shared cores changes within a build. In every run test_kernel_resources.py holds the bytes of the CUDA units."""

import csv
import os
import pathlib

import pytest

MAX_CUDA_UNIT_SECONDS = 60
# 30 minutes on two cores, that is 60 of a processor, are promised from nothing to the end of the tests
MAX_CUDA_SECONDS = 15 * 60  # at most 12 minutes on two cores
MAX_HOST_SECONDS = 30 * 60
NANOBIND_SECONDS = 19.9  # all units of nanobind 3.1.0 on that machine

timed = pytest.mark.skipif(os.environ.get("ST_FULL") != "1", reason="ST_FULL=1: seconds depend on what else the machine does")


def compile_seconds():
    """Newest processor seconds of every unit of the build under test, of the machine of the limits."""
    build = os.environ.get("STICTION_BUILD")
    log = pathlib.Path(build or "", "compile_times.csv")
    if not build or not log.is_file():
        pytest.skip("STICTION_BUILD names no build folder with a compile_times.csv")
    with log.open() as rows:
        seconds = {unit: float(cpu) for cpu, _, unit in csv.reader(rows)}
    nanobind = sum(s for unit, s in seconds.items() if "nanobind-static" in unit)
    slower = max(1.0, nanobind / NANOBIND_SECONDS)
    return {unit: s / slower for unit, s in seconds.items()}


def is_of_nvcc(unit):
    return unit.endswith(".cu.o") and not unit.startswith("tests/emulated_gpu/")  # those are compiled for the host


@timed
def test_cuda_units_compile_within_their_limits():
    cuda = {unit: s for unit, s in compile_seconds().items() if is_of_nvcc(unit)}
    if not cuda:
        pytest.skip("this build has no CUDA units")
    assert {unit: s for unit, s in cuda.items() if s > MAX_CUDA_UNIT_SECONDS} == {}
    assert sum(cuda.values()) <= MAX_CUDA_SECONDS


@timed
def test_the_host_half_compiles_within_its_limit():
    host = {unit: s for unit, s in compile_seconds().items() if not is_of_nvcc(unit)}
    assert host and sum(host.values()) <= MAX_HOST_SECONDS
