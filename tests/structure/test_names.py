"""Words and letters that mean one thing: `take_` is to take memory from an arena, p is a problem."""

import re

import sources

DEFINITION = re.compile(r"^ST_\w+ [^;{}()]*?\b(take_\w+)\(([^{};]*?)\)\s*\{", re.MULTILINE)


def test_take_means_from_an_arena():
    found = [
        (f"{path}: {name}", parameters)
        for path in sources.code_files("kernels")
        for name, parameters in DEFINITION.findall(sources.without_comments(sources.text(path)))
    ]
    assert len(found) > 30
    assert [name for name, parameters in found if "Arena" not in parameters] == []


# parameters of one letter, beside the quantities of equations; CONTRIBUTING.md has them, too
LETTERS = {
    "p": r"\w*Problem",
    "s": r"ScaledProblem|StepScratch",  # in kernels/solver and in kernels/step, which do not meet
    "x": r"\w*State|State|AnswerArrays|ContactSolution",
    "m": r"\w*Memory|Memory",
    "w": r"SolverWorkspace|LemkeWork",
}
QUANTITIES = r"Vec3|Quat|Mat3|Sym3|Sym4|ContactVector|Spatial|SpatialInertia|Indexed"
LETTER = re.compile(r"\b([A-Z]\w+)(?:<[^<>()]*(?:<[^<>]*>)?[^<>()]*>)?\s*&\s*([a-z])\s*[,)]")


def test_a_letter_means_one_thing():
    found = [
        (f"{path}: {kind}& {letter}", kind, letter)
        for path in sources.code_files("kernels")
        for kind, letter in LETTER.findall(sources.without_comments(sources.text(path)))
        if not re.fullmatch(QUANTITIES, kind)
    ]
    assert len(found) > 300
    assert [where for where, kind, letter in found if not re.fullmatch(LETTERS.get(letter, ""), kind)] == []
    scaled = [where for where, kind, _ in found if kind == "ScaledProblem" and not where.startswith("kernels/solver/")]
    assert scaled == [] and [where for where, kind, letter in found if (kind, letter) == ("ScaledProblem", "p")] == []
