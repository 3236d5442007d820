"""docs/gpu.md is what bench/gpu_page.py makes of the reports, and a report's figures reach it."""

import csv
import re

import pytest
import sources
from load_script import load_script


@pytest.fixture
def gpu_page():
    return load_script("bench/gpu_page.py")


MUJOCO = {"dynamics": "discrete", "cone": "elliptic", "law": "firm h/2", "solver": "newton"}


def write_report(gpu_page, path, figures):
    with path.open("w") as file:
        rows = csv.DictWriter(file, gpu_page.COLUMNS, restval="-")
        rows.writeheader()
        for part, scene, dtype, batch, quantity, value, outcome, *other in figures:  # the factor is of the same precision
            rows.writerow(dict(*other) | {"commit": "0123456789ab", "device": "Test GPU", "part": part, "scene": scene, "dtype": dtype, "factor": dtype,
                           "solve_threads": 0, "batch": batch, "quantity": quantity, "value": value, "outcome": outcome})  # fmt: skip


def test_the_page_is_made_of_the_reports(gpu_page):
    assert gpu_page.PAGE.read_text(encoding="utf-8") == gpu_page.page(), "run .venv/bin/python bench/gpu_page.py"


def test_a_report_reaches_the_page_and_what_it_lacks_is_not_measured(gpu_page, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_page, "RESULTS", tmp_path)
    (tmp_path / "other.csv").write_text("h,error\n0.1,0.2\n")
    write_report(gpu_page, tmp_path / "test_gpu.csv", [
        ("machine", "-", "-", 0, "copy bandwidth", 4.2e12, "measured"),
        ("equivalence", "gripper2d", "float64", 4, "difference over its tolerance", 0.5, "pass"),
        ("dense_factor", "pile:100", "float64", 1024, "cuSOLVER factor", 0.002, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "throughput", 123456.0, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "throughput scattered", 23456.0, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "least bytes a step", 1e6, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "throughput middle with the factor in global memory", 34567.0, "measured"),
        ("speed", "iiwa_stack", "float64", 99999, "throughput", "", "skipped"),
        ("speed", "hand_cube", "-", 0, "broken off", 1, "fail"),
        ("equivalence", "gripper2d", "-", 0, "broken off", 0, "pass"),
        ("families", "pile:8", "float64", 4096, "throughput", 45678.0, "measured"),
        ("families", "pile:8", "float64", 4096, "contacts mean", 61.5, "measured"),
        ("latency", "iiwa_stack", "float64", 1, "step p50", 0.0012, "measured"),
        ("calibration", "-", "-", 0, "BARRIER quarter", 77.0, "measured"),
        ("calibration", "-", "-", 0, "graph pass", 2.5e-6, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "kernel warm", 0.003, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "kernel solve", 0.001, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "throughput middle", 250000.0, "measured"),
        ("speed", "iiwa_stack", "float64", 4096, "step size", 0.1, "measured"),
        ("machine", "iiwa_stack", "-", 0, "multiply-add rate float64 later", 3.1e13, "measured"),
        ("occupancy", "hand_cube", "float64", 0, "drift registers", 219, "measured"),
        ("occupancy", "iiwa_stack", "float64", 0, "drift registers", 219, "measured"),
        ("occupancy", "iiwa_stack", "float64", 0, "drift blocks", 2, "measured"),
        ("occupancy", "iiwa_stack", "float64", 0, "environments of solve that are planned; over those that fit", 1, "pass"),
        ("iterations", "hand_cube", "float64", 256, "solve cold of at most 2", 0.003, "measured"),
        ("iterations", "hand_cube", "float64", 256, "an iteration cold", 0.0007, "measured"),
        ("mujoco_warp", "iiwa_stack", "float32", 4096, "throughput at h = 0.01", 222222.0, "measured", MUJOCO),
        ("mujoco_warp", "iiwa_stack", "float32", 4096, "simulated at h = 0.01", 2222.0, "measured", MUJOCO),
        ("mujoco_warp", "iiwa_stack", "float32", 1024, "throughput at h = 0.01", "", "skipped", MUJOCO),
    ])  # fmt: skip
    page = gpu_page.page()
    assert "## Test GPU, commit 0123456789ab" in page
    assert "| 4.2 | not measured | 31 |" in page
    assert "| occupancy | 1 | 0 | 0 |" in page
    assert "| drift | float64 | - | 219 | not measured | not measured | not measured | not measured | not measured | 216 | 8 | hand_cube |" in page
    assert "| drift | float64 | - | 219 | not measured | not measured | not measured | 2 | not measured | 216 | 8 | iiwa_stack |" in page
    assert "| hand_cube | 256 | cold | not measured | 3 | not measured | not measured | not measured | not measured | not measured | 0.7 | not measured |" in page
    assert "| iiwa_stack | discrete, elliptic, firm h/2 | 0.01 | 4,096 | 222,222 | 2,222 | 25,000 | not measured |" in page
    assert "| equivalence | 1 | 0 | 0 |" in page
    unknown = " | ".join(["not measured"] * 3)
    assert f"| pile:100 | float64 | {unknown} | 2 | {unknown} | not measured |" in page
    assert "| iiwa_stack | float64 | float64 | 4,096 | 123,456 | 23,456 | not measured |" in page
    assert "| not measured | 0.0294 | not measured |" in page  # 123456 steps/s of 1 MB, of 4.2 TB/s
    assert "| iiwa_stack | 4,096 | by the model's size | global memory | 34,567 | not measured |" in page
    assert "| pile:8 | 4,096 | 61.5 | not measured | 45,678 |" in page
    assert "| iiwa_stack | 1 | 1.2 | not measured |" in page
    assert "| BARRIER quarter | 77 | - | 80 | - |" in page
    assert "| graph pass | 2.5e-06 |" in page
    assert "99,999" not in page
    assert "Broken off or without time: speed hand_cube (-)." in page
    before = " | ".join(["not measured"] * gpu_page.TIMED.index("warm"))
    assert f"| iiwa_stack | float64 | float64 | 4,096 | {before} | 3 | 1 |" in page
    assert "| iiwa_stack | float32 | float32 | all | not measured |" in page


def test_the_columns_and_kernels_are_those_of_the_program(gpu_page):
    report = re.sub(r'"\s+"', "", sources.text("bench/gpu_check/report.cpp"))  # a string may be cut in two
    assert ",".join(gpu_page.COLUMNS) in report
    stages = re.findall(r"^ST_STAGE\(\w+, (\w+),", sources.text("kernels/step/stages.inc"), re.MULTILINE)
    assert list(gpu_page.KERNELS) == stages
