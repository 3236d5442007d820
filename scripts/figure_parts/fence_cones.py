"""2005 paper, Figs. 1 and 3: friction cones of the floor as disc, polygon and square, and the forces of the push."""

import numpy as np
from figure_parts import claims, fence, style, tables

NAME, TABLES = "2005_fig1", ("fence_path",)
TITLE = "2005, Figs. 1 and 3: friction cones and their directions"
CAPTION = (
    "Friction of the floor on the particle in the steps in which the fence pushes (points), and the sections of the "
    "friction cones at λ_n = m g: disc (DQC), polygons of 4, 8 and 16 directions (DLC), square (33) (LP)."
)
LIMIT = fence.FLOOR_FRICTION * fence.paper.WEIGHT  # μ m g [N]
FORCE = 1e-6  # [N]
TURN = 1e-5  # tolerance of a direction: steps of 1e-6 m, solved to 1e-12 m [rad]
MOVES = 1e-6  # a longer step has a direction [m]
POLYGONS = {"dlc4": 4, "dlc8": 8, "dlc16": 16}


def pushes(data, model):
    """(floor's friction (n, 2) [N], motion (n, 2) [m]) of the steps of the push."""
    run = tables.where(data["fence_path"], model=model)
    consecutive = np.append(False, np.diff(run["step"]) == 1)
    motion = np.vstack([np.zeros(2), np.diff(np.column_stack([run["x"], run["y"]]), axis=0)])
    kept = consecutive & (run["pushed"] == 1) & (np.linalg.norm(motion, axis=1) > MOVES)
    return np.column_stack([run["floor_x_N"], run["floor_y_N"]])[kept], motion[kept]


def directions(count):
    """(count, 2): d_j at angles 2πj/count from x, as in Fig. 3."""
    angles = 2 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angles), np.sin(angles)])


def shares(force, count):
    """eᵀλ_f of the friction force as a sum of directions [N]: its length in the norm of the polygon."""
    middle = directions(count) @ turned(np.pi / count).T
    return (force @ middle.T).max(axis=1) / np.cos(np.pi / count)


def turned(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def misalignment(force, motion):
    """Angle between the friction force and the direction opposite to the slide [rad]."""
    cross = force[:, 0] * motion[:, 1] - force[:, 1] * motion[:, 0]
    return np.abs(np.arctan2(cross, -(force * motion).sum(axis=1)))


def judge(data):
    force, motion = pushes(data, "dqc")
    found = [
        claims.near(
            NAME,
            "DQC: sliding friction is on the cone's boundary, ‖λ_f‖ = μ λ_n (4)",
            np.linalg.norm(force, axis=1),
            LIMIT,
            FORCE,
            "N",
        ),
        claims.near(
            NAME, "DQC: it is opposed to the slide (27), (28): angle", misalignment(force, motion), 0, TURN, "rad"
        ),
    ]
    for model, count in POLYGONS.items():
        force, motion = pushes(data, model)
        gain = np.sort(-motion @ directions(count).T, axis=1)
        tie = (gain[:, -1] - gain[:, -2]) / np.linalg.norm(motion, axis=1)
        angle = misalignment(force, motion)
        found += [
            claims.near(
                NAME,
                f"DLC, {count} directions: sliding friction uses all of the pyramid, eᵀλ_f = μ λ_n (16)",
                shares(force, count),
                LIMIT,
                FORCE,
                "N",
            ),
            claims.at_most(
                NAME,
                f"DLC, {count} directions: it is not opposed to the slide, but off by at most π/n_d: largest angle",
                angle.max(),
                np.pi / count + TURN,
                "rad",
            ),
            claims.at_least(NAME, f"DLC, {count} directions: and by at least", angle.min(), 10 * TURN, "rad"),
            claims.near(
                NAME,
                f"DLC, {count} directions: nongeneric, two directions dissipate alike: difference of the cosines",
                tie,
                0,
                TURN,
                note="here in every step: the fence's force lies between two directions, so that the "
                "particle slides along their bisector",
            ),
        ]
    force, _ = pushes(data, "lp")
    found.append(claims.near(NAME, "LP: |λ_t| = μ λ_n (34)", np.abs(force[:, 0]), LIMIT, FORCE, "N"))
    return found


def outline(model):
    if model == "dqc":
        return LIMIT * directions(360)
    if model == "lp":
        return LIMIT * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    return LIMIT * directions(POLYGONS[model])


def draw(data, file):
    figure, axes = style.panels(1, 1, height=6.4)
    ax = axes[0, 0]
    names = {"dqc": "DQC", "dlc4": "DLC, 4", "dlc8": "DLC, 8", "dlc16": "DLC, 16", "lp": "LP"}
    for k, (model, name) in enumerate(names.items()):
        corners = outline(model)
        ax.plot(*np.vstack([corners, corners[:1]]).T, label=name, **style.look(k, False) | {"linewidth": 2.2})
        ax.plot(*pushes(data, model)[0].T, ls="none", marker=style.MARKERS[k], color=style.PALETTE[k], markersize=10)
    ax.set(
        xlabel="friction along x [N]", ylabel="friction along y [N]", aspect="equal", xlim=(-5.6, 5.6), ylim=(-5.6, 5.6)
    )
    ax.legend(loc="center", ncols=1)
    style.save(figure, file)
