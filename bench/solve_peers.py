#!/usr/bin/env python3
"""Our solver compared with other QP solvers on the same recorded contact problems, one thread each.

    record_problems scenes/iiwa_stack problems.bin [every [env [step_size]]]     writes the problems and our answers
    solve_peers.py problems.bin [--peers clarabel daqp piqp osqp] [--most 100] [--csv FILE]

    min ½ vᵀHv − gᵀv   with   (1, D_k)·(J v + b) + φ/h >= 0 for every facet k of every contact,   J v + b >= 0 for limits

Every answer is measured by the same code of this file: objective above the least one found, relative to
½|vᵀHv| + |gᵀv| + 1 mJ/h, and the deepest violation h (...) [m]. Times are the solvers' own clocks, set-up included, without
Python; the median of REPEATS solves, the solvers taking turns. Peers need H > 0 or regularise it themselves.
"""

import argparse
import csv
import importlib.util
import sys
from dataclasses import dataclass

import numpy as np
from scipy import sparse

MAGIC = 20260101.0
REPEATS = 7
SOLVED = 1           # status bit of ours


@dataclass
class Problem:
    """One contact problem as a QP (rows A v + c >= 0) with our answer."""
    h: float
    H: np.ndarray
    g: np.ndarray
    A: np.ndarray
    c: np.ndarray
    contacts: int
    v: np.ndarray
    residual: float
    iterations: int
    status: int
    cold: float          # [s]
    warm: float          # [s]


class Reader:
    """Reads counted runs of doubles from a file's contents."""

    def __init__(self, values):
        self.values, self.at = values, 0

    def take(self, *shape):
        count = int(np.prod(shape)) if shape else 1
        if self.at + count > len(self.values):
            sys.exit("error: the problem file ends within a problem; record it again")
        part = self.values[self.at : self.at + count]
        self.at += count
        return part.reshape(shape) if shape else float(part[0])


def facet_rows(reader, nv, facets):
    """One contact's facets as rows A v + c >= 0."""
    gap, b, mu = reader.take(), reader.take(3), reader.take(2)
    jacobian = reader.take(3, nv)
    angle = 2 * np.pi * np.arange(facets) / facets
    generators = np.column_stack([np.ones(facets), mu[0] * np.cos(angle), mu[1] * np.sin(angle)])
    return generators @ jacobian, generators @ b + gap


def read_problem(reader):
    if reader.take() != MAGIC:
        sys.exit("error: not a problem file of record_problems")
    nv, blocks, contacts, rows = (int(reader.take()) for _ in range(4))
    h, facets = reader.take(), int(reader.take())
    reader.take(blocks)
    H, _ = reader.take(nv, nv), reader.take(nv, nv)
    g, _ = reader.take(nv), reader.take(nv)
    parts = [facet_rows(reader, nv, facets) for _ in range(contacts)]
    for _ in range(rows):
        offset, lower, upper, compliance, _ = reader.take(5)
        if lower != 0 or np.isfinite(upper) or compliance != 0:
            sys.exit("error: a problem has rows that are no limits; this comparison knows contacts and limits only")
        parts.append((reader.take(1, nv), np.array([offset])))
    v, _, _ = reader.take(nv), reader.take(contacts, 3), reader.take(rows)
    residual, iterations, status, cold, warm = reader.take(5)
    A = np.vstack([p[0] for p in parts]) if parts else np.zeros((0, nv))
    c = np.concatenate([p[1] for p in parts]) if parts else np.zeros(0)
    return Problem(h, H, g, A, c, contacts, v, residual, int(iterations), int(status), cold, warm)


def read_problems(file, most):
    """At most `most` problems, evenly spread over the file."""
    try:
        reader = Reader(np.fromfile(file))
    except OSError as error:
        sys.exit(f"error: {file}: {error.strerror}")
    problems = []
    while reader.at < len(reader.values):
        problems.append(read_problem(reader))
    if not problems:
        sys.exit(f"error: {file}: holds no problem")
    return [problems[i] for i in np.unique(np.linspace(0, len(problems) - 1, most).astype(int))]


def solve_clarabel(p, tolerance):
    import clarabel
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = [clarabel.NonnegativeConeT(len(p.c))]
    found = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(p.H)), -p.g, sparse.csc_matrix(-p.A), p.c, cones,
                                   settings).solve()
    return np.array(found.x), found.solve_time


def solve_daqp(p, tolerance):
    import daqp
    x, _, _, info = daqp.solve(p.H.copy(), -p.g, p.A.copy(), np.full(len(p.c), 1e30), -p.c,
                               np.zeros(len(p.c), dtype=np.int32), primal_tol=tolerance, eps_prox=-1e-6,
                               iter_limit=10000)
    return np.array(x), info["solve_time"] + info["setup_time"]


def solve_piqp(p, tolerance):
    import piqp
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = tolerance
    solver.settings.compute_timings = True
    solver.setup(p.H, -p.g, None, None, p.A, -p.c, np.full(len(p.c), 1e30))
    solver.solve()
    return np.array(solver.result.x), solver.result.info.run_time


def solve_osqp(p, tolerance):
    import osqp
    solver = osqp.OSQP()
    solver.setup(sparse.csc_matrix(np.triu(p.H)), -p.g, sparse.csc_matrix(p.A), -p.c, np.full(len(p.c), np.inf),
                 eps_abs=tolerance, eps_rel=tolerance, max_iter=20000, polishing=True, verbose=False)
    found = solver.solve(raise_error=False)
    return np.array(found.x, dtype=float), found.info.run_time


PEERS = {"clarabel": solve_clarabel, "daqp": solve_daqp, "piqp": solve_piqp, "osqp": solve_osqp}
INSTALLED = [name for name in PEERS if importlib.util.find_spec(name)]  # osqp comes with requirements/peers.txt only


def quality(p, v):
    """Objective and the deepest violation [m]."""
    violation = p.h * max(0.0, -(p.A @ v + p.c).min(initial=0.0))
    return 0.5 * v @ p.H @ v - p.g @ v, violation


def scale(p, v):
    return 0.5 * abs(v @ p.H @ v) + abs(p.g @ v) + 1e-3 / p.h


def compare(problems, names, tolerance):
    """Per solver and problem: seconds, objective, violation [m]."""
    times = {name: np.full((len(problems), REPEATS), np.nan) for name in names}
    found = {name: np.full((len(problems), 2), np.nan) for name in names}
    for repeat in range(REPEATS):
        for i, p in enumerate(problems):
            for name in names:
                v, seconds = PEERS[name](p, tolerance)
                times[name][i, repeat] = seconds
                found[name][i] = quality(p, v) if v.size == p.g.size else np.nan
    seconds = {name: np.median(times[name], axis=1) for name in names}
    ours = np.array([quality(p, p.v) for p in problems])
    seconds |= {"ours, cold": np.array([p.cold for p in problems]), "ours, warm": np.array([p.warm for p in problems])}
    found |= {"ours, cold": ours, "ours, warm": ours}
    return seconds, found


def table(problems, seconds, found):
    """One row per solver; objectives are compared with the least among answers that violate less than 1 µm."""
    usable = [np.where(f[:, 1] < 1e-6, f[:, 0], np.inf) for f in found.values()]
    least, rows = np.min(usable, axis=0), []
    for name in sorted(found, key=lambda n: np.median(seconds[n])):
        above = (found[name][:, 0] - least) / [scale(p, p.v) for p in problems]
        good = (np.abs(above) <= 1e-6) & (found[name][:, 1] <= 1e-6)
        rows.append({"solver": name, "median_ms": 1e3 * np.median(seconds[name]),
                     "p99_ms": 1e3 * np.percentile(seconds[name], 99), "worst_objective": np.nanmax(above),
                     "worst_violation_m": np.nanmax(found[name][:, 1]), "solved_share": good.mean()})
    return rows


def print_table(problems, rows):
    contacts, lines = [p.contacts for p in problems], [len(p.c) for p in problems]
    print(f"{len(problems)} problems, {len(problems[0].g)} dofs, h = {problems[0].h:g} s, contacts mean "
          f"{np.mean(contacts):.1f} (most {max(contacts)}), rows mean {np.mean(lines):.0f}")
    print(f"ours: iterations mean {np.mean([p.iterations for p in problems]):.1f} (cold), worst residual "
          f"{max(p.residual for p in problems):.1e}, converged "
          f"{100 * np.mean([p.status & SOLVED for p in problems]):.2f} %")
    print(f"{'solver':12s} {'median ms':>10s} {'p99 ms':>8s} {'objective above':>16s} {'violation m':>12s} {'solved':>8s}")
    for row in rows:
        print(f"{row['solver']:12s} {row['median_ms']:10.4f} {row['p99_ms']:8.3f} {row['worst_objective']:16.1e} "
              f"{row['worst_violation_m']:12.1e} {100 * row['solved_share']:7.1f}%")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="problems of record_problems")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=INSTALLED)
    parser.add_argument("--most", type=int, default=100, help="problems, evenly spread over the file")
    parser.add_argument("--tolerance", type=float, default=1e-8, help="the peers' own tolerance")
    parser.add_argument("--csv", help="write the table here as well")
    arguments = parser.parse_args()
    problems = read_problems(arguments.file, arguments.most)
    rows = table(problems, *compare(problems, arguments.peers, arguments.tolerance))
    print_table(problems, rows)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
