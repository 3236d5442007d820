"""The plot of a benchmark: which rows make a line, and its slope."""

import csv
import pathlib
import subprocess
import sys

PLOT = pathlib.Path(__file__).parents[2] / "bench/plot_bench.py"
CHOICES = {"device": "cpu (1 thread)", "dtype": "float64", "dynamics": "quasidynamic", "law": "anitescu", "cone": "pyramid4",
           "solver": "interior_point", "factor": "float64", "step_size_s": "0.01", "threads": "1", "dofs": 6}  # fmt: skip
MEMORY = ("env_bytes", "scratch_bytes")
SHARES = ("copy_share", "multiply_add_share")


def plot(tmp_path, rows):
    table, picture = tmp_path / "bench.csv", tmp_path / "bench.png"
    with table.open("w") as file:
        writer = csv.DictWriter(file, [*CHOICES, "scene", "batch", "contacts", "env_steps_per_s", *MEMORY, *SHARES], "")
        writer.writeheader()
        writer.writerows({**CHOICES, **row} for row in rows)
    run = subprocess.run([sys.executable, PLOT, table, picture], capture_output=True, text=True, check=False)
    return run, picture


def printed_slopes(tmp_path, rows):
    run, picture = plot(tmp_path, rows)
    assert run.returncode == 0, run.stderr
    assert picture.stat().st_size > 10_000
    return run.stdout.splitlines()


def row(scene, batch, contacts, rate, **choices):
    return {"scene": scene, "batch": batch, "contacts": contacts, "env_steps_per_s": rate, **choices}


def test_slopes_are_those_of_the_figures(tmp_path):
    rows = [row(f"boxes:{n}", 1, 4 * n, 1000 / n**1.5) for n in (1, 4, 16)]
    rows += [row(f"boxes:{n}", 1, 4 * n, 9000 / n, solver="pgs") for n in (1, 4, 16)]
    rows += [row("gripper2d", batch, 3, 50 * batch**0.5) for batch in (1, 4, 64)]
    assert printed_slopes(tmp_path, rows) == [
        "boxes, batch 1 interior_point: time ~ contacts^1.50 from 4 to 64",
        "boxes, batch 1 pgs: time ~ contacts^1.00 from 4 to 64",
        "gripper2d interior_point: speed ~ batch^0.50 from 1 to 64",
    ]


def test_every_question_that_the_table_answers_has_its_slope(tmp_path):
    memory = lambda n: dict(zip(MEMORY, (100 * n, 900 * n)))
    shares = lambda n: dict(zip(SHARES, (0.1 * n**0.5, 0.01)))
    rows = [row(f"boxes:{n}", 1, 4 * n, 1000 / n, **{"dofs": 6 * n, **memory(n), **shares(n)}) for n in (1, 4)]
    rows += [row(f"arm:{n}", 1, 8, 500 / n**2, **{"dofs": n, **memory(n), **shares(n)}) for n in (8, 16)]
    assert printed_slopes(tmp_path, rows) == [
        "boxes, batch 1: time ~ contacts^1.00 from 4 to 16",
        "boxes, batch 1: time ~ dofs^1.00 from 6 to 24",
        "arm, batch 1: time ~ dofs^2.00 from 8 to 16",
        "boxes, batch 1: memory ~ contacts^1.00 from 4 to 16",
        "boxes, batch 1: share ~ size^0.50 from 4 to 16",
    ]


def test_a_table_without_lines_says_so(tmp_path):
    run, picture = plot(tmp_path, [row("gripper2d", 1, 3, 10), row("iiwa_stack", 1, 50, 10)])
    assert run.returncode == 1 and "no two rows differ" in run.stderr and not picture.exists()
