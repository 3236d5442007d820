"""Makes recordings for the tests of what looks at them: `stiction run ... --record contacts --out`."""

import os
import pathlib
import subprocess

import pytest
import stiction.errors

# of a process that imports the package from where this one has it
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(pathlib.Path(stiction.errors.__file__).parents[1])}
ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))


def record(scene, file, *options):
    """Runs the program; `scene` is relative to the repository. Returns `file`."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    command = [BINARY, "run", ROOT / scene, "--quiet", "--out", file, *options]
    command = [str(part) for part in command]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return file
