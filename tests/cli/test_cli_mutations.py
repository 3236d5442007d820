"""Damaged scenes and models: exit code 0 or 2, one line, no signal. ST_FULL=1: 2,000 of them."""

import os
import random

import pytest
from stiction_program import assert_one_line

COUNT = 2000 if os.environ.get("ST_FULL") else 60


def mutate(data, random):
    """One byte or one line changed, removed or repeated."""
    lines = data.split(b"\n")
    line, byte = random.randrange(len(lines)), random.randrange(len(data))
    kind = random.randrange(6)
    if kind == 0:
        return data[:byte] + bytes([random.randrange(256)]) + data[byte + 1 :]
    if kind == 1:
        return data[:byte] + data[byte + 1 :]
    if kind == 2:
        return data[:byte] + data[byte : byte + 1] * 9 + data[byte:]
    if kind == 3:
        return b"\n".join(lines[:line] + lines[line + 1 :])
    if kind == 4:
        return b"\n".join(lines[:line] + lines[line : line + 1] * 2 + lines[line:])
    other = random.randrange(len(lines))
    lines[line], lines[other] = lines[other], lines[line]
    return b"\n".join(lines)


@pytest.mark.parametrize("name", ["scene.toml", "model.xml"])
def test_damaged_input_is_run_or_refused_in_one_line(stiction, scene, name):
    original = (scene / name).read_bytes()
    generator = random.Random(f"damage to {name}")
    codes = {0: 0, 2: 0}
    for case in range(COUNT // 2):
        (scene / name).write_bytes(mutate(original, generator))
        run = stiction("run", scene, "--quiet", "--step-size", 0.02, "--duration", 0.04, "--allow-failures", 1)
        assert run.returncode in codes, (case, run.returncode, run.stderr)
        codes[run.returncode] += 1
        if run.returncode:
            assert_one_line(run, 2)
    assert min(codes.values()) > 0, codes
