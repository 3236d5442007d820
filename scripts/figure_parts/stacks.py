"""2021 paper, Fig. 1: the arm stacks ten cubes; where they end, by step size, and the start and end of one run."""

import re
import sys

from figure_parts import claims, program, style, tables

sys.path.insert(0, str(program.ROOT / "scripts"))
import judge_stack
from scenes.recording import Recording

NAME, TABLES, WRITES = "2021_fig1", ("stacks", "stacks_seen"), ("stacks", "stacks_seen")
TITLE = "2021, Fig. 1: an arm stacks ten cubes"
CAPTION = (
    "Where the cubes of scenes/iiwa_stack are before (from above) and after 97.6 s with h = 0.4 s (seen along x); "
    "numbers tell them apart. The cubes start where the command expects them, without the scene's noise."
)
STEPS = [0.01, 0.05, 0.1, 0.2, 0.4]  # [s]
SHOWN, EDGE = 0.4, 0.06  # step [s], edge of a cube [m]
LIMITS = {0.1: (0.005, 2.0), 0.4: (0.015, 6.0)}  # limits of judge_stack.py up to this step size: position [m], angle [deg]


def run(bench, step):
    """A recording of the scene, cubes where the command expects them."""
    scene = program.copy_scene("iiwa_stack", bench.folder())
    file = scene / "scene.toml"
    file.write_text(re.sub(r"\[randomize\.qpos_noise\]\n(?:.+\n)*", "", file.read_text()))
    out = scene.parent / "stack.h5"
    options = ["--step-size", step, "--every", max(1, round(0.4 / step))]
    recording = program.run(bench.program, scene, *options, keep=out)
    return recording, Recording(out)


def row_of(step, recording, cubes):
    position, tilt, yaw = judge_stack.errors(cubes, judge_stack.read_targets(cubes, None))
    limits = judge_stack.limits(step)
    stacked = (position <= limits[0]) & (tilt <= limits[1]) & (yaw <= limits[1])
    return {
        "step_s": step,
        "cubes": stacked.size,
        "stacked": int(stacked.sum()),
        "position_error_m": position.max(),
        "tilt_deg": tilt.max(),
        "yaw_error_deg": yaw.max(),
        "overlap_m": judge_stack.deepest(cubes),
        "converged": recording.converged[1:].mean(),
    }


def measure(bench):
    rows, seen = [], []
    for step in STEPS:
        recording, cubes = run(bench, step)
        rows.append(row_of(step, recording, cubes))
        if step == SHOWN:
            for when, qpos in (("before", recording.qpos[0]), ("after", recording.qpos[-1])):
                seen += [{"when": when, "x": qpos[a], "y": qpos[a + 1], "z": qpos[a + 2]} for a in cubes.cubes.values()]
    return {"stacks": rows, "stacks_seen": seen}


def judge(data):
    table, found = data["stacks"], []
    for k, step in enumerate(table["step_s"]):
        found.append(
            claims.near(
                NAME,
                f"h = {step:g} s: cubes that end on their place in the stack",
                table["stacked"][k],
                table["cubes"][k],
                0,
                note=f"worst: {1e3 * table['position_error_m'][k]:.1f} mm off, overlap "
                f"{1e3 * table['overlap_m'][k]:.2g} mm",
            )
        )
    return found


def draw(data, file):
    figure, axes = style.panels(1, 2, height=4.2)
    for ax, when, up in zip(axes[0], ("before", "after"), "xz", strict=True):
        cubes = tables.where(data["stacks_seen"], when=when)
        for k, (y, height) in enumerate(zip(cubes["y"], cubes[up], strict=True)):
            ax.add_patch(
                style.plt.Rectangle(
                    (y - EDGE / 2, height - EDGE / 2), EDGE, EDGE, facecolor=style.PALETTE[k % 5], edgecolor="white"
                )
            )
            ax.text(y, height, str(k), color="white", ha="center", va="center", fontsize=style.FONT - 3, weight="bold")
        ax.set(title=when, xlabel="y [m]", ylabel=f"{up} [m]", aspect="equal")
    axes[0, 0].set(xlim=(-0.36, 0.36), ylim=(0.38, 0.78), xticks=[-0.3, 0, 0.3])
    axes[0, 1].set(xlim=(-0.3, 0.3), ylim=(0, 0.333), xticks=[-0.2, 0, 0.2])
    style.save(figure, file)
