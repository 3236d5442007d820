#!/usr/bin/env python3
"""Writes docs/coverage.md: where each part of four papers is implemented, which test proves it, and what it measured.

    coverage_page.py                   from tests/coverage/*.toml and the kept values, bench/results/coverage.csv
    coverage_page.py MEASURED.csv      stores the values of this file first

The tests record values while they run:

    STICTION_MEASURED=measured.csv STICTION_BUILD=BUILD STICTION_BIN=BUILD/bin/stiction \\
        .venv/bin/python -m pytest -q tests/coverage tests/scenes     (appends to the file: remove an old one first)
    .venv/bin/python scripts/coverage_page.py measured.csv

Each value is declared in a paper's list under its own key:

    bound = 1e-9                  of rounding size: a test fails above it; the page shows the next power of ten
    within = 0.001                a figure: a test fails if it is farther than this from the stored one
    paper = 0.03, paper_within    and if it is farther than paper_within from the paper's
"""

import csv
import math
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
LISTS = sorted((ROOT / "tests/coverage").glob("claims_*.toml"))
KEPT = ROOT / "bench/results/coverage.csv"
PAGE = ROOT / "docs/coverage.md"

INTRODUCTION = """\
# What of the papers is here

Every model, numbered equation, figure, example and claim of four papers: where it lives, which test proves it, and what
the tests measured. This page is written by `scripts/coverage_page.py` from `tests/coverage/*.toml` and from the values
that the tests record while they run. A test fails where a file, a name or a test of this page is not there, where an
equation or figure is missing, and where a value is measured anew and differs. What no test proves is *left out*, with
the reason.

- → "≤ 1e-12 (asked 1e-9)" is a difference of rounding size: what was found, rounded up to a power of ten, and what the
  test asks. Other figures are followed by the paper's where it prints one.
- Complementarity errors are the largest |min(a, b)| of a pair 0 <= a ⊥ b >= 0, in the units named; "over the weight"
  are forces divided by m g.
- ✓ Names with `::` are Python tests, of `tests/coverage` where no folder is named; `Suite.Test` are GoogleTest's.

```sh
export STICTION_BUILD=build/host-release STICTION_BIN=build/host-release/bin/stiction
STICTION_MEASURED=out/measured.csv .venv/bin/python -m pytest -q tests/coverage tests/scenes
.venv/bin/python scripts/coverage_page.py out/measured.csv
```
"""

HEAD = "| item | what it says; what was measured | where it lives; what proves it |\n|---|---|---|"


def read_lists():
    """The papers' lists, in the order of the files' names."""
    return [tomllib.loads(path.read_text(encoding="utf-8")) for path in LISTS]


def declared_values(papers):
    """{key: declaration}"""
    return {key: value for paper in papers for key, value in paper.get("value", {}).items()}


def read_values(path):
    """{key: value}; for a bound that was recorded more than once, the largest value."""
    found = {}
    with open(path, newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            found[row["key"]] = max(float(row["value"]), found.get(row["key"], -math.inf))
    return found


def read_kept():
    return read_values(KEPT) if KEPT.is_file() else {}


def round_up(value):
    """The power of ten that a value of rounding size does not exceed."""
    return 10.0 ** math.ceil(math.log10(max(value, 1e-16)))


def keep(path):
    """Replaces stored values by recorded ones: those of rounding size as powers of ten, figures to twelve digits."""
    declared, kept = declared_values(read_lists()), read_kept()
    recorded = read_values(path)
    if unknown := sorted(set(recorded) - set(declared)):
        raise SystemExit(f"error: {path}: '{unknown[0]}' is in no list")
    for key, value in recorded.items():
        kept[key] = round_up(value) if "bound" in declared[key] else value
    with open(KEPT, "w", newline="", encoding="utf-8") as rows:
        writer = csv.writer(rows, lineterminator="\n")
        writer.writerow(["key", "value"])
        writer.writerows([key, f"{kept[key]:.12g}"] for key in sorted(kept) if key in declared)


def show_value(key, declaration, kept):
    if key not in kept:
        raise SystemExit(f"error: '{key}' is not kept: run the tests with STICTION_MEASURED, then this on their file")
    unit = f" {declaration['unit']}" if declaration.get("unit") else ""
    if "bound" in declaration:
        found, asked = (f"{value:.0e}".replace("e-0", "e-") for value in (kept[key], declaration["bound"]))
        return f"{declaration['what']}: ≤ {found}{unit} (asked {asked})"
    shown = f"{declaration['what']}: {kept[key]:.{declaration.get('digits', 3)}g}{unit}"
    return shown + (f"; paper {declaration['paper']:g}{unit}" if "paper" in declaration else "")


def show_place(place):
    """`path: symbol` as a link and the symbol."""
    path, _, symbol = place.partition(": ")
    return f"[{path}](../{path})" + (f" `{symbol}`" if symbol else "")


def show_item(item, declared, kept):
    says = [item["says"], *(f"→ {show_value(key, declared[key], kept)}" for key in item.get("measured", []))]
    places = [show_place(place) for place in item.get("where", [])]
    places += [f"✓ `{test.removeprefix('tests/coverage/')}`" for test in item.get("tests", [])]
    if "left_out" in item:
        places.append(f"*left out*: {item['left_out']}")
    cells = [item["name"], "<br>".join(says), "<br>".join(places)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def count_items(paper):
    items = [item for part in paper["part"] for item in part["item"]]
    partly = sum("left_out" in item and bool(item.get("tests")) for item in items)
    out = sum("left_out" in item for item in items) - partly
    return f"{len(items)} entries: {len(items) - partly - out} covered, {partly} in part, {out} left out."


def page():
    papers, kept = read_lists(), read_kept()
    declared = declared_values(papers)
    lines = [INTRODUCTION]
    for paper in papers:
        lines += [f"## {paper['title']}\n", f"{paper['about']}\n", f"{count_items(paper)}\n"]
        for part in paper["part"]:
            lines += [f"### {part['title']}\n", HEAD]
            lines += [show_item(item, declared, kept) for item in part["item"]] + [""]
    return "\n".join(lines)


def main():
    if len(sys.argv) > 1:
        keep(sys.argv[1])
    PAGE.write_text(page(), encoding="utf-8")
    for paper in read_lists():
        print(f"{PAGE.relative_to(ROOT)}, {paper['title']}: {count_items(paper)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
