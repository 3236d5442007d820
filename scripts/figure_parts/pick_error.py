"""2021 paper, Fig. 7: total integral error (13) of the carried cube against the step."""

import numpy as np
from figure_parts import claims, style, tables

SIMULATORS = (
    "Hollow, on top: the cube was lost or the simulator gave up. *Drake 2020* is Drake with the solver and the "
    "springs of the paper's time (TAMSI, springs taken at the start of a step), *Drake* the present default "
    "(implicit springs). Numbers of the quaternion count as metres."
)
SERIES = {
    "quasistatic": "quasistatic QP",
    "dynamic": "second order",
    "drake_tamsi": "Drake 2020",
    "drake": "Drake",
    "mujoco_implicit": "MuJoCo implicit",
    "mujoco_euler": "MuJoCo Euler",
}
FLAT = 1.1  # largest error over smallest: 10 % cannot be seen on the paper's logarithmic axis
STEADY = 3.0  # a second-order error above this many times that of its smallest steps has grown
EXPLODED = 10.0


def errors(data, simulator):
    """(step, error), by step."""
    run = tables.where(data, simulator=simulator)
    order = np.argsort(run["step_s"])
    return run["step_s"][order], run["error"][order]


def last_before_growth(step, error, times):
    """The largest step up to which the error stays below `times` its median over steps up to 1 ms."""
    grown = np.flatnonzero(~(error <= times * np.median(error[step <= 1e-3])))
    return step[grown[0] - 1] if len(grown) else step[-1]


class IntegralError:
    """The figure of one pick."""

    TABLES = ("pick_error",)

    def __init__(self, name, title, picked):
        self.NAME, self.TITLE, self.picked = name, title, picked
        self.CAPTION = f"{picked.words}; truth: Drake's MultibodyPlant at 5e-5 s. {SIMULATORS}"

    def judge(self, data):
        return judge(self.NAME, tables.where(data["pick_error"], scene=self.picked.scene))

    def draw(self, data, file):
        draw(tables.where(data["pick_error"], scene=self.picked.scene), file)


def judge(name, data):
    step, error = errors(data, "quasistatic")
    drake_step, drake_error = errors(data, "drake_tamsi")
    after = drake_error[drake_step > 1e-3][0]
    own_step, own_error = errors(data, "dynamic")
    quasistatic = tables.where(data, simulator="quasistatic")
    return [
        claims.at_most(
            name,
            "the quasistatic scheme's error remains flat from h = 0.001 to 0.4 s: largest over smallest",
            error.max() / error.min(),
            FLAT,
        ),
        claims.near(name, "it is measured up to a step of", step.max(), 0.4, 1e-12, "s"),
        claims.at_least(
            name,
            "share of quasistatic steps converged, worst run",
            quasistatic["converged"].min(),
            0.95,
            note="residual 1e-9 asked; what does not reach it keeps its best iterate",
        ),
        claims.near(
            name,
            "the second-order simulator's error explodes right after h = 0.001 s (Drake 2020): last step before",
            last_before_growth(drake_step, drake_error, EXPLODED),
            1e-3,
            1e-12,
            "s",
        ),
        claims.at_least(
            name,
            "its error at the next step, 0.002 s, over the quasistatic scheme's",
            after / error.max(),
            EXPLODED,
            note="inf: the cube is lost",
        ),
        claims.near(
            name,
            "an explicit second-order simulator does (MuJoCo Euler): last step before",
            last_before_growth(*errors(data, "mujoco_euler"), EXPLODED),
            1e-3,
            1e-12,
            "s",
        ),
        claims.at_least(
            name,
            "steps of the quasistatic scheme can be longer by",
            step.max() / last_before_growth(drake_step, drake_error, EXPLODED),
            100,
            "times",
        ),
        claims.at_most(
            name,
            "beyond the paper: our second-order steps, implicit springs, do not explode: error at 0.4 s "
            "over the quasistatic scheme's",
            own_error[-1] / error.max(),
            1.0,
        ),
        claims.at_most(
            name,
            "beyond the paper: our second-order simulator has Drake's truth as its limit: position error at "
            "0.1 ms over the quasistatic scheme's",
            tables.where(data, simulator="dynamic", step_s=own_step[0])["position_error_m_s"][0]
            / quasistatic["position_error_m_s"].max(),
            0.05,
            note="of the position: the yaw with which a tilted cube lands can still differ there",
        ),
    ]


def draw(data, file):
    figure, axes = style.panels(1, 1, height=6.2)
    ax = axes[0, 0]
    for k, (simulator, label) in enumerate(SERIES.items()):
        step, error = errors(data, simulator)
        kept = np.isfinite(error) & (error < 10)
        ax.loglog(step[kept], error[kept], label=label, **style.look(k))
        ax.plot(
            step[~kept],
            np.full((~kept).sum(), 6.0 * 1.35 ** (k - 2)),
            ls="none",
            fillstyle="none",
            marker=style.MARKERS[k],
            color=style.PALETTE[k],
        )
    ax.set(xlabel="step h [s]", ylabel="integral error (13) [m s]", ylim=(5e-5, 40))
    ax.legend(ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.28), handlelength=2.6)
    style.save(figure, file)
