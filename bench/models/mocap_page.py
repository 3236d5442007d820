"""The section of docs/models.md on tasks whose hand is welded to a mocap body, from the tables that bench/models/picks wrote."""

import csv

HEADING = "## Tasks that pull a hand by a mocap body"
TEXT = """{heading}

In metaworld's and Fetch's tasks nothing drives the arm: a weld ties the hand to a mocap body, and the environment moves that. A script does it here in Python
([how](python.md#mocap-bodies)): it lets the hand come from the model's reference, moves it down, closes the gripper, lifts or pulls, and holds. The same script runs in MuJoCo with
the model's step, and in stiction with its defaults and steps of 10 and 2.5 ms. Written by `bench/models/picks`; [`bench/results/mocap_tasks.csv`](../bench/results/mocap_tasks.csv) has more figures.

| task | MuJoCo | 10 ms | 2.5 ms | control | slip in the grip: MuJoCo | 10 ms | 2.5 ms | `dynamic_fitted`, 10 ms | hand to mocap body: MuJoCo | 2.5 ms | steps | not converged |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
{tasks}

*MuJoCo, 10 ms, 2.5 ms*: the height that the object gained, for a push or slide its way, for a drawer and a button the way of the joint [mm], for a door and a lever its angle [rad]. A
test holds ours to 4 mm of MuJoCo's with its slip added, to 12 mm for the slide, where MuJoCo's hand lags and strikes more slowly, and to 0.01 and 0.02 rad for door and lever. *Control*: the same
at 10 ms with the gripper left open, or with the hand beside what it pulls. *Slip*: the farthest that the object moved against a finger after the gripper closed [mm]. In MuJoCo it creeps; here it
follows the tangent of the arm's arcs, an error of second order in h in every step, which [`dynamic_fitted`](dynamics/dynamic_fitted.md) does not make. *Hand to mocap body*: at the end [mm]; the weld is soft, and
the arm hangs on it. *Steps*: of all three runs here and their controls. The largest residual after the hand has come is {residual}, the deepest overlap {penetration} mm.

The file of the lever has the range of its joint the wrong way round, 0 to 1.57, where the lever goes to -1.57: MuJoCo's soft limit gives way by 0.7 rad, a hard one does not. The row has the
range turned round, in both.
"""
POLICIES = """
### metaworld's own policies

The policies that metaworld ships play its {tasks} tasks in metaworld's own environments, {seeds} episodes each; only what steps the model differs, at metaworld's step of 2.5 ms.
[`bench/results/mocap_policies.csv`](../bench/results/mocap_policies.csv) has every episode.

| stepped by | episodes that succeed, of {episodes} | tasks that succeed at least once, of {tasks} |
|---|---|---|
{worlds}

Never here: {failed}. The policies were made for MuJoCo's soft contact, and these need it:

- Fingers that are closed slide on down the object, at a friction coefficient of 2 (`basketball`, `bin-picking`, `box-close`, `coffee-pull`, `disassemble`, `peg-insert-side`). MuJoCo's friction creeps that far;
  where it does not, with `impratio` 1000, the same policies fail in MuJoCo, too (`peg-insert-side` in two episodes of three).
- A joint passes its limit: the buttons count as pressed 14 mm beyond the range of their joint, and the range of the lever is the wrong way round.
- Bodies pass each other: the edge of the door meets its case at 1.30 rad, and the door counts as open at 1.4 rad.

In `pick-out-of-hole` the object begins between a plate and the table, 20 mm inside both, and in `peg-unplug-side` the plug is 8 mm too thick for its hole on every side: such steps are `infeasible`,
and move on with the least overlap. A reset of `disassemble` may put the peg through the wall of the ring; the step that parts them throws the ring.
"""


def put(repository):
    """Writes the section at the end of docs/models.md, in place of an older one."""
    page = repository / "docs/models.md"
    parts = [page.read_text().split(HEADING)[0], section(repository)]
    page.write_text("\n\n".join(part.rstrip() for part in parts if part) + "\n")


def section(repository):
    """The section, or nothing where there are no tables."""
    tables = [repository / "bench/results" / name for name in ("mocap_tasks.csv", "mocap_policies.csv")]
    if not all(table.exists() for table in tables):
        return ""
    rows, episodes = ([*csv.DictReader(table.open())] for table in tables)
    return script_text(rows) + policy_text(episodes)


def script_text(rows):
    ours = [row for row in rows if row["world"] != "MuJoCo"]
    residual, penetration = (max(float(row[name]) for row in ours) for name in ("residual", "penetration"))
    tasks = "\n".join(task_line([row for row in rows if row["task"] == task]) for task in dict.fromkeys(row["task"] for row in rows))
    return TEXT.format(heading=HEADING, tasks=tasks, residual=f"{residual:.1g}", penetration=f"{1e3 * penetration:.2g}")


def task_line(rows):
    of = {(row["world"], int(row["control"])): row for row in rows}
    first = of["MuJoCo", 0]
    angle = first["task"].startswith(("door", "lever"))
    moved = [f"{float(of[key]['moved']):.3f} rad" if angle else f"{1e3 * float(of[key]['moved']):.1f}"
             for key in (("MuJoCo", 0), ("10 ms", 0), ("2.5 ms", 0), ("10 ms", 1))]  # fmt: skip
    slips = [1e3 * float(of[world, 0]["slip"]) for world in ("MuJoCo", "10 ms", "2.5 ms", "fitted")]
    welds = [f"{1e3 * float(of[world, 0]['weld']):.2f}" for world in ("MuJoCo", "2.5 ms")]
    ours = [row for row in rows if row["steps"]]
    counts = [sum(int(row[name]) for row in ours) for name in ("steps", "not_good")]
    values = [first["task"], *moved, *(f"{slip:.3f}" if slip else "-" for slip in slips), *welds, *counts]
    return "| " + " | ".join(str(value).replace("-0.0", "0.0") for value in values) + " |"


def policy_text(episodes):
    worlds, tasks = (list(dict.fromkeys(row[name] for row in episodes)) for name in ("world", "task"))
    solved = {world: [row["task"] for row in episodes if row["world"] == world and int(row["steps"])] for world in worlds}
    lines = "\n".join(f"| {world} | {len(names)} | {len(set(names))} |" for world, names in solved.items())
    failed = ", ".join(f"`{task}`" for task in tasks if task not in solved["stiction"])
    episodes = len(episodes) // len(worlds)
    return POLICIES.format(tasks=len(tasks), seeds=episodes // len(tasks), episodes=episodes, worlds=lines, failed=failed or "none")
