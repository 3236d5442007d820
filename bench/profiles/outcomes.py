"""What a run's rows mean at a tolerance, and Dolan and Moré's performance profiles (2002).

    solved at tol   some setting of the solver ends with a judged residual <= WITHIN tol; the fastest such setting counts,
                    of a library's dense and sparse variants, too
    ratio r_sp      time of solver s on problem p / the least time of any solver on p; infinite where it is not solved
    profile ρ_s(τ)  share of the problems with r_sp <= τ: ρ_s(1) is how often s is the fastest, its end how often it solves
"""

import csv
import math

WITHIN = 2.0         # times the tolerance; the same for all
TOLERANCES = (1e-4, 1e-6, 1e-9)
VARIANTS = (" (dense)", " (sparse)", ", LCP")   # endings of a solver's name in the rows
INACCURATE = "inaccurate"   # claims to have solved with every setting, but the judge says no


def read(file):
    """(note, rows) of measure.py."""
    with open(file, newline="") as source:
        note = source.readline().removeprefix("# ").strip()
        rows = list(csv.DictReader(source))
    for row in rows:
        for ending in VARIANTS:
            row["solver"] = row["solver"].removesuffix(ending)
        row |= {name: float(row[name] or "inf") for name in ("setting", "seconds", "residual")}
        row |= {name: int(row[name]) for name in ("contacts", "size")}
    return note, rows


def by_solver(rows):
    """solver -> problem -> its rows, in the order of the file."""
    out = {}
    for row in rows:
        out.setdefault(row["solver"], {}).setdefault(row["problem"], []).append(row)
    return out


def outcome(rows, tolerance):
    """(seconds, "") of a solver on a problem, or (infinity, why not)."""
    seconds = min((r["seconds"] for r in rows if r["residual"] <= WITHIN * tolerance), default=math.inf)
    if seconds < math.inf:
        return seconds, ""
    last = rows[-1]["state"]
    return seconds, INACCURATE if last == "solved" else last


def times(rows, tolerance):
    """solver -> problem -> (seconds, why not)."""
    return {s: {p: outcome(r, tolerance) for p, r in problems.items()} for s, problems in by_solver(rows).items()}


def ratios(found):
    """solver -> ratios to the fastest, one a problem; problems that a solver does not take count as not solved."""
    problems = list(dict.fromkeys(p for of_solver in found.values() for p in of_solver))
    seconds = {s: [of.get(p, (math.inf, ""))[0] for p in problems] for s, of in found.items()}
    best = [min(column) for column in zip(*seconds.values())]
    return {s: [t / b if b < math.inf else math.inf for t, b in zip(line, best)] for s, line in seconds.items()}


def profile(of_solver):
    """(τ, ρ) of a solver's ratios: the corners of the staircase."""
    finite = sorted(r for r in of_solver if r < math.inf)
    return finite, [(i + 1) / len(of_solver) for i in range(len(finite))]


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        return math.nan
    return ordered[middle] if len(ordered) % 2 else 0.5 * (ordered[middle - 1] + ordered[middle])
