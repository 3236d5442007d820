"""docs/coverage.md says what is so: places and tests exist, no equation or figure is missing, values are kept."""

import functools
import os
import pathlib
import re
import subprocess

import pytest
from load_script import load_script

ROOT = pathlib.Path(__file__).parents[2]
EQUATIONS = {
    "claims_2003.toml": {str(n) for n in range(1, 22)},
    "claims_2005.toml": {str(n) for n in range(1, 56)},
    "claims_2016.toml": {str(n) for n in range(1, 29)},
    "claims_2021.toml": set("1a 1b 1c 1d 1e 1f 2 3 4 5 6a 6b 6c 6d 7 8a 8b 9a 9b 9c 10a 10b 11 13".split()),
}
FIGURES = {
    "claims_2003.toml": {"1", "2", "3"},
    "claims_2005.toml": {"1", "2", "3"},
    "claims_2016.toml": {str(n) for n in range(1, 11)},
    "claims_2021.toml": {str(n) for n in range(1, 9)},
}
NAMED = {"claims_2003.toml": [],
         "claims_2005.toml": ["Model-IQC", "Model-ILC", "Model-DQC", "Model-DLC", "Theorem 1", "Proposition 1"],
         "claims_2016.toml": [*(f"Definition {n}" for n in range(1, 6)), "Proposition 1", "Proposition 2",
                              *(f"Remark {n}" for n in range(1, 6))],
         "claims_2021.toml": ["(6), the quasistatic LCP", "Anitescu's law", "(10), the QP"]}
GTEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
RECORDED = re.compile(r'\bmeasured\(f?"([^"]+)"')


coverage = load_script("scripts/coverage_page.py")
LISTS = {path.name: paper for path, paper in zip(coverage.LISTS, coverage.read_lists(), strict=True)}


def items(paper):
    return [item for part in paper["part"] for item in part["item"]]


EVERY = [
    pytest.param(item, id=f"{name[7:11]} {item['name']}") for name, paper in LISTS.items() for item in items(paper)
]


@functools.cache
def google_tests():
    """{Suite.Test} of the sources."""
    sources = (ROOT / "tests").rglob("*_test.cpp")
    return {".".join(found) for path in sources for found in GTEST.findall(path.read_text(encoding="utf-8"))}


@functools.cache
def built_tests():
    """{Suite.Test} of the test programs of the build, without the parameters' names; None where one is not built."""
    rooms = "".join(path.read_text() for path in (ROOT / "tests").glob("*/CMakeLists.txt"))
    build = pathlib.Path(os.environ.get("STICTION_BUILD", "no build"))
    programs = [build / "bin" / name for name in re.findall(r"add_executable\((test_\w+)", rooms)]
    if not all(program.is_file() for program in programs):
        return None
    found = set()
    for program in programs:
        run = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, timeout=60, check=True)
        for line in run.stdout.splitlines():
            name = line.split("#")[0].strip()
            if not line.startswith(" "):
                parts = name.rstrip(".").split("/")  # Instance/Suite, Suite/type or Suite
                suites = [part for part in parts if not part.isdigit()]
            else:
                found |= {f"{suite}.{name.split('/')[0]}" for suite in suites}
    return found


def is_a_test(test):
    if "::" not in test:
        return test in google_tests()
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8")


def is_a_place(place):
    path, _, symbol = place.partition(": ")
    return (ROOT / path).is_file() and symbol in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("item", EVERY)
def test_an_item_is_proved_where_it_says_or_left_out(item):
    assert set(item) <= {"name", "equations", "figures", "says", "where", "tests", "measured", "left_out"}
    assert [place for place in item.get("where", []) if not is_a_place(place)] == []
    assert [test for test in item.get("tests", []) if not is_a_test(test)] == []
    assert item["says"] and (item.get("left_out") or (item.get("tests") and item.get("where")))
    assert item.get("tests") or not item.get("measured")


def test_places_and_tests_that_are_not_there_are_noticed():
    assert is_a_place("kernels/problem/cone.hpp: support_friction") and is_a_test("Gripper2d.KeepsTheBallInPlace")
    assert not is_a_place("kernels/problem/shift.hpp: no_such_function") and not is_a_place("kernels/no_such.hpp")
    assert not is_a_test("Gripper2d.NoSuchTest")
    assert not is_a_test("tests/coverage/test_page.py::test_no_such") and is_a_test(
        "tests/coverage/test_page.py::test_places_and_tests_that_are_not_there_are_noticed")


def test_every_google_test_of_the_page_is_in_the_build():
    built = built_tests()
    if built is None:
        pytest.skip("STICTION_BUILD names no build with every test program")
    named = {test for paper in LISTS.values() for item in items(paper) for test in item.get("tests", [])}
    assert sorted({test for test in named if "::" not in test} - built) == []


@pytest.mark.parametrize("name", LISTS)
def test_no_equation_figure_or_model_is_missing(name):
    listed = items(LISTS[name])
    assert {equation for item in listed for equation in item.get("equations", [])} == EQUATIONS[name]
    assert {figure for item in listed for figure in item.get("figures", [])} == FIGURES[name]
    names = " ".join(item["name"] for item in listed)
    assert [model for model in NAMED[name] if model not in names] == []


@pytest.mark.skipif("STICTION_MEASURED" in os.environ, reason="values are recorded, to be kept after this run")
def test_every_value_is_recorded_by_a_test_kept_and_shown():
    declared = coverage.declared_values(LISTS.values())
    shown = {key for paper in LISTS.values() for item in items(paper) for key in item.get("measured", [])}
    assert shown == set(declared)
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    calls = {call for source in sources for call in RECORDED.findall(source)}
    patterns = [re.compile(re.sub(r"\\\{[^}]*\}", "[^/]+", re.escape(call))) for call in calls]
    assert [key for key in declared if not any(pattern.fullmatch(key) for pattern in patterns)] == []
    kept = coverage.read_kept()
    assert set(kept) == set(declared)
    for key, declaration in declared.items():
        assert ("bound" in declaration) != ("within" in declaration), key
        assert kept[key] <= declaration.get("bound", float("inf")), key
        if "paper" in declaration:
            assert abs(kept[key] - declaration["paper"]) <= declaration["paper_within"], key


@pytest.mark.skipif("STICTION_MEASURED" in os.environ, reason="values are recorded, to be kept after this run")
def test_the_page_is_what_its_script_writes():
    assert coverage.PAGE.read_text(encoding="utf-8") == coverage.page(), "run scripts/coverage_page.py"


def test_a_value_that_differs_fails(measured):
    file, measured.file = measured.file, None
    try:
        measured("2021/stack-dofs", 69)
        for key, value in (("2021/stack-dofs", 70), ("2021/lcp-touch", 0.04), ("2005/mixed-lcp", 1e-6)):
            for wrong in (value, float("nan")):
                with pytest.raises(AssertionError, match=key):
                    measured(key, wrong)
    finally:
        measured.file = file
