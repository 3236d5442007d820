"""Draws a table of `stiction bench`: time of a step against contacts, and speed against batch size; prints the slopes.

    stiction bench boxes:1 boxes:4 boxes:16 boxes:64 boxes:256 --threads 1 --rounds 7 --out boxes.csv
    .venv/bin/python bench/plot_bench.py boxes.csv boxes.png

Lines join the rows that differ in one thing only: the number of bodies of a family, or the batch.
"""

import collections
import csv
import itertools
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # distinct in grey, too, with the markers
MARKERS = "osD^vP"
CHOICES = ("device", "dtype", "dynamics", "law", "cone", "solver", "step_size_s", "threads")


def family_of(scene):
    return scene.split(":")[0]


def lines_of(table, same, x):
    """{label: [(x, row), ..]} of the rows that agree in everything `same` gives; single points are no line."""
    lines = collections.defaultdict(list)
    varied = [c for c in CHOICES if len({row[c] for row in table}) > 1]
    for row in table:
        lines[" ".join([same(row), *(row[c] for c in varied)])].append((x(row), row))
    lines = {label: sorted(points, key=lambda p: p[0]) for label, points in lines.items()}
    return {label: points for label, points in lines.items() if len({p[0] for p in points}) > 1}


def slope(points, y):
    """Of the straight line through the logarithms."""
    return np.polyfit(np.log([p[0] for p in points]), np.log([y(p[1]) for p in points]), 1)[0]


def draw(axes, lines, y, labels):
    for (label, points), colour, marker in zip(lines.items(), itertools.cycle(COLOURS), itertools.cycle(MARKERS)):
        axes.loglog([p[0] for p in points], [y(p[1]) for p in points], color=colour, marker=marker, label=label)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=8)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        table = [row for row in csv.DictReader(file) if float(row["contacts"]) > 0]
    step_time = lambda row: float(row["batch"]) / float(row["env_steps_per_s"])  # noqa: E731
    speed = lambda row: float(row["env_steps_per_s"])  # noqa: E731
    contacts = lines_of(
        table, lambda r: f"{family_of(r['scene'])}, batch {r['batch']}", lambda r: float(r["contacts"])
    )
    batches = lines_of(table, lambda r: r["scene"], lambda r: int(r["batch"]))
    for label, points in contacts.items():
        print(f"{label}: time ~ contacts^{slope(points, step_time):.2f} from {points[0][0]:g} to {points[-1][0]:g}")
    for label, points in batches.items():
        print(f"{label}: speed ~ batch^{slope(points, speed):.2f} from {points[0][0]} to {points[-1][0]}")
    panels = [p for p in ((contacts, step_time, ("contacts", "time of a step of the batch [s]")),
                          (batches, speed, ("environments", "environment-steps a second"))) if p[0]]  # fmt: skip
    if not panels:
        sys.exit(f"{sys.argv[1]}: no two rows differ in the number of contacts or of environments alone")
    figure, axes = plt.subplots(1, len(panels), figsize=(6 * len(panels), 4.5), squeeze=False)
    for place, (lines, y, labels) in zip(axes[0], panels):
        draw(place, lines, y, labels)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
