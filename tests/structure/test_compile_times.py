"""Build limits. Bytes of the CUDA units, whose compile time grows with them, in every run. With ST_FULL=1, on a machine that does
nothing else, processor seconds from the log that cmake/timed_compile writes, as of the machine where the limits were set, by
what a fixed piece of code cost at the same time."""

import csv
import os
import pathlib
import statistics

import pytest

MAX_CUDA_UNIT_BYTES = 825_000  # a tenth above what the largest unit has, and all of them
MAX_CUDA_BYTES = 13_500_000
ARCHITECTURES = "STICTION_CUDA_ARCHITECTURES:STRING=90-real;80-virtual"  # those of the bytes

MAX_CUDA_UNIT_SECONDS = 60
# 30 minutes on two cores, that is 60 of a processor, are promised from nothing to the end of the tests
MAX_CUDA_SECONDS = 15 * 60  # at most 12 minutes on two cores
MAX_HOST_SECONDS = 30 * 60
CLOCK_SECONDS = 0.42  # the fixed piece of code on that machine

timed = pytest.mark.skipif(os.environ.get("ST_FULL") != "1", reason="ST_FULL=1: seconds depend on what else the machine does")


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


def test_cuda_units_are_no_larger_than_they_may():
    build = pathlib.Path(os.environ.get("STICTION_BUILD") or "")
    cache = build / "CMakeCache.txt"
    sizes = {file.name: file.stat().st_size for file in (build / "kernels/launch").rglob("*.cu.o")} if cache.is_file() else {}
    if not sizes or ARCHITECTURES not in cache.read_text():
        pytest.skip("STICTION_BUILD names no build folder with CUDA units of the usual architectures")
    assert {unit: size for unit, size in sizes.items() if size > MAX_CUDA_UNIT_BYTES} == {}
    assert sum(sizes.values()) <= MAX_CUDA_BYTES


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
