"""The contact arrays: what the pages say of them is what kernels/model/contact_fields.inc says."""

import re

import sources

LIST = "kernels/model/contact_fields.inc"
ENTRY = re.compile(r'^ST_CONTACT\((\w+)((?:\[\d+\])*), (\w+), (\S+), "([^"]*)", (\w+), "([^"]*)"\)', re.MULTILINE)


def fields():
    """{name: (shape as the page writes it, unit)}"""
    entries = ENTRY.findall(sources.text(LIST))
    assert len(entries) == sources.text(LIST).count("\nST_CONTACT(")
    return {
        name: (", ".join(["S", "B", "C", *re.findall(r"\d+", extents)]), unit)
        for _, extents, name, _, unit, _, _ in entries
    }


def documented():
    """{name: (shape, unit)} of the rows `/contact/NAME` of the table of a recording; its count is no array of contacts."""
    page = sources.text("docs/command_line.md")
    recording = page[page.index("## The recording") :]
    rows = re.findall(r"^\| `/contact/(\w+)`[^|]*\| \(([^)]*)\) \|(?: ([^|;]*);)?", recording, re.MULTILINE)
    return {name: (shape, unit) for name, shape, unit in rows if name != "count"}


def test_the_table_of_a_recording_has_a_row_for_every_array():
    assert list(documented().items()) == list(fields().items())


def test_no_other_file_lists_them():
    """An array is named where it is written, read or tested, and all of them in the list alone."""
    ours = [p for p in sources.files() if p.suffix in (*sources.CODE, ".py") and p.parts[0] in ("kernels", "host", "python")]
    lists = [str(p) for p in ours if all(re.search(rf"\b(?:contact_)?{name}\b", sources.text(p)) for name in fields())]
    assert sorted(lists) == sorted([LIST, "kernels/step/readout.hpp", "host/reference/step.cpp"])
