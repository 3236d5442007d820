"""Where the program is, and what its errors look like."""

import os
import pathlib

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))


def assert_one_line(run, code):
    """The exit code, and one line on standard error that begins with the program's name."""
    assert run.returncode == code, run.stderr
    assert run.stderr.startswith("stiction: ")
    assert run.stderr.count("\n") == 1 and run.stderr.endswith("\n"), run.stderr
