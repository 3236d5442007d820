#!/usr/bin/env python3
"""Every solver of ours and of others on the same problems, at several settings: time and judged residual.

    bench/profiles/run [BUILD] [--families NAME ...] [--quick] [--out FOLDER]      (calls this file)

One thread, one solver at a time. All problems are solved once by every solver, from the loosest setting to the tightest;
in TURNS - 1 more turns what was solved is timed again, so that all share the machine's moods. A time is the median of the
turns, each the median of up to MOST solves in SECONDS. A solve that takes longer than LIMIT is ended. Where a solver does
not claim to have solved, or is ended, its tighter settings are not tried. Writes profiles_FAMILY.csv.
"""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import time

import cases
import entries
import numpy as np
import ours
import worker

FOLDER = pathlib.Path(__file__).resolve().parent
LIMIT = 1.0          # of a solve [s]
SLACK = 0.3          # for the question's way there and back [s]
TURNS, SECONDS, MOST = 3, 0.01, 5
LONG = 0.2           # solves longer than this are not repeated [s]
USEFUL = 2e-4        # residual above which an answer is not timed again: no tolerance of the report is met
COLUMNS = ["group", "problem", "contacts", "size", "solver", "setting", "seconds", "residual", "iterations", "state"]
FAMILIES = ("convex", "coulomb", "lcp")


class Processes:
    """One process a library, started when first asked."""

    def __init__(self, program, siconos):
        service = FOLDER / "service.py"
        commands = {"qp": [sys.executable, service, "qp_peers"], "pinocchio": [sys.executable, service, "pinocchio_peers"]}
        if siconos:
            commands["siconos"] = [siconos, service, "siconos_peers"]
        self.workers = {key: worker.Worker([str(word) for word in c], greets=True) for key, c in commands.items()}
        self.workers["ours"] = ours.start(str(program))

    def greetings(self):
        out = {}
        for key, process in self.workers.items():
            if process.greets:
                process.start()
                out[key] = [str(name) for name in worker.unpack(process.greeting)["solvers"]]
        return out

    def stop(self):
        for process in self.workers.values():
            process.stop()


def attempt(processes, case, entry, setting):
    """(answer or None, state): solved is what the solver claims, the judge is another matter."""
    process = processes.workers[entry.key]
    try:
        payload = process.ask(entry.question(case, setting, SECONDS, MOST), LIMIT + SLACK)
    except worker.TimeLimit:
        return None, "time limit"
    except worker.Died:
        return None, "crash"
    found = entry.unpack(payload, case)
    if "error" in found:
        return None, "error"
    if found["seconds"] > LIMIT:
        return None, "time limit"
    return found, "solved" if found["claimed"] else "not converged"


def first_turn(processes, case, entry):
    """Rows of a solver on a case, with the seconds of the turns as a list."""
    for setting in entry.settings:
        found, state = attempt(processes, case, entry, setting)
        row = {"case": case, "entry": entry, "setting": setting, "state": state}
        row |= {"times": [], "residual": np.inf, "iterations": 0}
        if found:
            row |= {"times": [float(found["seconds"])], "residual": entries.judged(case, entry, found),
                    "iterations": int(found["iterations"])}
        yield row
        if state != "solved":
            return


def time_again(processes, row):
    if row["times"] and row["times"][0] < LONG and row["residual"] < USEFUL:
        found, _ = attempt(processes, row["case"], row["entry"], row["setting"])
        if found:
            row["times"].append(float(found["seconds"]))


def as_line(row):
    case = row["case"]
    seconds = statistics.median(row["times"]) if row["times"] else ""
    return [case.group, case.name, case.contacts, case.size, row["entry"].label, f"{row['setting']:.0e}",
            f"{seconds:.3e}" if row["times"] else "", f"{row['residual']:.1e}", row["iterations"], row["state"]]


def all_cases(build, family, quick):
    if family in cases.RECORDED:
        yield from cases.recorded_cases(build, family, quick, admission(family))
    yield from cases.random_cases(family, quick)
    if family != "convex":
        yield from cases.data_cases(family)


def admission(family):
    """Convex: every problem. Coulomb: those with a regular H, without the limits, which peers do not take."""
    if family == "convex":
        return lambda p: p
    return lambda p: without_limits(p) if p.is_regular() else None


def without_limits(p):
    p.L, p.c, p.row_radius = p.L[:0], p.c[:0], p.row_radius[:0]
    return p


def measure(build, family, processes, greetings, quick):
    """All rows of a family."""
    rows, begin = [], time.monotonic()
    solvers = entries.our_entries(family) + list(entries.peer_entries(family, greetings))
    for case in all_cases(build, family, quick):
        for entry in solvers:
            if entry.takes(case):
                rows.extend(first_turn(processes, case, entry))
    print(f"{family}: {len({r['case'].name for r in rows})} problems, {len(rows)} solves in the first turn, "
          f"{time.monotonic() - begin:.0f} s", flush=True)
    for _ in range(TURNS - 1):
        for row in rows:
            time_again(processes, row)
    print(f"{family}: all turns in {time.monotonic() - begin:.0f} s", flush=True)
    return rows


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    load = f"load {os.getloadavg()[0]:.1f} before the run (others computed too)"
    return f"{' '.join(model.split()[:2])}, {os.cpu_count()} cores, {load}"


def write(file, note, rows):
    with open(file, "w", newline="") as out:
        out.write(f"# {note}\n")
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerows(as_line(row) for row in rows)


def siconos_python():
    """Debian's Python if it has Siconos, else None."""
    probe = ["/usr/bin/python3", "-c", "import siconos.numerics, scipy"]
    return probe[0] if subprocess.run(probe, capture_output=True, check=False).returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=FAMILIES)
    parser.add_argument("--quick", action="store_true", help="few problems: to see that all works")
    parser.add_argument("--out", type=pathlib.Path, default=cases.ROOT / "bench/results")
    chosen = parser.parse_args()
    siconos = siconos_python()
    if not siconos:
        print("Siconos is not installed: left out")
    note, processes = machine(), Processes(chosen.build / "bin/time_solves", siconos)
    try:
        greetings = processes.greetings()
        for family in chosen.families:
            rows = measure(chosen.build, family, processes, greetings, chosen.quick)
            write(chosen.out / f"profiles_{family}.csv", note, rows)
    finally:
        processes.stop()


if __name__ == "__main__":
    main()
