"""2021 paper, Fig. 8: x, y, z and angle of the carried cube over time, truth and quasistatic scheme."""

import numpy as np
from figure_parts import claims, pick, style, tables

PAPER_OFFSET = 0.8  # [deg]
ALIKE = 0.005  # mean distance; a twelfth of the cube's edge [m]
SPREAD = 0.10  # of that distance, between all steps
QUANTITIES = ("x", "y", "z", "angle_deg")


def path(data, simulator, step):
    """The quantities at the times of the truth."""
    truth = tables.where(data, simulator="truth")
    run = tables.where(data, simulator=simulator, step_s=step)
    return {key: np.interp(truth["time_s"], run["time_s"], run[key]) for key in QUANTITIES}


def distance(run, truth):
    """Distance of the cube's centre from that of the truth [m]."""
    return np.sqrt(sum((run[key] - truth[key]) ** 2 for key in "xyz"))


class Trajectories:
    """The figure of one pick."""

    TABLES = ("pick_path",)

    def __init__(self, name, title, picked):
        self.NAME, self.TITLE, self.picked = name, title, picked
        self.CAPTION = (
            f"{picked.words}: truth (Drake, 5e-5 s) and quasistatic scheme. The angle is that of the orientation's "
            "axis and angle."
        )

    def judge(self, data):
        return judge(self.NAME, tables.where(data["pick_path"], scene=self.picked.scene), self.picked.carried)

    def draw(self, data, file):
        draw(tables.where(data["pick_path"], scene=self.picked.scene), self.picked.carried, file)


def judge(name, data, window):
    truth = tables.where(data, simulator="truth")
    steps = sorted(set(tables.where(data, simulator="quasistatic")["step_s"]))
    runs = {step: path(data, "quasistatic", step) for step in steps}
    carried = (truth["time_s"] >= window[0]) & (truth["time_s"] <= window[1])
    far = {step: distance(run, truth).mean() for step, run in runs.items()}
    offset = {step: np.abs(run["angle_deg"] - truth["angle_deg"])[carried].mean() for step, run in runs.items()}
    largest = max(np.abs(run["angle_deg"] - truth["angle_deg"])[carried].max() for run in runs.values())
    own = path(data, "dynamic", pick.OWN_STEP)
    own_offset = np.abs(own["angle_deg"] - truth["angle_deg"])[carried].mean()
    rest = {step: distance(run, truth)[-1] for step, run in runs.items()}
    moving = max(distance(run, truth)[carried].mean() for run in runs.values())
    worst = max(distance(run, truth).max() for run in runs.values())
    between = max(np.abs(runs[a]["angle_deg"] - runs[b]["angle_deg"])[carried].mean() for a in steps for b in steps)
    return [
        claims.at_most(
            name,
            "x, y, z are almost identical to the truth: mean distance, worst step",
            max(far.values()),
            ALIKE,
            "m",
            f"{1e3 * moving:.1f} mm while it is carried, at most {1e3 * worst:.1f} mm: "
            "the truth lags behind its command",
        ),
        claims.at_most(
            name,
            "despite the increase in h, 0.001 ... 0.4 s: largest mean distance over smallest, less 1",
            max(far.values()) / min(far.values()) - 1,
            SPREAD,
            note=f"with h = {steps[-1]:g} s the cube comes to rest {1e3 * rest[steps[-1]]:.1f} mm from the truth, with "
            f"{steps[0]:g} s {1e3 * rest[steps[0]]:.1f} mm",
        ),
        claims.at_most(
            name,
            "distance in the end, at rest, worst step",
            max(rest.values()),
            ALIKE,
            "m",
        ),
        claims.between(
            name,
            "the truth's angle is different by some 0.8° while the cube is lifted and carried: largest mean offset",
            max(offset.values()),
            PAPER_OFFSET / 2,
            2 * PAPER_OFFSET,
            "deg",
            f"within a factor of two, as the paper's arm, gains and path are not published; at most {largest:.2f}°",
        ),
        claims.at_most(
            name,
            "the quasistatic angles agree among each other: mean difference, worst pair of steps",
            between,
            0.1 * PAPER_OFFSET,
            "deg",
        ),
        claims.at_most(
            name,
            "beyond the paper: our second-order steps have the truth's angle, mean offset",
            own_offset,
            0.1 * PAPER_OFFSET,
            "deg",
            "with the contact law of the quasistatic scheme: here the offset is the arm's dynamics, not the "
            "contact model to which the paper attributes it",
        ),
    ]


def draw(data, window, file):
    figure, axes = style.panels(2, 2, height=6.8, sharex=True)
    labels = {"x": "x [m]", "y": "y [m]", "z": "z [m]", "angle_deg": "angle [°]"}
    truth = tables.where(data, simulator="truth")
    for ax, (key, label) in zip(axes.flat, labels.items(), strict=True):
        ax.plot(truth["time_s"], truth[key], label="truth", **style.look(0, False) | {"linewidth": 4.5, "alpha": 0.55})
        for k, step in enumerate(pick.PATH_STEPS, 1):
            run = tables.where(data, simulator="quasistatic", step_s=step)
            ax.plot(run["time_s"], run[key], label=f"h = {step:g} s", **style.look(k, False))
        ax.set_ylabel(label)
    for ax in axes.flat:
        ax.set_xlim(window[0] - 1, window[1] + 1)
    for ax in axes[1]:
        ax.set_xlabel("time t [s]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), ncols=2, loc="outside upper center")
    style.save(figure, file)
