"""The command line `stiction` that is installed with the package."""

import os
import sys
from pathlib import Path

_LOOKING = ("view", "plot", "video")


def main() -> None:
    """Replaces this process by the compiled program; `view`, `plot` and `video` run in Python."""
    if len(sys.argv) > 1 and sys.argv[1] in _LOOKING:
        from stiction.__main__ import main as look

        sys.exit(look())
    program = Path(__file__).parent / "bin" / "stiction"
    os.execv(program, [str(program), *sys.argv[1:]])
