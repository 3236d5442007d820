"""Bad input ends with exit code 2 and one line that says what and where, and leaves no file behind."""

import pathlib
import resource
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
    options = """--batch --device --dtype --preset --dynamics --law --cone --facets --contact --geometry --rotation --torsion-radius --mass-ratio --regions --solver --factor --infeasible --step-size --duration --seed --threads --solve-threads
        --tolerance --max-iterations --max-contacts --out --record --every --envs --record-problems --allow-failures --quiet""".split()
    text = stiction("run", "--help").stdout
    assert [option for option in options if option not in text] == []


def test_unwritable_standard_output_is_an_error(stiction):
    with open("/dev/full", "w") as full:
        run = subprocess.run([BINARY, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert_one_line(run, 2)


LARGE_MODELS = {  # a few bytes that ask for more than there is
    "hfield": '<asset><hfield name="h" nrow="20000" ncol="20000" size="1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/></worldbody>',
    "hfield that is only drawn": '<asset><hfield name="h" nrow="20000" ncol="20000" size="1 1 1 1"/></asset><worldbody>'
    '<geom type="hfield" hfield="h" contype="0" conaffinity="0"/></worldbody>',
    "replicate": '<worldbody><replicate count="1000000"><geom size=".1"/></replicate></worldbody>',
    "keyframes": '<size nkey="100000000"/><worldbody/>',
    "user numbers": '<size nuser_body="500000000"/><worldbody/>',
    "flat mesh": '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 1 1 1e-8"/></asset><worldbody><geom type="plane" size="1 1 1"/><body><freejoint/>'
    '<geom type="mesh" mesh="m"/></body></worldbody>',
    "mesh without volume": '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 1 1 1e-15"/></asset><worldbody><body><freejoint/>'
    '<geom type="mesh" mesh="m"/></body></worldbody>',
}  # fmt: skip


@pytest.mark.parametrize("kind", LARGE_MODELS)
def test_a_model_that_asks_for_too_much_is_refused_at_once_with_little_memory(stiction, tmp_path, kind):
    (tmp_path / "model.xml").write_text(f"<mujoco>{LARGE_MODELS[kind]}</mujoco>")
    limit = 2 << 30  # of address space [bytes]
    run = stiction("info", tmp_path / "model.xml", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert_one_line(run, 2)
    assert "model.xml" in run.stderr
