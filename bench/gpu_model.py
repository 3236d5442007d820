"""An estimate of environment-steps/s on a GPU from the counts of bench/gpu_meter.py.

    cycles of a kernel  = longest · INSTRUCTIONS / ipc + barriers · barrier + (of a solve) COLD + fetch
    steps/s             = EFFICIENCY · min( CLOCK · PROCESSORS / Σ (cycles / resident),     what the lanes do
                                            CLOCK · PROCESSORS · LINES / lines,             what the load units do
                                            BANDWIDTH / (32 B · sectors) )                  what the memory does

`outlook`: 0 best, 1 likely, 2 worst. Every constant has a value for each, or one where it is known well. None of them was
measured by this project: they wait for the first run on a GPU (docs/gpu.md), which is to replace them.
"""

CLOCK = 1.755e9  # cycles/s of an H100 SXM
PROCESSORS = 132
BANDWIDTH = 3.35e12  # B/s
LINES = 1.0  # lines of 128 B that a multiprocessor's load unit serves in a cycle
INSTRUCTIONS = 4.4  # instructions a load, counted in the machine code of the hot functions
IPC = (0.40, 0.22, 0.12)  # instructions a cycle of a warp that waits for its own loads, two warps a scheduler
BARRIER = {"quarter": 80.0, "warp": 30.0, "block": 30.0}  # cycles; a quarter's mask is matched at run time
COLD = 20_000.0  # cycles of the first access to a solve's data
FETCH = (30_000.0, 200_000.0, 500_000.0)  # cycles that a solve waits for instructions, as its code exceeds the cache
EFFICIENCY = 0.9  # of a batch: the last environments end alone


def width_of(threads):
    return {8: "quarter", 32: "warp"}.get(int(threads), "block")


def cycles(row, outlook):
    """Of the threads of one environment in one step, for a row of the kept counts."""
    solves = COLD + FETCH[outlook] if row["kernel"] == "solve" else 0.0
    return float(row["longest"]) * INSTRUCTIONS / IPC[outlook] + float(row["barriers"]) * BARRIER[width_of(row["threads"])] + solves


def limits(rows, resident, outlook):
    """Environment-steps/s by the lanes, the load units and the memory. `rows`: of one scene; `resident`: environments of a
    multiprocessor by kernel."""
    busy = sum(cycles(row, outlook) / resident(row) for row in rows)
    lines = sum(float(row["lines"]) for row in rows)
    sectors = sum(float(row["read"]) + float(row["written"]) for row in rows)
    return CLOCK * PROCESSORS / busy, CLOCK * PROCESSORS * LINES / lines, BANDWIDTH / (32.0 * sectors)


def steps_per_second(rows, resident, outlook):
    return EFFICIENCY * min(limits(rows, resident, outlook))
