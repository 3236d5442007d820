"""2021 paper, Fig. 4 and section IV-A: sticking, sliding and separation under Anitescu's constraints (8).

    0 ≤ β_1 ⊥ v_n + μ v_d + φ/h ≥ 0,   0 ≤ β_2 ⊥ v_n − μ v_d + φ/h ≥ 0,   λ_n = β_1 + β_2,   λ_f = μ (β_1 − β_2)   (8)

at the left finger in the steps of the QP; v is the ball's velocity relative to the finger, d points upwards. While the
ball sticks, only the sum of both fingers' friction is determined; c_f1 is half of it.
"""

import numpy as np
from figure_parts import claims, gripper, style, tables

NAME, TABLES = "2021_fig4", ("gripper", "gripper_layer")
TITLE = "2021, Fig. 4: contact modes of Anitescu's constraints"
CAPTION = (
    "Left finger, one step of every mode. Above: velocities that (8) allows (shaded), its two bounds, and the "
    "simulated one. "
    "Below: the friction cone (shaded) and the simulated force."
)
STICKING, SLIDING, SEPARATED = range(3, 13), range(13, 23), range(2)  # steps
SHOWN = {"sticking": 10, "sliding": 15, "separated": 0}
SPEED, FORCE, GAP = 1e-7, 1e-6, 1e-9  # 1e-9 m per step [m/s]; [N]; [m]


def steps(data):
    """{gap before, v_n, v_d, c_n, c_f, b_1, b_2, slack_1, slack_2} of every step of the QP."""
    run, h, mu = tables.where(data["gripper"], model="qp"), gripper.STEP, gripper.FRICTION
    found = {
        "gap": run["gap_1"][:-1],
        "v_n": np.diff(run["gap_1"]) / h,
        "v_d": gripper.slides(run),
        "c_n": run["c_n1"][1:],
    }
    found["c_f"] = (run["c_f1"] + run["c_f2"])[1:] / 2
    found["b_1"], found["b_2"] = (found["c_n"] + sign * found["c_f"] / mu for sign in (1, -1))
    found["slack_1"], found["slack_2"] = (
        found["v_n"] + sign * mu * found["v_d"] + found["gap"] / h for sign in (1, -1)
    )
    return found


def judge(data):
    s, mu, h = steps(data), gripper.FRICTION, gripper.STEP
    stick, slide, apart = (np.array(steps_of) for steps_of in (STICKING, SLIDING, SEPARATED))
    layer = data["gripper_layer"]
    ended = s["gap"] + h * s["v_n"]
    return [
        claims.near(
            NAME, "sticking: no relative velocity", np.append(s["v_n"][stick], s["v_d"][stick]), 0, SPEED, "m/s"
        ),
        claims.near(NAME, "sticking: the gap is 0", ended[stick], 0, GAP, "m"),
        claims.near(
            NAME,
            "sticking: both bounds of (8) are active",
            np.append(s["slack_1"][stick], s["slack_2"][stick]),
            0,
            SPEED,
            "m/s",
        ),
        claims.at_most(
            NAME,
            "sticking: the force is inside the cone, |c_f| − μ c_n",
            (np.abs(s["c_f"]) - mu * s["c_n"])[stick].max(),
            FORCE,
            "N",
        ),
        claims.near(
            NAME,
            "sliding: the force is on the cone's boundary, |c_f| − μ c_n",
            (np.abs(s["c_f"]) - mu * s["c_n"])[slide],
            0,
            FORCE,
            "N",
        ),
        claims.at_most(
            NAME, "sliding: friction opposes the velocity, largest c_f v_d", (s["c_f"] * s["v_d"])[slide].max(), 0, "W"
        ),
        claims.near(
            NAME, "sliding: one bound of (8) is active", np.minimum(s["slack_1"], s["slack_2"])[slide], 0, SPEED, "m/s"
        ),
        claims.at_least(NAME, "sliding: the gap is positive, smallest after a step", ended[slide].min(), GAP, "m"),
        claims.near(NAME, "separated: no force", s["c_n"][apart], 0, FORCE, "N"),
        claims.at_least(
            NAME,
            "separated: the velocity is inside both bounds, smallest slack",
            np.minimum(s["slack_1"], s["slack_2"])[apart].min(),
            SPEED,
            "m/s",
        ),
        claims.at_most(
            NAME,
            "all modes: complementarity, largest min(β/h, bound · 1 N s/m)",
            max(np.minimum(s[f"b_{j}"], s[f"slack_{j}"]).max() for j in (1, 2)),
            FORCE,
            "N",
        ),
        claims.near(
            NAME,
            "the layer of a slide is μ h v: gap over that, h = 1.25 ... 10 ms",
            layer["gap_m"] / layer["mu_h_v_m"],
            1,
            1e-3,
            note="it is thin because the step is: proportional to h",
        ),
    ]


def draw_velocity(ax, s, k):
    mu, h = gripper.FRICTION, gripper.STEP
    lowest, reach = -s["gap"][k] / h, 0.45
    v_d = np.linspace(-reach, reach, 3)
    bounds = [lowest - mu * v_d, lowest + mu * v_d]
    ax.fill_between(v_d, np.maximum(*bounds), 1.0, color=style.SHADE)
    for k_bound, bound in enumerate(bounds):
        ax.plot(v_d, bound, **style.look(k_bound, False))
    ax.plot(s["v_d"][k], s["v_n"][k], "o", color="black", markersize=10)
    ax.set(xlim=(-reach, reach), ylim=(-0.75, 0.45), xlabel="$v_d$ [m/s]", xticks=[-0.3, 0, 0.3])


def draw_force(ax, s, k):
    cone = np.array([-6.5, 0, 6.5])
    ax.fill_between(cone, np.abs(cone) / gripper.FRICTION, 14, color=style.SHADE)
    ax.annotate("", (s["c_f"][k], s["c_n"][k]), (0, 0), arrowprops={"width": 3, "headwidth": 10, "color": "black"})
    ax.plot(s["c_f"][k], s["c_n"][k], "o", color="black", markersize=6)
    ax.set(xlim=(-7, 7), ylim=(-1, 14), xlabel="$c_f$ [N]")


def draw(data, file):
    figure, axes = style.panels(2, 3, height=6.0, sharey="row")
    s = steps(data)
    for column, (mode, k) in enumerate(SHOWN.items()):
        draw_velocity(axes[0, column], s, k)
        draw_force(axes[1, column], s, k)
        axes[0, column].set_title(f"{mode}\nt = {gripper.STEP * k:.2f} s")
    axes[0, 0].set_ylabel("$v_n$ [m/s]")
    axes[1, 0].set_ylabel("$c_n$ [N]")
    style.save(figure, file)
