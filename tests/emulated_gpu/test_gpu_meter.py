"""Claims: the meter of the emulated GPU counts what is there, and the kept counts of steps are those of this build."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import gpu_meter  # noqa: E402
import gpu_model  # noqa: E402
import gpu_page  # noqa: E402

BUILD = Path(os.environ["STICTION_BUILD"]).resolve()
WITHIN = 0.05  # of the kept counts


@pytest.fixture(autouse=True)
def _emulated():
    if not (BUILD / "emulated").is_dir():
        pytest.skip("built without the emulated GPU: there are no headers of the CUDA toolkit, or another sanitizer is on")


def counts_of_kernel(name, folder):
    """Of one of faulty_kernels.cu: one block of 32 threads over 32 integers."""
    file = folder / "counts"
    command = [BUILD / "bin" / "test_emulated_gpu", f"--gtest_filter=Every/Right.KernelHasNoFault/{name}"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"EMULATED_GPU_METER": str(file)})
    with file.open() as lines:
        (row,) = csv.DictReader(lines, delimiter=";")
    return {key: int(value) for key, value in row.items() if key != "kernel"}


def test_a_kernel_whose_counts_are_known(tmp_path):
    # values[lane] = lane; barrier; other = values[next lane]; barrier; values[lane] += other
    found = counts_of_kernel("exchange_with_barriers", tmp_path)
    assert (found["threads"], found["blocks"], found["barriers"]) == (32, 1, 2)
    assert found["longest"] == 2 and found["loads"] == 2 * 32  # two intervals, in which every lane loads once
    assert found["warp_loads"] == 2 and found["lines"] == found["needed"] == 2 and found["asked"] == 2 * 128  # 32 integers are one line
    assert found["written"] == 4 and found["read"] == 0  # a line is four sectors, which are read after they were written


@pytest.mark.parametrize(("scene", "step_size"), [("gripper2d", 0.01), ("hand_cube", 0.1)])
def test_the_kept_counts(scene, step_size):
    kept = {row["kernel"]: row for row in gpu_meter.read_kept() if (row["scene"], float(row["step_size"])) == (scene, step_size)}
    counted = {row["kernel"]: row for row in gpu_meter.count(BUILD / "emulated" / "python", scene, step_size)}
    assert counted.keys() == kept.keys()
    for kernel, row in counted.items():
        assert row["threads"] == kept[kernel]["threads"], f"{scene} {kernel}"
        for quantity in gpu_meter.MEANS:
            before, now = float(kept[kernel][quantity]), float(row[quantity])
            assert abs(now - before) <= WITHIN * max(before, 10.0), f"{scene} {kernel} {quantity}: kept {before}, counted {now}"


def test_four_environments_of_eight_lanes_share_a_warp():
    resident = gpu_page.resident_environments()
    for kernel in ("prepare", "drift", "task", "move", "judge", "finish"):
        assert resident({"kernel": kernel, "threads": "8"}) == 4 * resident({"kernel": kernel, "threads": "32"})
    assert {row["kernel"]: row["threads"] for row in gpu_meter.read_kept() if row["scene"] == "gripper2d"} == {
        **dict.fromkeys(("prepare", "drift", "task", "move", "judge", "finish", "warm", "solve"), "8"),
        **dict.fromkeys(("collide", "meet", "look"), "128"),  # blocks of four warps
        "explain": "32",
    }


def test_the_model_follows_its_counts():
    row = {"kernel": "task", "threads": "32", "longest": "100", "barriers": "10", "lines": "200", "read": "30", "written": "20"}
    lanes, units, memory = gpu_model.limits([row], lambda _: 8, 1)
    cycles = 100 * gpu_model.INSTRUCTIONS / gpu_model.IPC[1] + 10 * gpu_model.BARRIER["warp"]
    assert lanes == pytest.approx(8 * gpu_model.CLOCK * gpu_model.PROCESSORS / cycles)
    assert units == pytest.approx(gpu_model.CLOCK * gpu_model.PROCESSORS * gpu_model.LINES / 200)
    assert memory == pytest.approx(gpu_model.BANDWIDTH / (32 * 50))
    assert gpu_model.steps_per_second([row], lambda _: 8, 1) == pytest.approx(gpu_model.EFFICIENCY * min(lanes, units, memory))
