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
import kernel_resources  # noqa: E402

RESULTS = ROOT / "bench/results"
PAGE = ROOT / "docs/gpu.md"
COLUMNS = (
    "commit device part scene dynamics law cone solver factor dtype solve_threads batch quantity value unit limit outcome note"
).split()
SCENES = ("gripper2d", "iiwa_stack", "hand_cube")
ROUTES = (("float64", "float64"), ("float64", "float32"), ("float32", "float32"))  # dtype, factor
KERNELS = ("prepare", "drift", "collide", "meet", "task", "solve", "explain", "move", "look", "judge", "finish")
PARTS = ("first", "interplay", "equivalence", "repeatability", "sanitizer", "dense_factor")
PROCESS_ROWS = ("broken off", "seconds of the process")  # how the process of a part ended
PLACES = ("", " with the factor in shared memory", " with the factor in global memory")
DENSE = ("gripper2d", "hand_cube", "iiwa_stack", "pile:100", "stack:100")
NONE = "not measured"
GOALS = {"gripper2d": 20_000_000, "hand_cube": 3_000_000, "iiwa_stack": 1_000_000}  # environment-steps/s

INTRO = """# On a GPU

Written by `bench/gpu_page.py` from the reports in `bench/results`; a test holds this page against them. "Not measured" means that no report has the figure.

## How to check and measure

```sh
scripts/gpu_bundle       # build/gpu_bundle: programs, libraries and scenes; at most 55 MiB
build/gpu_bundle/run     # there or on another x86-64 Linux with an NVIDIA driver; at most 8 minutes (--minutes)
build/gpu_bundle/stiction bench SCENE --device cuda    # the program, on that GPU
```

The bundle has two programs from the same source. `bin/cuda13` is made with the nvcc of CUDA 13 and asks for a driver of CUDA 13 (580) or newer; `bin/cuda12` runs with drivers of
CUDA 12.4 (550) or newer ([building](building.md#drivers-of-cuda-12)). `run` and `stiction` start the first of them that finds a usable GPU, and say for each why not if none does;
`BUNDLE_CUDA=12` leaves no choice. On another GPU than an H100 or H200 the driver first compiles the kernels from PTX, once per machine, which may take minutes: a build with the
architectures of the `release` preset does not need that.

The report is `GPU_NAME.csv` in the current folder, one row a figure or check, with the commit that was built; kept as `bench/results/GPU_NAME.csv` it
appears here after `.venv/bin/python bench/gpu_page.py`. What the time did not allow is a row "skipped" with its reason.

Every part, or one scene of it, is a process of its own with a time limit. One that crashes, hangs or ruins the GPU's context is a failed row "broken off" that says what happened, and the others run all the
same. What is worth most comes first:

| part | claim or figure |
|---|---|
| machine | size, memory, clocks, power limit, ECC and driver (all that `nvidia-smi -q` says: `REPORT.nvidia-smi.txt`); the bandwidth of a copy and the rate of multiply-adds |
| first | host and GPU give the same steps of three scenes |
| largest, speed | environment-steps/s of the largest batch that has room, then of 4,096, 16,384, 1,024, 1 and 65,536; in three windows of the course, the same steps for every batch, and with environments scattered over it; with dofs, contacts, rows, iterations, residual and share converged of these steps, memory, seconds and launches of the kernels, p50 and p99 of a batch's step. Three routes: all in double and with a [factor](solvers.md#a-factor-in-single-precision) in single precision to a residual of 1e-6, state and factor in single precision to 1e-4. Other widths of a solve and places of its factor at 4,096 and at the largest batch |
| calibration | the constants of `bench/gpu_model.py`: clock, barriers, loads, lines, launches, a pass of a loop in a graph. How long a solve waits for its instructions has no loop of its own |
| families | environment-steps/s against contacts: boxes, stacks and piles of 4 to 256 contacts, 4,096 environments |
| latency | a step of one environment and of 4,096, resets of one and of all, and the way of a control from the host and of a state back. From torch it is not measured: the program has no Python |
| interplay | what is written between steps counts; steps that take several rounds are those of the host; batches that step in turn do not mix |
| equivalence | a host that solves as a GPU does and the GPU give the same steps within the table of tolerances: every dynamics, law, cone and solver that go together, both precisions, with a factor in single precision the quasidynamic ones, six scenes |
| repeatability | the same bits for batches of 1, 7 and 257, another place in the batch, 8, 32 or 64 threads a solve, its factor in shared or global memory, and a second run |
| profile | what `ncu` says about one launch of the solve kernel, where it is installed: `REPORT.ncu.csv` |
| sanitizer | memcheck and racecheck of a small case, where `compute-sanitizer` is installed |
| dense_factor | an iteration of the solve kernel, with its factor in shared memory where it fits and in global memory, up to 600 dofs; where the machine has cuSOLVER (`--cusolver FILE` names its library), its batched Cholesky factor and solve of the system as a dense matrix, which a step that left its kernel for them would wait for at least; the multiply-adds of both factors ([ADR 0808](adr/0808-no-dense-factor-by-a-library.md)) |

`--minutes 1` measures only `machine`, `first`, and the largest batch in two widths and one window.

| exit code | meaning |
|---|---|
| 0 | every check passed |
| 1 | internal error |
| 2 | bad input |
| 3 | a check failed, or a part was broken off |
| 4 | no usable GPU, said in one line |

`gpu_check --only PART ...` runs some of the parts; `gpu_check --dry-run` does all of it with the host in the GPU's place, with small sizes. `SimulatorOptions::solve_threads` sets the threads that share a
solve (8, 32 or 64; by default 8 up to 12 velocities, 32 up to 150 and 64 beyond), `SimulatorOptions::factor_memory` where its factor lies: shared as
far as that costs no resident environment, shared, or global ([ADR 0206](adr/0206-factor-in-shared-memory.md)).

## Beside the host

A solve on one lane takes shortcuts that teams of lanes do not have: islands solved separately, an active set, Newton's steps under Coulomb's law. Host and GPU therefore end at
different points within the tolerance, and far apart where a trajectory doubles what is small. With `solve_threads` 8, 32 or 64 (C++, Python) the host
solves as a GPU does, and the two differ in the rounding of library functions only; `stiction compare SCENE --a cpu --b cuda` and `gpu_check` do so.

## Over the bus

The arrays of a batch lie in the GPU's memory only ([ADR 0218](adr/0218-arrays-on-the-gpu-only.md)). A step moves nothing between host and GPU, and whoever asks for its status moves that. `reset(ids)` uploads the scene's start once and, for each of
the environments `ids`, only what the scene draws for it; values that are written for some environments move alone, and an array that is read moves alone. The host needs
memory for what it reads, not for the batch. `reset` and writes do not wait for steps that are enqueued (in Python if the `stream` is the caller's); reads do.

## Problems given as arrays

`st.solve_contact`, `solve_delassus`, `solve_qp`, `solve_lcp`, `solve_mlcp` and `stiction solve FILE` take `device="cuda"` (`--device cuda`) and hand many problems to the GPU at once,
by every solver; a batch that its memory does not hold is solved in parts. The host checks the problems, measures the residuals, and looks for the proofs that
need a dense null space ([ADR 0220](adr/0220-raw-problems-on-a-gpu.md)). No GPU has measured it.

## When something fails

| what happens | what is done |
|---|---|
| the driver refuses a graph with a loop (older than CUDA 12.4, or with a fault of its own) | the host launches the kernels of a step one by one and waits for every round: the same bits, more time. `stiction run` and `bench` warn, Python gives a `RuntimeWarning`, C++ has `Simulator::device_warning`; the name of the device ends with "kernel by kernel" ([ADR 0217](adr/0217-what-an-older-driver-runs.md)) |
| a kernel fails (an illegal address, an ECC error, a time limit) | the error comes from the call that waits next, which need not be the one that launched the kernel. It says that the GPU's context is lost: only a new process can use the GPU. With `CUDA_LAUNCH_BLOCKING=1` in the environment steps are launched kernel by kernel, every kernel is waited for, and the error names its stage |
| the caller's stream is being captured into a CUDA graph (as by `torch.cuda.graph`) | every call but the one that destroys the simulator raises `InputError`, before it changes anything: use the simulator before or after the capture |

## Without a GPU

Every test run holds the CUDA backend, all of its text and none of its speed, to the bits of such a host: `tests/emulated_gpu` compiles its units for the
processor and runs each thread of each block there, in three orders, with every access of a kernel checked against what is allocated, what is the thread's
and what another thread touches before the next barrier. Every dynamics, law and cone with every solver, both precisions, of its factor too, three widths, ten scenes, steps
without a solution, problems given as arrays, and the Python package ([ADR 0212](adr/0212-an-emulated-gpu.md)). It needs the headers of the CUDA toolkit, not `nvcc`.

```sh
build/host-release/bin/test_emulated_gpu                          # EMULATED_GPU_ORDER=forward | backward | shuffled
PYTHONPATH=build/host-release/emulated/python .venv/bin/python    # import stiction: "cuda" is the emulated GPU
```
"""

SHARES = """The shares are counted from sizes, not by counters: of what a step moves and multiplies at least (`host/backend/step_work.hpp`).
"""

KERNEL_INTRO = """## Kernels

What `ptxas` says about the kernels for sm_90 (`scripts/kernel_resources.py BUILD`), kept in `bench/results/kernels_sm_90.csv`. A test holds a build of the
same `nvcc` to it: stack at most a tenth and 64 B above, no fewer environments. Stack is that of the deepest call; spills are summed over the
kernel and the functions that it calls apart; environments are those that the registers, shared memory, warps and blocks of one multiprocessor admit.
A solve with `_float32` has its factor in single precision. Shared is what a kernel always takes: the share of a solve's factor comes with the launch, by default at most what leaves the environments as they are.

The goal, held by a test for sm_80, sm_90 and sm_100 where a build has them: no kernel spills; solve takes at most 256 B of stack and holds at least
4 environments a multiprocessor, by a block too, which solves problems of more than 150 velocities; collide takes at most 1,024 B of stack. **Bold** misses it.
"""


METER_INTRO = """## What a step does

Counted on the emulated GPU over whole scenes (`bench/gpu_meter.py`), in one environment, float64, tolerance 1e-6; means over the steps, rounds included. The *longest
lane* has the most loads between two barriers; *busy lanes* are all loads over those of the longest lane, of the lanes that the solve has. Load units serve *lines*
of 128 B; "over the least" is how many times the lines that the asked bytes would fill. *Memory* is what kernels touch first, in sectors of 32 B, read and written.
A test counts again and holds this table to 5 %.
"""

MODEL_INTRO = """What these counts may mean in environment-steps/s on an H100, if enough environments are there to fill it (`bench/gpu_model.py` has the equations
and every constant, none of which was measured): by what lanes do alone, and the least of what lanes, load units and memory allow; in millions. The first run on a GPU replaces the constants.
"""


def reports():
    """{GPU: its rows} of every CSV with the columns of gpu_check."""
    found = {}
    for path in sorted(RESULTS.glob("*.csv")):
        with path.open() as file:
            reader = csv.DictReader(file)
            if reader.fieldnames == COLUMNS:
                rows = list(reader)
                found[rows[0]["device"]] = rows
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
                        seconds = f.get(f"kernel solve middle{place}") or (None if place else f.get("kernel solve"))
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
                body.append([scene, dtype, factor, "-", NONE] + [""] * len(KERNELS))
                continue
            f = figures(rows, **case, batch=timed[-1])
            body.append([scene, dtype, factor, f"{timed[-1]:,}"] + [number(f.get(f"kernel {k}"), 1e3) for k in KERNELS] + [number(f.get("launches a step"))])
    return table(["scene", "dtype", "factor", "batch", *(f"{k} [ms]" for k in KERNELS), "launches"], body)


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
    return table(
        ["copy bandwidth [TB/s]", "multiply-adds in double [T/s]", "multiprocessors", "memory [GiB]", "driver's CUDA"],
        [[number(f.get("copy bandwidth"), 1e-12), number(f.get("multiply-add rate float64"), 1e-12),
          number(f.get("streaming multiprocessors")), number(f.get("memory"), 2.0**-30),
          f.get("CUDA version of the driver") or NONE]],
    )  # fmt: skip


def report_section(device, rows):
    commit = f", commit {rows[0]['commit']}" if rows else ""
    parts = [f"## {device}{commit}", machine_table(rows), "Checks:", check_table(rows), broken_off(rows),
             "Speed, in lock-step over three windows of the course and with environments scattered over it:", speed_table(rows), SHARES.strip(),
             "Widths of a solve and places of its factor, in the middle window, all in double:", width_table(rows),
             "Where the time of a step goes, at the largest batch that was measured:", kernel_time_table(rows),
             "Speed against contacts, in double:", family_table(rows),
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
    return "\n\n".join([KERNEL_INTRO.strip(), table(head, marked), f"{misses} figures miss their goal. From nvcc {rows[0]['nvcc']}."]) + "\n"


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
        named = {"solve": f"solve interior_point {width}", "explain": f"explain {'block' if width == 'block' else 'warp'}"}
        return kept[named.get(row["kernel"], f"{row['kernel']} float64")]

    return resident


def total(rows, quantity):
    return sum(float(row[quantity]) for row in rows)


def meter_section():
    """What a step does, counted by bench/gpu_meter.py, and what it may take."""
    body, outlook, resident = [], [], resident_environments()
    for (scene, step), rows in meter_rows().items():
        solve = next(row for row in rows if row["kernel"] == "solve")
        busy = f"{float(solve['loads']) / float(solve['longest']):.1f} of {solve['threads']}"
        body.append([scene, step, *(number(solve[f]) for f in ("steps", "dofs", "contacts", "iterations", "converged")),
                     number(total(rows, "longest")), number(solve["longest"]), busy, number(total(rows, "warp_loads")),
                     number(total(rows, "lines")), number(128 * total(rows, "lines") / total(rows, "asked")),
                     number(32 * (total(rows, "read") + total(rows, "written")) / 1024), number(total(rows, "barriers")),
                     number(solve["most_barriers"]), str(resident(solve))])  # fmt: skip
        lanes = [gpu_model.limits(rows, resident, k)[0] for k in (2, 1, 0)]
        least = [gpu_model.steps_per_second(rows, resident, k) for k in (2, 1, 0)]
        figures_in_order = [*lanes, *gpu_model.limits(rows, resident, 0)[1:], *least, GOALS[scene]]
        outlook.append([scene, step, *(f"{figure / 1e6:.2g}" for figure in figures_in_order)])
    head = ["scene", "h [s]", "steps", "dofs", "contacts", "iterations", "converged", "longest lane", "of it solve", "busy lanes of solve",
            "warp loads", "lines", "over the least", "memory [KiB]", "barriers", "most in a solve", "environments a multiprocessor"]  # fmt: skip
    outlook_head = ["scene", "h [s]", "lanes, worst", "likely", "best", "load units", "memory", "steps/s, worst", "likely", "best", "aim"]
    return "\n\n".join([METER_INTRO.strip(), table(head, body), MODEL_INTRO.strip(), table(outlook_head, outlook)]) + "\n"


def page():
    found = reports() or {"Any GPU": []}
    return "\n".join([INTRO, kernel_section(), meter_section(), *(report_section(device, rows) for device, rows in found.items())])


if __name__ == "__main__":
    if "--print" in sys.argv:
        print(page(), end="")
    else:
        PAGE.write_text(page(), encoding="utf-8")
