"""Claim: the programs of the README and of the pages run, and print what stands below them."""

import contextlib
import io
import itertools
import os
import re
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("concepts", "laws", "dynamics", "coming_from")
WHOLE = [ROOT / "docs/index.md", ROOT / "docs/first_steps.md"]  # every program of these is run
PRINTING = [*WHOLE, ROOT / "docs/sensors.md", ROOT / "docs/grasping.md", ROOT / "docs/control.md"] + sorted(page for room in ROOMS for page in (ROOT / "docs" / room).glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$\n?\s*", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?$")


def blocks(page):
    """(language, body) of every block of code."""
    return [(match[1], match[2]) for match in BLOCK.finditer(page.read_text())]


def programs(page):
    """(program, what is printed below it) of every program with its output below it; all complete ones have that."""
    found, text = [], page.read_text()
    for match in BLOCK.finditer(text):
        language, body = match.groups()
        below = BLOCK.match(text, match.end())
        if language == "python" and below and below[1] == "text":
            found.append((body, below[2]))
        else:
            assert language != "python" or not body.startswith("import"), f"{page}: a program without its output:\n{body}"
    return found


def last_place(number):
    """Size of the last digit that is printed."""
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def same_token(a, b):
    """Equal, or numbers printed alike that differ by the rounding of their last digit."""
    if a == b:
        return True
    fractions = all(NUMBER.match(x) and ("." in x or "e" in x) for x in (a, b))
    if not fractions or last_place(a) != last_place(b):
        return False
    return abs(float(a) - float(b)) <= 1.001 * last_place(a)


def tokens(text):
    return [re.findall(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|[^\s\d]+", line) for line in text.rstrip().splitlines()]


def same_text(a, b):
    lines_a, lines_b = tokens(a), tokens(b)
    if [len(line) for line in lines_a] != [len(line) for line in lines_b]:
        return False
    return all(same_token(x, y) for x, y in zip(itertools.chain(*lines_a), itertools.chain(*lines_b), strict=True))


def printed_by(program, names):
    """What it prints; its names stay in `names`."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(program, "page", "exec"), names)
    return shown.getvalue()


def first_program(page, with_import):
    """The first block with that import, with few environments."""
    body = next(body for language, body in blocks(ROOT / page) if language == "python" and with_import in body)
    few = re.sub(r"\b(batch|num_envs)=1024", lambda many: f"{many[1]}=4", body)
    assert few != body, f"{page}: its number of environments is another"
    return few.replace('"scenes/', f'"{ROOT}/scenes/')


def test_there_are_programs_to_run():
    assert sum(len(programs(page)) for page in PRINTING) >= 18
    for page in WHOLE:
        assert [language for language, _ in blocks(page)].count("python") == len(programs(page)) > 0, page


@pytest.mark.parametrize("page", PRINTING, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_the_programs_print_what_stands_below_them(page):
    """In one namespace: what follows may go on with the names of what came before."""
    names = {"__name__": "__main__"}
    for program, printed in programs(page):
        if "import mujoco" in program:
            pytest.importorskip("mujoco")
        shown = printed_by(program, names)
        assert same_text(shown, printed), f"printed:\n{shown}\nbut the page says:\n{printed}"


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_first_program_of_a_page_runs(page, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    shown = printed_by(first_program(page, "import stiction as st"), {})
    assert (tmp_path / "heights.png").stat().st_size > 5000 if page == "README.md" else "0 failed" in shown
    assert os.getcwd() == str(tmp_path)


def test_the_task_of_ones_own_is_short_and_solved():
    pytest.importorskip("gymnasium", reason="no gymnasium: requirements/learn.txt")
    program = next(body for _, body in blocks(ROOT / "docs/learning.md") if "class PushCube" in body)
    task = program.partition("envs, random = ")[0]
    assert len([line for line in task.splitlines() if line]) <= 40
    assert printed_by(program, {"__name__": "__main__"}) == "reached\n"


def test_the_program_about_learning_runs():
    pytest.importorskip("gymnasium", reason="no gymnasium: requirements/learn.txt")
    printed_by(first_program("docs/learning.md", "import stiction.envs"), {})


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("x 1.234", "x 1.235", True),
        ("x 1.234", "x 1.236", False),
        ("x -0.00", "x 0.00", True),
        ("x 1.23", "x 1.234", False),
        ("7 contacts", "8 contacts", False),
        ("converged", "unbounded", False),
        ("a\nb", "a", False),
    ],
)
def test_the_comparison_can_fail(a, b, same):
    assert same_text(a, b) == same
