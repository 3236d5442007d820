"""scripts/bits.py finds what differs between two builds, and nothing where nothing does."""

import json
import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "bits.py"
ONLY = ("gripper2d", "dynamic", "coulomb", "quadratic")


def bits(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(os.environ["STICTION_BUILD"]) / "python")}
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_two_runs_of_one_build_have_the_same_bits(tmp_path):
    for name in ("a", "b"):
        written = bits("write", tmp_path / name, "--only", *ONLY, "--steps", 3)
        assert written.stdout == "bits: 30 simulations\n", written.stderr
    same = bits("compare", tmp_path / "a", tmp_path / "b")
    assert same.returncode == 0
    assert same.stdout == "bits: 30 simulations, 6 refused, 0 differ\n"  # lemke: facets only


def test_what_differs_is_named(tmp_path):
    label = "gripper2d dynamic coulomb pyramid newton float64 0"
    for name, value in (("a", "0123"), ("b", "4567")):
        (tmp_path / name).write_text(json.dumps({"steps": 3, "iterations": 9, "hashes": {label: value}}))
    different = bits("compare", tmp_path / "a", tmp_path / "b")
    assert different.returncode == 1
    assert different.stdout.splitlines() == [f"{label} 0123 4567", "bits: 1 simulations, 0 refused, 1 differ"]


def test_words_that_no_simulation_has_are_refused(tmp_path):
    nothing = bits("write", tmp_path / "a", "--only", "newtron")
    assert nothing.returncode == 1
    assert nothing.stderr == "bits: no simulation has all of newtron\n"
