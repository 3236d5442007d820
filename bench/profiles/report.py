#!/usr/bin/env python3
"""Makes docs/which_solver.md and docs/images/profiles_*.png from what measure.py has left in bench/results."""

import math
import pathlib
import string

import figures
import outcomes
import words

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS, PAGE, PICTURES = ROOT / "bench/results", ROOT / "docs/which_solver.md", ROOT / "docs/images"
FAMILIES = {"convex": "Anitescu's law, pyramids", "coulomb": "Coulomb's law, quadratic cones", "lcp": "LCPs"}
RANDOM = ("well", "ratio_1e4", "ratio_1e6", "singular")
REASONS = ("not converged", outcomes.INACCURATE, "time limit", "error", "crash")


def figure(value, digits=3):
    if not math.isfinite(value):
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.{digits}g}"


def power(tolerance):
    return f"1e{round(math.log10(tolerance))}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def named(solver):
    return f"**{solver}**" if solver in figures.OURS else solver


def solved(found):
    return [seconds for seconds, why in found.values() if not why]


def overview(rows, tolerance):
    """A row a solver: how many, how fast, how often the fastest, why not."""
    found, cells = outcomes.times(rows, tolerance), []
    ratios = outcomes.ratios(found)
    for solver in figures.order(list(found)):
        good, ratio = solved(found[solver]), ratios[solver]
        reasons = [why for _, why in found[solver].values() if why]
        failures = ", ".join(f"{reasons.count(r)} {r}" for r in REASONS if r in reasons)
        share = [sum(r <= factor for r in ratio) / len(ratio) for factor in (1, 2, 10)]
        cells.append([named(solver), f"{len(good)} of {len(found[solver])}", *(f"{100 * s:.0f}" for s in share),
                      figure(1e3 * outcomes.median(good)), failures])
    return table(["solver", "solved", "fastest [%]", "within 2 × [%]", "within 10 × [%]", "median [ms]", "failures"],
                 cells)


def overviews(rows):
    return "\n\n".join(f"#### To {power(tolerance)}\n\n{overview(rows, tolerance)}" for tolerance in outcomes.TOLERANCES)


def by_group(rows, tolerance):
    """A row a solver, a column a group: share solved and median time of what it solved."""
    groups = list(dict.fromkeys(r["group"] for r in rows))
    solvers = figures.order(list(dict.fromkeys(r["solver"] for r in rows)))
    found = {g: outcomes.times([r for r in rows if r["group"] == g], tolerance) for g in groups}
    return table(["solver", *groups], [[named(s), *(group_cell(found[g].get(s)) for g in groups)] for s in solvers])


def group_cell(found):
    if found is None:
        return ""
    good = solved(found)
    return f"{100 * len(good) / len(found):.0f} %" + (f", {figure(1e3 * outcomes.median(good), 2)} ms" if good else "")


def groups_table(rows):
    """The problems: how many, how large."""
    groups, cells = dict.fromkeys(r["group"] for r in rows), []
    for group in groups:
        problems = {r["problem"]: r for r in rows if r["group"] == group}.values()
        contacts, sizes = [r["contacts"] for r in problems], [r["size"] for r in problems]
        cells.append([group, str(len(problems)), span(contacts), span(sizes)])
    return table(["group", "problems", "contacts", "unknowns"], cells)


def span(values):
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def choice(rows, tolerance):
    """Of ours: (the solver that solves most, the fastest in the median among those that solve nearly as many)."""
    found = {s: f for s, f in outcomes.times(rows, tolerance).items() if s in figures.OURS}
    share = {s: len(solved(f)) / len(f) for s, f in found.items()}
    near = [s for s in share if share[s] >= max(share.values()) - 0.01]
    fastest = min(near, key=lambda s: outcomes.median(solved(found[s])))
    return fastest, share[fastest], outcomes.median(solved(found[fastest]))


def choice_table(by_family):
    """Generated advice: per group and tolerance the one of ours that solves most; the faster of equals."""
    cells = []
    for family, rows in by_family.items():
        if family == "lcp":
            continue
        for group in dict.fromkeys(r["group"] for r in rows):
            part = [r for r in rows if r["group"] == group]
            cells.append([FAMILIES[family], group, *(choice_cell(part, t) for t in outcomes.TOLERANCES)])
    return table(["law and cone", "problems", *(f"to {power(t)}" for t in outcomes.TOLERANCES)], cells)


def choice_cell(rows, tolerance):
    solver, share, seconds = choice(rows, tolerance)
    return f"`{solver}`, {100 * share:.0f} %, {figure(1e3 * seconds, 2)} ms"


def main():
    by_family = {family: outcomes.read(RESULTS / f"profiles_{family}.csv") for family in FAMILIES}
    note, rows = by_family["convex"][0], {family: rows for family, (_, rows) in by_family.items()}
    for family in ("convex", "coulomb"):
        figures.draw_profiles(rows[family], FAMILIES[family].split(",")[0], PICTURES / f"profiles_{family}.png")
    random = {FAMILIES[f]: [r for r in rows[f] if r["group"] in RANDOM] for f in ("convex", "coulomb")}
    figures.draw_times(random, words.MIDDLE, PICTURES / "profiles_time.png")
    fields = {"machine": note, "choices": choice_table(rows), "within": f"{outcomes.WITHIN:g}"}
    for family in FAMILIES:
        fields |= {f"{family}_problems": groups_table(rows[family]), f"{family}_overviews": overviews(rows[family]),
                   f"{family}_groups": by_group(rows[family], words.MIDDLE)}
    fields |= {f"{family}_words": words.summary(rows[family]) for family in ("convex", "coulomb")}
    fields |= {f"{family}_misses": words.misses(rows[family], ("interior_point", "newton")) for family in ("convex", "coulomb")}
    template = string.Template((pathlib.Path(__file__).parent / "page.md.in").read_text())
    PAGE.write_text(template.substitute(fields))
    print(PAGE)


if __name__ == "__main__":
    main()
