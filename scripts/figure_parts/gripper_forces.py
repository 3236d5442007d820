"""2021 paper, Fig. 6: forces and gap at the finger and on the ground, under the LCP (6) and the QP (10)."""

import numpy as np
from figure_parts import claims, gripper, style, tables

NAME, TABLES = "2021_fig6", ("gripper",)
TITLE = "2021, Fig. 6: contact forces and signed distance"
CAPTION = (
    "Normal force c_n1 and friction c_f1 of the left finger (mean of both fingers), normal force c_n3 of the ground, "
    "gap φ_1. Left the LCP, right the QP."
)
PLACE, FORCE = 1e-9, 1e-6  # [m], [N]: direct solver, double
SQUEEZE, PUSH, SLIDE, REST = slice(3, 8), slice(8, 13), slice(13, 23), slice(23, 35)  # steps
LAYER = 1e-3  # μ h v of the slide [m]


def steps_of(data, model):
    """The table without the row of the start: one row per step; c_f12 is the friction of both fingers."""
    run = {key: column[1:] for key, column in tables.where(data["gripper"], model=model).items()}
    return run | {"c_f12": run["c_f1"] + run["c_f2"]}


def judge_both(run, name):
    """What the paper says of the LCP and the QP alike."""
    count = np.arange(1, 6)
    return [
        claims.near(
            NAME,
            f"{name}: c_n1 grows from 0 to 10 N while the fingers squeeze (t = 0.03 ... 0.08 s)",
            run["c_n1"][SQUEEZE],
            2 * count,
            FORCE,
            "N",
        ),
        claims.near(NAME, f"{name}: φ_1 stays 0 meanwhile", run["gap_1"][SQUEEZE], 0, PLACE, "m"),
        claims.near(
            NAME,
            f"{name}: friction of both fingers resists the pull, t = 0.08 ... 0.13 s",
            run["c_f12"][PUSH],
            -2 * count,
            FORCE,
            "N",
        ),
        claims.near(NAME, f"{name}: c_n3 grows with it", run["c_n3"][PUSH], 10 + 2 * count, FORCE, "N"),
        claims.near(
            NAME,
            f"{name}: the sphere is in balance in every step, c_n3 + c_f1 + c_f2 − weight",
            run["c_n3"] + run["c_f12"] - gripper.WEIGHT,
            0,
            FORCE,
            "N",
        ),
        claims.near(NAME, f"{name}: steps that converged", run["converged"].sum(), 35, 0),
    ]


def judge(data):
    lcp, qp = steps_of(data, "lcp"), steps_of(data, "qp")
    slide, rest = 3.0 ** -np.arange(1, 11), 3.0 ** -np.arange(1, 13)
    at_stop = LAYER * (1 - 3.0**-10)
    left = gripper.STIFFNESS * qp["gap_1"][REST]
    return (
        judge_both(lcp, "LCP")
        + judge_both(qp, "QP")
        + [
            claims.near(
                NAME,
                "LCP and QP are alike in a rolling contact, to t = 0.13 s: difference of their forces",
                [(lcp[key] - qp[key])[:13] for key in ("c_n1", "c_f12", "c_n3")],
                0,
                FORCE,
                "N",
            ),
            claims.near(
                NAME, "LCP: c_n1 remains constant from rolling to sliding and back", lcp["c_n1"][8:], 10, FORCE, "N"
            ),
            claims.near(NAME, "LCP: so does the friction, t = 0.12 ... 0.35 s", lcp["c_f12"][12:], -10, FORCE, "N"),
            claims.near(NAME, "LCP: so does φ_1", lcp["gap_1"][3:], 0, PLACE, "m"),
            claims.near(
                NAME,
                "QP: φ_1 increases a little as sliding starts: 1 mm (1 − 3⁻ᵏ), the layer μ h v",
                qp["gap_1"][SLIDE],
                LAYER * (1 - slide),
                PLACE,
                "m",
            ),
            claims.near(
                NAME, "QP: c_n1 while it slides tends to 11 N, as 3⁻ᵏ", qp["c_n1"][SLIDE], 11 - slide, FORCE, "N"
            ),
            claims.near(
                NAME, "QP: friction of both fingers tends to −11 N", qp["c_f12"][SLIDE], slide - 11, FORCE, "N"
            ),
            claims.near(NAME, "QP: c_n3 tends to 21 N", qp["c_n3"][SLIDE], 21 - slide, FORCE, "N"),
            claims.near(
                NAME,
                "QP: the layer dissipates once sliding stops, to a third in every step",
                qp["gap_1"][REST],
                at_stop * rest,
                PLACE,
                "m",
            ),
            claims.at_most(NAME, "QP: what is left of it at 0.35 s", qp["gap_1"][-1], 1e-2 * LAYER, "m"),
            claims.near(
                NAME,
                "QP: forces return to those of the LCP as the layer does: differences from k φ_1",
                [(qp["c_n1"] - lcp["c_n1"])[REST], (qp["c_n3"] - lcp["c_n3"])[REST]] - left,
                0,
                FORCE,
                "N",
            ),
        ]
    )


def draw(data, file):
    figure, axes = style.panels(2, 2, height=6.2, sharex=True, sharey="row")
    for column, model in enumerate(gripper.LAWS):
        run = steps_of(data, model)
        series = {"$c_{n1}$": run["c_n1"], "$c_{f1}$": run["c_f12"] / 2, "$c_{n3}$": run["c_n3"]}
        for k, (name, values) in enumerate(series.items()):
            axes[0, column].plot(run["time_s"], values, label=name, **style.look(k, False))
        axes[1, column].plot(run["time_s"], 1e3 * run["gap_1"], **style.look(4, False) | {"linestyle": "-"})
        axes[0, column].set_title(model.upper())
        axes[1, column].set(xlabel="time t [s]", ylim=(-0.3, 6.3))
    axes[0, 0].set_ylabel("force [N]")
    axes[1, 0].set_ylabel("gap $φ_1$ [mm]")
    axes[0, 1].legend(loc="upper left", handlelength=1.6)
    style.mark_times(axes.flat, (0.03, 0.13, 0.23))
    style.save(figure, file)
