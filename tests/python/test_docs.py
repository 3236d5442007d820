"""Claim: the Python of the README and of its page runs as it is printed, with fewer environments."""

import os
import re
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).parents[2]


def first_program(page):
    """The first block that imports the package, with two environments."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    program = next(block for block in blocks if "import stiction" in block)
    assert "batch=1024" in program
    return program.replace("batch=1024", "batch=2").replace('"scenes/', f'"{ROOT}/scenes/')


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_program_of_the_page_runs(page, tmp_path, monkeypatch, capsys):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    exec(compile(first_program(page), page, "exec"), {})
    shown = capsys.readouterr().out
    assert (tmp_path / "heights.png").stat().st_size > 5000 if page == "README.md" else "0 failed" in shown
    assert os.getcwd() == str(tmp_path)
