"""2021 paper, Fig. 3 and (3): the finger's spring balances the contact force, and carries nothing away from the ball."""

import numpy as np
from figure_parts import claims, gripper, style, tables

NAME, TABLES = "2021_fig3", ("gripper",)
TITLE = "2021, Fig. 3: forces on the left finger"
CAPTION = (
    "Force of the finger's spring, k (x̄_l − x_l), and of the contact on it, both directions counted from the ball."
)
PLACE = 1e-9  # direct solver, double [m]
FORCE = 1e-6  # [N]


def spring(run):
    return gripper.STIFFNESS * (run["bar_l"] - run["x_l"])


def judge(data):
    found = []
    for model in gripper.LAWS:
        run = tables.where(data["gripper"], model=model)
        run = {key: column[1:] for key, column in run.items()}
        away = run["gap_1"] > PLACE
        name = model.upper()
        found.append(
            claims.near(
                NAME,
                f"{name}: away from the ball the finger is where it is commanded to be",
                (run["x_l"] - run["bar_l"])[away & (run["time_s"] < 0.08)],
                0,
                PLACE,
                "m",
            )
        )
        found.append(
            claims.near(
                NAME,
                f"{name}: the spring's force balances the contact's in every step, (3)",
                spring(run) - run["c_n1"],
                0,
                FORCE,
                "N",
            )
        )
        squeeze = (run["time_s"] > 0.035) & (run["time_s"] < 0.085)
        found.append(
            claims.near(
                NAME,
                f"{name}: commanded and actual place differ by the force over k while it squeezes",
                (run["bar_l"] - run["x_l"])[squeeze],
                0.002 * np.arange(1, squeeze.sum() + 1),
                PLACE,
                "m",
            )
        )
    return found


def draw(data, file):
    figure, axes = style.panels(1, 1)
    run = tables.where(data["gripper"], model="lcp")
    axes[0, 0].plot(run["time_s"], spring(run), label="spring, k (x̄ₗ − xₗ)", **style.look(0, False))
    axes[0, 0].plot(run["time_s"][1:], run["c_n1"][1:], label="contact", ls="none", marker="o", color=style.PALETTE[1])
    axes[0, 0].set(xlabel="time t [s]", ylabel="force on the finger [N]")
    axes[0, 0].legend()
    style.save(figure, file)
