"""2021 paper, Fig. 5: commanded and actual place of the left finger, and when the contact changes its mode."""

import numpy as np
from figure_parts import claims, gripper, style, tables

NAME, TABLES = "2021_fig5", ("gripper",)
TITLE = "2021, Fig. 5: commanded and actual finger positions"
CAPTION = "Left finger; it touches at 0.03 s, slides from 0.13 s to 0.23 s (dashed verticals)."
TIME, PLACE, FORCE = 1e-9, 1e-9, 1e-6  # [s], [m], [N]: direct solver, double
MODE_CHANGES = (0.03, 0.13, 0.23)  # as printed below the paper's Fig. 5 [s]
SLIDES = 0.1  # half of the sliding speed; slower motion is creep [m/s]


def touch_time(run):
    """When the gap is first closed; NaN if it never is."""
    closed = np.flatnonzero(run["gap_1"] <= PLACE)
    return run["time_s"][closed[0]] if len(closed) else np.nan


def slide_times(run):
    """Start of the first and end of the last step that slides while the finger presses."""
    sliding = np.flatnonzero((np.abs(gripper.slides(run)) > SLIDES) & (run["c_n1"][1:] > FORCE))
    return (run["time_s"][sliding[0]], run["time_s"][sliding[-1] + 1]) if len(sliding) else (np.nan, np.nan)


def judge(data):
    found = []
    for model in gripper.LAWS:
        run, name = tables.where(data["gripper"], model=model), model.upper()
        slide_begins, slide_ends = slide_times(run)
        found += [
            claims.near(
                NAME, f"{name}: the fingers start this far from the sphere", run["gap_1"][0], 0.006, PLACE, "m"
            ),
            claims.near(NAME, f"{name}: they touch it at", touch_time(run), MODE_CHANGES[0], TIME, "s"),
            claims.near(NAME, f"{name}: rolling changes to sliding at", slide_begins, MODE_CHANGES[1], TIME, "s"),
            claims.near(
                NAME,
                f"{name}: sliding changes to rolling at",
                slide_ends,
                MODE_CHANGES[2],
                TIME,
                "s",
                note="as below the figure; the text has the command stop at 0.24 s",
            ),
            claims.near(
                NAME,
                f"{name}: left and right finger mirror each other",
                run["x_l"] + run["x_r"] - 2 * run["x_c"],
                0,
                PLACE,
                "m",
            ),
            claims.near(NAME, f"{name}: so do their forces", (run["c_n1"] - run["c_n2"])[1:], 0, FORCE, "N"),
            claims.near(
                NAME,
                f"{name}: the height ends above the command by friction over k",
                (run["y"] - run["bar_y"])[-1],
                0.01 + run["gap_1"][-1],
                PLACE,
                "m",
            ),
        ]
    creep = gripper.slides(tables.where(data["gripper"], model="qp"))[23:]
    found.append(
        claims.near(
            NAME,
            "QP: after that it creeps on while the layer dissipates, a third of it in every step",
            creep[1:6] / creep[:5],
            1 / 3,
            1e-4,
            note="so Anitescu's law does not stick at once, as the LCP does",
        )
    )
    return found


def draw(data, file):
    figure, axes = style.panels(2, 1, height=6.0, sharex=True)
    for ax, place, bar, label in ((axes[0, 0], "x_l", "bar_l", "$x_l$ [m]"), (axes[1, 0], "y", "bar_y", "$y$ [m]")):
        run = tables.where(data["gripper"], model="qp")
        ax.plot(run["time_s"][1:], run[bar][1:], label="commanded", **style.look(3, False))
        for k, model in enumerate(gripper.LAWS):
            run = tables.where(data["gripper"], model=model)
            ax.plot(run["time_s"], run[place], label=model.upper(), **style.look(k, False))
        ax.set_ylabel(label)
    style.mark_times(axes.flat, MODE_CHANGES)
    axes[1, 0].set_xlabel("time t [s]")
    axes[0, 0].legend()
    style.save(figure, file)
