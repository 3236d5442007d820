"""2005 paper, section 4: Theorem 1 and Proposition 1 at the steps of the fence and the particle."""

import numpy as np
from figure_parts import claims, style

NAME, TABLES = "2005_theorem", ("fence_theorem",)
TITLE = "2005, section 4: Theorem 1 and Proposition 1"
CAPTION = (
    "Distance between the end of a step and the optimum of the convex problem (29), or (36), at the step's λ_n: the "
    "largest of 600 steps. The problem is solved by Clarabel, written from the paper (tests/scenes/fence_model.py)."
)
MOTION = 1e-8  # the convex problem is solved to 1e-9 of 1 m/s, h = 0.01 s [m]
NAMES = {"dqc": "DQC", "dlc4": "DLC, 4", "dlc8": "DLC, 8", "dlc16": "DLC, 16", "lp": "LP"}


def judge(data):
    table = data["fence_theorem"]
    found = []
    for k, (model, mu) in enumerate(zip(table["model"], table["mu_2"], strict=True)):
        if model == "frictionless":
            continue
        name, problem = f"{NAMES[model]}, μ₂ = {mu:g}", "(36)" if model == "lp" else "(29)"
        found.append(
            claims.near(
                NAME,
                f"Theorem 1, {name}: the step's end is the optimum of {problem} at its λ_n, largest distance",
                table["optimum_off_m"][k],
                0,
                MOTION,
                "m",
            )
        )
        if np.isfinite(table["converse_off_m"][k]):
            found.append(
                claims.near(
                    NAME,
                    f"conversely, {name}: the optimum whose multiplier is its λ_n is the step's end",
                    table["converse_off_m"][k],
                    0,
                    MOTION,
                    "m",
                )
            )
    rubbed, free = table["model"] != "frictionless", table["model"] == "frictionless"
    return found + [
        claims.near(
            NAME,
            "Proposition 1, friction: (32) holds, the motion is unique: share of the steps, worst model",
            table["unique"][rubbed].min(),
            1,
            0,
        ),
        claims.near(
            NAME,
            "Proposition 1, no friction: (32) fails, the motion is not unique: share of the steps at which it holds",
            table["unique"][free].max(),
            0,
            0,
        ),
    ]


def draw(data, file):
    figure, axes = style.panels(1, 1)
    table = data["fence_theorem"]
    places = np.arange(len(NAMES))
    for side, (mu, hatch) in enumerate(((0.5, ""), (3.0, "//"))):
        heights = [table["optimum_off_m"][(table["model"] == model) & (table["mu_2"] == mu)][0] for model in NAMES]
        axes[0, 0].bar(
            places + 0.4 * side - 0.2,
            heights,
            0.4,
            color=style.PALETTE[2 * side],
            hatch=hatch,
            edgecolor="white",
            label=f"$μ_2$ = {mu:g}",
        )
    axes[0, 0].axhline(MOTION, color="0.35", linestyle=(0, (2, 2)), label="tolerance")
    axes[0, 0].set(
        yscale="log",
        ylabel="largest distance [m]",
        xlabel="model",
        xticks=places,
        xticklabels=NAMES.values(),
        ylim=(1e-14, 1e-6),
    )
    axes[0, 0].legend(ncols=3, loc="upper center", handlelength=1.4, columnspacing=0.9)
    axes[0, 0].tick_params(axis="x", labelsize=style.FONT - 3)
    style.save(figure, file)
