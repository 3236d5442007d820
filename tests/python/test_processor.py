"""Claims about the processor: one that lacks what the compiled half needs is named before that is loaded."""

import re
import subprocess
import sys

import pytest
from recordings import BINARY, ENVIRONMENT
from stiction._compiled_for import FLAGS
from stiction.processor import CPUINFO, check_processor

OLD = """processor\t: 0
model name\t: some
flags\t\t: fpu sse sse2 avx
bugs\t\t: avx2

processor\t: 1
flags\t\t: fpu sse avx2 fma
"""


def cpuinfo(tmp_path, text):
    file = tmp_path / "cpuinfo"
    file.write_text(text)
    return file


def test_what_the_processor_lacks_is_one_line_that_says_what_to_do(tmp_path):
    with pytest.raises(ImportError) as error:
        check_processor(["sse2", "avx2", "avx", "fma"], cpuinfo(tmp_path, OLD))
    assert str(error.value) == (
        "stiction was compiled for a processor with avx2, fma, which this one lacks: "
        "build with -DSTICTION_ARCH=x86-64 for it"
    )


@pytest.mark.parametrize("text", [OLD, OLD.replace("flags", "Features"), "", None])
def test_what_is_there_or_can_not_be_known_is_no_error(tmp_path, text):
    file = tmp_path / "none" if text is None else cpuinfo(tmp_path, text)
    check_processor(["sse", "avx"] if text == OLD else ["avx2"], file)


def test_nothing_compiled_is_loaded_before(tmp_path):
    """An import that finds an old processor ends before _core."""
    program = (
        "import pathlib, sys\n"
        "read = pathlib.Path.read_text\n"
        f"pathlib.Path.read_text = lambda self, **how: read(pathlib.Path({str(cpuinfo(tmp_path, OLD))!r}) "
        f"if str(self) == {str(CPUINFO)!r} else self, **how)\n"
        "import importlib.machinery, types\n"
        "needed = types.ModuleType('stiction._compiled_for')\n"
        "needed.FLAGS = ['avx2']\n"
        "sys.modules['stiction._compiled_for'] = needed\n"
        "try:\n    import stiction\n"
        "except ImportError as error:\n    print('stiction._core' in sys.modules, error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("False stiction was compiled for a processor with avx2"), run.stdout + run.stderr


def test_the_package_needs_what_the_program_needs():
    said = subprocess.run([BINARY, "doctor"], capture_output=True, text=True, check=True).stdout
    needs = re.search(r"^CPU +needs (.*)$", said, re.MULTILINE)[1].replace("nothing special", "")
    in_cpuinfo = {"sse4.2": "sse4_2", "bmi": "bmi1", "lzcnt": "abm"}  # the compiler's word: Linux's
    assert [in_cpuinfo.get(word, word) for word in needs.split()] == FLAGS
