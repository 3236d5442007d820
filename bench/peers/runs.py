"""The rows that measure.py leaves in bench/results: reading them, choosing among them, writing their numbers."""

import csv
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results"
SIMULATORS = ["stiction", "MuJoCo", "Drake"]
PEERS = SIMULATORS[1:]
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


def scenes(rows):
    return list(dict.fromkeys(r["scene"] for r in rows))


def tried(rows, scene, simulator, *words, states=None):
    """The runs of a simulator whose method has all these words, in any of these states."""
    return [r for r in rows if (r["scene"], r["simulator"]) == (scene, simulator) and (states is None or r["state"] in states)
            and all(f", {word}," in f", {r['method']}," for word in words)]


def of(rows, scene, simulator, *words):
    """Those that did the task."""
    return tried(rows, scene, simulator, *words, states=["done"])


def front(rows):
    """Those that no other run beats in both speed and error, the slowest first."""
    best = [r for r in rows if not any(o["speed"] > r["speed"] and o["error_m"] < r["error_m"] for o in rows)]
    return sorted(best, key=lambda r: r["speed"])


def fastest(rows, scene, simulator, error):
    return max((r for r in of(rows, scene, simulator) if r["error_m"] <= error), key=lambda r: r["speed"], default=None)


def at_step(rows, scene, simulator, step, *words):
    """The run of least error at a step that did the task."""
    return min((r for r in of(rows, scene, simulator, *words) if r["step_s"] == step), key=lambda r: r["error_m"], default=None)


def ratio(rows, scene, target, peers=PEERS):
    """Our speed over that of the fastest of these peers, None where one side has no run at that error."""
    ours = fastest(rows, scene, "stiction", target)
    theirs = [r["speed"] for r in (fastest(rows, scene, peer, target) for peer in peers) if r]
    return ours["speed"] / max(theirs) if ours and theirs else None


def figure(value, digits=3, unit=1.0):
    """So many digits; large numbers without an exponent."""
    if value == "" or not np.isfinite(value):
        return ""
    text = f"{value * unit:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text else text


def times(ratio):
    """Two digits, three right above 1, where two would hide who is ahead."""
    return figure(ratio, 3 if 1 <= ratio < 1.1 else 2)


def mm(length):
    return figure(length, 2, 1e3)


def ms(step):
    return figure(step, 3, 1e3)


def between(values, write=times):
    """"a to b", or "a" where both read alike."""
    values = list(values)
    return " to ".join(dict.fromkeys(write(v) for v in (min(values), max(values))))


def listed(words, last):
    """"a, b or c", with `last` between the last two; "" of none."""
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
