"""A law or a cone is named in its place only; everybody else asks for its properties (kernels/model/traits.hpp)."""

import re

import pytest
import sources

# where the arithmetic of laws and cones is, where scenes choose them, and the reference, which has a text of its own
PLACES = (
    "kernels/model/traits.hpp",
    "kernels/problem/",
    "host/scene/scene.hpp",
    "host/scene/families.cpp",
    "host/api/solve_problems.hpp",
    "host/reference/dense_problem.hpp",
    "host/reference/friction_cone.cpp",
)


def strangers(enum):
    return [
        f"{path}:{number}"
        for path in sources.code_files("kernels", "host")
        if not str(path).startswith(PLACES)
        for number, line in enumerate(sources.without_comments(sources.text(path)).splitlines(), 1)
        if re.search(rf"\b{enum}::k", line)
    ]


@pytest.mark.parametrize("enum", ["ContactLaw", "ConeType"])
def test_a_law_and_a_cone_are_named_in_their_place(enum):
    assert strangers(enum) == []


def test_the_kind_of_a_cone_is_chosen_in_one_place():
    asking = {str(path) for path in sources.code_files("kernels/problem") if re.search(r"is_round\(\S*cone\)", sources.text(path))}
    assert asking == {"kernels/problem/cone.hpp", "kernels/problem/facets.hpp"}  # the second counts rows


def test_the_places_exist_and_name_some():
    named = [str(path) for path in sources.code_files("kernels", "host") if "ContactLaw::k" in sources.text(path)]
    assert all((sources.ROOT / place).exists() for place in PLACES)
    assert len(named) >= 5
