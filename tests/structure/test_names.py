"""Words that mean one thing: `take_` is to take memory from an arena."""

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
