"""The command line `stiction` that is installed with the package. It lies beside the package, so that the program starts
without importing it, and says in one line what is amiss where the import would fail."""

import os
import sys
from importlib import util
from pathlib import Path

BAD_INPUT = 2  # exit code, that of the program stiction
_LOOKING = ("view", "plot", "video")


def main() -> None:
    """Replaces this process by the compiled program; `view`, `plot` and `video` run in Python."""
    if len(sys.argv) > 1 and sys.argv[1] in _LOOKING:
        try:
            from stiction.__main__ import main as look
        except ImportError as error:
            print(f"stiction: {error}", file=sys.stderr)
            sys.exit(BAD_INPUT)
        sys.exit(look())
    program = _folders("stiction")[0] / "bin" / "stiction"
    os.execve(program, [str(program), *sys.argv[1:]], _environment())


def _environment() -> dict[str, str]:
    """This process's, with the interpreter for `doctor`, and with the library of mujoco-core, which may lie in another
    folder of packages; what is set already stays."""
    environment = {"STICTION_PYTHON": sys.executable, **os.environ}
    files = sorted(file for folder in _folders("mujoco") for file in folder.glob("libmujoco.so.*"))
    if files:
        environment.setdefault("STICTION_MUJOCO_LIBRARY", str(files[0]))
    return environment


def _folders(package: str) -> list[Path]:
    """Where the package lies, without importing it; empty if it is not installed."""
    spec = util.find_spec(package)
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or []]
