"""One file in our program: `stiction info`, then `stiction run` with every choice; each a process with a time limit. What
runs is timed by speed.py."""

import json
import os
import pathlib
import re
import subprocess
import sys

import urdf

CHOICES = {"defaults": {}, "convex": {"law": "anitescu", "cone": "pyramid"}}
REFUSED, TIMED_OUT = 2, 124  # exit codes
FIGURES = {"contacts": r"contacts, mean +(\S+)", "converged": r"steps converged +(\S+) %",
           "iterations": r"iterations, mean \(most\) +(\S+)"}  # fmt: skip


class Program:
    """The program under test; what it can do is asked once."""

    def __init__(self, binary, limit, repeats):
        self.binary, self.limit, self.repeats = binary, limit, repeats
        self.help = self.call(["run", "--help"])["out"]

    def call(self, arguments):
        """{exit, out, line}: the exit code (a signal: negative; past the limit: 124), the output, the first line of the error."""
        try:
            done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, errors="replace", timeout=self.limit,
                                  check=False)  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"exit": TIMED_OUT, "out": "", "line": f"no end after {self.limit:g} s"}
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return {"exit": done.returncode, "out": done.stdout, "line": error_line(lines) if done.returncode else ""}

    def info(self, file):
        answer = self.call(["info", str(file.path), *self.package_options(file)])
        return {"exit": answer["exit"], "line": answer["line"]}

    def run(self, file, choice, step, duration, more=()):
        """The figures of a run, or the refusal."""
        choices = [word for key, value in CHOICES[choice].items() for word in (f"--{key}", value)]
        answer = self.call(["run", str(file.path), "--step-size", str(step), "--duration", str(duration), "--threads", "1",
                            *choices, *more, *self.package_options(file)])  # fmt: skip
        found = {name: re.search(pattern, answer["out"]) for name, pattern in FIGURES.items()}
        figures = {name: float(match[1]) for name, match in found.items() if match}
        return {"exit": answer["exit"], "line": answer["line"], **figures}

    def speed(self, file, choice, step, duration):
        """Steps per second by speed.py with the Python package that was built with the program; none past the time limit."""
        keys = CHOICES[choice] | {"packages": self.packages_of(file)}
        command = [sys.executable, str(pathlib.Path(__file__).with_name("speed.py")), str(file.path), str(step), str(duration),
                   str(self.repeats), json.dumps(keys)]  # fmt: skip
        folder = pathlib.Path(self.binary).absolute().parents[1] / "python"
        if not (folder / "stiction").is_dir():
            raise RuntimeError(f"{folder} has no Python package to time: build it with the program")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=(2 + self.repeats) * self.limit, check=True,
                                  env=os.environ | {"PYTHONPATH": str(folder)})  # fmt: skip
        except subprocess.TimeoutExpired:
            return {}
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"{file.path}: not timed with the Python package in {folder}:\n{error.stderr}") from error
        return json.loads(done.stdout.splitlines()[-1])

    def ignored_words(self):
        """The options that ignore all that may be ignored, by the names in the option's help; none before it is built."""
        match = re.search(r"--ignore\b(.*?)(?:\n +-|\Z)", self.help, re.DOTALL)
        names = re.findall(r"[a-z_]+(?= \|)|(?<=\| )[a-z_]+", match[1]) if match else []
        return [word for name in names for word in ("--ignore", name)]

    def packages_of(self, file):
        """{name: folder} of the packages that a URDF names, where the program has an option for them."""
        if file.kind != "URDF" or "--package" not in self.help:
            return {}
        found = {name: urdf.find_package(name, file.path, file.folder)
                 for name in urdf.packages_of(file.path.read_text(errors="replace"))}  # fmt: skip
        return {name: str(folder) for name, folder in found.items() if folder}

    def package_options(self, file):
        return [word for name, folder in self.packages_of(file).items() for word in ("--package", f"{name}={folder}")]


def error_line(lines):
    """The line that ends the program; warnings come before it."""
    return next((line for line in reversed(lines) if "warning" not in line), lines[-1] if lines else "no message")
