"""Claims: the CUDA code compiles for drivers of CUDA 12 (scripts/cuda12): what differs there, a unit of kernels, and the
host code that calls the runtime."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FLAGS = ["-std=c++20", f"-I{ROOT}"]
ARCHITECTURES = "--generate-code=arch=compute_80,code=[sm_90,compute_80]"
NOT_TO_BE_HAD = 3  # exit code of the script
HOST = [
    "host/backend/ceilings.cpp",
    "host/backend/cuda_backend.cpp",
    "host/backend/cuda_devices.cpp",
    "bench/gpu_check/cusolver.cpp",
    "bench/gpu_check/gpu_facts.cpp",
]


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def nvcc():
    made = subprocess.run(["scripts/cuda12"], capture_output=True, text=True, cwd=ROOT, check=False)
    if made.returncode == NOT_TO_BE_HAD:
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert made.returncode == 0, made.stderr
    return pathlib.Path(made.stdout.strip())


def test_the_graph_of_a_step_is_linked_with_the_runtime_of_cuda_12(nvcc, tmp_path):
    unit, program = tmp_path / "graph_loop.o", tmp_path / "probe"
    run(nvcc, *FLAGS, "--fmad=false", ARCHITECTURES, "-c", "kernels/launch/graph_loop.cu", "-o", unit)
    run(nvcc, *FLAGS, "tests/launch/cuda12_probe.cpp", unit, "-o", program)
    versions, loop = run(program).splitlines()
    headers, runtime = map(int, re.findall(r"\d+", versions))
    assert headers == runtime and 12040 <= runtime < 13000
    assert loop == "a loop ran" or "insufficient for CUDA runtime" in loop or "no CUDA-capable device" in loop, loop
    assert "cudaGraphAddNode_v2" in run("nm", unit)  # the name that CUDA 13 no longer has


def test_kernels_become_machine_code_that_drivers_of_cuda_12_read(nvcc, tmp_path):
    ptx, code = tmp_path / "unit.ptx", tmp_path / "unit.cubin"
    run(nvcc, *FLAGS, "--fmad=false", "--ptx", "-arch=compute_80", "kernels/launch/cuda_respond_float32.cu", "-o", ptx)
    version = re.search(r"^\.version (\d+)\.(\d+)$", ptx.read_text(), re.MULTILINE)
    assert (int(version[1]), int(version[2])) <= (8, 8)  # CUDA 12.9; a driver compiles no newer PTX than its own
    run(nvcc.with_name("ptxas"), "-arch=sm_90", "--fmad=false", ptx, "-o", code)
    assert "ABI Version:                       7" in run("readelf", "-h", code)  # of CUDA 13: 8


@pytest.mark.parametrize("unit", HOST)
def test_the_host_code_compiles_with_the_headers_of_cuda_12(nvcc, unit):
    include = nvcc.parents[1] / "include"
    run("g++", *FLAGS, "-DSTICTION_HAS_CUDA", f"-isystem{include}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", unit)
