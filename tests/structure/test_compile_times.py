"""Build limits, read from the log that cmake/timed_compile writes: processor seconds of the machine where the limits were set,
by what a fixed piece of code cost at the same time. A core that is shared or slow counts the same."""

import csv
import os
import pathlib
import statistics

import pytest

MAX_CUDA_UNIT_SECONDS = 60
# 30 minutes on two cores, that is 60 of a processor, are promised from nothing to the end of the tests
MAX_CUDA_SECONDS = 15 * 60  # at most 12 minutes on two cores
MAX_HOST_SECONDS = 30 * 60
CLOCK_SECONDS = 0.42  # the fixed piece of code on that machine


def compile_seconds():
    """Newest processor seconds of every unit of the build under test, of the machine of the limits."""
    build = os.environ.get("STICTION_BUILD")
    log = pathlib.Path(build or "", "compile_times.csv")
    if not build or not log.is_file():
        pytest.skip("STICTION_BUILD names no build folder with a compile_times.csv")
    with log.open() as file:
        rows = list(csv.reader(file))
    clocks = [float(clock) for row in rows for clock in row[3:] if clock]
    slower = max(1.0, statistics.fmean(clocks) / CLOCK_SECONDS) if clocks else 1.0
    return {unit: float(cpu) / slower for cpu, _, unit, *_ in rows}


def is_of_nvcc(unit):
    return unit.endswith(".cu.o") and not unit.startswith("tests/emulated_gpu/")  # those are compiled for the host


def test_cuda_units_compile_within_their_limits():
    cuda = {unit: s for unit, s in compile_seconds().items() if is_of_nvcc(unit)}
    if not cuda:
        pytest.skip("this build has no CUDA units")
    assert {unit: s for unit, s in cuda.items() if s > MAX_CUDA_UNIT_SECONDS} == {}
    assert sum(cuda.values()) <= MAX_CUDA_SECONDS


def test_the_host_half_compiles_within_its_limit():
    host = {unit: s for unit, s in compile_seconds().items() if not is_of_nvcc(unit)}
    assert host and sum(host.values()) <= MAX_HOST_SECONDS
