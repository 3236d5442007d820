"""Draws a table of `stiction bench`, one panel per question, and prints the slopes of the lines in logarithms.

    stiction bench boxes:1 boxes:4 boxes:16 boxes:64 boxes:256 --threads 1 --rounds 7 --out boxes.csv
    .venv/bin/python bench/plot_bench.py boxes.csv boxes.png

Time of a step against contacts and against dofs, speed against batch, memory of an environment against contacts, and,
where `--limits` was given, the shares of the machine's ceilings. Lines join the rows that differ in one thing only: the
size of a family, or the batch. Panels without a line are left out.
"""

import collections
import csv
import itertools
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# from dark to light, so that they differ in grey; markers and dashes differ too
STYLES = [("#000000", "o", "-"), ("#0072B2", "s", "--"), ("#D55E00", "D", "-."), ("#009E73", "^", ":"), ("#E69F00", "v", "-"),
          ("#56B4E9", "P", "--")]  # fmt: skip
CHOICES = ("device", "dtype", "dynamics", "law", "cone", "solver", "factor", "step_size_s", "threads")
FONT = 15  # [points] of a panel of 6 x 4.2 inches: readable where the picture is 400 pixels wide


def family_of(scene):
    return scene.split(":")[0]


def lines_of(table, same, x):
    """{label: [(x, row), ..]} of the rows that agree in everything that `same` returns; single points make no line."""
    lines = collections.defaultdict(list)
    varied = [c for c in CHOICES if len({row[c] for row in table}) > 1]
    for row in table:
        lines[" ".join([same(row), *(row[c] for c in varied)])].append((x(row), row))
    lines = {label: sorted(points, key=lambda p: p[0]) for label, points in lines.items()}
    return {label: points for label, points in lines.items() if len({p[0] for p in points}) > 1}


def slope(points, y):
    """Slope of the straight line through the logarithms."""
    return np.polyfit(np.log([p[0] for p in points]), np.log([y(p[1]) for p in points]), 1)[0]


def panels_of(table):
    """(lines, y, names of x and y, labels of the axes) of every panel that has a line."""
    number = lambda column: lambda row: float(row.get(column) or 0)
    step_time = lambda row: float(row["batch"]) / float(row["env_steps_per_s"])
    memory = lambda row: number("env_bytes")(row) + number("scratch_bytes")(row)
    share = lambda row: 100 * max(number("copy_share")(row), number("multiply_add_share")(row))
    sized = lambda row: f"{family_of(row['scene'])}, batch {row['batch']}"
    contacts = lines_of(table, sized, number("contacts"))
    batches = lines_of(table, lambda row: row["scene"], number("batch"))
    panels = [
        (contacts, step_time, "time", "contacts", "time of a step of the batch [s]", "contacts"),
        (lines_of(table, sized, number("dofs")), step_time, "time", "dofs", "time of a step of the batch [s]", "dofs"),
        (batches, number("env_steps_per_s"), "speed", "batch", "environment-steps a second", "environments"),
        (contacts, memory, "memory", "contacts", "memory of an environment [B]", "contacts"),
        ({**contacts, **batches}, share, "share", "size", "share of the nearest ceiling [%]", "contacts, or environments"),
    ]
    return [p for p in panels if p[0] and all(p[1](row) > 0 for points in p[0].values() for _, row in points)]


def draw(axes, lines, y, x_label, y_label):
    for (label, points), (colour, marker, dashes) in zip(lines.items(), itertools.cycle(STYLES)):
        axes.loglog([p[0] for p in points], [y(p[1]) for p in points], color=colour, marker=marker, linestyle=dashes,
                    linewidth=2.5, markersize=9, label=label)  # fmt: skip
    axes.set_xlabel(x_label, fontsize=FONT)
    axes.set_ylabel(y_label, fontsize=FONT)
    axes.tick_params(labelsize=FONT)
    axes.grid(True, alpha=0.4)
    axes.legend(fontsize=FONT - 2)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        table = [row for row in csv.DictReader(file) if float(row["contacts"]) > 0]
    panels = panels_of(table)
    if not panels:
        sys.exit(f"{sys.argv[1]}: no two rows differ in the size of a family or in the batch alone")
    figure, axes = plt.subplots(len(panels), 1, figsize=(6.5, 4.5 * len(panels)), squeeze=False)
    for place, (lines, y, what, over, y_label, x_label) in zip(axes[:, 0], panels):
        for label, points in lines.items():
            print(f"{label}: {what} ~ {over}^{slope(points, y):.2f} from {points[0][0]:g} to {points[-1][0]:g}")
        draw(place, lines, y, x_label, y_label)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
