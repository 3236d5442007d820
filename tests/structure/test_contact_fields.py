"""The arrays of contacts and patches: what the pages say of them is what kernels/model/contact_fields.inc and patch_fields.inc say."""

import dataclasses
import re

import pytest
import sources


@dataclasses.dataclass(frozen=True)
class Kind:
    """A list of arrays: its macro, the letter of its slots on the page of recordings, the files that write the values."""

    name: str
    slots: str
    written: tuple[str, ...]

    @property
    def list(self):
        return f"kernels/model/{self.name}_fields.inc"


KINDS = [
    Kind("contact", "C", ("kernels/step/readout.hpp", "host/reference/step.cpp")),
    Kind("patch", "P", ("kernels/step/patch_readout.hpp", "host/reference/patch_stepper.cpp")),
]
ENTRY = r'^ST_{}\((\w+)((?:\[\d+\])*), (\w+), \S+, "([^"]*)", (?:\w+, )?"[^"]*"\)'


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request):
    return request.param


def fields(kind):
    """{name: (shape as the page writes it, unit)}"""
    macro = kind.name.upper()
    entries = re.findall(ENTRY.format(macro), sources.text(kind.list), re.MULTILINE)
    assert len(entries) == sources.text(kind.list).count(f"\nST_{macro}(") > 0
    return {
        name: (", ".join(["S", "B", kind.slots, *re.findall(r"\d+", extents)]), unit)
        for _, extents, name, unit in entries
    }


def documented(kind):
    """{name: (shape, unit)} of the rows `/KIND/NAME` of the table of a recording; its count is no array of the list."""
    page = sources.text("docs/command_line.md")
    recording = page[page.index("## The recording") :]
    rows = re.findall(rf"^\| `/{kind.name}/(\w+)`[^|]*\| \(([^)]*)\) \|(?: ([^|;]*);)?", recording, re.MULTILINE)
    return {name: (shape, unit) for name, shape, unit in rows if name != "count"}


def test_the_table_of_a_recording_has_a_row_for_every_array(kind):
    assert list(documented(kind).items()) == list(fields(kind).items())


def test_no_other_file_lists_them(kind):
    """An array is named where it is written, read or tested, and all of them in the list alone."""
    names = [rf"\b(?:{kind.name}_)?{name}\b" for name in fields(kind)]
    ours = [
        p for p in sources.files() if p.suffix in (*sources.CODE, ".py") and p.parts[0] in ("kernels", "host", "python")
    ]
    lists = [str(p) for p in ours if all(re.search(name, sources.text(p)) for name in names)]
    assert sorted(lists) == sorted([kind.list, *kind.written])
