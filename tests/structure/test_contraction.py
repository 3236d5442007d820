"""Host code multiplies and adds in two roundings: no fused instruction, whatever the compiler made of a loop."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

FUSED = re.compile(r"\bv?fn?m(add|sub|addsub|subadd)\d")


def test_no_object_of_the_step_has_a_fused_multiply_add():
    build = os.environ.get("STICTION_BUILD")
    if not build or not shutil.which("objdump") or platform.machine() != "x86_64":
        pytest.skip("needs STICTION_BUILD, objdump and an x86-64 machine")
    parts = ("kernels/launch/CMakeFiles", "host/backend/CMakeFiles", "host/reference/CMakeFiles")
    objects = [p for part in parts for p in pathlib.Path(build, part).rglob("*.cpp.o") if p.name != "ceilings.cpp.o"]
    assert any(p.name == "host_solvers_forward.cpp.o" for p in objects)
    fused = {}
    for path in objects:
        listing = subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout
        if found := FUSED.search(listing):
            fused[path.name] = found.group(0)
    assert fused == {}
