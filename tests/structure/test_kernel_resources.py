"""What ptxas said in this build: no kernel spills on any architecture, none takes more stack or holds fewer environments
than is kept."""

import json
import os
import pathlib
import re

import pytest
import sources
from load_script import load_script

resources = load_script("scripts/kernel_resources.py")

ARCHITECTURES = "STICTION_CUDA_ARCHITECTURES:STRING=90-real;80-virtual"
MAX_UNIT_BYTES = 1_182_000  # a tenth above what the largest CUDA unit has, and all of them
MAX_BYTES = 13_500_000
HINT = "run scripts/kernel_resources.py BUILD --keep and bench/gpu_page.py, and say why it is worth it"


@pytest.fixture
def build():
    """The build under test, with kernels from the nvcc of the kept figures."""
    folder = os.environ.get("STICTION_BUILD")
    rows = resources.read_build(folder) if folder else []
    if not rows:
        pytest.skip("STICTION_BUILD names no build with CUDA kernels")
    if rows[0]["nvcc"] != resources.read_kept()[0]["nvcc"]:
        pytest.skip(f"kept are figures of another nvcc than {rows[0]['nvcc']}")
    return folder


def test_every_goal_is_met_on_every_architecture_of_the_build(build):
    assert resources.missed_goals(build) == []


def test_goals_are_for_the_architectures_of_the_release_preset():
    presets = json.loads(sources.text("CMakePresets.json"))["configurePresets"]
    release = next(preset for preset in presets if preset["name"] == "release")
    numbers = re.findall(r"(\d+)-real", release["cacheVariables"]["STICTION_CUDA_ARCHITECTURES"])
    assert tuple(f"sm_{n}" for n in numbers) == resources.ARCHITECTURES


def test_no_kernel_takes_more_than_is_kept(build):
    built, kept = resources.read_build(build), {row["kernel"]: row for row in resources.read_kept()}
    assert sorted(kept) == [row["kernel"] for row in built], HINT
    worse = []
    for row in built:
        for figure in ("stack", "environments"):
            bound = resources.limit(figure, kept[row["kernel"]][figure])
            if row[figure] < bound if figure == "environments" else row[figure] > bound:
                worse.append(f"{row['kernel']}: {figure} {row[figure]}, limit {bound}")
    assert worse == [], HINT


def test_cuda_units_are_no_larger_than_they_may(build):
    """The time of nvcc grows with them."""
    if ARCHITECTURES not in pathlib.Path(build, "CMakeCache.txt").read_text():
        pytest.skip(f"the limits are for {ARCHITECTURES}")
    sizes = {file.name: file.stat().st_size for file in pathlib.Path(build, "kernels/launch").rglob("*.cu.o")}
    assert {unit: size for unit, size in sizes.items() if size > MAX_UNIT_BYTES} == {}
    assert 0 < sum(sizes.values()) <= MAX_BYTES


def test_no_kept_figure_misses_its_goal():
    assert [row["kernel"] for row in resources.read_kept() if any(resources.misses_goal(row, f) for f in resources.FIGURES)] == []


def test_every_solver_and_phase_has_a_kept_kernel():
    kept = {row["kernel"] for row in resources.read_kept()}
    rows = [line for line in sources.text("kernels/solver/solvers.inc").splitlines() if line.startswith("ST_")]
    solvers = [row.split('"')[1] for row in rows]
    solvers += [f"{s}_float32" for s, row in zip(solvers, rows, strict=True) if row.rstrip(")").endswith("true")]
    solvers.append("lcp")  # problems given as arrays
    widths, dtypes = ("quarter", "warp", "block"), ("float32", "float64")
    stages = ("prepare", "drift", "collide", "meet", "merge", "task", "move", "look", "judge", "finish", "show", "place", "energy", "sense", "pose", "ray")
    stages += ("gaps", "go", "stop", "arrive", "end task", "confirm", "center", "begin", "displace", "respond")
    wanted = {f"solve {s} {w}" for s in solvers for w in widths} | {f"warm {d} {w}" for d in dtypes for w in widths}
    wanted |= {"explain warp", "explain block", "gather", "order", "rows"}
    assert kept == wanted | {f"{p} {d}" for p in stages for d in dtypes}


# registers, bytes of shared memory, environments and warps of a block; resident by the occupancy rules of sm_90
@pytest.mark.parametrize(
    ("registers", "shared", "a_block", "warps", "resident"),
    [(32, 0, 4, 4, 64), (128, 0, 4, 4, 16), (255, 0, 16, 4, 32), (168, 16, 1, 2, 6), (255, 16, 1, 2, 4), (32, 100 * 1024, 1, 2, 2)],
)
def test_resident_environments(registers, shared, a_block, warps, resident):
    assert resources.resident_environments(registers, shared, a_block, warps) == resident


@pytest.mark.parametrize(
    ("unit", "kernel", "name"),
    [
        ("cuda_look_float32", "look", "look float32"),
        ("cuda_look_float64", "meet", "meet float64"),
        ("cuda_collide_float64", "collide", "collide float64"),
        ("cuda_end_float64", "end_task", "end task float64"),
        ("cuda_solve_admm_float32", "solve", "solve admm_float32"),
    ],
)
def test_kernels_have_the_names_of_stages(unit, kernel, name):
    assert resources.kernel_name(unit, f"_ZN8stiction{len(kernel) + 7}{kernel}_kernelIdEEvNS_9CudaBatchIT_EE") == name


def test_the_lines_of_ptxas_are_read():
    text = """'_ZN8stiction14prepare_kernelIdEEvNS_9CudaBatchIT_EEb' for 'sm_90'
ptxas info    : Function properties for _ZN8stiction14prepare_kernelIdEEvNS_9CudaBatchIT_EEb
    504 bytes stack frame, 456 bytes spill stores, 632 bytes spill loads
ptxas info    : Used 168 registers, used 0 barriers, 520 bytes cumulative stack size, 16 bytes smem
ptxas info    : Function properties for __internal_trig_reduction_slowpathd
    8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
"""
    figures = {"registers": 168, "stack": 520, "spill_stores": 460, "spill_loads": 640, "shared": 16}
    assert resources.read_entry("cuda_step_float64", text) == [{"kernel": "prepare float64", **figures, "environments": 12}]
    assert resources.read_entry("cuda_solve_pgs", text.replace("14prepare", "12solve")) == [
        {"kernel": f"solve pgs {width}", **figures, "environments": count}
        for width, count in (("quarter", 48), ("warp", 12), ("block", 6))
    ]


def test_a_spill_on_any_architecture_misses_the_goal(tmp_path):
    lines = """ptxas info    : Compiling entry function '_ZN8stiction13finish_kernelIdEEv' for 'sm_{0}'
ptxas info    : Function properties for _ZN8stiction13finish_kernelIdEEv
    8 bytes stack frame, {1} bytes spill stores, 0 bytes spill loads
ptxas info    : Used {0} registers, used 0 barriers
"""
    folder = tmp_path / "kernel_resources"
    folder.mkdir()
    (folder / "nvcc_version").write_text("V13\n")
    (folder / "cuda_step_float64.txt").write_text("".join(lines.format(*a) for a in ((80, 0), (90, 0), (100, 4))))
    assert [row["registers"] for row in resources.read_build(tmp_path)] == [90]  # of the kept figures
    assert resources.missed_goals(tmp_path) == ["finish float64: spill_stores 4 on sm_100"]
