"""Every mistake of mistakes.tsv ends with one line on standard error that says what, where and what to do."""

import os
import pathlib
import shlex
import subprocess
import sys

import pytest
from stiction_program import BINARY, assert_one_line

LINES = (pathlib.Path(__file__).parent / "mistakes.tsv").read_text().splitlines()
ROWS = [line.split("\t") for line in LINES if not line.startswith(("#", "where\t"))]
PACKAGE = pathlib.Path(os.environ.get("STICTION_BUILD", BINARY.parents[1])) / "python"
PROGRAM = """
import sys
import stiction as st
scene = sys.argv[1]
with st.Simulator(scene, batch=4, device="cpu", threads=2) as sim:
    sim.step()
    try:
        exec(sys.argv[2])
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
"""


def run(command, folder):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, check=False,
                          cwd=folder, env=environment)  # fmt: skip


def edited(scene, mistake):
    """The text of a scene.toml with OLD => NEW in its last place, or with more lines at its end."""
    old, arrow, new = mistake.replace("\\n", "\n").partition(" => ")
    if not arrow:
        return scene + "\n" + old
    before, found, after = scene.rpartition(old)
    assert found
    return before + new + after


def attempt(where, mistake, scene, folder):
    words = [word.format(scene=scene, file=folder / "notes") for word in shlex.split(mistake)] if where in ("cli", "look") else []
    if where == "cli":
        return run([BINARY, *words], folder)
    if where == "look":
        return run([sys.executable, "-m", "stiction", *words], folder)
    if where == "python":
        return run([sys.executable, "-W", "ignore", "-c", PROGRAM, scene, mistake], folder)
    if where == "scene":
        (scene / "scene.toml").write_text(edited((scene / "scene.toml").read_text(), mistake))
        return run([BINARY, "run", scene], folder)
    (scene / "model.xml").write_text(mistake)
    return run([BINARY, "run", scene / "model.xml"], folder)


def test_the_table_has_enough_of_every_kind():
    assert len(ROWS) >= 60 and {row[0] for row in ROWS} == {"cli", "look", "scene", "model", "python"}
    assert len({tuple(row[:2]) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("where, mistake, ends, words", ROWS, ids=[f"{row[0]}: {row[1][:60]}" for row in ROWS])
def test_a_mistake_is_answered_in_one_line(scene, tmp_path, where, mistake, ends, words):
    if not BINARY.exists() or (where in ("look", "python") and not (PACKAGE / "stiction").exists()):
        pytest.skip("the program or the package is not built")
    if where == "python" and "envs" in mistake:
        pytest.importorskip("gymnasium", reason="no gymnasium: requirements/learn.txt")
    if where == "look" or "load_recording" in mistake:
        pytest.importorskip("viser", reason="no viser: requirements/look.txt")
    (tmp_path / "notes").write_text("no scene")
    done = attempt(where, mistake, scene, tmp_path)
    if where == "python":
        assert done.stderr.startswith(f"{ends}: ") and done.stderr.count("\n") == 1, done.stderr
    else:
        assert_one_line(done, int(ends))
    for alternatives in words.split(" & "):
        assert any(word in done.stderr for word in alternatives.split("|")), (alternatives, done.stderr)
    assert "Traceback" not in done.stderr and not list(tmp_path.glob("*.h5*"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(stiction, shell):
    script = stiction("completion", shell).stdout
    commands = ["run", "compare", "bench", "solve", "info", "doctor", "completion", "view", "plot", "video"]
    assert [command for command in commands if command not in script] == []
    for command in ("run", "compare", "bench", "solve"):
        shown = stiction(command, "--help").stdout.split()
        options = {word.partition(",")[0].rstrip(":;)") for word in shown if word.startswith("--") and word.strip("-;:")}
        dashes = "-l " if shell == "fish" else "--"
        assert [option for option in options if dashes + option[2:] not in script] == []


def completed(words):
    """What bash offers for the last of these words."""
    script = """
source <("$1" completion bash); shift; COMP_WORDS=(stiction "$@"); COMP_CWORD=$#; _stiction; printf '%s\\n' "${COMPREPLY[@]}"
"""
    out = subprocess.run(["bash", "-c", script, "bash", BINARY, *words], capture_output=True, text=True, check=True).stdout
    return out.split()


@pytest.mark.parametrize(
    "words, offered",
    [
        (["co"], ["compare", "completion"]),
        (["v"], ["view", "video"]),
        (["run", "scene", "--st"], ["--step-size"]),
        (["run", "scene", "--law", "c"], ["coulomb"]),
        (["bench", "scene", "--record"], []),
        (["run", "scene", "--record", ""], ["none", "state", "contacts"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
    ],
)
def test_bash_completes_commands_options_and_their_words(words, offered):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    assert completed(words) == offered


def test_the_folder_of_the_output_is_made(stiction, scene, tmp_path):
    run = stiction("run", scene, "--out", tmp_path / "out/deep/push.h5", "--quiet")
    assert (run.returncode, run.stderr) == (0, "") and (tmp_path / "out/deep/push.h5").exists()
    run = stiction("bench", scene, "--seconds", 0.01, "--out", tmp_path / "tables/push.csv")
    assert run.returncode == 0 and (tmp_path / "tables/push.csv").exists()


def test_the_mass_ratio_of_run_is_that_of_the_scene(stiction, scene):
    text = (scene / "scene.toml").read_text()
    given = stiction("compare", scene, "--mass-ratio", 3, "--b", "cpu").stdout
    (scene / "scene.toml").write_text(text.replace("[solver]", "mass_ratio = 3\n[solver]"))
    assert given == stiction("compare", scene, "--b", "cpu").stdout and given
