"""Sizes, formatting and names that a reader can rely on."""

import re
import subprocess

import pytest
import sources

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40
SOURCE = sources.CODE + (".py", ".cmake")


def test_no_file_is_too_long():
    long = {}
    for path in sources.files():
        if path.suffix in SOURCE or path.name == "CMakeLists.txt" or path.parts[0] == "scripts":
            lines = sources.text(path).count("\n")
            if lines > MAX_FILE_LINES:
                long[str(path)] = lines
    assert long == {}


def functions(path):
    """(first line, lines) of every function of a formatted file: a brace opened at indent n, closed at indent n."""
    lines = sources.text(path).splitlines()
    opened = {}
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        body = line.strip()
        if body.endswith("{") and ")" in body and not re.match(r"(namespace|struct|class|enum|union|extern)\b", body):
            opened[indent] = number
        elif body.startswith("}") and indent in opened:
            yield opened[indent], number - opened.pop(indent) + 1


def test_no_function_is_too_long():
    long = [
        f"{path}:{first}: {lines} lines"
        for path in sources.code_files("kernels", "host", "bench", "python")  # tests may hold long tables
        for first, lines in functions(path)
        if lines > MAX_FUNCTION_LINES
    ]
    assert long == []


def test_every_file_is_formatted():
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(r"version 14\.", version):
        pytest.skip(f"layout is that of clang-format 14, found {version.strip()}")
    paths = [str(p) for p in sources.code_files() if p.suffix != ".inc"]
    run = subprocess.run(
        ["clang-format", "--dry-run", *paths], cwd=sources.ROOT, capture_output=True, text=True, check=True
    )
    bad = sorted(set(re.findall(r"^([^\s:]+):\d+:\d+: warning", run.stderr, re.MULTILINE)))
    assert bad == []


def test_headers_are_guarded_by_pragma_once():
    bad = [str(p) for p in sources.code_files() if p.suffix in (".hpp", ".cuh") and "#pragma once" not in sources.text(p)]
    assert bad == []


def test_headers_say_what_they_are():
    headers = [p for p in sources.code_files() if p.suffix != ".cpp"]
    bad = [str(p) for p in headers if not sources.text(p).startswith("//")]
    assert bad == []


def test_no_path_of_one_machine_is_written_down():
    pattern = re.compile(r"(?<![\w.$}{])/(?:home|root|work|Users|mnt|tmp/h)/\w")
    bad = []
    for path in sources.files():
        try:
            lines = sources.text(path).splitlines()
        except UnicodeDecodeError:
            continue  # a picture or a recording
        bad += [f"{path}:{number}" for number, line in enumerate(lines, 1) if pattern.search(line)]
    assert bad == []
