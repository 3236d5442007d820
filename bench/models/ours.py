"""One file in our program: `stiction info`, then `stiction run` with every choice; each a process with a time limit."""

import re
import subprocess

import urdf

CHOICES = {"defaults": [], "convex": ["--law", "anitescu", "--cone", "pyramid"]}
SHORT = 5.0  # a run of at most so many seconds is repeated [s]
REFUSED, TIMED_OUT = 2, 124  # exit codes
FIGURES = {"contacts": r"contacts, mean +(\S+)", "step_us": r"processor time, mean +(\S+)",
           "converged": r"steps converged +(\S+) %", "iterations": r"iterations, mean \(most\) +(\S+)"}  # fmt: skip


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
        answer = self.call(["info", str(file.path), *self.packages_of(file)])
        return {"exit": answer["exit"], "line": answer["line"]}

    def run(self, file, choice, step, duration, more=()):
        """The figures of the fastest of some runs, or the refusal."""
        arguments = ["run", str(file.path), "--step-size", str(step), "--duration", str(duration), "--threads", "1",
                     *CHOICES[choice], *more, *self.packages_of(file)]  # fmt: skip
        best = {}  # of the runs so far
        for _ in range(self.repeats):
            answer = self.call(arguments)
            figures = figures_of(answer)
            if figures.get("steps_per_s", 0.0) >= best.get("steps_per_s", -1.0):
                best = figures
            if answer["exit"] or duration / step / figures.get("steps_per_s", 1.0) > SHORT:
                break
        return best

    def ignored_words(self):
        """The options that ignore all that may be ignored, by the names in the option's help; none before it is built."""
        match = re.search(r"--ignore\b(.*?)(?:\n +-|\Z)", self.help, re.DOTALL)
        names = re.findall(r"[a-z_]+(?= \|)|(?<=\| )[a-z_]+", match[1]) if match else []
        return [word for name in names for word in ("--ignore", name)]

    def packages_of(self, file):
        """--package NAME=DIR for the packages that lie elsewhere than above a URDF, where the program has this option."""
        if file.kind != "URDF" or "--package" not in self.help:
            return []
        found = {name: urdf.find_package(name, file.path, file.folder)
                 for name in urdf.packages_of(file.path.read_text(errors="replace"))}  # fmt: skip
        return [word for name, folder in found.items() if folder for word in ("--package", f"{name}={folder}")]


def error_line(lines):
    """The line that ends the program; warnings come before it."""
    return next((line for line in reversed(lines) if "warning" not in line), lines[-1] if lines else "no message")


def figures_of(answer):
    found = {name: re.search(pattern, answer["out"]) for name, pattern in FIGURES.items()}
    numbers = {name: float(match[1]) for name, match in found.items() if match}
    speed = {"steps_per_s": 1e6 / numbers.pop("step_us")} if numbers.get("step_us") else {}
    return {"exit": answer["exit"], "line": answer["line"], **speed, **numbers}

