"""The project's own files, and what the structure tests read from them."""

import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", "out", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis"}
CODE = (".hpp", ".cpp", ".inc", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


@functools.cache
def files():
    """Every file of the project, relative to its root, without what is built or installed."""
    found = []
    todo = [ROOT]
    while todo:
        for path in todo.pop().iterdir():
            if path.name in NOT_OURS or (path.parent == ROOT and path.name.startswith("build")):
                continue
            if path.is_dir() and not path.is_symlink():
                todo.append(path)
            else:
                found.append(path.relative_to(ROOT))
    return sorted(found)


def code_files(*folders):
    """C++ and CUDA files below the given folders ("" for all)."""
    folders = folders or ("",)
    return [f for f in files() if f.suffix in CODE and any(f.is_relative_to(folder or ".") for folder in folders)]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def without_comments(source):
    """The source with comments and string contents blanked, line numbers kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    return pattern.sub(lambda m: '""' if m.group(0)[0] == '"' else re.sub(r"[^\n]", " ", m.group(0)), source)


def includes(path):
    """(is_system, name) of every include of a file."""
    return [(bracket == "<", name) for bracket, name in INCLUDE.findall(text(path))]
