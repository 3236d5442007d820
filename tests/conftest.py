"""`measured`: a test says what it measured; held against tests/coverage/*.toml, kept for docs/coverage.md."""

import os
from pathlib import Path

import pytest
from load_script import load_script

coverage_page = load_script("scripts/coverage_page.py")


class Measured:
    """Call it with a declared key and a value; with STICTION_MEASURED the value is also appended to that file."""

    def __init__(self):
        self.declared = coverage_page.declared_values(coverage_page.read_lists())
        self.kept = coverage_page.read_kept()
        self.file = os.environ.get("STICTION_MEASURED")
        if self.file and not os.path.exists(self.file):
            Path(self.file).write_text("key,value\n")

    def __call__(self, key, value):
        declaration, value = self.declared[key], float(value)
        if self.file:
            with open(self.file, "a") as rows:
                rows.write(f"{key},{value:.17g}\n")
        if "bound" in declaration:
            assert value <= declaration["bound"], f"{key}: {value:g}"
            return
        if "paper" in declaration:
            assert abs(value - declaration["paper"]) <= declaration["paper_within"], f"{key}: {value:g}"
        if not self.file:  # else the value is about to be kept
            assert abs(value - self.kept[key]) <= declaration["within"], f"{key}: {value:g}, kept {self.kept[key]:g}"


@pytest.fixture(scope="session")
def measured():
    return Measured()
