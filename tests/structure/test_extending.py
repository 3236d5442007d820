"""What docs/extending.md says of adding one more of a kind: a toy one needs the places that it names, and no other.

Every patch of tests/structure/extending is applied to a copy, and the units that read the lists are compiled.
"""

import pathlib
import re
import shutil
import subprocess

import pytest
import sources

PATCHES = sorted((pathlib.Path(__file__).parent / "extending").glob("*.patch"))
# the units that expand the lists; and the most places that a kind may take
UNITS = {
    "readout": (3, ["host/backend/host_backend.cpp", "host/api/reference_backend.cpp", "host/api/simulator.cpp",
                    "host/reference/step.cpp", "host/cli/stage_differences.cpp"]),
    "solver": (4, ["kernels/launch/host_solvers_forward.cpp", "host/backend/step_work.cpp", "host/model/choices.cpp"]),
    "status_bit": (1, ["host/api/status_names.cpp", "host/cli/failures.cpp"]),
}
EIGEN = "/usr/include/eigen3"  # of the package that scripts/setup names
COMPILE = ("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I.", "-isystem", EIGEN)


def copy_source(to):
    for folder in ("kernels", "host"):
        shutil.copytree(sources.ROOT / folder, to / folder)


@pytest.fixture(params=PATCHES, ids=lambda patch: patch.stem)
def patched(request, tmp_path):
    """(kind, a copy of the product's source with the toy in it)"""
    copy_source(tmp_path)
    subprocess.run(["git", "apply", str(request.param)], cwd=tmp_path, check=True)
    return request.param.stem, tmp_path


def places(kind):
    text = sources.text(f"tests/structure/extending/{kind}.patch")
    return re.findall(r"^\+\+\+ b/(\S+)$", text, re.MULTILINE)


def test_the_units_compile_with_one_more(patched):
    kind, copy = patched
    for unit in UNITS[kind][1]:
        run = subprocess.run([*COMPILE, unit], cwd=copy, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.parametrize("kind", sorted(UNITS))
def test_a_kind_takes_few_places_and_the_page_names_them(kind):
    assert 0 < len(places(kind)) <= UNITS[kind][0]
    page = sources.text("docs/extending.md")
    section = page[page.index(f"extending/{kind}.patch") :].split("\n## ")[0]
    assert [place for place in places(kind) if not place.endswith("/toy.hpp") and f"`{place}`" not in section] == []


def test_a_place_left_out_does_not_compile(tmp_path):
    copy_source(tmp_path)
    solvers = tmp_path / "kernels/solver/solvers.inc"
    solvers.write_text(solvers.read_text() + 'ST_SOLVER(kToy, "toy", solve_toy, toy_scratch, false)\n')
    run = subprocess.run([*COMPILE, "host/backend/step_work.cpp"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "kToy" in run.stderr
