"""The package of the build under test, and recordings that the tests share, made once."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(os.environ["STICTION_BUILD"]) / "python"))
os.chdir(Path(__file__).parents[2])

from recordings import record  # noqa: E402  # after the package can be found


@pytest.fixture(scope="session")
def gripper_file(tmp_path_factory):
    """gripper2d, 3 environments, 35 steps of 0.01 s, with contacts."""
    file = tmp_path_factory.mktemp("gripper") / "gripper.h5"
    options = ("--batch", 3, "--record", "contacts", "--step-size", 0.01, "--duration", 0.35)
    return record("scenes/gripper2d", file, *options)


@pytest.fixture(scope="session")
def stack_file(tmp_path_factory):
    """iiwa_stack_1, 2 environments, 5 s at h = 0.1 s, with contacts."""
    file = tmp_path_factory.mktemp("stack") / "stack.h5"
    return record("scenes/iiwa_stack_1", file, "--batch", 2, "--record", "contacts", "--duration", 5)
