"""An estimate of environment-steps/s on a GPU from the counts of bench/gpu_meter.py.

    cycles of a kernel  = longest · INSTRUCTIONS / ipc + barriers · barrier + (of a solve) its share of COLD
    steps/s             = EFFICIENCY · min( CLOCK · PROCESSORS / Σ (cycles / resident),     what the lanes do
                                            CLOCK · PROCESSORS · LINES / lines,             what the load units do
                                            BANDWIDTH / (32 B · sectors) )                  what the memory does

resident: environments of a multiprocessor, by kernel and by its width: 8 lanes an environment leave room for four in a warp.
The kernels that solve, `warm` and `solve`, share COLD as they share the loads of the longest lane.

`outlook`: 0 best, 1 likely, 2 worst. Every constant has a value for each, or one where it is known well. INSTRUCTIONS and
IPC are those of an H100 in the kernel for warm starts (docs/adr/0226-environments-in-step.md); the others were supposed before
a GPU was there. `known` has values that take their place: those of a report of gpu_check, by `measured_constants`.
"""

from types import MappingProxyType

CLOCK = 1.755e9  # cycles/s of an H100 SXM
PROCESSORS = 132
BANDWIDTH = 3.35e12  # B/s
LINES = 1.0  # lines of 128 B that a multiprocessor's load unit serves in a cycle
INSTRUCTIONS = 13.0  # of a warp, a load of the longest lane: 245,800 a solve of iiwa_stack, counted by ncu
IPC = (1 / 14.5, 1 / 28, 1 / 35)  # of a warp: none waits for its instructions; four in step, with waits for one another; none in step
BARRIER = {"quarter": 80.0, "warp": 30.0, "block": 30.0}  # cycles; a quarter's mask is matched at run time
COLD = 20_000.0  # cycles of the first access to a solve's data
SOLVES = ("warm", "solve")
EFFICIENCY = 0.9  # of a batch: the last environments end alone
MEASURED = ("CLOCK", "PROCESSORS", "BANDWIDTH", "LINES", "BARRIER quarter", "BARRIER warp", "BARRIER block", "COLD")  # by gpu_check


def measured_constants(rows):
    """{constant: value} of a report's rows: those that its parts `machine` and `calibration` have."""
    named = {"streaming multiprocessors": "PROCESSORS", "copy bandwidth": "BANDWIDTH"}
    figures = {named.get(row["quantity"], row["quantity"]): row["value"] for row in rows if row["part"] in ("machine", "calibration") and row["value"]}
    return {name: float(value) for name, value in figures.items() if name in MEASURED}


def width_of(threads):
    return {8: "quarter", 32: "warp"}.get(int(threads), "block")


def cycles(row, outlook, known, solves):
    """Of the threads of one environment in one step, for a row of the kept counts; `solves`: loads of the longest lane in all kernels that solve."""
    width = width_of(row["threads"])
    share = float(row["longest"]) / solves if row["kernel"] in SOLVES else 0.0
    waits = share * known.get("COLD", COLD)
    barriers = float(row["barriers"]) * known.get(f"BARRIER {width}", BARRIER[width])
    return float(row["longest"]) * INSTRUCTIONS / IPC[outlook] + barriers + waits


def limits(rows, resident, outlook, known=MappingProxyType({})):
    """Environment-steps/s by the lanes, the load units and the memory. `rows`: of one scene; `resident`: environments of a
    multiprocessor by kernel."""
    solves = sum(float(row["longest"]) for row in rows if row["kernel"] in SOLVES)
    busy = sum(cycles(row, outlook, known, solves) / resident(row) for row in rows)
    lines = sum(float(row["lines"]) for row in rows)
    sectors = sum(float(row["read"]) + float(row["written"]) for row in rows)
    cycles_per_second = known.get("CLOCK", CLOCK) * known.get("PROCESSORS", PROCESSORS)
    by_lines = cycles_per_second * known.get("LINES", LINES) / lines
    return cycles_per_second / busy, by_lines, known.get("BANDWIDTH", BANDWIDTH) / (32.0 * sectors)


def steps_per_second(rows, resident, outlook, known=MappingProxyType({})):
    return EFFICIENCY * min(limits(rows, resident, outlook, known))
