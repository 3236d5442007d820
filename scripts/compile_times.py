#!/usr/bin/env python3
"""Where the time of a build goes, and how that has changed since figures were last stored.

    scripts/compile_times.py BUILD [--keep NAME]

Prints processor seconds by kind of unit and the ten slowest units. To make two machines comparable, seconds are scaled so
that nanobind, which does not change, takes 20. They depend on what else the machine does, so no test checks them. `--keep`
adds a line NAME (a version, a change) to bench/results/compile_times.csv, which is printed below as the trend. Exit 2: BUILD
has no compile_times.csv; a build by ninja or make writes it.
"""

import argparse
import csv
import pathlib
import sys

KEPT = pathlib.Path(__file__).parents[1] / "bench/results/compile_times.csv"
NANOBIND = 20.0  # scaled seconds of nanobind's units
KINDS = ("cuda", "emulated_gpu", "tests", "python", "host")


def kind_of(unit):
    if unit.startswith("tests/emulated_gpu/"):
        return "emulated_gpu"  # CUDA text, compiled for the host
    if unit.endswith(".cu.o"):
        return "cuda"
    return next((kind for kind in ("tests", "python") if unit.startswith(f"{kind}/")), "host")


def read_units(build):
    """{unit: comparable processor seconds} of the newest compilation of every unit."""
    log = pathlib.Path(build, "compile_times.csv")
    if not log.is_file():
        print(f"error: {log}: no such file; name a build folder, for example build/host-release", file=sys.stderr)
        sys.exit(2)
    with log.open(newline="") as rows:
        seconds = {unit: float(cpu) for cpu, _, unit in csv.reader(rows)}
    nanobind = sum(s for unit, s in seconds.items() if "nanobind-static" in unit)
    scale = NANOBIND / nanobind if nanobind > 0 else 1.0
    return {unit: scale * s for unit, s in seconds.items()}


def by_kind(units):
    return {kind: sum(s for unit, s in units.items() if kind_of(unit) == kind) for kind in KINDS}


def read_kept():
    if not KEPT.is_file():
        return []
    with KEPT.open(newline="") as rows:
        return list(csv.DictReader(rows))


def keep(name, totals):
    rows = [row for row in read_kept() if row["name"] != name]
    rows.append({"name": name, **{kind: f"{seconds:.0f}" for kind, seconds in totals.items()}})
    with KEPT.open("w", newline="") as file:
        writer = csv.DictWriter(file, ("name", *KINDS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--keep", metavar="NAME")
    args = parser.parse_args()
    units = read_units(args.build)
    totals = by_kind(units)
    if args.keep:
        keep(args.keep, totals)
    print("slowest units [s]")
    for unit, seconds in sorted(units.items(), key=lambda item: -item[1])[:10]:
        print(f"{seconds:8.1f}  {unit}")
    print("\n" + "".join(f"{name:>14}" for name in ("processor s", *KINDS)))
    for row in [*read_kept(), {"name": "this build", **totals}]:
        print(f"{row['name']:>14}" + "".join(f"{float(row[kind]):14.0f}" for kind in KINDS))


if __name__ == "__main__":
    main()
