"""Checks the types of the examples, or of other files, as strictly as pyright can, against the package in a build folder.

    .venv/bin/python scripts/example_types.py build/host-release [FILE ...]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHECKER = ROOT / ".venv/bin/basedpyright"


def check(build: Path, files: list[Path]) -> subprocess.CompletedProcess:
    """basedpyright over the files or folders; its lines are in `stdout`."""
    settings = {
        "include": [str(file.absolute()) for file in files],
        "extraPaths": [str(ROOT / "examples"), str(build.absolute() / "python")],
        "stubPath": str(ROOT / "python/typings"),
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "venvPath": str(ROOT),
        "venv": ".venv",
        "reportMissingModuleSource": False,  # packages that not everybody installs have stubs in python/typings
    }
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "pyrightconfig.json"
        project.write_text(json.dumps(settings))
        return subprocess.run([CHECKER, "-p", project], capture_output=True, text=True, check=False)


def main() -> int:
    build, *files = map(Path, sys.argv[1:])
    run = check(build, files or [ROOT / "examples"])
    print(run.stdout, end="")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
