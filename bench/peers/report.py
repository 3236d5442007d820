#!/usr/bin/env python3
"""Makes docs/peers.md and docs/images/peers.png from what measure.py and solve_peers.py have left in bench/results."""

import csv
import pathlib
import string

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS, PAGE, PICTURE = ROOT / "bench/results", ROOT / "docs/peers.md", ROOT / "docs/images/peers.png"
STYLE = {"stiction": ("o", 0.0), "MuJoCo": ("s", 0.45), "Drake": ("^", 0.8)}  # marker, place in the palette
LONG = [0.05, 0.1, 0.2, 0.4]    # steps whose runs are laid beside each other [s]
SMALL = 0.01                    # steps up to this show what contacts do by themselves [s]
TARGETS = [0.0001, 0.0002, 0.0003, 0.001, 0.002, 0.003, 0.005]    # errors at which the fastest are compared [m]


def read(name):
    """(note, rows) of a CSV; numbers as floats."""
    lines = (RESULTS / name).read_text().splitlines()
    note = lines.pop(0).removeprefix("# ") if lines[0].startswith("#") else ""
    return note, [{key: parsed(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def parsed(text):
    try:
        return float(text)
    except ValueError:
        return text


def of(rows, scene, simulator):
    return [r for r in rows if (r["scene"], r["simulator"], r["state"]) == (scene, simulator, "done")]


def front(rows):
    """Those that no other run beats in both speed and error, the slowest first."""
    best = [r for r in rows if not any(o["speed"] > r["speed"] and o["error_m"] < r["error_m"] for o in rows)]
    return sorted(best, key=lambda r: r["speed"])


def scenes(rows):
    return list(dict.fromkeys(r["scene"] for r in rows))


def figure(value, digits=3, unit=1.0):
    return "" if value == "" or not np.isfinite(value) else f"{value * unit:.{digits}g}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def front_table(rows, scene):
    cells = []
    for simulator in STYLE:
        for r in front(of(rows, scene, simulator)):
            cells.append([simulator, r["method"], figure(r["step_s"], 3, 1e3), figure(r["speed"]), figure(r["error_m"], 2, 1e3),
                          figure(r["end_error_m"], 2, 1e3), figure(r["contacts"]), figure(r["iterations"], 2),
                          figure(r["residual"], 1), figure(r["converged"], 4, 100)])
    return table(["", "method", "step [ms]", "simulated s / s", "error [mm]", "in the end [mm]", "contacts", "iterations",
                  "residual", "converged [%]"], cells)


def fastest(rows, scene, simulator, error):
    return max((r for r in of(rows, scene, simulator) if r["error_m"] <= error), key=lambda r: r["speed"], default=None)


def in_words(run):
    """Speed, method and step, where it has one: error control chooses its own."""
    if not run:
        return "none"
    step = figure(run["step_s"], 3, 1e3)
    return f"{figure(run['speed'])} ({run['method']}{f', {step} ms' if step else ''})"


def ratio(rows, scene, target):
    """Our speed over that of the fastest peer, None where one of them has no run at that error."""
    best = {s: fastest(rows, scene, s, target) for s in STYLE}
    peers = max((r["speed"] for s, r in best.items() if r and s != "stiction"), default=None)
    return best["stiction"]["speed"] / peers if peers and best["stiction"] else None


def ratio_table(rows):
    cells = []
    for scene in scenes(rows):
        for target in TARGETS:
            best = [in_words(fastest(rows, scene, s, target)) for s in STYLE]
            cells.append([scene, figure(target, 2, 1e3), *best, figure(ratio(rows, scene, target) or np.nan, 2)])
    return table(["scene", "error at most [mm]", *STYLE, "ours / best peer"], cells)


def between(values, digits=2):
    """"a to b", or "a" where both read alike."""
    ends = dict.fromkeys(figure(v, digits) for v in (min(values), max(values)))
    return " to ".join(ends)


def verdict(rows):
    """Who is faster, scene by scene, in sentences."""
    lines = []
    for scene in scenes(rows):
        found = {target: ratio(rows, scene, target) for target in TARGETS}
        compared = {t: r for t, r in found.items() if r}
        lost = [f"{figure(t, 2, 1e3)} mm ({figure(1 / r, 2)} times)" for t, r in compared.items() if r < 1]
        alone = [figure(t, 2, 1e3) for t in TARGETS if fastest(rows, scene, "stiction", t) and not found[t]]
        missing = [figure(t, 2, 1e3) for t in TARGETS if not fastest(rows, scene, "stiction", t)]
        text = [f"this simulator is {between(compared.values())} times as fast as the best peer"] if compared else []
        text += [f"**a peer is faster** at {', '.join(lost)}"] if lost else []
        text += [f"no peer reaches {' or '.join(alone)} mm with any method measured"] if alone else []
        text += [f"this simulator has no run within {' or '.join(missing)} mm"] if missing else []
        lines.append(f"- `{scene}`: {'; '.join(text)}.")
    return "\n".join(lines)


def at_step(rows, scene, simulator, step, method=""):
    """The run of least error at a step that did the task."""
    runs = [r for r in of(rows, scene, simulator) if r["step_s"] == step and r["method"].endswith(method)]
    return min(runs, key=lambda r: r["error_m"], default=None)


def long_table(rows):
    def cell(run):
        return f"{figure(run['error_m'], 2, 1e3)} mm, {figure(run['speed'])} ({run['method']})" if run else "none did the task"

    cells = []
    for scene in scenes(rows):
        for step in LONG:
            runs = [at_step(rows, scene, *choice) for choice in (("stiction", step), ("MuJoCo", step), ("MuJoCo", step, ", default"),
                                                                 ("Drake", step))]
            cells.append([scene, figure(step, 3, 1e3), *map(cell, runs)])
    return table(["scene", "step [ms]", "stiction", "MuJoCo", "MuJoCo, contacts by default", "Drake"], cells)


def longest(rows, scene, simulator, method=""):
    steps = [r["step_s"] for r in of(rows, scene, simulator) if r["method"].endswith(method) and r["step_s"] == r["step_s"]]
    return f"{figure(max(steps), 3, 1e3)} ms" if steps else "none"


def long_verdict(rows):
    return "\n".join(f"- `{scene}`: stiction {longest(rows, scene, 'stiction')}, MuJoCo {longest(rows, scene, 'MuJoCo')} (contacts by default "
                     f"{longest(rows, scene, 'MuJoCo', ', default')}), Drake {longest(rows, scene, 'Drake')}." for scene in scenes(rows))


def errors(rows, scene, simulator, *words, most=np.inf):
    """"a to b mm" of the runs whose method has all these words, with steps up to `most`."""
    found = [1e3 * r["error_m"] for r in of(rows, scene, simulator)
             if all(f", {word}," in f", {r['method']}," for word in words) and r["step_s"] <= most]
    return f"{between(found)} mm" if found else "no run that did the task"


def least(rows, scene, simulator):
    found = [r["error_m"] for r in of(rows, scene, simulator)]
    return f"{figure(min(found), 2, 1e3)} mm" if found else "no run that did the task"


def sentences(rows):
    """What the page says in words, from the figures."""
    names = scenes(rows)
    steady = [f"{errors(rows, s, 'stiction', 'quasidynamic', 'anitescu', 'pyramid')} on `{s}`" for s in names]
    creep = [f"{errors(rows, s, 'MuJoCo', 'elliptic', 'default', most=SMALL)} on `{s}`" for s in names]
    nearest = [f"`{s}`: {' and '.join(f'{peer} {least(rows, s, peer)}' for peer in STYLE if peer != 'stiction')}" for s in names]
    return {"steady": ", ".join(steady), "creep": ", ".join(creep), "nearest": "; ".join(nearest)}


def prices(rows):
    """(scene, error, our run, MuJoCo's) where both have one."""
    for scene in scenes(rows):
        for target in TARGETS:
            ours, theirs = (fastest(rows, scene, simulator, target) for simulator in ("stiction", "MuJoCo"))
            if ours and theirs:
                yield scene, target, ours, theirs


def price_table(rows):
    """Why the ratio to MuJoCo is what it is: the steps, and their price."""
    cells = []
    for scene, target, ours, theirs in prices(rows):
        price, their_price = ours["step_s"] / ours["speed"], theirs["step_s"] / theirs["speed"]
        steps = ours["step_s"] / theirs["step_s"]
        cells.append([scene, figure(target, 2, 1e3), f"{figure(ours['step_s'], 3, 1e3)} / {figure(theirs['step_s'], 3, 1e3)}",
                      figure(steps), f"{figure(price, 3, 1e6)} / {figure(their_price, 3, 1e6)}", figure(price / their_price, 2),
                      figure(steps * their_price / price, 2)])
    return table(["scene", "error at most [mm]", "step [ms], ours / MuJoCo's", "ratio", "price of a step [us]", "ratio", "speed"], cells)


def price_sentence(rows):
    steps = [o["step_s"] / t["step_s"] for *_, o, t in prices(rows)]
    costs = [o["step_s"] / o["speed"] * t["speed"] / t["step_s"] for *_, o, t in prices(rows)]
    if not steps:
        return ""
    return f"At equal error our steps are {between(steps)} times as long as MuJoCo's, and one of them costs {between(costs)} of MuJoCo's."


def stage_table():
    _, rows = read("peers_stages.csv")
    stages = [key for key in rows[0] if key.endswith("_us")] if rows else []
    cells = [[r["scene"], figure(r["error_m"], 2, 1e3), r["simulator"], r["method"], figure(r["step_s"], 3, 1e3),
              *(figure(r[stage]) for stage in stages), figure(sum(r[stage] for stage in stages))] for r in rows]
    return table(["scene", "error at most [mm]", "", "method", "step [ms]", *(s.removesuffix("_us") for s in stages), "all [us]"], cells)


def batch_table(rows):
    cells = [[r["scene"], figure(r["error_m"], 2, 1e3), r["simulator"], r["method"], figure(r["step_s"], 3, 1e3), figure(r["environments"], 4),
              figure(r["threads"]), f"{r['steps_per_s']:.0f}", f"{r['simulated_s_per_s']:.1f}"] for r in rows]
    return table(["scene", "error at most [mm]", "", "method", "step [ms]", "environments", "threads", "environment-steps/s", "simulated s / wall s"],
                 cells)


def solve_table(name):
    _, rows = read(name)
    cells = [[r["solver"], figure(r["median_ms"]), figure(r["p99_ms"]), figure(r["worst_objective"], 1),
              figure(r["worst_violation_m"], 1), figure(r["solved_share"], 3, 100)] for r in rows]
    return table(["solver", "median [ms]", "p99 [ms]", "objective above the best, worst", "violation [m], worst", "solved [%]"],
                 cells)


def count(rows, scene, simulator):
    runs = [r for r in rows if (r["scene"], r["simulator"]) == (scene, simulator)]
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
                 [[r["scene"], figure(r["dofs"]), figure(r["step_s"], 3, 1e3), figure(r["error_m"], 2, 1e3)] for r in truths])


def main():
    note, rows = read("peers_front.csv")
    _, batch_rows = read("peers_batch.csv")
    draw(rows)
    fields = {"machine": note, "ratios": ratio_table(rows), "verdict": verdict(rows), "long": long_table(rows),
              "longest": long_verdict(rows), "prices": price_table(rows), "price": price_sentence(rows), "stages": stage_table(),
              "batches": batch_table(batch_rows), "states": states_table(rows),
              "truths": truth_table(rows), "solve_stack": solve_table("peers_solve_iiwa_stack.csv"),
              "solve_hand": solve_table("peers_solve_hand_cube.csv"),
              "fronts": "\n\n".join(f"### {s}\n\n{front_table(rows, s)}" for s in scenes(rows))}
    fields |= sentences(rows)
    template = string.Template((pathlib.Path(__file__).parent / "page.md.in").read_text())
    PAGE.write_text(template.substitute(fields))
    print(PAGE, PICTURE)


if __name__ == "__main__":
    main()
