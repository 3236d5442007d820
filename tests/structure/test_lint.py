"""scripts/lint has its tools, CI runs it, and clang-tidy looks at what changed."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sources
from test_setup_list import listed

TIDY = sources.ROOT / "scripts/tidy.py"


def load_tidy():
    spec = importlib.util.spec_from_file_location("tidy", TIDY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lint_can_be_run_and_its_tools_are_on_the_list():
    assert os.access(sources.ROOT / "scripts/lint", os.X_OK)
    assert {"pip ruff", "pip basedpyright", "apt clang-tidy"} <= listed()


def test_ci_runs_lint_before_the_tests():
    text = sources.text(".ci/run")
    assert 0 < text.index("scripts/build\n") < text.index("scripts/lint ||") < text.index("scripts/test ||")


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_cpp", ".cpp").replace("_hpp", ".hpp")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_a_header_is_seen_through_the_smallest_unit_that_includes_it(tmp_path, monkeypatch):
    write(
        tmp_path,
        room__deep_hpp="#pragma once\n",
        room__wide_hpp='#pragma once\n#include "deep.hpp"\n',
        room__small_cpp='#include "room/deep.hpp"\n',
        room__large_cpp='#include "room/wide.hpp"\n',
        room__lonely_hpp="#pragma once\n",
    )
    monkeypatch.chdir(tmp_path)
    tidy, units = load_tidy(), ["room/large.cpp", "room/small.cpp"]
    assert tidy.chosen_units(["room/deep.hpp"], units, 6) == (["room/small.cpp"], [])
    assert tidy.chosen_units(["room/deep.hpp", "room/wide.hpp"], units, 6) == (["room/large.cpp"], [])
    assert tidy.chosen_units(["room/deep.hpp", "room/large.cpp"], units, 6) == (["room/large.cpp"], [])
    assert tidy.chosen_units(["room/deep.hpp"], units, 0) == ([], ["room/deep.hpp"])
    assert tidy.chosen_units(["room/lonely.hpp", "other.cpp"], units, 6) == ([], ["other.cpp", "room/lonely.hpp"])


def run_tidy(folder, *base):
    command = [sys.executable, TIDY, "build", *base]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path):
    """A repository of one commit, with a unit and a header that have no finding."""
    for program in ("git", "clang-tidy"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    shutil.copy(sources.ROOT / ".clang-tidy", tmp_path)
    write(tmp_path, host__unit_cpp='#include "unit.hpp"\nint one() { return 1; }\n', host__unit_hpp="int one();\n")
    command = f"c++ -fno-tree-loop-distribute-patterns -Wno-restrict -c {tmp_path}/host/unit.cpp"
    entry = f'[{{"directory": "{tmp_path}", "file": "{tmp_path}/host/unit.cpp", "command": "{command}"}}]'
    (tmp_path / "build").mkdir()
    (tmp_path / "build/compile_commands.json").write_text(entry)
    (tmp_path / ".gitignore").write_text("/build/\n")
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -q -m first"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_without_an_earlier_commit_a_line_says_so(checkout):
    run = run_tidy(checkout)
    assert run.returncode == 0 and run.stdout == (
        "tidy: no C++ file is looked at: there is no earlier commit to compare with\n"
    )


def test_a_base_that_is_no_commit_is_an_error(checkout):
    run = run_tidy(checkout, "nowhere")
    assert run.returncode == 1 and run.stderr == "tidy: nowhere is no commit here\n"


@pytest.mark.parametrize("file", ["unit_cpp", "unit_hpp"])
def test_a_finding_in_a_changed_file_is_an_error(checkout, file):
    assert run_tidy(checkout, "HEAD").stdout.startswith("tidy: 0 files changed")
    write(checkout, **{f"host__{file}": "inline const int* none = 0;\nint one();\n"})
    run = run_tidy(checkout, "HEAD")
    assert run.returncode == 1 and "modernize-use-nullptr" in run.stdout, run.stdout
    assert "tidy: 1 files changed" in run.stdout


def test_what_there_is_no_time_for_is_named(checkout, monkeypatch, capsys):
    write(checkout, host__unit_cpp="int one() { return 2; }\n")
    monkeypatch.chdir(checkout)
    tidy = load_tidy()
    monkeypatch.setattr(tidy, "MOST_SECONDS", -1)
    assert tidy.tidy(Path("build"), "HEAD")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("tidy: not looked at") and last.endswith(": host/unit.cpp")


def test_a_finding_in_a_file_that_did_not_change_is_not(checkout):
    write(checkout, host__unit_hpp="inline const int* none = 0;\nint one();\n")
    subprocess.run(["git", "add", "."], cwd=checkout, check=True)
    subprocess.run("git -c user.name=a -c user.email=a@b commit -q -m second".split(), cwd=checkout, check=True)
    write(checkout, host__unit_cpp='#include "unit.hpp"\nint one() { return 2; }\n')
    run = run_tidy(checkout, "HEAD")
    assert run.returncode == 0 and "1 units, findings in 0" in run.stdout, run.stdout
