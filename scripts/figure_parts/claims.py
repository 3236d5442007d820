"""What a paper says about a figure, as checks: a number with a tolerance, or a bound; the measured value; met or not."""

import csv
import math
from dataclasses import asdict, dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Claim:
    """`expected` and `tolerance` as a reader sees them: "0.03 ± 1e-09" or "at most 1.1"."""

    figure: str
    text: str
    expected: str
    measured: str
    unit: str
    met: bool
    note: str = ""
    count: str = "1"  # how many numbers were compared; the farthest one is shown


def shown(value, digits=6):
    return f"{value:.{digits}g}"


def digits_of(value, tolerance):
    """As many digits as make the tolerance visible."""
    return 6 if not 0 < tolerance < abs(value) else min(12, max(6, 1 + math.ceil(math.log10(abs(value) / tolerance))))


def near(figure, text, measured, expected, tolerance, unit="", note=""):
    """A claim about a number, or about several, of which the one farthest from `expected` counts."""
    measured, expected = np.broadcast_arrays(np.asarray(measured, float), np.asarray(expected, float))
    off = np.abs(measured - expected).ravel()
    worst = int(off.argmax())  # argmax takes NaN as the largest
    digits = digits_of(expected.ravel()[worst], tolerance)
    wanted, found = (shown(values.ravel()[worst], digits) for values in (expected, measured))
    met = off.size > 0 and bool((off <= tolerance).all())
    wanted += f" ± {shown(tolerance)}" if tolerance else ""
    return Claim(figure, text, wanted, found, unit, met, note, str(off.size))


def at_most(figure, text, measured, limit, unit="", note=""):
    return Claim(figure, text, f"at most {shown(limit)}", shown(measured), unit, bool(measured <= limit), note)


def at_least(figure, text, measured, limit, unit="", note=""):
    return Claim(figure, text, f"at least {shown(limit)}", shown(measured), unit, bool(measured >= limit), note)


def between(figure, text, measured, low, high, unit="", note=""):
    wanted = f"{shown(low)} to {shown(high)}"
    return Claim(figure, text, wanted, shown(measured), unit, bool(low <= measured <= high), note)


def write(file, claims):
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, [field.name for field in fields(Claim)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(claim) | {"met": "pass" if claim.met else "fail"} for claim in claims)


def read(file):
    with file.open(newline="") as rows:
        return [Claim(**(row | {"met": row["met"] == "pass"})) for row in csv.DictReader(rows)]
