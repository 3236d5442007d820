"""Every entry of the lists of choices has its place in the independent reference."""

import re

import pytest
import sources

LISTS = {
    "Dynamics": "kernels/dynamics/dynamics.inc",
    "ContactLaw": "kernels/problem/laws.inc",
    "ConeType": "kernels/problem/cones.inc",
}


def entries(path):
    return re.findall(r"^ST_\w+\((k\w+),", sources.text(path), re.MULTILINE)


@pytest.mark.parametrize("enum", LISTS)
def test_every_choice_has_a_reference(enum):
    reference = "".join(sources.without_comments(sources.text(p)) for p in sources.code_files("host/reference"))
    names = entries(LISTS[enum])
    assert names
    assert [name for name in names if not re.search(rf"\b{enum}::{name}\b", reference)] == []
