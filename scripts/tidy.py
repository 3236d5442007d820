"""clang-tidy over the C++ files that changed; `scripts/lint` calls it.

    tidy.py BUILD [BASE]     the flags are those of BUILD/compile_commands.json

A header is checked through a unit that includes it. Only findings in changed files count, so that nobody has to mend a
header because of a change elsewhere. .clang-tidy has the checks, and says why some are off.
"""

import concurrent.futures
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

CODE = (".cpp", ".hpp", ".inc")  # without CUDA: clang would need its toolkit
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
GCC_ONLY = re.compile(r" (-fno-tree-loop-distribute-patterns|-Wno-restrict)(?= )")  # clang does not know them
NOT_FOR_CLANG = ["host/cli/cpu_features.cpp"]  # names features of processors that clang 14 does not know
MOST_HEADER_UNITS = 6  # units that are checked only for the headers that they include
MOST_SECONDS = 150     # no unit is begun after this; a unit takes 3 to 20 s


def git(*words):
    """What git prints, without the end of the line; None where it fails."""
    run = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else None


def default_base():
    """Where this branch left origin/main; the parent of the last commit on main itself, or if origin/main is unknown."""
    left = git("merge-base", "origin/main", "HEAD")
    if left and left != git("rev-parse", "HEAD"):
        return left
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def changed_files(base):
    """Files that differ from the commit, and files that git does not track yet; relative to the root."""
    differing = git("diff", "--name-only", "--diff-filter=d", base)
    if differing is None:
        raise SystemExit(f"tidy: {base} is no commit here")
    names = {*differing.splitlines(), *git("ls-files", "--others", "--exclude-standard").splitlines()}
    return sorted(name for name in names if name.endswith(CODE))


def commands_of(build):
    """{unit, relative to the root: its first compile command, in a form that clang accepts} of the project's own units."""
    root, commands = Path.cwd(), {}
    for entry in json.loads(GCC_ONLY.sub("", (build / "compile_commands.json").read_text())):
        file = Path(entry["directory"], entry["file"])
        name = str(file.relative_to(root)) if file.is_relative_to(root) else ""
        if name.endswith(".cpp") and name not in NOT_FOR_CLANG and not name.startswith(("build", ".venv")):
            commands.setdefault(name, entry)
    return commands


def included(name, known):
    """The project's files that a file includes, directly or not."""
    todo, found = [Path(name)], set()
    while todo:
        file = todo.pop()
        if str(file) not in known:
            known[str(file)] = [
                path
                for word in INCLUDE.findall(file.read_text(encoding="utf-8"))
                for path in (Path(word), file.parent / word)
                if path.is_file()
            ]
        new = {os.path.normpath(path) for path in known[str(file)]} - found
        found |= new
        todo += map(Path, new)
    return found


def chosen_units(changed, units, most_for_headers):
    """(units to check, changed files that none of them includes): changed units first, then small ones with most headers."""
    known = {}
    chosen = [name for name in changed if name in units]
    unseen = set(changed).difference(chosen, *(included(name, known) for name in chosen))
    reached = {name: included(name, known) for name in units}
    for _ in range(most_for_headers):
        headers = {name for name in unseen if not name.endswith(".cpp")}
        best = max(units, key=lambda name: (len(reached[name] & headers), -len(reached[name])), default=None)
        if best is None or not reached[best] & headers:
            break
        chosen.append(best)
        unseen -= {best, *reached[best]}
    return chosen, sorted(unseen)


def look_at(unit, folder, changed, end):
    """clang-tidy's findings in one unit, empty if there are none; None after the time `end`."""
    if time.monotonic() > end:
        return None
    lines = json.dumps([{"name": name} for name in changed])
    command = ["clang-tidy", "-p", str(folder), "--quiet", "--extra-arg=-Qunused-arguments", f"--line-filter={lines}", unit]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr if run.returncode != 0 else ""


def tidy(build, base):
    """True if there are no findings."""
    if not (build / "compile_commands.json").is_file() or not shutil.which("clang-tidy"):
        print(f"tidy: no C++ file is looked at: it takes clang-tidy and {build}/compile_commands.json")
        return True
    if base is None:
        print("tidy: no C++ file is looked at: there is no earlier commit to compare with")
        return True
    changed = changed_files(base)
    full = bool(os.environ.get("ST_FULL"))
    commands = commands_of(build)
    chosen, unseen = chosen_units(changed, sorted(commands), len(changed) if full else MOST_HEADER_UNITS)
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    end = time.monotonic() + (math.inf if full else MOST_SECONDS)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda unit: look_at(unit, folder, changed, end), chosen))
    findings = [text.replace(f"{Path.cwd()}/", "") for text in answers if text]
    unseen += [unit for unit, text in zip(chosen, answers, strict=True) if text is None]
    print(*findings, sep="\n", end="")
    print(f"tidy: {len(changed)} files changed since {base[:12]}, {len(chosen)} units, findings in {len(findings)} of them")
    if unseen:
        print(f"tidy: not looked at, for want of a unit or of time (ST_FULL=1 takes it): {' '.join(unseen)}")
    return not findings


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: tidy.py BUILD [BASE]")
    sys.exit(not tidy(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else default_base()))
