"""Kernels take no more registers, stack and spills than is kept: a ratchet on what ptxas said in this build."""

import os

import pytest
import sources
from load_script import load_script

resources = load_script("scripts/kernel_resources.py")

HINT = "run scripts/kernel_resources.py BUILD --keep and bench/gpu_page.py, and say why it is worth it"


@pytest.fixture
def built():
    build = os.environ.get("STICTION_BUILD")
    rows = resources.read_build(build) if build else []
    if not rows:
        pytest.skip("STICTION_BUILD names no build with CUDA kernels")
    return rows


def test_no_kernel_takes_more_than_is_kept(built):
    kept = {row["kernel"]: row for row in resources.read_kept()}
    if built[0]["nvcc"] != next(iter(kept.values()))["nvcc"]:
        pytest.skip(f"kept are figures of another nvcc than {built[0]['nvcc']}")
    assert sorted(kept) == [row["kernel"] for row in built], HINT
    worse = []
    for row in built:
        for figure in ("stack", "spill_stores", "spill_loads", "environments"):
            bound = resources.limit(figure, kept[row["kernel"]][figure])
            if row[figure] < bound if figure == "environments" else row[figure] > bound:
                worse.append(f"{row['kernel']}: {figure} {row[figure]}, limit {bound}")
    assert worse == [], HINT


def test_every_solver_and_phase_has_a_kept_kernel():
    kept = {row["kernel"] for row in resources.read_kept()}
    solvers = [line.split('"')[1] for line in sources.text("kernels/solver/solvers.inc").splitlines() if line.startswith("ST_")]
    widths, dtypes = ("quarter", "warp", "block"), ("float32", "float64")
    phases = ("prepare", "collide", "task", "judge", "advance", "report", "show", "place", "energy")
    phases += ("center", "begin", "displace", "respond")
    wanted = {f"solve {s} {w}" for s in solvers for w in widths} | {"explain warp", "explain block"}
    assert kept == wanted | {f"{p} {d}" for p in phases for d in dtypes}


# registers, bytes of shared memory, environments and warps of a block; resident by the occupancy rules of sm_90
@pytest.mark.parametrize(
    ("registers", "shared", "a_block", "warps", "resident"),
    [(32, 0, 4, 4, 64), (128, 0, 4, 4, 16), (255, 0, 16, 4, 32), (168, 16, 1, 2, 6), (255, 16, 1, 2, 4), (32, 100 * 1024, 1, 2, 2)],
)
def test_resident_environments(registers, shared, a_block, warps, resident):
    assert resources.resident_environments(registers, shared, a_block, warps) == resident


def test_the_lines_of_ptxas_are_read():
    text = """'_ZN8stiction14prepare_kernelIdEEvNS_9CudaBatchIT_EEb' for 'sm_90'
ptxas info    : Function properties for _ZN8stiction14prepare_kernelIdEEvNS_9CudaBatchIT_EEb
    504 bytes stack frame, 456 bytes spill stores, 632 bytes spill loads
ptxas info    : Used 168 registers, used 0 barriers, 520 bytes cumulative stack size, 16 bytes smem
ptxas info    : Function properties for __internal_trig_reduction_slowpathd
    8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
"""
    assert resources.read_entry("cuda_step_float64", text) == {
        "kernel": "prepare float64", "registers": 168, "stack": 520, "spill_stores": 460, "spill_loads": 640,
        "shared": 16, "environments": 12,
    }  # fmt: skip


def test_of_several_architectures_that_of_the_kept_figures_is_read(tmp_path):
    lines = """ptxas info    : Compiling entry function '_ZN8stiction13report_kernelIdEEv' for 'sm_{0}'
ptxas info    : Used {0} registers, used 0 barriers
"""
    folder = tmp_path / "kernel_resources"
    folder.mkdir()
    (folder / "nvcc_version").write_text("V13\n")
    (folder / "cuda_step_float64.txt").write_text("".join(lines.format(a) for a in (80, 90, 100)))
    assert [row["registers"] for row in resources.read_build(tmp_path)] == [90]
