"""Regenerates the papers' figures: numbers, claims, pictures, page. scripts/figures calls it and documents the options."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

from figure_parts import claims, page, registry, tables

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Bench:
    """What a source of numbers measures with."""

    def __init__(self, program, scratch, peers):
        self.program, self.scratch, self.peers, self.folders = program, scratch, peers, 0

    def folder(self):
        """A new, empty one."""
        self.folders += 1
        made = self.scratch / str(self.folders)
        made.mkdir(parents=True)
        return made

    def peers_python(self):
        """The Python that has Drake, installed at first use; None if Drake is not wanted or cannot be installed."""
        if not self.peers:
            return None
        done = subprocess.run([ROOT / "bench/peers/install"], capture_output=True, text=True, check=False)
        return ROOT / "build/peers-venv/bin/python" if done.returncode == 0 else None


def measure(bench, figures, results):
    """Runs every source that the figures need; returns the names of the tables that were written."""
    wanted, written = {name for figure in figures for name in figure.TABLES}, set()
    for source in registry.SOURCES:
        if not wanted & set(source.WRITES):
            continue
        begin = time.perf_counter()
        for name, rows in source.measure(bench).items():
            tables.write(results, name, rows)
            written.add(name)
        print(f"figures: {source.__name__.split('.')[-1]} measured in {time.perf_counter() - begin:.0f} s", flush=True)
    return written


def load(figure, results):
    return {name: tables.read(results, name) for name in figure.TABLES}


def judge_and_draw(figures, results, images):
    """Claims of all figures: those of the given figures judged anew, those of the others as stored."""
    file = tables.file_of(results, "claims")
    kept = claims.read(file) if file.exists() else []
    found = {figure.NAME: [claim for claim in kept if claim.figure == figure.NAME] for figure in registry.FIGURES}
    for figure in figures:
        data = load(figure, results)
        found[figure.NAME] = figure.judge(data)
        figure.draw(data, images / f"{figure.NAME}.png")
    every = [claim for claims_of in found.values() for claim in claims_of]
    claims.write(file, every)
    return every


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="bin/stiction of a build")
    parser.add_argument("--only", nargs="+", choices=[figure.NAME for figure in registry.FIGURES])
    parser.add_argument("--draw", action="store_true", help="from the stored numbers: nothing is simulated")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT, help="docs/ and bench/results are written below it")
    parser.add_argument("--no-peers", action="store_true", help="Drake's numbers as stored")
    return parser.parse_args()


def main():
    arguments, begin = parse(), time.perf_counter()
    figures = [figure for figure in registry.FIGURES if not arguments.only or figure.NAME in arguments.only]
    results, docs = arguments.out / "bench/results", arguments.out / "docs"
    for folder in (results, docs):
        folder.mkdir(parents=True, exist_ok=True)
    written = set()
    if not arguments.draw:
        with tempfile.TemporaryDirectory() as scratch:
            bench = Bench(arguments.program.resolve(), pathlib.Path(scratch), not arguments.no_peers)
            written = measure(bench, figures, results)
    figures = [figure for figure in registry.FIGURES if figure in figures or written & set(figure.TABLES)]
    every = judge_and_draw(figures, results, docs / "images/figures")
    (docs / "figures.md").write_text(page.text(registry.FIGURES, every))
    failed = [claim for claim in every if not claim.met]
    for claim in failed:
        print(
            f"figures: not met: {claim.figure}: {claim.text}: {claim.measured} {claim.unit}, expected {claim.expected}"
        )
    print(
        f"figures: {len(every) - len(failed)} of {len(every)} claims met; docs/figures.md; "
        f"{time.perf_counter() - begin:.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
