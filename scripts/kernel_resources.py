"""Registers, stack, spills and resident environments of every CUDA kernel, from the output of ptxas in the build.

    .venv/bin/python scripts/kernel_resources.py [BUILD]           print the table (default: build/host-release)
    .venv/bin/python scripts/kernel_resources.py [BUILD] --keep    and keep it as bench/results/kernels_sm_90.csv

cmake/timed_compile stores the lines of ptxas in BUILD/kernel_resources. Stack is that of the deepest call; spills are
those of the kernel and of all functions that it calls without inlining. The table is for the code of sm_90; the goals
hold for every architecture of the release preset that the build has. Resident environments follow from the limits of
sm_90, which are also those of sm_80 and sm_100, except that sm_80 has 164 KiB of shared memory:

    warps of a quarter    floor(16,384 registers / (32 · registers, rounded up to 8 a thread))
    blocks                min(4 · quarter's warps / w, 64 warps / w, 32, 228 KiB / (shared + 1 KiB of the runtime))
    environments          blocks · environments a block

with blocks of w = 4 warps and 4 environments; where 8 lanes have an environment (kernels/launch/solve_width.hpp), the
stages around the solve and the narrow phase hold four times as many. The kernels of solve, warm and explain run with every width of
kernels/launch/solve_width.hpp and have a line for each: blocks of a warp and 4 environments if a quarter of a warp solves
one environment, of w = 2 warps and one environment if a whole block does, of w = 4 warps and 4 environments in the kernel
for warm starts if a warp does.
"""

import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/results/kernels_sm_90.csv"
ARCHITECTURE = "sm_90"
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")  # the release preset's
FIGURES = ("registers", "stack", "spill_stores", "spill_loads", "shared", "environments")
COLUMNS = ("kernel", *FIGURES, "nvcc")
GRIDS = {"quarter": (4, 1), "warp": (1, 1), "block": (1, 2)}  # environments and warps of a solve's block: kernels/launch
WARM_WARP_GRID = (4, 4)  # of the kernel for warm starts, with a warp for an environment
STAGE_GRID = (4, 4)  # of the other stages, with a warp for an environment
STAGES_A_WARP = 4  # environments of 8 lanes in a warp
NARROW = ("gaps", "stop", "collide", "meet", "arrive", "merge", "look")  # stages with a warp for an environment, whatever the solve has
WIDTHS = {"solve": tuple(GRIDS), "explain": ("warp", "block")}  # of the kernels that run with several widths
QUARTER_REGISTERS, WARPS, BLOCKS, SHARED, RESERVED = 16384, 64, 32, 228 * 1024, 1024

GOALS = {  # (kernel's first word, or "any"; figure) -> bound that the project wants
    ("any", "spill_stores"): 0,
    ("any", "spill_loads"): 0,
    ("solve", "stack"): 256,
    ("solve", "environments"): 4,
    ("warm", "environments"): 4,
    ("collide", "stack"): 1024,
}


def resident_environments(registers, shared, environments_a_block, warps_a_block):
    rounded = -(-max(registers, 1) // 8) * 8
    by_registers = QUARTER_REGISTERS // (32 * rounded) * 4 // warps_a_block
    blocks = min(by_registers, WARPS // warps_a_block, BLOCKS, SHARED // (shared + RESERVED))
    return blocks * environments_a_block


def kernel_name(unit, function):
    """cuda_solve_pgs_float32 -> "solve pgs_float32"; prepare_kernel of cuda_step_float64 -> "prepare float64"."""
    words = unit.removeprefix("cuda_")
    kernel = re.search(r"\d+([a-z_]+)_kernel", function).group(1)
    if words.startswith(("step_", "ahead_", "look_", "end_", "linearize_", "rays_")):  # units that have several kernels
        return f"{kernel.replace('_', ' ')} {words.split('_', 1)[1]}"
    return words.replace("_", " ", 1)


def widths_of(name, function):
    """The widths with which a kernel runs; none for one that has no choice. That for warm starts has code of its own for a warp."""
    kind = name.split()[0]
    if kind == "warm":
        return ("warp",) if "WarpLanes" in function else ("quarter", "block")
    return WIDTHS.get(kind, ())


def read_entry(unit, text):
    """Figures of one entry function from its lines, one row per width that it runs with."""
    function = re.match(r"'(\S+)'", text).group(1)
    first = lambda pattern: int((re.findall(pattern, text) or [0])[0])
    spills = [(int(stored), int(loaded)) for stored, loaded in re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", text)]
    registers, shared = first(r"Used (\d+) registers"), first(r"(\d+) bytes smem")
    name = kernel_name(unit, function)
    figures = {
        "registers": registers,
        "stack": first(r"(\d+) bytes cumulative stack size") or first(r"(\d+) bytes stack frame"),
        "spill_stores": sum(stored for stored, _ in spills),
        "spill_loads": sum(loaded for _, loaded in spills),
        "shared": shared,
    }
    widths = widths_of(name, function)
    if not widths:
        return [{"kernel": name, **figures, "environments": resident_environments(registers, shared, *STAGE_GRID)}]
    grids = GRIDS | {"warp": WARM_WARP_GRID} if name.startswith("warm") else GRIDS
    return [{"kernel": f"{name} {width}", **figures, "environments": resident_environments(registers, shared, *grids[width])} for width in widths]


def read_build(build, architecture=ARCHITECTURE):
    """Rows of every kernel of a simulator, sorted by name; empty for a build without code for this architecture."""
    folder = pathlib.Path(build, "kernel_resources")
    if not (folder / "nvcc_version").is_file():
        return []
    nvcc = (folder / "nvcc_version").read_text().strip()
    rows = []
    for log in folder.glob("cuda_*.txt"):
        for text in log.read_text().split("Compiling entry function ")[1:]:
            if f"for '{architecture}'" in text:
                rows += [{**row, "nvcc": nvcc} for row in read_entry(log.stem, text)]
    return sorted(rows, key=lambda row: row["kernel"])


def read_kept():
    with KEPT.open() as file:
        return [{k: int(v) if k in FIGURES else v for k, v in row.items()} for row in csv.DictReader(file)]


def limit(figure, kept):
    """The bound for a new build where the kept table has `kept`: a little more memory, no fewer environments."""
    return kept if figure == "environments" else int(1.1 * kept) + 64


def misses_goal(row, figure):
    goal = GOALS.get((row["kernel"].split()[0], figure), GOALS.get(("any", figure)))
    return goal is not None and (row[figure] < goal if figure == "environments" else row[figure] > goal)


def missed_goals(build):
    """One line per figure and architecture that misses its goal."""
    rows = [(a, row) for a in ARCHITECTURES for row in read_build(build, a)]
    return [f"{row['kernel']}: {f} {row[f]} on {a}" for a, row in rows for f in FIGURES if misses_goal(row, f)]


def main():
    words = [w for w in sys.argv[1:] if w != "--keep"]
    build = words[0] if words else ROOT / "build/host-release"
    rows = read_build(build)
    if not rows:
        sys.exit("kernel_resources: this build has no CUDA kernels")
    print(f"{'kernel':<28}" + "".join(f"{f:>14}" for f in FIGURES))
    for row in rows:
        print(f"{row['kernel']:<28}" + "".join(f"{row[f]:>13}{'!' if misses_goal(row, f) else ' '}" for f in FIGURES))
    print("! misses the project's goal; stack, spills and shared in bytes; environments a multiprocessor of sm_90")
    for miss in missed_goals(build):
        print("misses its goal:", miss)
    if "--keep" in sys.argv:
        with KEPT.open("w") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
