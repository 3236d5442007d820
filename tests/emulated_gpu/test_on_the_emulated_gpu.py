"""Claims: the Python package and gpu_check do on a GPU what they do on the host; shown on the emulated one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["STICTION_BUILD"]).resolve()
EMULATED = BUILD / "emulated"
PYTHON_TESTS = ("api_fuzz", "derivatives", "forces", "geometry", "gpu_array", "recording", "replay")


@pytest.fixture(autouse=True)
def _emulated():
    if not EMULATED.is_dir():
        pytest.skip("built without the emulated GPU: there are no headers of the CUDA toolkit, or another sanitizer is on")


def run(*command, **environment):
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)
    return result.returncode, result.stdout + result.stderr


def test_the_python_package():
    files = [f"tests/python/test_{name}.py" for name in PYTHON_TESTS]
    code, text = run(sys.executable, "-m", "pytest", "-q", "-rs", *files, STICTION_BUILD=str(EMULATED))
    assert code == 0, text
    assert "no usable GPU" not in text and "not usable" not in text


def test_what_gpu_check_gives_to_the_sanitizer():
    code, text = run(str(BUILD / "bin" / "emulated_gpu_check"), "--small-case", "--scenes", "scenes")
    assert code == 0, text
