"""What the package says of itself is true, and pages and messages name no installation that does not work."""

import re
import tomllib

import sources

PROJECT = tomllib.loads(sources.text("pyproject.toml"))["project"]


def installations():
    """Every `pip install ..` of pages, examples and messages."""
    for path in sources.files():
        if path.suffix in (".md", ".py", ".cpp", ".ipynb") and not path.is_relative_to("tests"):
            for words in re.findall(r"pip install ([^\n`\"#]+)", sources.text(path)):
                yield str(path), words


def test_pages_name_extras_that_exist():
    named = {extra for _, words in installations() for group in re.findall(r"\[([a-z,]+)\]", words) for extra in group.split(",")}
    assert named == set(PROJECT["optional-dependencies"])


def test_no_page_installs_from_an_index_what_is_on_none():
    by_name = [(where, words) for where, words in installations() if re.search(r"(^|[\s'])stiction\b", words.split(" from ")[0])]
    assert [where for where, words in by_name if "--find-links build/wheel/dist" not in words] == []


def test_the_versions_of_python_begin_with_the_oldest_that_is_allowed():
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert f">={named[0]}" == PROJECT["requires-python"]
    assert named == [f"3.{int(named[0][2:]) + i}" for i in range(len(named))]


def test_no_address_is_named_that_leads_nowhere():
    assert "urls" not in PROJECT  # the project has no public address yet
