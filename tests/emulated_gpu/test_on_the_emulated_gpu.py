"""Claims: the Python package and gpu_check do on a GPU what they do on the host; shown on the emulated one."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from load_script import load_script

BUILD = Path(os.environ["STICTION_BUILD"]).resolve()
EMULATED = BUILD / "emulated"
PYTHON_TESTS = ("api_fuzz", "derivatives", "forces", "geometry", "gpu_array", "problem_devices", "recording", "replay")


@pytest.fixture(autouse=True)
def _emulated():
    if not EMULATED.is_dir():
        pytest.skip("built without the emulated GPU: there are no headers of the CUDA toolkit, or another sanitizer is on")


def run(*command, **environment):
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)
    return result.returncode, result.stdout + result.stderr


def test_the_python_package():
    files = [f"tests/python/test_{name}.py" for name in PYTHON_TESTS]
    code, text = run(sys.executable, "-m", "pytest", "-q", "-rs", *files, STICTION_BUILD=str(EMULATED))
    assert code == 0, text
    assert "no usable GPU" not in text and "not usable" not in text


def program(*arguments, **environment):
    return run(str(BUILD / "bin" / "emulated_stiction"), *arguments, "--device", "cuda", "--batch", "2", **environment)


NO_LOOPS = {"EMULATED_GPU_REFUSES": "cudaGraphInstantiate:801"}
WHY = "the driver refuses a step as one graph with a loop (preparing a recorded step: cudaErrorNotSupported (801)"


def test_a_driver_without_loops_is_named_by_the_program():
    code, text = program("run", "scenes/gripper2d", "--duration", "0.02", **NO_LOOPS)
    assert code == 0 and "on cuda:0 (emulated GPU) kernel by kernel" in text, text
    assert f"stiction: warning: cuda:0 (emulated GPU): {WHY}" in text
    code, text = program("bench", "scenes/gripper2d", "--seconds", "0.01", **NO_LOOPS)
    assert code == 0 and f"stiction: warning: cuda:0 (emulated GPU): {WHY}" in text, text
    code, text = program("run", "scenes/gripper2d", "--duration", "0.02")
    assert code == 0 and "warning: cuda" not in text and "kernel by kernel" not in text, text


def test_a_driver_without_loops_is_named_by_the_package():
    script = "import stiction as st; st.Simulator('scenes/gripper2d', device='cuda').step()"
    code, text = run(sys.executable, "-c", script, PYTHONPATH=str(EMULATED / "python"), **NO_LOOPS)
    assert code == 0 and f"RuntimeWarning: cuda:0 (emulated GPU): {WHY}" in text, text
    assert "<string>:1:" in text  # the caller's line


def test_a_fault_ends_the_program_with_one_line():
    code, text = program("run", "scenes/gripper2d", "--quiet", EMULATED_GPU_BREAKS="SolvePhase:700")
    line = text.splitlines()[-1]
    assert code == 1 and line.startswith("stiction: ") and "cudaErrorIllegalAddress (700)" in line, text
    assert "start it anew" in line and "CUDA_LAUNCH_BLOCKING=1" in line
    code, text = program("run", "scenes/gripper2d", EMULATED_GPU_BREAKS="SolvePhase:700", CUDA_LAUNCH_BLOCKING="1")
    assert code == 1 and "the stage solve of a step: cudaErrorIllegalAddress (700)" in text, text


def test_what_gpu_check_gives_to_the_sanitizer():
    code, text = run(str(BUILD / "bin" / "emulated_gpu_check"), "--small-case", "--scenes", "scenes", CUDA_LAUNCH_BLOCKING="1")
    assert code == 0 and re.search(r"^(\d+) of \1 cases$", text, re.MULTILINE), text


def report_of(program, path, *arguments, **environment):
    code, text = run(str(BUILD / "bin" / program), "--scenes", "scenes", "--out", str(path), *arguments, **environment)
    assert code == 0, text
    with path.open() as file:
        return list(csv.DictReader(file))


def test_gpu_check_times_the_steps_of_the_host(tmp_path):
    only = ("--only", "largest", "speed", "families")
    host = report_of("gpu_check", tmp_path / "host.csv", *only, "--dry-run")
    gpu = report_of("emulated_gpu_check", tmp_path / "gpu.csv", *only, "--small")
    solved = ("contacts mean", "rows mean", "iterations mean", "iterations most", "share converged", "throughput")

    def figures(rows):
        keys = ("part", "scene", "factor", "dtype", "solve_threads", "batch", "quantity")
        return {tuple(row[key] for key in keys): row["value"] for row in rows if row["quantity"].startswith(solved)}

    of_host, of_gpu = figures(host), figures(gpu)
    assert of_host.keys() == of_gpu.keys() and len(of_host) > 300
    differ = [key for key, value in of_host.items() if value != of_gpu[key] and not key[-1].startswith("throughput")]
    assert differ == []
    assert {row["note"] for row in gpu if row["outcome"] == "skipped" and row["part"] == "speed"} == set()


def test_a_name_that_nvidia_smi_does_not_know_spoils_no_other(tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("""#!/bin/sh
        case "$*" in
          *,*,*,*) echo 'Field "ecc.mode.current" is not a valid field to query.'; exit 2;;
          *ecc.mode*) echo 'Field "ecc.mode.current" is not a valid field to query.'; exit 2;;
          *mig.mode*) echo '[N/A]';;
          *clocks.max.sm*) echo 1980;;
          *) echo Enabled;;
        esac""")
    tool.chmod(0o755)
    rows = report_of("emulated_gpu_check", tmp_path / "gpu.csv", "--only", "machine", "--small", PATH=f"{tmp_path}:{os.environ['PATH']}")
    said = {row["quantity"]: (row["value"], row["note"]) for row in rows if row["quantity"].startswith("nvidia-smi ")}
    assert said["nvidia-smi clocks.max.sm"] == ("1980", "1980") and said["nvidia-smi driver_version"] == ("1", "Enabled")
    assert said["nvidia-smi mig.mode.current"] == ("", "nvidia-smi says: [N/A]")
    assert said["nvidia-smi ecc.mode.current"] == ("", "exit code 2 Field ;ecc.mode.current; is not a valid field to query.")


def profiled(tmp_path, printed):
    """Rows of the profile where ncu prints this, and the words that it was given."""
    tool = tmp_path / "ncu"
    tool.write_text(f"#!/bin/sh\necho \"$*\" > {tmp_path}/words\ncat << 'END'\n{printed}\nEND\n")
    tool.chmod(0o755)
    piece = ("--part", "profile", "--piece", "all", "--seconds", "9")
    rows = report_of("emulated_gpu_check", tmp_path / "gpu.csv", *piece, PATH=f"{tmp_path}:{os.environ['PATH']}")
    return rows, (tmp_path / "words").read_text()


@pytest.mark.parametrize(("printed", "said"), [
    ("==ERROR== ERR_NVGPUCTRPERM", "ncu: : ==ERROR== ERR_NVGPUCTRPERM: see "),
    ("==WARNING== No kernels were profiled.", "ncu: : ncu gave no figures: see "),
    ('"ID","gpu__time_duration.sum"', "ncu: : ncu gave no figures: see "),
    ('"ID","gpu__time_duration.sum"\n"","ms"\n"0","13', "ncu: : ncu gave no figures: see "),
    ('"ID","gpu__time_duration.sum"\n"","ms"\n"0', "ncu: : ncu gave no figures: see "),
])  # fmt: skip
def test_a_log_of_ncu_without_figures_is_no_profile(tmp_path, printed, said):
    (row,) = profiled(tmp_path, printed)[0]
    assert row["outcome"] == "skipped" and said in row["note"]


def test_the_figures_of_ncu_become_rows(tmp_path):
    table = """==PROF== Connected to process 7
"ID","Kernel Name","gpu__time_duration.sum","smsp__inst_executed.sum","lts__t_sector_hit_rate.pct"
"","","ms","inst","%"
"0","void f(T1, T2)","13.564864","1,007,052,160.000000","n/a"
==PROF== Disconnected"""
    rows, words = profiled(tmp_path, table)
    assert "--kernel-name-base mangled --kernel-name regex:WarmPhase" in words and "--section SourceCounters" in words
    found = {row["quantity"]: (row["value"], row["unit"], row["note"]) for row in rows}
    assert found["ncu gpu__time_duration.sum"] == ("13.5649", "ms", "time of the launch")
    assert found["ncu smsp__inst_executed.sum"][:2] == ("1.00705e+09", "inst")
    assert found["ncu lts__t_sector_hit_rate.pct"] == ("", "", "ncu says: n/a")
    assert found["ncu l1tex__t_sector_hit_rate.pct"] == ("", "", "ncu has no such column")
    assert len(rows) == 11  # and the file


CRASHED = "Error: process didn't terminate successfully"


@pytest.mark.parametrize(("does", "outcome", "said"), [
    ('echo "$CUDA_LAUNCH_BLOCKING of 1 cases"', "pass", "1 of 1 cases"),
    ('shift 4; exec "$@"', "pass", " of "),
    ("exit 66", "fail", "see its log"),
    (f'echo "{CRASHED}"; echo "RACECHECK SUMMARY: 0 hazards displayed"; exit 11', "skipped", f"exit code 11: {CRASHED} RACECHECK SUMMARY: 0 hazards displayed "),
    (f'echo "{CRASHED}"; echo "ERROR SUMMARY: 7 errors"; exit 66', "fail", "see its log"),
    ('echo "gpu_check: internal error: lost"; echo "ERROR SUMMARY: 0 errors"; exit 1', "fail", "exit code 1: gpu_check: internal error: lost ERROR SUMMARY: 0 errors "),
    ("sleep 60", "skipped", "out of time"),
])  # fmt: skip
def test_what_compute_sanitizer_finds_becomes_a_row(tmp_path, does, outcome, said):
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(f"#!/bin/sh\n{does}\n")
    tool.chmod(0o755)
    piece = ("--part", "sanitizer", "--piece", "all", "--seconds", "4")
    rows = report_of("emulated_gpu_check", tmp_path / "gpu.csv", *piece, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert [row["quantity"] for row in rows] == ["memcheck", "racecheck"]
    assert {row["outcome"] for row in rows} == {outcome} and all(said in row["note"] for row in rows), rows


def test_gpu_check_limits_the_iterations_of_the_solves_that_it_times(tmp_path):
    rows = report_of("emulated_gpu_check", tmp_path / "gpu.csv", "--only", "iterations", "occupancy", "--small")
    timed = {f"solve {cache} of {most}" for cache in ("cold", "again") for most in ("at most 1", "at most 2", "at most 4", "at most 8", "all")}
    lines = {"an iteration cold", "beside iterations cold", "an iteration again", "beside iterations again"}
    for scene, moves in (("iiwa_stack", False), ("hand_cube", True)):  # the first steps of the stack are at rest
        of = {row["quantity"]: float(row["value"]) for row in rows if (row["part"], row["scene"]) == ("iterations", scene) and row["value"]}
        limited = [of[f"iterations of at most {most}"] for most in (1, 2, 4, 8)]
        assert all(seen <= most for seen, most in zip(limited, (1, 2, 4, 8), strict=True))
        assert limited == sorted(limited) and limited[-1] <= of["iterations of all"]
        slowest = [of[f"most iterations of at most {most}"] for most in (1, 2, 4, 8)]
        assert slowest == ([1, 2, 4, 8] if moves else [0, 0, 0, 0])
        assert (len(set(limited)) == 4) is moves and (lines <= of.keys()) is moves and timed <= of.keys()
    still = {row["quantity"]: row["note"] for row in rows if (row["part"], row["outcome"]) == ("iterations", "skipped")}
    assert still == dict.fromkeys(("an iteration cold", "an iteration again"), "as many iterations with every limit")
    kernels = [row for row in rows if row["part"] == "occupancy" and row["scene"] != "-"]
    assert {row["outcome"] for row in kernels if "that are planned" in row["quantity"]} == {"pass"}
    assert {row["note"] for row in kernels if row["quantity"] == "kernels"} == {"an emulated GPU has no registers"}


def test_gpu_check_measures_latencies_and_the_constants_of_the_model(tmp_path):
    rows = report_of("emulated_gpu_check", tmp_path / "gpu.csv", "--only", "calibration", "latency", "--small")
    model = load_script("bench/gpu_model.py")
    assert set(model.MEASURED) - model.measured_constants(rows).keys() == {"BANDWIDTH"}  # the emulated GPU has none
    fetches = {row["quantity"] for row in rows if row["quantity"].startswith("FETCH ") and float(row["value"]) > 0}
    ways = ("1 warp together", "4 warps together", "4 warps apart", "12 warps together", "12 warps apart")
    assert fetches == {f"FETCH {size} KiB {way}" for size in (16, 64, 128, 256) for way in ways}
    left_out = {row["quantity"] for row in rows if row["outcome"] == "skipped"}
    assert left_out == {"ceilings", "nvidia-smi", "ctrl from torch"} or left_out == {"ceilings", "ctrl from torch"}
