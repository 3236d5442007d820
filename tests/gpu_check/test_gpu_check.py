"""gpu_check without a GPU: its dry run fills a report of the one schema, and without one it says so in a line."""

import csv
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction")).with_name("gpu_check")
COLUMNS = (
    "commit device part scene dynamics law cone solver factor dtype solve_threads batch quantity value unit limit outcome note"
).split()
PARTS = {"machine", "interplay", "equivalence", "repeatability", "dense_factor", "speed", "sanitizer"}
SPEED = {"throughput", "dofs", "contacts mean", "rows mean", "iterations mean", "tolerance", "residual worst", "share converged",
         "batch step p50", "batch step p99", "memory"}  # fmt: skip


def gpu_check(*arguments, folder):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names its neighbour)")
    words = [str(BINARY), "--scenes", str(ROOT / "scenes"), *arguments]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module")
def dry_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpu_check")
    run = gpu_check("--dry-run", "--minutes", "0.5", folder=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    with (folder / "gpu_check_dry_run.csv").open() as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, list(reader)


def test_a_dry_run_writes_every_part_in_the_one_schema(dry_run):
    names, rows = dry_run
    assert names == COLUMNS
    assert {row["part"] for row in rows} == PARTS
    assert {row["outcome"] for row in rows} <= {"pass", "measured", "skipped"}


def test_what_a_dry_run_leaves_out_has_a_reason(dry_run):
    assert [row for row in dry_run[1] if row["outcome"] == "skipped" and not row["note"]] == []


def test_a_speed_comes_with_what_was_solved(dry_run):
    cases = {}
    for row in dry_run[1]:
        if row["part"] == "speed" and row["outcome"] == "measured":
            cases.setdefault((row["scene"], row["factor"], row["dtype"], row["batch"]), set()).add(row["quantity"])
    assert [case for case, quantities in cases.items() if not quantities >= SPEED] == []


def test_a_factor_by_blocks_multiplies_no_more_than_a_dense_one(dry_run):
    counts = {}
    for row in dry_run[1]:
        if row["part"] == "dense_factor" and row["outcome"] == "measured":
            counts.setdefault(row["scene"], {})[row["quantity"]] = float(row["value"])
    assert counts.keys() == {"gripper2d", "hand_cube", "iiwa_stack", "pile:100", "stack:100"}
    for of in counts.values():
        assert 0 < of["multiply-adds of the factor by blocks"] <= of["multiply-adds of a dense factor"] * (1 + 1e-5)
        assert of["multiply-adds of a dense factor"] == pytest.approx(of["dofs"] ** 3 / 6, rel=1e-5)


def test_parts_are_chosen_by_name(tmp_path):
    run = gpu_check("--dry-run", "--only", "dense_factor", "--out", "some.csv", folder=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    with (tmp_path / "some.csv").open() as file:
        assert {row["part"] for row in csv.DictReader(file)} == {"machine", "dense_factor"}
    assert gpu_check("--dry-run", "--only", "everything", folder=tmp_path).returncode == 2


def test_without_a_gpu_it_says_so_in_one_line_and_ends_with_4(tmp_path):
    run = gpu_check("--minutes", "0.01", folder=tmp_path)
    if run.returncode != 4 and "no usable GPU" not in run.stderr:
        pytest.skip("this machine has a usable GPU")
    assert run.returncode == 4 and run.stdout == ""
    assert run.stderr.startswith("gpu_check: no usable GPU: ")
    assert run.stderr.count("\n") == 1 and run.stderr.endswith("\n")
    assert list(tmp_path.iterdir()) == []


def test_bad_options_end_with_2(tmp_path):
    assert gpu_check("--minutes", "-1", folder=tmp_path).returncode == 2
    assert gpu_check("--dry-run", "--scenes", str(tmp_path), folder=tmp_path).returncode == 2
