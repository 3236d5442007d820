"""What docs/extending.md says of adding one more of a kind: a toy one needs the places that it names, and no other.

Every patch of tests/structure/extending is applied to a copy, and the units that read the lists are compiled.
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import textwrap

import pytest
import sources

PATCHES = sorted((pathlib.Path(__file__).parent / "extending").glob("*.patch"))
# the most places that a kind may take, and the units that read its list
UNITS = {
    "dynamics": (4, ["host/reference/dynamics.cpp", "host/model/choices.cpp"]),
    "law": (3, ["host/reference/friction_cone.cpp", "host/model/choices.cpp"]),
    "readout": (3, ["host/backend/host_backend.cpp", "host/api/reference_backend.cpp", "host/api/simulator.cpp",
                    "host/reference/step.cpp", "host/cli/stage_differences.cpp"]),
    "scene_key": (5, ["host/scene/scene_keys.cpp", "host/scene/scene_toml.cpp", "host/scene/validate_scene.cpp",
                      "host/backend/staged_step.cpp", "host/cli/recording_attributes.cpp"]),
    "shape": (4, ["host/model/validate.cpp"]),
    "solver": (4, ["host/backend/step_work.cpp", "host/model/choices.cpp"]),
    "status_bit": (1, ["host/api/status_names.cpp", "host/cli/failures.cpp"]),
}
# what the units have to include and to instantiate, for kernels are templates
KERNELS = {
    "dynamics": """
        #include "kernels/dynamics/assemble.hpp"
        #include "kernels/team/host_team.hpp"
        using namespace stiction;
        template void stiction::assemble_motion(HostTeam<>, const ModelView<double>&, const Poses<double>&,
            const MotionInputs<double>&, Dynamics, Inertia<double>&, MotionTerms<double>&);
        """,
    "law": """
        #include "kernels/problem/shift.hpp"
        using namespace stiction;
        template double stiction::shift_gap(ContactLaw, const FacetTable<double>&, const Friction<double>&,
            const ContactVector<double>&);
        """,
    "shape": """
        #include "kernels/collision/narrow_phase.hpp"
        #include "kernels/model/geom_bounds.hpp"
        using namespace stiction;
        template void stiction::bound_geom(GeomType, const double*, double*, double*);
        template void stiction::collide(const PlacedShape<double>&, const PlacedShape<double>&, double,
            CollisionScratch<double>&, Manifold<double>&);
        """,
    "solver": """
        #include "kernels/launch/host_solvers.hpp"
        namespace stiction { ST_HOST_SOLVER(template, kToy, kForward, false) }
        """,
}
MUJOCO = importlib.util.find_spec("mujoco").submodule_search_locations[0]
COMPILE = ("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I.", "-isystem", "/usr/include/eigen3", "-isystem", f"{MUJOCO}/include")
TOY_UNIT = "kernels_of_the_toy.cpp"  # -fsyntax-only instantiates no template, so this one is compiled


def copy_source(to):
    for folder in ("kernels", "host", "python"):
        shutil.copytree(sources.ROOT / folder, to / folder)


def units_of(kind, copy):
    """The units of a kind; its kernels are written into one of their own."""
    if kind not in KERNELS:
        return UNITS[kind][1]
    (copy / TOY_UNIT).write_text(textwrap.dedent(KERNELS[kind]))
    return [TOY_UNIT, *UNITS[kind][1]]


def compile_unit(unit, copy):
    effort = ("-S", "-O0", "-o", "/dev/null") if unit == TOY_UNIT else ("-fsyntax-only",)
    return subprocess.run([*COMPILE, *effort, unit], cwd=copy, capture_output=True, text=True, check=False)


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
    for unit in units_of(kind, copy):
        run = compile_unit(unit, copy)
        assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.parametrize("kind", sorted(UNITS))
def test_a_kind_takes_few_places_and_the_page_names_them(kind):
    assert 0 < len(places(kind)) <= UNITS[kind][0]
    page = sources.text("docs/extending.md")
    section = page[page.index(f"extending/{kind}.patch") :].split("\n## ")[0]
    assert [place for place in places(kind) if not place.endswith("/toy.hpp") and f"`{place}`" not in section] == []


@pytest.mark.parametrize(
    ("kind", "left_out", "word"),
    [
        ("dynamics", "host/reference/dynamics.cpp", "kToy"),
        ("law", "host/reference/friction_cone.cpp", "kToy"),
        ("scene_key", "host/scene/scene.hpp", "toy_damping"),
        ("scene_key", "kernels/step/config.hpp", "toy_damping"),
        ("shape", "kernels/model/geom_bounds.hpp", "kCone"),
        ("shape", "kernels/collision/support.hpp", "kCone"),
        ("solver", "host/backend/step_work.cpp", "kToy"),
    ],
)
def test_a_place_left_out_does_not_compile(kind, left_out, word, tmp_path):
    copy_source(tmp_path)
    patch = sources.ROOT / f"tests/structure/extending/{kind}.patch"
    subprocess.run(["git", "apply", f"--exclude={left_out}", str(patch)], cwd=tmp_path, check=True)
    failed = [run.stderr for run in (compile_unit(unit, tmp_path) for unit in units_of(kind, tmp_path)) if run.returncode != 0]
    assert failed
    assert word in failed[0]
