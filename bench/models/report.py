"""The page docs/models.md and bench/results/models.csv, from one result per file."""

import csv
import pathlib
import platform
from collections import Counter

import causes
import mocap_page
import numpy as np

DONE, REFUSED, FAILED = 0, 2, 3
SLOW = 0.2  # a smaller share of MuJoCo's speed is listed by name
MOST_SLOW = 20  # names on the page; all are in the CSV
NAMES = {"defaults": "the defaults (`coulomb`, `quadratic`)", "convex": "`--law anitescu --cone pyramid`"}

HEAD = """# Other people's robots

This page says how many of the models that other packages ship run here, which do not and why, and how fast they are beside MuJoCo. It is written by `bench/models/run`;
[`bench/results/models.csv`](../bench/results/models.csv) has one line per file.

Every MJCF and URDF file of the packages below is a candidate if MuJoCo {mujoco} loads it alone: parts that are only included do not count, and URDFs count if MuJoCo loads them
once their `package://` paths are resolved and what is only to be seen is left out. Each is stepped for {duration} s in steps of {step} s from the model's reference with zero controls, dynamics `dynamic`, on one thread.
MuJoCo steps the same model at the same step with its own integrator, solver and cone, and without sensors. Both are timed alike, each in a process of its own from Python: processor time of a call that takes all steps, the least of three after one that is not timed.
"""


# --- what a row says ------------------------------------------------------------------------------------------------


def loads(row):
    return row["mujoco"]["loads"]


def exit_of(row, choice="defaults"):
    return row["runs"][choice]["exit"]


def exit_with_ignore(row):
    return row["runs"].get("ignored", row["runs"]["defaults"])["exit"]


def ratio_of(row, choice):
    """Our steps per second over MuJoCo's; None where a run has no figures or nothing moves."""
    ours = row["runs"][choice]
    if not row["mujoco"]["dofs"] or ours["exit"] != DONE or "steps_per_s" not in ours:
        return None
    return ours["steps_per_s"] / row["mujoco"]["steps_per_s"]


def cause_of(row):
    return causes.cause_of(row["runs"]["defaults"]["line"])


def name_of(row):
    """The package, the file and its folder: many are called robot.xml."""
    return "/".join([row["package"], *row["file"].split("/")[1:][-2:]])


def one_line(row):
    if not loads(row):
        return f"{row['package']} {row['file']}: MuJoCo: {row['mujoco']['error']}"
    ratios = [f"{ratio:.2f}" if (ratio := ratio_of(row, choice)) else "-" for choice in NAMES]
    exits = [str(exit_of(row, choice)) for choice in NAMES]
    return f"{row['package']} {row['file']}: exit {' '.join(exits)}, speed {' '.join(ratios)} {row['runs']['defaults']['line']}"


# --- tables ---------------------------------------------------------------------------------------------------------


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, line)) + " |" for line in lines)])


def share(part, whole):
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "0"


def counts_of(name, rows):
    """A line of the table of packages."""
    here = [row for row in rows if loads(row)]
    exits = Counter(exit_of(row) for row in here)
    others = sum(exits.values()) - exits[DONE] - exits[REFUSED] - exits[FAILED]
    ignored = sum(exit_with_ignore(row) == DONE for row in here)
    return [name, len(rows), len(here), share(exits[DONE], len(here)), share(ignored, len(here)), exits[REFUSED], exits[FAILED], others]


def package_table(rows):
    packages = list(dict.fromkeys(row["package"] for row in rows))
    lines = [counts_of(package, [row for row in rows if row["package"] == package]) for package in packages]
    kinds = [counts_of(f"**all {kind}**", [row for row in rows if row["kind"] == kind]) for kind in ("MJCF", "URDF")]
    head = ["package", "files", "MuJoCo loads", "run", "run with every `--ignore`", "refused (exit 2)", "failed (exit 3)", "crash or time limit"]
    return table(head, [*lines, *kinds, counts_of("**all**", rows)])


def cause_table(rows, code):
    """Causes of this exit code, most frequent first, each with the message of its first file."""
    here = [row for row in rows if loads(row) and exit_of(row) == code]
    counts = Counter(map(cause_of, here))
    examples = {cause_of(row): row for row in reversed(here)}
    lines = [(cause, count, f"`{examples[cause]['runs']['defaults']['line'].removeprefix('stiction: ').replace('|', '/')}`")
             for cause, count in counts.most_common()]  # fmt: skip
    return table(["cause", "files", "for example"], lines) if lines else "None."


def explained_lines(rows):
    """Why files that fail do, where that was found out."""
    failed = [row for row in rows if loads(row) and exit_of(row) == FAILED]
    lines = [f"- `{name_of(row)}`: {text}." for row in failed if (text := causes.explained(row["file"]))]
    return "\n".join(["", *lines]) if lines else ""


def speed_table(rows):
    lines = []
    for choice, name in NAMES.items():
        ratios = np.array([ratio for row in rows if loads(row) and (ratio := ratio_of(row, choice)) is not None])
        if len(ratios):
            tenth, median = np.quantile(ratios, [0.1, 0.5])
            lines.append((name, len(ratios), f"{median:.2f}", f"{tenth:.2f}", f"{ratios.min():.3f}", int(np.sum(ratios < SLOW))))
    return table(["choices", "models", "median", "10 % quantile", "worst", f"below {SLOW}"], lines)


def slow_table(rows):
    slow = sorted((ratio, name_of(row), row) for row in rows if loads(row) and (ratio := ratio_of(row, "defaults")) and ratio < SLOW)
    lines = [(name, row["mujoco"]["dofs"], f"{row['runs']['defaults']['contacts']:.1f}", f"{row['mujoco']['contacts']:.1f}",
              f"{row['runs']['defaults']['steps_per_s']:.0f}", f"{row['mujoco']['steps_per_s']:.0f}", f"{ratio:.3f}",
              f"{convex:.3f}" if (convex := ratio_of(row, "convex")) else "-") for ratio, name, row in slow[:MOST_SLOW]]  # fmt: skip
    head = ["model", "dofs", "contacts", "MuJoCo's contacts", "steps/s", "MuJoCo's steps/s", "ratio", "ratio with `anitescu`, `pyramid`"]
    return table(head, lines) if lines else "None."


# --- files ----------------------------------------------------------------------------------------------------------


def write(rows, repository, settings):
    """Writes the page and the CSV. `settings`: mujoco (version), step and duration [s]."""
    write_csv(rows, repository / "bench/results/models.csv")
    (repository / "docs/models.md").write_text(page(rows, settings))
    mocap_page.put(repository)


def page(rows, settings):
    absent = [name for name in settings["packages"] if name not in {row["package"] for row in rows}]
    parts = [HEAD.format(**settings), "## Which run\n", package_table(rows), "\n*Run*: exit code 0 with the defaults.",
             "\nNot there when this was measured: " + ", ".join(absent) + "." if absent else "",
             "\n## Refused, by cause\n", cause_table(rows, REFUSED), "\n## Failed, by cause\n", cause_table(rows, FAILED), explained_lines(rows),
             "\n## Speed beside MuJoCo\n",
             f"Steps per second over MuJoCo's, of the models that run and move; {platform.machine()}, {processor_name()}.\n",
             speed_table(rows), f"\nThe slowest with the defaults, below {SLOW} of MuJoCo's speed:\n", slow_table(rows), ""]  # fmt: skip
    return "\n".join(parts)


def processor_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


FIELDS = ["package", "file", "kind", "mujoco_loads", "mujoco_error", "dofs", "bodies", "geoms", "actuators", "keyframes",
          "mujoco_contacts", "mujoco_steps_per_s", "mujoco_warnings", "info_exit"]  # fmt: skip
RUN_FIELDS = ["exit", "contacts", "steps_per_s", "converged", "iterations", "line"]


def write_csv(rows, path):
    runs = ["defaults", "convex", "ignored"]
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*FIELDS, *(f"{run}_{field}" for run in runs for field in RUN_FIELDS)])
        for row in rows:
            mujoco = row["mujoco"]
            first = [row["package"], row["file"], row["kind"], int(mujoco["loads"]), mujoco.get("error", "")]
            sizes = [mujoco.get(name, "") for name in ("dofs", "bodies", "geoms", "actuators", "keyframes")]
            speeds = [rounded(mujoco.get(name, "")) for name in ("contacts", "steps_per_s", "warnings")]
            ours = [rounded(row.get("runs", {}).get(run, {}).get(field, "")) for run in runs for field in RUN_FIELDS]
            writer.writerow([*first, *sizes, *speeds, row.get("info", {}).get("exit", ""), *ours])


def rounded(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def summary(rows):
    """A few lines for the terminal."""
    _, files, here, run, ignored, refused, failed, others = counts_of("all", rows)
    lines = [f"{here} of {files} files load in MuJoCo; run {run}, with --ignore {ignored}, refused {refused}, failed {failed}, others {others}"]
    for code in (REFUSED, FAILED):
        counts = Counter(cause_of(row) for row in rows if loads(row) and exit_of(row) == code)
        lines += [f"  exit {code}: {count:4d} {cause}" for cause, count in counts.most_common()]
    return "\n".join([*lines, speed_table(rows)])
