"""What a second thread gains, compared with what a second process gains: the machine's own limit, from the same rounds.

    .venv/bin/python bench/thread_scaling.py [PROGRAM] [SCENE] [--rounds 5] [--seconds 8] [--out FILE.csv]

Every round measures one thread, two threads, and two processes of one thread each at the same time, in turn, with
`stiction bench` on the same batch, several times through the scene, as its parts differ in cost.
Ratios are relative to one thread in the same round; their median, least and largest are printed.
"""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = ("round", "one_thread", "two_threads", "two_processes", "load_before")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=ROOT / "build/host-release/bin/stiction")
    parser.add_argument("scene", nargs="?", default=ROOT / "scenes/iiwa_stack")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0, help="of a measurement")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--out", help="table with one row a round (CSV), environment-steps/s")
    return parser.parse_args()


def speed(options, threads, processes):
    """Environment-steps/s of all processes together, which start at once."""
    with tempfile.TemporaryDirectory() as folder:
        tables = [pathlib.Path(folder, f"{i}.csv") for i in range(processes)]
        command = [options.program, "bench", options.scene, "--device", "cpu", "--threads", threads]
        command += ["--batch", options.batch, "--seconds", options.seconds, "--out"]
        running = [subprocess.Popen([*map(str, command), table], stdout=subprocess.DEVNULL) for table in tables]
        if any([process.wait() for process in running]):  # noqa: C419  # waits for every one of them
            raise SystemExit(f"thread_scaling: {options.program} bench failed")
        return sum(float(row["env_steps_per_s"]) for table in tables for row in csv.DictReader(table.open()))


def measure(options):
    """One row per round."""
    for number in range(1, options.rounds + 1):
        row = {"round": number, "load_before": f"{os.getloadavg()[0]:.2f}"}
        for name, threads, processes in (("one_thread", 1, 1), ("two_threads", 2, 1), ("two_processes", 1, 2)):
            row[name] = round(speed(options, threads, processes), 1)
        yield row


def describe(rows, name):
    ratios = [row[name] / row["one_thread"] for row in rows]
    return f"{name.replace('_', ' ')}: {statistics.median(ratios):.2f} times one thread ({min(ratios):.2f} to {max(ratios):.2f})"


def main():
    options = arguments()
    print(f"{options.scene}, batch {options.batch}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f} at the start")
    rows = list(measure(options))
    print(f"one thread: {statistics.median(row['one_thread'] for row in rows):.0f} environment-steps/s")
    for name in ("two_threads", "two_processes"):
        print(describe(rows, name))
    if options.out:
        with open(options.out, "w") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
