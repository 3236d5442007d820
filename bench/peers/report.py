#!/usr/bin/env python3
"""Makes docs/peers.md and docs/images/peers.png from what measure.py and solve_peers.py have left in bench/results."""

import pathlib
import string

import matplotlib
import numpy as np
import sentences
from runs import (
    ROOT,
    SIMULATORS,
    TARGETS,
    at_step,
    fastest,
    figure,
    front,
    mm,
    ms,
    of,
    ratio,
    read,
    scenes,
    times,
    tried,
)

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PAGE, PICTURE = ROOT / "docs/peers.md", ROOT / "docs/images/peers.png"
STYLE = dict(zip(SIMULATORS, [("o", 0.0), ("s", 0.45), ("^", 0.8)]))  # marker, place in the palette
LONG = [0.05, 0.1, 0.2, 0.4]    # steps whose runs are laid beside each other [s]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def front_table(rows, scene):
    cells = []
    for simulator in STYLE:
        for r in front(of(rows, scene, simulator)):
            cells.append([simulator, r["method"], ms(r["step_s"]), figure(r["speed"]), mm(r["error_m"]),
                          mm(r["end_error_m"]), figure(r["contacts"]), figure(r["iterations"], 2),
                          figure(r["residual"], 1), figure(r["converged"], 4, 100)])
    return table(["", "method", "step [ms]", "simulated s per s", "error [mm]", "in the end [mm]", "contacts", "iterations",
                  "residual", "converged [%]"], cells)


def in_words(run):
    """Speed, method and step, where it has one: error control chooses its own."""
    if not run:
        return "none"
    step = ms(run["step_s"])
    return f"{figure(run['speed'])} ({run['method']}{f', {step} ms' if step else ''})"


def ratio_table(rows):
    cells = []
    for scene in scenes(rows):
        for target in TARGETS:
            best = [in_words(fastest(rows, scene, s, target)) for s in STYLE]
            cells.append([scene, mm(target), *best, times(ratio(rows, scene, target) or np.nan)])
    return table(["scene", "error at most [mm]", *STYLE, "ours / best peer"], cells)


def long_table(rows):
    def cell(run):
        return f"{mm(run['error_m'])} mm, {figure(run['speed'])} ({run['method']})" if run else "none did the task"

    cells = []
    for scene in scenes(rows):
        for step in LONG:
            runs = [at_step(rows, scene, *choice) for choice in (("stiction", step), ("MuJoCo", step), ("MuJoCo", step, "default"),
                                                                 ("Drake", step))]
            cells.append([scene, ms(step), *map(cell, runs)])
    return table(["scene", "step [ms]", "stiction", "MuJoCo", "MuJoCo, contacts by default", "Drake"], cells)


def price_table(rows):
    """Why the ratio to MuJoCo is what it is: the steps, and their price."""
    cells = []
    for scene, target, ours, theirs in sentences.prices(rows):
        price, their_price = ours["step_s"] / ours["speed"], theirs["step_s"] / theirs["speed"]
        steps = ours["step_s"] / theirs["step_s"]
        cells.append([scene, mm(target), f"{ms(ours['step_s'])} / {ms(theirs['step_s'])}",
                      figure(steps), f"{figure(price, 3, 1e6)} / {figure(their_price, 3, 1e6)}", times(price / their_price),
                      times(steps * their_price / price)])
    return table(["scene", "error at most [mm]", "step [ms], ours / MuJoCo's", "ratio", "price of a step [us]", "ratio", "ratio of the speeds"], cells)


def stage_table():
    _, rows = read("peers_stages.csv")
    stages = [key for key in rows[0] if key.endswith("_us")] if rows else []
    cells = [[r["scene"], mm(r["error_m"]), r["simulator"], r["method"], ms(r["step_s"]),
              *(figure(r[stage]) for stage in stages), figure(sum(r[stage] for stage in stages))] for r in rows]
    return table(["scene", "error at most [mm]", "", "method", "step [ms]", *(s.removesuffix("_us") for s in stages), "all [us]"], cells)


def batch_table(rows):
    cells = [[r["scene"], mm(r["error_m"]), r["simulator"], r["method"], ms(r["step_s"]), figure(r["environments"], 4),
              figure(r["threads"]), f"{r['steps_per_s']:.0f}", f"{r['simulated_s_per_s']:.1f}"] for r in rows]
    return table(["scene", "error at most [mm]", "", "method", "step [ms]", "environments", "threads", "environment-steps per s", "simulated s per s of wall clock"],
                 cells)


def solve_table(name):
    _, rows = read(name)
    cells = [[r["solver"], figure(r["median_ms"]), figure(r["p99_ms"]), figure(r["worst_objective"], 1),
              figure(r["worst_violation_m"], 1), figure(r["solved_share"], 3, 100)] for r in rows]
    return table(["solver", "median [ms]", "p99 [ms]", "objective above the best, worst", "violation [m], worst", "solved [%]"],
                 cells)


def integrator_table(rows):
    """The longest step of each of MuJoCo's integrators that does the task, and the longest that was tried."""
    def cell(scene, integrator):
        runs = tried(rows, scene, "MuJoCo", integrator)
        soft = [r for r in runs if r["method"].endswith(", default")]
        firm = [r for r in runs if ", firm" in r["method"]]
        best = [max((r["step_s"] for r in some if r["state"] == "done"), default=np.nan) for some in (soft, firm)]
        return " / ".join(ms(b) or "none" for b in best) + f" (of {ms(max(r['step_s'] for r in runs))})" if runs else "not tried"

    names = list(dict.fromkeys(r["method"].split(", ")[0] for r in rows if r["simulator"] == "MuJoCo"))
    return table(["scene", *names], [[scene, *(cell(scene, name) for name in names)] for scene in scenes(rows)])


def count(rows, scene, simulator):
    runs = tried(rows, scene, simulator)
    return ", ".join(f"{sum(r['state'] == s for r in runs)} {s}" for s in dict.fromkeys(r["state"] for r in runs))


def states_table(rows):
    return table(["scene", *STYLE], [[scene, *(count(rows, scene, s) for s in STYLE)] for scene in scenes(rows)])


def draw(rows):
    names = scenes(rows)
    picture, axes = plt.subplots(1, len(names), figsize=(4.2 * len(names), 3.8), dpi=150, squeeze=False)
    for axis, scene in zip(axes[0], names):
        for simulator, (marker, shade) in STYLE.items():
            runs, color = of(rows, scene, simulator), plt.cm.viridis(shade)
            points = np.array([[1e3 * r["error_m"], r["speed"]] for r in runs]).reshape(-1, 2)
            best = np.array([[1e3 * r["error_m"], r["speed"]] for r in front(runs)]).reshape(-1, 2)
            axis.loglog(*points.T, marker, color=color, ms=3.5, alpha=0.35, mew=0)
            axis.loglog(*best.T, "-" + marker, color=color, ms=5.5, lw=1.6, label=simulator)
        axis.set(title=scene, xlabel="mean error of the cubes' corners [mm]")
        axis.grid(True, which="both", alpha=0.25)
    axes[0, 0].set_ylabel("simulated seconds / second of one core")
    axes[0, 0].legend()
    picture.tight_layout()
    picture.savefig(PICTURE)


def truth_table(rows):
    truths = [r for r in rows if r["simulator"] == "truth"]
    return table(["scene", "dofs", "step of the truth [ms]", "from that at twice the step [mm]"],
                 [[r["scene"], figure(r["dofs"]), ms(r["step_s"]), mm(r["error_m"])] for r in truths])


def main():
    note, rows = read("peers_front.csv")
    _, batch_rows = read("peers_batch.csv")
    draw(rows)
    tables = {"ratios": ratio_table(rows), "long": long_table(rows), "integrators": integrator_table(rows), "prices": price_table(rows),
              "stages": stage_table(), "batches": batch_table(batch_rows), "states": states_table(rows),
              "behind": table(["error [mm]", *scenes(rows)], sentences.behind(rows)), "truths": truth_table(rows),
              "solve_stack": solve_table("peers_solve_iiwa_stack.csv"), "solve_hand": solve_table("peers_solve_hand_cube.csv"),
              "fronts": "\n\n".join(f"### {s}\n\n{front_table(rows, s)}" for s in scenes(rows))}
    words = sentences.fields(rows, batch_rows)
    template = string.Template((pathlib.Path(__file__).parent / "page.md.in").read_text())
    PAGE.write_text(template.substitute(tables | words | {"machine": note}))
    print(PAGE, PICTURE)


if __name__ == "__main__":
    main()
