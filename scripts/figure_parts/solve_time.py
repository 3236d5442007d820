"""2021 paper, section V-B: time of a solve, and how it grows with dofs and contacts; `stiction bench` on one thread."""

import csv
import os
import platform
import subprocess

import numpy as np
from figure_parts import claims, program, style, tables

NAME, TABLES, WRITES = "2021_solve_time", ("solve_time",), ("solve_time",)
TITLE = "2021, section V-B: time of a step"
CAPTION = (
    "Whole steps (kinematics, collision, solve) and the solve alone on one thread, h = 0.1 and 0.2 s. "
    "Every run to a residual of 1e-6. Star: the paper's mean solve, Gurobi on an i7-8700B."
)
SCENES, STEPS, ROUNDS = ["iiwa_stack_1", "iiwa_stack_3", "iiwa_stack"], "0.1,0.2", 5
PAPER_MS, PAPER_DOFS, PAPER_CONTACTS = 3.56, 69, 56
STAGES = ["prepare", "drift", "collide", "meet", "task", "warm", "solve", "explain", "move", "look", "judge", "finish"]
KEPT = ["scene", "dofs", "step_size_s", "contacts", "rows", "iterations", "residual_worst", "converged_share"]


def processor():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(": ")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def solve_share(row):
    """Share of the solve in the time of a step, from the stages."""
    stages = [float(row[f"{stage}_us"]) for stage in STAGES]
    return float(row["solve_us"]) / sum(stages)


def measure(bench):
    folder, load = bench.folder(), os.getloadavg()[0]
    command = [
        bench.program,
        "bench",
        *(f"scenes/{scene}" for scene in SCENES),
        "--batch",
        1,
        "--threads",
        1,
        "--device",
        "cpu",
        "--step-size",
        STEPS,
        "--seconds",
        1,
        "--rounds",
        ROUNDS,
        "--stages",
        "--out",
        folder / "bench.csv",
    ]
    subprocess.run([str(word) for word in command], check=True, capture_output=True, cwd=program.ROOT)
    with (folder / "bench.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        "solve_time": [
            {key: row[key] for key in KEPT}
            | {
                "step_ms": 1e3 / float(row["env_steps_per_s"]),
                "solve_ms": 1e3 / float(row["env_steps_per_s"]) * solve_share(row),
                "threads": 1,
                "processor": processor(),
                "load": load,
            }
            for row in rows
        ]
    }


def largest(data):
    """The row of ten cubes that has at least as many contacts as the paper."""
    table = tables.where(data["solve_time"], scene="iiwa_stack")
    enough = np.flatnonzero(table["contacts"] >= PAPER_CONTACTS)
    return {key: column[enough[0]] for key, column in table.items()}


def judge(data):
    row, table = largest(data), data["solve_time"]
    shown = (
        f"h = {row['step_size_s']:g} s, {row['contacts']:.1f} contacts and {row['rows']:.0f} rows on average, "
        f"{row['iterations']:.1f} iterations, residual at most {row['residual_worst']:.1g}, "
        f"{100 * row['converged_share']:.4g} % of steps converged, one thread, "
        f"{row['processor']}, load {row['load']:.1f} before the run"
    )
    grown = np.polyfit(np.log(table["contacts"]), np.log(table["step_ms"]), 1)[0]
    return [
        claims.near(NAME, "ten cubes: dofs", row["dofs"], PAPER_DOFS, 0),
        claims.at_least(NAME, "and contacts on average not fewer than the paper's", row["contacts"], PAPER_CONTACTS),
        claims.at_most(
            NAME,
            "mean time of the solve alone against the paper's",
            row["solve_ms"],
            PAPER_MS,
            "ms",
            "the same run",
        ),
        claims.at_most(
            NAME,
            "mean time of a whole step against the paper's of the solve alone",
            row["step_ms"],
            PAPER_MS,
            "ms",
            f"{shown}; another processor than the paper's, and warm starts",
        ),
        claims.at_least(NAME, "share of steps converged to 1e-6, worst run", table["converged_share"].min(), 1),
        claims.at_most(
            NAME,
            "the scheme scales well with dofs and contacts: exponent of the time over contacts, 15 to 69 dofs",
            grown,
            1.5,
            note="a dense factor would give 3",
        ),
    ]


def draw(data, file):
    figure, axes = style.panels(1, 1)
    ax, table = axes[0, 0], data["solve_time"]
    order = np.argsort(table["contacts"])
    ax.semilogy(table["contacts"][order], table["step_ms"][order], label="step", **style.look(0))
    ax.semilogy(table["contacts"][order], table["solve_ms"][order], label="solve alone", **style.look(1))
    ax.plot(PAPER_CONTACTS, PAPER_MS, "*", markersize=18, color=style.PALETTE[4], label="paper, solve alone")
    ax.set(xlabel="contacts, mean", ylabel="time [ms]", xlim=(0, 70), ylim=(0.01, 10))
    ax.legend(loc="upper left")
    style.save(figure, file)
