"""Writes docs/gpu.md from the reports of gpu_check in bench/results and the table of kernels beside them.

    .venv/bin/python bench/gpu_page.py            write the page
    .venv/bin/python bench/gpu_page.py --print    print it
"""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "bench")]
import gpu_meter  # noqa: E402
import gpu_model  # noqa: E402
import gpu_page_peer as peer  # noqa: E402
import gpu_page_text as prose  # noqa: E402
import kernel_resources  # noqa: E402

RESULTS = ROOT / "bench/results"
PAGE = ROOT / "docs/gpu.md"
COLUMNS = (
    "commit device part scene dynamics law cone solver factor dtype solve_threads batch quantity value unit limit outcome note"
).split()
SCENES = ("gripper2d", "iiwa_stack", "hand_cube")
ROUTES = (("float64", "float64"), ("float64", "float32"), ("float32", "float32"))  # dtype, factor
KERNELS = (
    "prepare", "drift", "gaps", "go", "stop", "collide", "meet", "arrive", "merge", "task", "confirm", "warm", "solve", "explain", "move", "look", "judge", "finish",
)  # fmt: skip
TIMED = tuple(k for k in KERNELS if k not in ("gaps", "go", "stop", "arrive", "merge", "confirm"))  # no step of SCENES moves first, seeks its end or has touching pieces
PARTS = ("first", "occupancy", "interplay", "equivalence", "repeatability", "sanitizer", "dense_factor")
PROCESS_ROWS = ("broken off", "seconds of the process")  # how the process of a part ended
PLACES = ("", " with the factor in shared memory", " with the factor in global memory")
DENSE = ("gripper2d", "hand_cube", "iiwa_stack", "pile:100", "stack:100")
LATER = "multiply-add rate float64 later"
NONE = "not measured"
GOALS = {"gripper2d": 20_000_000, "hand_cube": 3_000_000, "iiwa_stack": 1_000_000}  # environment-steps/s


def reports():
    """(GPU, its rows) of every CSV with the columns of gpu_check; several may be of the same GPU."""
    found = []
    for path in sorted(RESULTS.glob("*.csv")):
        with path.open() as file:
            reader = csv.DictReader(file)
            if reader.fieldnames == COLUMNS:
                rows = list(reader)
                found += [(rows[0]["device"], rows)] if rows else []
    return found


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in rows)])


def number(text, scale=1.0):
    """Three digits; whole numbers with commas above a thousand."""
    if not text:
        return NONE
    value = float(text) * scale
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def figures(rows, **subject):
    """{quantity: value} of the rows about `subject`."""
    return {r["quantity"]: r["value"] for r in rows if all(r[k] == str(v) for k, v in subject.items())}


def batches(rows, **subject):
    """Batches of the rows about `subject` that have a throughput, small ones first."""
    found = {int(r["batch"]) for r in rows if r["quantity"].startswith("throughput") and r["value"] and all(r[k] == str(v) for k, v in subject.items())}
    return sorted(found)


def share(of, amount, ceiling):
    """How much of a ceiling [1/s] the steps of `of` take, each at least `amount`."""
    if not (of.get("throughput") and of.get(amount) and ceiling):
        return NONE
    return number(str(float(of["throughput"]) * float(of[amount]) / float(ceiling)))


def speed_table(rows):
    head = ["scene", "dtype", "factor", "batch", "steps/s", "scattered", "p50 [ms]", "p99 [ms]", "dofs", "contacts", "rows", "iterations", "most",
            "worst residual", "converged", "KiB/environment", "share of bandwidth", "of multiply-adds"]  # fmt: skip
    machine = figures(rows, part="machine")
    body = []
    for scene in SCENES:
        for dtype, factor in ROUTES:
            case = {"part": "speed", "scene": scene, "dtype": dtype, "factor": factor, "solve_threads": 0}
            measured = [(b, f) for b in batches(rows, **case) if (f := figures(rows, **case, batch=b)).get("throughput")]
            if not measured:
                body.append([scene, dtype, factor, "all", NONE] + [""] * (len(head) - 5))
            for batch, f in measured:
                body.append([scene, dtype, factor, f"{batch:,}"] + [number(f.get(q), s) for q, s in (
                    ("throughput", 1), ("throughput scattered", 1), ("batch step p50", 1e3), ("batch step p99", 1e3), ("dofs", 1), ("contacts mean", 1),
                    ("rows mean", 1), ("iterations mean", 1), ("iterations most", 1), ("residual worst", 1), ("share converged", 1), ("memory", 1 / 1024))]
                    + [share(f, "least bytes a step", machine.get("copy bandwidth")),
                       share(f, "least multiply-adds a step", machine.get("multiply-add rate float64"))])  # fmt: skip
    return table(head, body)


def solve_seconds(of, which):
    """Of the kernels that solve, together; none where a report lacks one of them."""
    seconds = [of.get(f"kernel {kernel}{which}") for kernel in gpu_model.SOLVES]
    return str(sum(map(float, seconds))) if all(seconds) else None


def width_table(rows):
    """Widths of a solve and places of its factor, in the middle window."""
    body = []
    for scene in SCENES:
        case = {"part": "speed", "scene": scene, "dtype": "float64", "factor": "float64"}
        found = False
        for batch in batches(rows, **case):
            for threads in (0, 8, 32, 64):
                f = figures(rows, **case, batch=batch, solve_threads=threads)
                for place in PLACES:
                    if rate := f.get(f"throughput middle{place}"):
                        seconds = solve_seconds(f, f" middle{place}") or (None if place else solve_seconds(f, ""))
                        where = place.removeprefix(" with the factor in ") or "by its size"
                        body.append([scene, f"{batch:,}", str(threads or "by the model's size"), where, number(rate), number(seconds, 1e3)])
                        found = True
        if not found:
            body.append([scene, "all", NONE, "", "", ""])
    return table(["scene", "batch", "threads a solve", "factor", "steps/s", "solves of a step [ms]"], body)


def family_table(rows):
    body = []
    for scene in dict.fromkeys(r["scene"] for r in rows if r["part"] == "families" and r["scene"] != "-"):
        f = figures(rows, part="families", scene=scene)
        batch = next((r["batch"] for r in rows if r["part"] == "families" and r["scene"] == scene), "")
        body.append([scene, number(batch)] + [number(f.get(q), s) for q, s in (
            ("contacts mean", 1), ("dofs", 1), ("throughput", 1), ("iterations mean", 1), ("residual worst", 1), ("share converged", 1),
            ("batch step p50", 1e3), ("batch step p99", 1e3))])  # fmt: skip
    head = ["scene", "batch", "contacts", "dofs", "steps/s", "iterations", "worst residual", "converged", "p50 [ms]", "p99 [ms]"]
    return table(head, body or [["all", NONE] + [""] * (len(head) - 2)])


def latency_table(rows):
    quantities = ("step", "kernels of a step", "reset of one and a step", "reset of all and a step", "ctrl; step; qpos")
    body = []
    for scene in SCENES:
        sizes = sorted({int(r["batch"]) for r in rows if r["part"] == "latency" and r["scene"] == scene})
        for batch in sizes or ["all"]:
            f = figures(rows, part="latency", scene=scene, batch=batch)
            body.append([scene, f"{batch:,}" if sizes else "all", *(number(f.get(f"{q} p50") or f.get(q), 1e3) for q in quantities),
                         number(f.get("step p99"), 1e3)])  # fmt: skip
    return table(["scene", "batch", *(f"{q} [ms]" for q in quantities), "p99 of a step [ms]"], body)


def calibration_table(rows):
    """What was measured of the model's constants, and what it supposes."""
    body = []
    for r in rows:
        if r["part"] == "calibration" and r["value"] and r["quantity"] not in PROCESS_ROWS:
            name, _, of = r["quantity"].partition(" ")
            supposed = getattr(gpu_model, name, None)
            supposed = supposed[of] if of and supposed else supposed
            text = " / ".join(f"{s:.3g}" for s in (supposed if isinstance(supposed, tuple) else (supposed,))) if supposed else ""
            body.append([r["quantity"], number(r["value"]) if float(r["value"]) > 1e-3 else f"{float(r['value']):.3g}", r["unit"], text, r["note"]])
    return table(["constant", "measured", "unit", "supposed (best / likely / worst)", "of"], body or [["all", NONE, "", "", ""]])


def outlook_table(rows):
    """The model with the measured constants, beside the most that was measured."""
    known, body = gpu_model.measured_constants(rows), []
    if not known:
        return table(["scene", "the model says", "measured"], [["all", NONE, ""]])
    counts = {scene: of for (scene, step), of in meter_rows().items() if (scene, step) != ("iiwa_stack", "0.4")}
    for scene in SCENES:
        case = {"part": "speed", "scene": scene, "dtype": "float64", "factor": "float64", "solve_threads": 0}
        rates = [float(f["throughput"]) for b in batches(rows, **case) if (f := figures(rows, **case, batch=b)).get("throughput")]
        said = gpu_model.steps_per_second(counts[scene], resident_environments(), 1, known)
        body.append([scene, f"{said:,.0f}", f"{max(rates):,.0f}" if rates else NONE])
    return table(["scene", "the model says", "measured"], body)


def kernel_time_table(rows):
    body = []
    for scene in SCENES:
        for dtype, factor in ROUTES:
            case = {"part": "speed", "scene": scene, "dtype": dtype, "factor": factor, "solve_threads": 0}
            timed = [b for b in batches(rows, **case) if figures(rows, **case, batch=b).get("kernel solve")]
            if not timed:
                body.append([scene, dtype, factor, "-", NONE] + [""] * len(TIMED))
                continue
            f = figures(rows, **case, batch=timed[-1])
            body.append([scene, dtype, factor, f"{timed[-1]:,}"] + [number(f.get(f"kernel {k}"), 1e3) for k in TIMED] + [number(f.get("launches a step"))])
    return table(["scene", "dtype", "factor", "batch", *(f"{k} [ms]" for k in TIMED), "launches"], body)


def kept_resources():
    """{kernel: what ptxas says}"""
    return {row["kernel"]: row for row in kernel_resources.read_kept()}


def sharing(kernel, width):
    """How many environments share a warp of a kernel whose kept figures count one."""
    has_rows = width == "quarter" and kernel not in ("warm", "solve", "explain", *kernel_resources.NARROW)
    return kernel_resources.STAGES_A_WARP if has_rows else 1


def kept_name(kernel, width, solver="interior_point", factor="float64", dtype="float64"):
    """The name of a kernel in the kept figures."""
    solve = f"solve {solver}{'_float32' if factor == 'float32' else ''} {width}"
    named = {"warm": f"warm {factor} {width}", "solve": solve, "explain": f"explain {'block' if width == 'block' else 'warp'}"}
    return named.get(kernel, f"{kernel} {dtype}")


def occupancy_table(rows):
    """What the runtime says about the kernels of a step, beside ptxas; scenes with the same figures share a line."""
    kept, seen, lines = kept_resources(), {}, {}
    for r in rows:
        kernel, _, figure = r["quantity"].partition(" ")
        if r["part"] == "occupancy" and kernel in KERNELS and r["value"]:
            case = (KERNELS.index(kernel), r["solver"], r["factor"] if kernel in gpu_model.SOLVES else "-", r["dtype"], r["scene"], r["solve_threads"])
            seen.setdefault(case, {})[figure] = r["value"]
    for (k, solver, factor, dtype, scene, threads), f in sorted(seen.items()):
        width = gpu_model.width_of(threads)
        known = kept.get(kept_name(KERNELS[k], width, solver, factor, dtype), {})
        told = tuple(number(f.get(q)) for q in ("registers", "local memory", "shared memory", "threads of a block", "blocks", "environments"))
        by_ptxas = (str(known.get("registers", "")), str(known["environments"] * sharing(KERNELS[k], width)) if known else "")
        lines.setdefault((KERNELS[k], dtype, factor, *told, *by_ptxas), []).append(scene)
    head = ["kernel", "dtype", "factor", "registers", "local memory [B]", "shared [B]", "threads", "blocks a multiprocessor", "environments",
            "registers by ptxas", "environments by ptxas", "scenes"]  # fmt: skip
    body = [[*line, ", ".join(dict.fromkeys(scenes))] for line, scenes in lines.items()]
    return table(head, body or [["all", "", "", NONE] + [""] * (len(head) - 4)])


def iteration_table(rows):
    """The solve kernel's time against its iterations."""
    body = []
    for scene in ("iiwa_stack", "hand_cube"):
        sizes = sorted({int(r["batch"]) for r in rows if (r["part"], r["scene"]) == ("iterations", scene) and r["value"] and r["quantity"] not in PROCESS_ROWS})
        for batch in sizes:
            f = figures(rows, part="iterations", scene=scene, batch=batch)
            for cache in ("cold", "again"):
                body.append([scene, f"{batch:,}", cache, *(number(f.get(f"solve {cache} of {most}"), 1e3) for most in ("at most 1", "at most 2", "at most 4", "at most 8", "all")),
                             number(f.get("iterations of all")), number(f.get("most iterations of all")), number(f.get(f"an iteration {cache}"), 1e3), number(f.get(f"beside iterations {cache}"), 1e3)])  # fmt: skip
        if not sizes:
            body.append([scene, "all", NONE] + [""] * 9)
    head = ["scene", "batch", "caches", *(f"at most {n} [ms]" for n in (1, 2, 4, 8)), "all [ms]", "iterations", "most", "an iteration [ms]", "beside them [ms]"]
    return table(head, body)


def dense_table(rows):
    body = []
    for scene in DENSE:
        counted = figures(rows, part="dense_factor", scene=scene, factor="-")
        counts = [number(counted.get(q)) for q in ("dofs", "multiply-adds of the factor by blocks", "multiply-adds of a dense factor")]
        for factor in ("float64", "float32"):
            f = figures(rows, part="dense_factor", scene=scene, factor=factor)
            times = ("cuSOLVER factor", "cuSOLVER solve", "iteration of the solve kernel", "with every factor in global memory")
            body.append([scene, factor, *counts, *(number(f.get(q), 1e3) for q in times), number(f.get("cuSOLVER over an iteration"))])
    head = ["scene", "factor", "dofs", "multiply-adds by blocks", "dense", "cuSOLVER's factor [ms]", "its solve [ms]", "an iteration of ours [ms]",
            "with its factor in global memory [ms]", "cuSOLVER over ours"]  # fmt: skip
    return table(head, body)


def check_table(rows):
    body = []
    for part in PARTS:
        outcomes = [r["outcome"] for r in rows if r["part"] == part and r["quantity"] not in PROCESS_ROWS]
        counts = [str(outcomes.count(o)) for o in ("pass", "fail", "skipped")] if outcomes else [NONE, "", ""]
        body.append([part, *counts])
    return table(["part", "passed", "failed", "skipped"], body)


def broken_off(rows):
    """A line about the parts that did not end by themselves, or never began."""
    said = [f"{r['part']} {r['scene']} ({r['note']})" for r in rows if r["quantity"] == "broken off" and r["outcome"] != "pass"]
    if not said:
        return "No part was broken off." if rows else ""
    return "Broken off or without time: " + ", ".join(said) + "."


def machine_table(rows):
    f = figures(rows, part="machine")
    later = [float(r["value"]) for r in rows if r["quantity"] == LATER and r["value"]]
    return table(
        ["copy bandwidth [TB/s]", "multiply-adds in double [T/s]", "later, at least", "multiprocessors", "memory [GiB]", "driver's CUDA"],
        [[number(f.get("copy bandwidth"), 1e-12), number(f.get("multiply-add rate float64"), 1e-12),
          number(str(min(later)), 1e-12) if later else NONE, number(f.get("streaming multiprocessors")), number(f.get("memory"), 2.0**-30),
          f.get("CUDA version of the driver") or NONE]],
    )  # fmt: skip


def report_section(device, rows):
    commit = f", commit {rows[0]['commit']}" if rows else ""
    parts = [f"## {device}{commit}", machine_table(rows), "Checks:", check_table(rows), broken_off(rows),
             *(prose.NOTES.get(rows[0]["commit"], "").splitlines() if rows else []),
             "Speed, in lock-step over three windows of the course and with environments scattered over it:", speed_table(rows), prose.SHARES.strip(),
             "Widths of a solve and places of its factor, in the middle window, all in double:", width_table(rows),
             "Where the time of a step goes, at the largest batch that was measured:", kernel_time_table(rows),
             "What the runtime says about the kernels, as these scenes launch them, beside `ptxas` for sm_90:", occupancy_table(rows),
             prose.ITERATIONS.strip(), iteration_table(rows),
             "Speed against contacts, in double:", family_table(rows),
             prose.PEER.strip(), peer.table_of(rows, table, number),
             "What a program waits for, median:", latency_table(rows),
             "The constants of `bench/gpu_model.py`:", calibration_table(rows),
             "Environment-steps/s by the model with them, and the most that was measured:", outlook_table(rows),
             "A dense factor and solve of 1,024 systems by cuSOLVER, and an iteration of ours, all of it:", dense_table(rows)]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def kernel_section():
    """Registers, stack and spills, from scripts/kernel_resources.py."""
    rows = kernel_resources.read_kept()
    marked = [
        [row["kernel"], *(f"**{row[f]:,}**" if kernel_resources.misses_goal(row, f) else f"{row[f]:,}" for f in kernel_resources.FIGURES)]
        for row in rows
    ]
    misses = sum(kernel_resources.misses_goal(row, f) for row in rows for f in kernel_resources.FIGURES)
    head = ["kernel", "registers", "stack [B]", "spill stores [B]", "spill loads [B]", "shared [B]", "environments a multiprocessor"]
    return "\n\n".join([prose.KERNEL_INTRO.strip(), table(head, marked), f"{misses} figures miss their goal. From nvcc {rows[0]['nvcc']}."]) + "\n"


def meter_rows():
    """{(scene, h): its rows of the kept counts}"""
    found = {}
    for row in gpu_meter.read_kept():
        found.setdefault((row["scene"], row["step_size"]), []).append(row)
    return found


def resident_environments():
    """A function from a row of counts to how many environments a multiprocessor holds of its kernel."""
    kept = {row["kernel"]: row["environments"] for row in kernel_resources.read_kept()}

    def resident(row):
        width = gpu_model.width_of(row["threads"])
        return kept[kept_name(row["kernel"], width)] * sharing(row["kernel"], width)

    return resident


def total(rows, quantity):
    return sum(float(row[quantity]) for row in rows)


def meter_section():
    """What a step does, counted by bench/gpu_meter.py, and what it may take."""
    body, outlook, resident = [], [], resident_environments()
    for (scene, step), rows in meter_rows().items():
        solves = [row for row in rows if row["kernel"] in gpu_model.SOLVES]
        warm = next(row for row in solves if row["kernel"] == "warm")
        busy = f"{total(solves, 'loads') / total(solves, 'longest'):.1f} of {warm['threads']}"
        body.append([scene, step, *(number(warm[f]) for f in ("steps", "dofs", "contacts", "iterations", "converged")),
                     number(total(rows, "longest")), number(total(solves, "longest")), number(warm["longest"]), busy, number(total(rows, "warp_loads")),
                     number(total(rows, "lines")), number(total(rows, "lines") / total(rows, "needed")), number(128 * total(rows, "lines") / total(rows, "asked")),
                     number(32 * (total(rows, "read") + total(rows, "written")) / 1024), number(total(rows, "barriers")),
                     number(max(int(row["most_barriers"]) for row in solves)), str(resident(warm))])  # fmt: skip
        lanes = [gpu_model.limits(rows, resident, k)[0] for k in (2, 1, 0)]
        least = [gpu_model.steps_per_second(rows, resident, k) for k in (2, 1, 0)]
        figures_in_order = [*lanes, *gpu_model.limits(rows, resident, 0)[1:], *least, GOALS[scene]]
        outlook.append([scene, step, *(f"{figure / 1e6:.2g}" for figure in figures_in_order)])
    head = ["scene", "h [s]", "steps", "dofs", "contacts", "iterations", "converged", "longest lane", "of it solves", "of them warm", "busy lanes of solves",
            "warp loads", "lines", "over what a load needs", "over all bytes", "memory [KiB]", "barriers", "most in a solve", "environments a multiprocessor, warm"]  # fmt: skip
    outlook_head = ["scene", "h [s]", "lanes, worst", "likely", "best", "load units", "memory", "steps/s, worst", "likely", "best", "aim"]
    return "\n\n".join([prose.METER_INTRO.strip(), table(head, body), prose.MODEL_INTRO.strip(), table(outlook_head, outlook)]) + "\n"


def page():
    found = reports() or [("Any GPU", [])]
    return "\n".join([prose.INTRO, kernel_section(), meter_section(), *(report_section(device, rows) for device, rows in found)])


if __name__ == "__main__":
    if "--print" in sys.argv:
        print(page(), end="")
    else:
        PAGE.write_text(page(), encoding="utf-8")
