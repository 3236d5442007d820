"""Bad input ends with exit code 2 and one line that says what and where, and leaves no file behind."""

import pathlib
import subprocess
import tomllib

import pytest
from stiction_program import BINARY, assert_one_line

TABLE = tomllib.loads((pathlib.Path(__file__).parent / "bad_input.toml").read_text())
CASES = [(kind, case) for kind, table in TABLE.items() for case in table["cases"]]


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{k}: {' '.join(c['args'])}") for k, c in CASES])
def test_is_refused_in_one_line(stiction, scene, tmp_path, case):
    places = {"scene": scene, "folder": tmp_path / "empty", "file": tmp_path / "notes"}
    places["folder"].mkdir()
    places["file"].write_text("no scene")
    run = stiction(*(argument.format(**places) for argument in case["args"]))
    assert_one_line(run, 2)
    for words in case["says"]:
        assert words in run.stderr
    assert list(places["folder"].iterdir()) == []


def test_table_has_three_cases_of_every_kind():
    assert all(len(table["cases"]) >= 3 for table in TABLE.values())


@pytest.mark.parametrize("command", [["--help"], ["run", "--help"], ["compare", "--help"], ["solve", "--help"], ["info", "--help"], ["doctor", "--help"]])
def test_help_is_no_error(stiction, command):
    run = stiction(*command)
    assert run.returncode == 0 and run.stderr == ""
    assert "stiction" in run.stdout.lower() or "scene" in run.stdout.lower()


def test_help_of_run_names_every_option(stiction):
    options = """--batch --device --dtype --dynamics --law --cone --facets --solver --factor --step-size --duration --seed --threads
        --max-contacts --out --record --every --envs --record-problems --allow-failures --quiet""".split()
    text = stiction("run", "--help").stdout
    assert [option for option in options if option not in text] == []


def test_unwritable_standard_output_is_an_error(stiction):
    with open("/dev/full", "w") as full:
        run = subprocess.run([BINARY, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert_one_line(run, 2)
