"""The tables of bench/results, and the section of docs/grasping.md that is made of them."""

import csv
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS, PAGE = ROOT / "bench/results", ROOT / "docs/grasping.md"
BEGIN, END = "<!-- from here to the end mark written by bench/grasp/run -->\n", "<!-- end mark -->\n"
EMPTY = ["gripper"]  # columns of a table without rows
MANY = 0.999  # of the verdicts of an object: more agree and it needs no row of its own


def write(path, rows):
    """Numbers with six digits."""
    names = list(dict.fromkeys(name for row in rows for name in row)) or EMPTY
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()} for row in rows)


def read(results, name):
    """Rows of a table; none where it was not measured."""
    if not (results / f"grasp_{name}.csv").exists():
        return []
    with (results / f"grasp_{name}.csv").open() as stream:
        return list(csv.DictReader(stream))


# --- how figures are written


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, line)) + " |" for line in lines), ""])


def percent(text, digits=1):
    return f"{100 * float(text):.{digits}f} %" if text else ""


def number(text, digits=3):
    return f"{float(text):.{digits}g}" if text else ""


def seconds(text):
    return f"{float(text):.0f}" if float(text) >= 100 else number(text)


def machine_of(rows):
    """Where and how undisturbed a table was measured."""
    first = rows[0]
    return f"{first['processor']}, {first['cores']} cores, load {first['load']} before the run"


# --- the tables


def label_table(rows):
    head = ["grasps", "step [ms]", "held", "compared with", "same verdict", "of those without overlap at the start", "steps per grasp",
            "time per grasp [ms]", "steps converged", "without overlap", "worst residual"]  # fmt: skip
    lines = [
        [f"{row['grasps']} {row['gripper']}", number(row["step_ms"]), percent(row["held"]), f"{row['against_ms']} ms" if row["against_ms"] else "",
         percent(row["agree"]), percent(row["agree_without_overlap"]), number(row["steps_a_grasp"]), number(row["ms_a_grasp"]),
         percent(row["converged"], 2), percent(row["converged_without_overlap"], 2), number(row["residual"], 1)]
        for row in rows
        if row["object"] == "all"
    ]  # fmt: skip
    return table(head, lines)


def object_table(rows):
    """Objects of which some verdicts differ."""
    steps = list(dict.fromkeys(row["step_ms"] for row in rows if row["against_ms"]))
    names = list(dict.fromkeys((row["gripper"], row["object"]) for row in rows if row["object"] != "all"))
    lines = []
    for name in names:
        mine = {row["step_ms"]: row for row in rows if (row["gripper"], row["object"]) == name}
        shares = [float(mine[step]["agree"]) for step in steps]
        if min(shares) < MANY:
            first = mine[steps[0]]
            lines.append([name[1], name[0], first["grasps"], first["without_overlap"], *(f"{100 * share:.1f} %" for share in shares)])
    against = {row["step_ms"]: row["against_ms"] for row in rows}
    head = ["object", "gripper", "grasps", "without overlap", *(f"{number(step)} and {against[step]} ms" for step in steps)]
    return table(head, lines) if lines else "All verdicts of all objects agree.\n"


def speed_table(rows):
    head = ["gripper", "objects", "grasps", "step [ms]", "batch", "threads", "wall clock [s]", "processor time [s]", "per grasp [ms]",
            "held", "steps per grasp", "contacts", "iterations", "converged", "worst residual", "outside of steps", "idle"]  # fmt: skip
    lines = [
        [row["gripper"], row["objects"].replace(" ", ", "), row["grasps"], number(row["step_ms"]), row["batch"], row["threads"], seconds(row["wall_s"]),
         seconds(row["process_s"]), number(row["ms_a_grasp"]), percent(row["held"]), number(row["steps_a_grasp"]), number(row["contacts"]),
         number(row["iterations"]), percent(row["converged"], 2), number(row["residual"], 1), percent(row["outside_share"], 0), percent(row["idle_share"], 0)]
        for row in rows
    ]  # fmt: skip
    return table(head, lines)


def peer_table(rows):
    head = ["grasps", "judge", "step [ms]", "held", "same verdict as ours at 2 ms", "held by it alone", "lost by it alone",
            "steps per grasp", "time per step [µs]", "time per grasp [ms]"]  # fmt: skip
    lines = [
        [f"{row['grasps']} {row['gripper']}", row["judge"], number(row["step_ms"]), percent(row["held"]), percent(row["agree"]), row["only_there"],
         row["only_here"], number(row["steps_a_grasp"]), number(row["us_a_step"]), number(row["ms_a_grasp"])]
        for row in rows
    ]  # fmt: skip
    return table(head, lines)


LABELS = """#### Which step size gives the right verdict

The same seeded random grasps are judged with several step sizes, and their verdicts compared. *Jaws*: `sample_jaws`, the 26 objects of `scenes/grasp_jaws` in equal shares.
*Displaced jaws*: the same, but the palm is up to 15 mm off in each axis and turned by up to 30°, and the jaws begin wide open, so that more grasps fail.
*Hand*: `sample_hand` over {hand} of `scenes/grasp_hand`. Grasps that overlap with the hand by more than 1 cm at the start are discarded at any step size, so agreement is also given without them.
Measured on {machine}; processor time of all threads.

{labels}
Objects of which verdicts differ:

{objects}
[grasp_labels_differ.csv](../bench/results/grasp_labels_differ.csv) lists each of the grasps that do not get one verdict at all step sizes ({differ} of {total}), with the reasons.
"""

SPEED = """#### How long it takes

`six_forces` to the verdict, with everything that `evaluate` does, on three objects in equal shares. Contacts and iterations are means per step of environments that have a grasp; *outside of steps* is the share of a half's time that is not spent in `sim.step`, in which the other half steps; *idle* is the share of environments without a grasp, while the last ones end.
Measured on {machine}.

{speed}"""

PEER = """#### Beside MuJoCo

The same models, starts, controls, loads and rules, also those for stopping early, on MuJoCo with the options of DexGraspBench: steps of 4 ms, `implicitfast`, elliptic cones, 2 iterations of `noslip`, `impratio` 10. One thread each, one run. How often the two agree does not say which of them is right.
MuJoCo's time is the processor time inside of `mj_step` alone, without the loop in Python around it; ours is that of the whole of `evaluate`. Measured on {machine}.

{peer}"""


def label_part(rows, differing):
    everything = [row for row in rows if row["object"] == "all"]
    hand = dict.fromkeys(row["object"] for row in rows if row["gripper"] == "hand" and row["object"] != "all")
    total = sum({row["gripper"]: int(row["grasps"]) for row in everything}.values())
    return LABELS.format(hand=", ".join(hand), machine=machine_of(rows), labels=label_table(rows), objects=object_table(rows), differ=len(differing),
                         total=total)  # fmt: skip


def section(results):
    """What is between the marks on the page, from what was measured."""
    labels, differing, speed, peer = (read(results, name) for name in ("labels", "labels_differ", "speed", "peer"))
    parts = [label_part(labels, differing)] if labels else []
    parts += [SPEED.format(machine=machine_of(speed), speed=speed_table(speed))] if speed else []
    parts += [PEER.format(machine=machine_of(peer), peer=peer_table(peer))] if peer else []
    return "\n".join(parts)


def write_page(results):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + section(results) + END + rest.split(END)[1])
