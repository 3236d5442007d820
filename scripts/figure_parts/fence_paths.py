"""2005 paper, Fig. 2 and section 5: the path of the particle in front of the fence, by friction model."""

from figure_parts import claims, fence, style, tables

NAME, TABLES = "2005_fig2", ("fence_models", "fence_path", "fence_steps")
TITLE = "2005, Fig. 2 and section 5: the fence pushes the particle"
CAPTION = (
    "Left: fence and particle along x over time; the wall is at 1 m. Right: the particle's way in the plane, by model "
    "of friction, μ₂ = 0.5."
)
PYRAMID, QUADRATIC, FORCE = 1e-9, 1e-8, 1e-6  # direct solver, double [m], [m], [N]
X_END, PUSHED = 0.9000198726, (52, 156)  # [m]; first and last step that moves the particle
Y_END = {"dqc": 0.1000099363, "dlc4": 0.2000198726, "dlc8": 0.0828509440, "lp": 0.0}  # for μ_2 = 0.5 [m]
NAMES = {"dqc": "DQC", "dlc4": "DLC, 4", "dlc8": "DLC, 8", "dlc16": "DLC, 16", "lp": "LP (36)"}
SAME = 1e-3  # relative change of a deviation that does not depend on the step


def judge_model(row, mu):
    name, place = f"{NAMES[row['model']]}, μ₂ = {mu:g}", QUADRATIC if row["model"] == "dqc" else PYRAMID
    expected = Y_END.get(row["model"], row["y_closed"]) if mu == 0.5 else row["y_closed"]
    return [
        claims.near(NAME, f"{name}: x after 6 s", row["x_end"], X_END, place, "m"),
        claims.near(NAME, f"{name}: y after 6 s", row["y_end"], expected, place, "m"),
        claims.near(NAME, f"{name}: distance from the model's closed form, every step", row["off_m"], 0, place, "m"),
        claims.near(NAME, f"{name}: first and last step that moves it", [row["first"], row["last"]], PUSHED, 0),
    ]


def judge_all(models):
    """What the paper says of every solution."""
    return [
        claims.near(
            NAME, "every model: λ_3n = m g, largest difference over all steps", models["floor_off_N"], 0, FORCE, "N"
        ),
        claims.near(NAME, "every model: ψ_3n = 0, largest height", models["height_m"], 0, PYRAMID, "m"),
        claims.at_least(
            NAME, "every model: no penetration (20), least gap", models["least_gap_m"].min(), -PYRAMID, "m"
        ),
        claims.at_least(NAME, "every model: λ_n ≥ 0 (20), least", models["least_normal_N"].min(), -FORCE, "N"),
        claims.at_most(
            NAME,
            "every model: complementarity (20), largest min(gap/h · 1 s/m, λ_n/(m g))",
            models["complementarity"].max(),
            1e-6,
        ),
        claims.near(NAME, "every model: share of steps converged", models["converged"], 1, 0),
    ]


def judge_steps(table):
    """The error of a pyramid does not shrink with the step; the disc's direction has no error."""
    quadratic = tables.where(table, model="dqc")
    for model in ("dlc4", "dlc8", "dlc16"):
        off = tables.where(table, model=model)["y_end"] - quadratic["y_end"]
        yield claims.near(
            NAME,
            f"{NAMES[model]}: its y differs from DQC's alike for h = 10, 5, 2.5 ms: ratio to that at 10 ms",
            off / off[0],
            1,
            SAME,
            note=f"{1e3 * off[0]:.1f} mm",
        )


def judge(data):
    models, path = data["fence_models"], data["fence_path"]
    rows = [dict(zip(models, values, strict=True)) for values in zip(*models.values(), strict=True)]
    found = [
        claims.near(
            NAME, "the fence never hits the wall at 1 m: its largest x (52)", path["fence_x"].max(), 0.9, 1e-6, "m"
        )
    ]
    for mu in fence.FRICTIONS:
        for row in rows:
            found += judge_model(row, mu) if row["mu_2"] == mu else []
    return found + judge_all(models) + list(judge_steps(data["fence_steps"]))


def draw(data, file):
    figure, axes = style.panels(1, 2, height=4.8)
    path = tables.where(data["fence_path"], model="dqc")
    axes[0, 0].plot(path["time_s"], path["fence_x"], label="fence", **style.look(3, False))
    axes[0, 0].plot(path["time_s"], path["x"], label="particle", **style.look(0, False))
    axes[0, 0].axhline(1, color="0.35", linestyle=(0, (2, 2)))
    axes[0, 0].set(xlabel="time t [s]", ylabel="x [m]", ylim=(0, 1.08))
    axes[0, 0].legend(loc="lower left", fontsize=style.FONT - 4)
    for k, (model, name) in enumerate(NAMES.items()):
        run = tables.where(data["fence_path"], model=model)
        axes[0, 1].plot(run["x"], run["y"], label=name, markevery=[0, -1], **style.look(k))
    axes[0, 1].set(xlabel="x [m]", ylabel="y [m]")
    axes[0, 1].legend(fontsize=style.FONT - 4, handlelength=2.2)
    style.save(figure, file)
