"""The measurement of a second thread: what is run in a round, and the ratios of what it gave."""

import csv
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "bench/thread_scaling.py"
# stands for `stiction bench`: two threads give 1.5 times one, whatever else runs
PROGRAM = """#!{python}
import sys
words = sys.argv[1:]
assert words[0] == "bench" and words[1] == "some_scene"
value = lambda name: words[words.index(name) + 1]
rate = {{"1": 100, "2": 150}}[value("--threads")]
with open(value("--out"), "w") as table:
    table.write(f"batch,env_steps_per_s\\n{{value('--batch')}},{{rate}}\\n")
"""


def run(tmp_path, text):
    program = tmp_path / "stiction"
    program.write_text(text)
    program.chmod(0o755)
    command = [sys.executable, SCRIPT, program, "some_scene", "--rounds", "3", "--out", tmp_path / "out.csv"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_ratios_are_those_of_the_rounds(tmp_path):
    done = run(tmp_path, PROGRAM.format(python=sys.executable))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        "one thread: 100 environment-steps/s",
        "two threads: 1.50 times one thread (1.50 to 1.50)",
        "two processes: 2.00 times one thread (2.00 to 2.00)",
    ]
    with (tmp_path / "out.csv").open() as table:
        rows = list(csv.DictReader(table))
    assert [(r["round"], r["one_thread"], r["two_threads"], r["two_processes"]) for r in rows] == [
        (str(n), "100.0", "150.0", "200.0") for n in (1, 2, 3)
    ]


def test_a_program_that_fails_ends_the_measurement(tmp_path):
    done = run(tmp_path, "#!/bin/sh\nexit 2\n")
    assert done.returncode == 1 and "bench failed" in done.stderr and not (tmp_path / "out.csv").exists()
