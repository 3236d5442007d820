"""The package of the build under test."""

import os
import sys
from pathlib import Path

import pytest

BUILD = os.environ.get("STICTION_BUILD")
if BUILD:
    sys.path.insert(0, str(Path(BUILD) / "python"))

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def st():
    """The package `stiction`; skips without a build."""
    if not BUILD:
        pytest.skip("STICTION_BUILD names no build with the Python package")
    import stiction

    return stiction
