"""The README's commands, paths and scenes exist, and its C++ example is the one that the tests build."""

import os
import re
import subprocess

import pytest
import sources


def code_blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", sources.text("README.md"), re.DOTALL)


def commands():
    return [
        line.split("#")[0].strip()
        for block in code_blocks("sh")
        for line in block.splitlines()
        if line.strip() and not line.startswith("#")
    ]


def test_every_script_of_the_readme_is_there():
    scripts = {c.split()[0] for c in commands() if c.startswith("scripts/")}
    assert {"scripts/demo", "scripts/test"} <= scripts
    assert [s for s in scripts if not os.access(sources.ROOT / s, os.X_OK)] == []


def test_every_scene_of_the_readme_is_there():
    scenes = {word for c in commands() for word in c.split() if word.startswith("scenes/")}
    assert scenes
    assert [s for s in scenes if not (sources.ROOT / s).exists()] == []


def test_every_option_of_the_readme_is_known_to_the_program():
    program = os.environ.get("STICTION_BIN")
    if not program:
        pytest.skip("STICTION_BIN names no program")
    lines = [c.split() for c in commands() if "stiction " in c.replace("/stiction ", "stiction ") and c.startswith("build/")]
    assert lines
    for _, command, *words in lines:
        out = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
        assert [w for w in words if w.startswith("--") and w not in out] == []


def test_the_example_is_the_program_that_the_tests_build():
    example = sources.text("tests/install/consumer/main.cpp")
    assert [b for b in code_blocks("cpp") if b.strip() not in example] == []
    assert code_blocks("cpp")


def test_links_of_the_documentation_lead_somewhere():
    bad = []
    for path in [p for p in sources.files() if p.suffix == ".md"]:
        prose = re.sub(r"```.*?```", "", sources.text(path), flags=re.DOTALL)
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", prose):
            if not (sources.ROOT / path.parent / target).exists():
                bad.append(f"{path}: {target}")
    assert bad == []
