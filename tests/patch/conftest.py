"""The package of the build under test."""

import os
import sys
from pathlib import Path

if "STICTION_BUILD" in os.environ:
    sys.path.insert(0, str(Path(os.environ["STICTION_BUILD"]) / "python"))
