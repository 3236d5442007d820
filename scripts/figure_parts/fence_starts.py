"""2005 paper, section 5.1.1: without friction the answer depends on the start of the solver; with friction it does not."""

import numpy as np
from figure_parts import claims, style, tables

NAME, TABLES = "2005_no_friction", ("fence_starts",)
TITLE = "2005, section 5.1.1: no friction, no unique solution"
CAPTION = (
    "Where the first step takes the particle from (0.7, 0), by the point at which the solver starts (crosses); "
    "fence and wall are at 0.504 and 1 m. Without friction (circles, joined with their start) every place between "
    "them solves the step."
)
PLACE = 1e-6  # motions of metres in a step of 0.01 s, solved to 1e-10 of 300 m/s [m]


def judge(data):
    free = tables.where(data["fence_starts"], model="frictionless")
    rubbed = {
        key: np.concatenate([tables.where(data["fence_starts"], model=m)[key] for m in ("dqc", "dlc4")])
        for key in ("x", "y")
    }
    places = {(round(x, 5), round(y, 5)) for x, y in zip(free["x"], free["y"], strict=True)}
    return [
        claims.near(
            NAME,
            "no friction: the particle ends nearest to the start between fence and wall: x",
            free["x"],
            free["nearest_x"],
            PLACE,
            "m",
        ),
        claims.near(NAME, "no friction: its y is that of the start", free["y"], free["start_y"], PLACE, "m"),
        claims.near(
            NAME,
            "no friction: DQC is DLC: difference of x and of y",
            [free[key] - tables.where(data["fence_starts"], model="frictionless, dqc")[key] for key in ("x", "y")],
            0,
            PLACE,
            "m",
        ),
        claims.near(NAME, "no friction: different solutions from as many starts", len(places), len(free["x"]), 0),
        claims.near(NAME, "no friction: share of these steps that converged to 1e-10", free["converged"], 1, 0),
        claims.near(NAME, "friction, DQC and DLC: one solution from every start, x", rubbed["x"], 0.7, PLACE, "m"),
        claims.near(NAME, "friction, DQC and DLC: y", rubbed["y"], 0, PLACE, "m"),
    ]


def draw(data, file):
    figure, axes = style.panels(1, 1)
    ax = axes[0, 0]
    free = tables.where(data["fence_starts"], model="frictionless")
    for k in range(len(free["x"])):
        ax.plot(
            [free["start_x"][k], free["x"][k]], [free["start_y"][k], free["y"][k]], color="0.7", linewidth=1.5, zorder=1
        )
    ax.plot(free["start_x"], free["start_y"], ls="none", marker="x", color="0.35", label="start")
    ax.plot(free["x"], free["y"], ls="none", marker="o", color=style.PALETTE[0], label="no friction")
    rubbed = tables.where(data["fence_starts"], model="dqc")
    ax.plot(
        rubbed["x"], rubbed["y"], ls="none", marker="D", color=style.PALETTE[1], markersize=12, label="friction (DQC)"
    )
    for x in (0.504, 1.0):
        ax.axvline(x, color="0.35", linestyle=(0, (2, 2)))
    ax.set(xlabel="x [m]", ylabel="y [m]", ylim=(-3.4, 1.9))
    ax.legend(ncols=3, loc="upper center", handletextpad=0.1, columnspacing=0.8)
    style.save(figure, file)
