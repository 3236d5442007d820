"""gpu_check without a GPU: its dry run fills a report of the one schema, and without one it says so in a line."""

import csv
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction")).with_name("gpu_check")
COLUMNS = (
    "commit device part scene dynamics law cone solver factor dtype solve_threads batch quantity value unit limit outcome note"
).split()
PARTS = ["machine", "first", "occupancy", "calibration", "iterations", "largest", "speed", "families", "latency", "mujoco_warp", "interplay", "equivalence",
         "repeatability", "dense_factor", "profile", "sanitizer"]  # fmt: skip
SCENES = {"gripper2d", "hand_cube", "iiwa_stack"}
SOLVED = {"contacts mean", "rows mean", "iterations mean", "residual worst", "share converged", "batch step p50", "batch step p99"}
SPEED = SOLVED | {"throughput", "dofs", "step size", "tolerance", "memory", "least bytes a step", "throughput scattered", "iterations mean scattered"}


def gpu_check(*arguments, folder, **environment):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names its neighbour)")
    words = [str(BINARY), "--scenes", str(ROOT / "scenes"), *arguments]
    own = {name: value for name, value in os.environ.items() if name != "GPU_CHECK_PYTHON"}
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600, check=False, env=own | environment)


def read(path):
    with path.open() as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, list(reader)


@pytest.fixture(scope="module")
def dry_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpu_check")
    run = gpu_check("--dry-run", "--minutes", "2", folder=folder)
    assert run.returncode == 0, run.stdout + run.stderr
    return read(folder / "gpu_check_dry_run.csv")


def test_a_dry_run_writes_every_part_in_the_one_schema(dry_run):
    names, rows = dry_run
    assert names == COLUMNS
    assert list(dict.fromkeys(row["part"] for row in rows if row["quantity"] == "broken off")) == PARTS
    assert {row["part"] for row in rows} == set(PARTS)
    assert {row["outcome"] for row in rows} <= {"pass", "measured", "skipped"}


def test_what_a_dry_run_leaves_out_has_a_reason(dry_run):
    assert [row for row in dry_run[1] if row["outcome"] == "skipped" and not row["note"]] == []


def measured(rows, part, *keys):
    """{values of the keys: {quantity: value}} of a part."""
    cases = {}
    for row in rows:
        if row["part"] == part and row["outcome"] == "measured":
            cases.setdefault(tuple(row[key] for key in keys), {})[row["quantity"]] = float(row["value"])
    return cases


def test_a_speed_comes_with_what_was_solved(dry_run):
    cases = measured(dry_run[1], "speed", "scene", "factor", "dtype", "solve_threads", "batch")
    whole = {case: figures for case, figures in cases.items() if "throughput" in figures}
    assert [case for case, figures in whole.items() if not figures.keys() >= SPEED] == []
    routes = {("float64", "float64"), ("float32", "float64"), ("float32", "float32")}  # factor, dtype
    assert {case[:3] for case in whole} == {(scene, *route) for scene in SCENES for route in routes}
    for _, figures in measured(dry_run[1], "families", "scene").items():
        assert figures.keys() >= SOLVED | {"throughput", "dofs"} or figures.keys() == {"seconds of the process"}


def test_the_largest_batch_comes_first_and_every_width_is_timed(dry_run):
    rows = [row for row in dry_run[1] if row["part"] == "speed" and row["quantity"].startswith("throughput middle")]
    for scene in SCENES:
        own = {"gripper2d": "8", "hand_cube": "32", "iiwa_stack": "32"}[scene]
        of = [(int(row["batch"]), row["solve_threads"], row["quantity"]) for row in rows if row["scene"] == scene]
        batches = list(dict.fromkeys(batch for batch, _, _ in of))
        assert batches[0] == max(batches)
        widths = {"8", "32", "64"} - {own} | {"0"}
        assert len(batches) == 3
        for batch in batches[:2]:
            assert {threads for size, threads, _ in of if size == batch} == widths
            assert {quantity for size, _, quantity in of if size == batch} == {
                "throughput middle", "throughput middle with the factor in global memory", "throughput middle with the factor in shared memory"}  # fmt: skip


def test_every_batch_is_timed_on_the_same_steps(dry_run):
    notes = {}
    for row in dry_run[1]:
        if row["part"] == "speed" and row["quantity"] in ("throughput early", "throughput middle", "throughput late") and row["note"]:
            notes.setdefault((row["scene"], row["quantity"]), set()).add(row["note"])
    assert len(notes) == 9 and all(len(of) == 1 for of in notes.values())
    assert all(note.startswith("steps ") for of in notes.values() for note in of)


def test_randomised_grippers_differ(dry_run):
    figures = measured(dry_run[1], "speed", "scene", "factor", "dtype", "batch", "solve_threads")
    one, many = (figures["gripper2d", "float64", "float64", batch, "0"]["iterations mean"] for batch in ("1", "7"))
    assert one != many


def test_a_factor_by_blocks_multiplies_no_more_than_a_dense_one(dry_run):
    counts = {}
    for row in dry_run[1]:
        if row["part"] == "dense_factor" and row["outcome"] == "measured" and row["scene"] != "-":
            counts.setdefault(row["scene"], {})[row["quantity"]] = float(row["value"])
    assert counts.keys() == {"gripper2d", "hand_cube", "iiwa_stack", "pile:100", "stack:100"}
    for of in counts.values():
        assert 0 < of["multiply-adds of the factor by blocks"] <= of["multiply-adds of a dense factor"] * (1 + 1e-5)
        assert of["multiply-adds of a dense factor"] == pytest.approx(of["dofs"] ** 3 / 6, rel=1e-5)


def test_what_only_a_gpu_has_is_said_to_be_missing(dry_run):
    missing = {(row["part"], row["scene"]): row["note"] for row in dry_run[1] if row["outcome"] == "skipped"}
    for scene in SCENES:
        assert missing["occupancy", scene] == "the host has none"
        assert missing["mujoco_warp", scene] == "no GPU: dry run"
    for scene in ("iiwa_stack", "hand_cube"):
        assert missing["iterations", scene] == "the host has no kernels"


def test_the_shares_of_the_parts_add_up_to_the_time_that_is_planned():
    text = (ROOT / "bench/gpu_check/every_part.cpp").read_text()
    shares = [(int(whole), int(brief)) for whole, brief in re.findall(r'^ +\{"\w+", (\d+), (\d+), ', text, re.MULTILINE)]
    assert len(shares) == len(PARTS)
    planned = float(re.search(r"kPlanned = ([\d.]+)", (ROOT / "bench/gpu_check/run_parts.cpp").read_text())[1])
    assert [sum(column) for column in zip(*shares, strict=True)] == [planned * 60 * 8, planned * 60 * 1]


FAKE = """#!/bin/sh
case "$2" in *find_spec*) exit 0;; esac
%s
"""


def peer_rows(folder, script):
    """Rows of mujoco_warp with a program in the place of Python."""
    python = folder / "a python"
    python.write_text(FAKE % script)
    python.chmod(0o755)
    words = ["--dry-run", "--only", "mujoco_warp", "--mujoco-warp", str(ROOT / "bench/gpu_check/time_mujoco_warp.py"), "--out", "some.csv"]
    run = gpu_check(*words, folder=folder, GPU_CHECK_PYTHON=str(python))
    assert run.returncode == 0, run.stdout + run.stderr
    rows = read(folder / "some.csv")[1]
    return [row for row in rows if row["part"] == "mujoco_warp" and row["quantity"] not in ("broken off", "seconds of the process")]


def test_what_the_script_prints_of_mujoco_warp_becomes_rows(tmp_path):
    rows = peer_rows(tmp_path, """echo 'Warp 1.19.0'; echo 'row|discrete|elliptic|firm h|4096|throughput at h = 0.1|123.5|steps/s|a GPU, fast'
        echo 'row|discrete|elliptic|firm h|1024|throughput at h = 0.1||-|nö memory'; echo 'row|discrete'""")  # fmt: skip
    assert len(rows) == 3 * len(SCENES) and {row["scene"] for row in rows} == SCENES
    done, refused, torn = rows[:3]
    assert (done["dynamics"], done["cone"], done["law"], done["solver"], done["dtype"]) == ("discrete", "elliptic", "firm h", "newton", "float32")
    assert (done["batch"], done["value"], done["unit"], done["outcome"], done["note"]) == ("4096", "123.5", "steps/s", "measured", "a GPU; fast")
    assert (refused["batch"], refused["outcome"], refused["note"]) == ("1024", "skipped", "n?? memory")
    assert torn["outcome"] == "skipped" and torn["note"].startswith("no figure: row|discrete")


@pytest.mark.parametrize(("script", "said"), [
    ("exit 0", "no figures: "), ("echo trouble >&2; exit 1", "exit code 1: trouble"), ("kill -11 $$", "killed by signal 11 (Segmentation fault): "),
])  # fmt: skip
def test_a_script_without_figures_is_a_row_with_its_reason(tmp_path, script, said):
    rows = peer_rows(tmp_path, script)
    assert [(row["outcome"], row["note"]) for row in rows] == [("skipped", said)] * len(SCENES)


def test_mujoco_warp_runs_the_scenes_that_are_handed_over(tmp_path):
    python = os.environ.get("GPU_CHECK_PYTHON", str(ROOT / "build/peers-venv/bin/python"))
    if not pathlib.Path(python).exists() or subprocess.run([python, "-c", "import mujoco_warp"], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} has no MuJoCo Warp (bench/peers/install)")
    rows = peer_rows(tmp_path, f'exec "{python}" "$@"')
    found = {scene: {row["quantity"].split(" at ")[0]: row["value"] for row in rows if row["scene"] == scene} for scene in SCENES}
    for scene, figures in found.items():
        assert figures.keys() >= {"throughput", "simulated", "seconds to compile", "contacts mean", "iterations mean", "share finite", "apart"}, scene
        assert float(figures["share finite"]) == 1 and float(figures["apart"]) < 0.01 and float(figures["throughput"]) > 0


def test_parts_are_chosen_by_name(tmp_path):
    run = gpu_check("--dry-run", "--only", "dense_factor", "--out", "some.csv", folder=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert {row["part"] for row in read(tmp_path / "some.csv")[1]} == {"machine", "dense_factor"}
    first = (tmp_path / "some.csv").read_text()
    run = gpu_check("--dry-run", "--only", "machine", "--out", "some.csv", folder=tmp_path)
    assert run.returncode == 0 and "the report that was there is now some.csv.previous" in run.stdout
    assert (tmp_path / "some.csv.previous").read_text() == first and {row["part"] for row in read(tmp_path / "some.csv")[1]} == {"machine"}
    assert gpu_check("--dry-run", "--only", "everything", folder=tmp_path).returncode == 2


def test_a_minute_gives_the_figures_that_matter_most(tmp_path):
    run = gpu_check("--dry-run", "--minutes", "1", "--out", "some.csv", folder=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = read(tmp_path / "some.csv")[1]
    assert {row["part"] for row in rows if row["outcome"] == "measured"} == {"machine", "first", "largest", "speed"}
    assert {row["part"] for row in rows} == set(PARTS)
    assert {row["scene"] for row in rows if row["part"] == "first"} == SCENES
    speeds = [row for row in rows if row["part"] == "speed" and row["quantity"] == "throughput middle"]
    assert len({row["batch"] for row in speeds}) == 1
    assert {row["scene"] for row in speeds} == SCENES
    widths = {scene: [row["solve_threads"] for row in speeds if row["scene"] == scene] for scene in SCENES}
    assert widths == {"gripper2d": ["0", "32"], "hand_cube": ["0", "64"], "iiwa_stack": ["0", "64"]}


@pytest.mark.parametrize(("trouble", "said"), [
    ("kill", "killed by signal 9 (Killed)"), ("hang", "killed after its time limit"), ("throw", "trouble that a test asked for"),
])  # fmt: skip
def test_a_part_in_trouble_is_a_row_and_leaves_the_others(tmp_path, trouble, said):
    only = ["--only", "calibration", "interplay", "profile"]
    run = gpu_check("--dry-run", "--minutes", "0.2", *only, "--out", "some.csv", folder=tmp_path, GPU_CHECK_TROUBLE=f"interplay={trouble}")
    assert run.returncode == 3, run.stdout + run.stderr
    names, rows = read(tmp_path / "some.csv")
    ended = {row["part"]: (row["outcome"], row["note"]) for row in rows if row["quantity"] == "broken off"}
    assert ended == {"machine": ("pass", ""), "calibration": ("pass", ""), "interplay": ("fail", said), "profile": ("pass", "")}
    assert names == COLUMNS and all(None not in row and None not in row.values() for row in rows)
    assert "1 checks failed" in run.stdout


def test_steps_that_take_long_end_in_time_with_what_they_measured(tmp_path):
    words = ("--dry-run", "--minutes", "0.2", "--only", "largest", "--out", "some.csv")
    run = gpu_check(*words, folder=tmp_path, GPU_CHECK_SLOW_STEPS="0.8")
    rows = read(tmp_path / "some.csv")[1]
    assert run.returncode == 0, run.stdout + run.stderr  # no process was killed
    for scene in SCENES:
        of = [row for row in rows if (row["scene"], row["part"], row["solve_threads"]) == (scene, "speed", "0")]
        (whole,) = (float(row["value"]) for row in of if row["quantity"] == "throughput" and row["outcome"] == "measured")
        assert 9 / 1.2 < whole < 9 / 0.8  # environments over the seconds of a step
        assert float(next(row["value"] for row in of if row["quantity"] == "batch step p50")) >= 0.8
    first = {row["quantity"]: row["note"] for row in rows if row["scene"] == "iiwa_stack" and row["part"] == "speed"}  # the others may get time that it left
    assert (first["throughput middle"], first["throughput"]) == ("steps 3 to 3", "out of time")  # one of two steps; the case after it


def test_what_has_no_time_left_is_skipped(tmp_path):
    run = gpu_check("--dry-run", "--minutes", "1e-7", "--only", "interplay", "calibration", "--out", "some.csv", folder=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = read(tmp_path / "some.csv")[1]
    assert [row["note"] for row in rows if row["part"] == "interplay"] == ["out of time"]


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
