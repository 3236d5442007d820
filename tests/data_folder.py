"""The optional data folder: STICTION_SHARED, else `shared` beside the repository."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("STICTION_SHARED", Path(__file__).parents[2] / "shared"))


def data_file(path):
    """This file of the data folder; the test is skipped where it is missing."""
    file = FOLDER / path
    if not file.exists():
        pytest.skip(f"no data folder with {path}: set STICTION_SHARED")
    return file
