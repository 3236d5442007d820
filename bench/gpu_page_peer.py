"""The table of MuJoCo Warp in docs/gpu.md, from the rows of a report and the errors that bench/peers measured of MuJoCo."""

import csv
import pathlib

FRONT = pathlib.Path(__file__).resolve().parent / "results/peers_front.csv"
HEAD = ["scene", "integrator, cone, contacts", "h [s]", "batch", "steps/s", "simulated s/s", "ours in double", "ours in single", "contacts", "iterations",
        "penetration [mm]", "finite", "apart from MuJoCo", "error of MuJoCo [mm]"]  # fmt: skip
FIGURES = (("throughput", 1), ("simulated", 1), ("contacts mean", 1), ("iterations mean", 1), ("penetration worst", 1e3), ("share finite", 1), ("apart", 1))


def errors():
    """{(scene, method, h): the error of MuJoCo [m]} of the runs that did the task."""
    lines = [line for line in FRONT.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = [row for row in csv.DictReader(lines) if row["simulator"] == "MuJoCo" and row["state"] == "done"]
    return {(row["scene"], row["method"], float(row["step_s"])): row["error_m"] for row in rows}


def ours(rows, scene, batch, dtype):
    """Our simulated seconds a second in the same window, all in `dtype`."""
    of = {r["quantity"]: r["value"] for r in rows if r["part"] == "speed" and (r["scene"], r["batch"], r["solve_threads"]) == (scene, batch, "0")
          and r["dtype"] == r["factor"] == dtype and r["value"]}  # fmt: skip
    rate, step = of.get("throughput middle"), of.get("step size")
    return str(float(rate) * float(step)) if rate and step else None


def cases(rows):
    """{(scene, method, h, batch): {quantity: value}}, in the order of the report."""
    found = {}
    for r in rows:
        quantity, _, step = r["quantity"].partition(" at h = ")
        if r["part"] == "mujoco_warp" and step and r["value"]:
            method = f"{r['dynamics']}, {r['cone']}, {r['law']}"
            found.setdefault((r["scene"], method, step, r["batch"]), {})[quantity] = r["value"]
    return found


def table_of(rows, table, number):
    """`table` and `number` are those of bench/gpu_page.py."""
    body, known = [], errors()
    for (scene, method, step, batch), f in cases(rows).items():
        if "throughput" in f:
            told = [number(f.get(quantity), scale) for quantity, scale in FIGURES]
            mine = [number(ours(rows, scene, batch, dtype)) for dtype in ("float64", "float32")]
            error = known.get((scene, method, float(step)))
            body.append([scene, method, step, number(batch), *told[:2], *mine, *told[2:], number(error, 1e3)])
    return table(HEAD, body or [["all", "not measured"] + [""] * (len(HEAD) - 2)])
