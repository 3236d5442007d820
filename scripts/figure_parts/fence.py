"""The fence and the particle of the 2005 paper, section 5, in numbers: `fence_models`, `fence_path`, `fence_steps`,
`fence_starts`, `fence_theorem`.

    dlc4, dlc8, dlc16   Model-DLC, floor friction in 4, 8, 16 directions     (24), (25)
    dqc                 Model-DQC, quadratic cone                            (1), (20) to (23)
    lp                  linear program, |F_t|, |F_o| ≤ μ λ_n                 (33), (36)

While the fence pushes, its row is active: with μ_1 = μ_3 = 0.5 the particle moves with it,

    x⁺ = x_f + h ẋ_f,   Δy = min(slope Δx, h),   z = 0

where slope is that of the normal of the floor's friction section at the direction (1, μ_2) of the fence's force.
The convex problems (29), (36) and the implication (32) are in tests/scenes/fence_model.py, written from the paper.
"""

import math
import sys

import numpy as np
from figure_parts import program

sys.path.insert(0, str(program.ROOT / "tests/scenes"))
sys.path.insert(0, str(program.ROOT / "scripts/scenes"))
import fence_command
import fence_model as paper

WRITES = ("fence_models", "fence_path", "fence_steps", "fence_starts", "fence_theorem")
MODELS = {"dlc4": 4, "dlc8": 8, "dlc16": 16, "dqc": "quadratic", "lp": "box"}  # cone, as fence_model.py names it
FRICTIONS = [0.5, 3.0]  # μ_2
STEP, FLOOR_FRICTION = 0.01, 0.5  # [s]
SMALLER = [0.01, 0.005, 0.0025]  # [s]
STILL = 1e-12  # a step that moves the particle by less does not count as a push [m]
LOADED, TOUCHING = 1e-9, 1e-9  # a contact carries force [m g h]; a gap is closed [m]
WAYS = [
    (-0.5, 0.504),
    (-0.1, 0.6),
    (0.0, 0.7),
    (0.25, 0.95),
    (2.0, 1.0),
]  # starts along x from 0.7, to where fence and wall end them [m]
ASIDE = [-3.0, 0.0, 0.2]  # starts along y [m]
FRICTION_AT_FENCE = '<pair geom1="fence" geom2="particle" friction="{} '


def options(model):
    cone = MODELS[model]
    words = ["--cone", cone] if isinstance(cone, str) else ["--cone", "pyramid", "--facets", cone]
    return ["--law", "coulomb", *words]


def scene_with(bench, friction=0.5, *edits):
    return program.copy_scene(
        "fence_particle", bench.folder(), (FRICTION_AT_FENCE.format(".5"), FRICTION_AT_FENCE.format(friction)), *edits
    )


def fence_at(t):
    """Place and velocity along x (52) [m], [m/s]."""
    return 0.5 + 0.4 * math.sin(t), 0.4 * math.cos(t)


def slope(model, friction):
    cone = MODELS[model]
    if cone == "quadratic":
        return friction
    if cone == "box":
        return 0.0 if friction < 1 else math.inf
    between = 2 * math.pi / cone
    return math.tan((math.floor(math.atan(friction) / between) + 0.5) * between)


def closed_form(model, friction, steps, h=STEP):
    """q (steps + 1, 3) of the model."""
    q = [np.array([0.7, 0.0, 0.0])]
    for k in range(steps):
        place, rate = fence_at(h * k)
        pushed = max(place + h * rate - q[-1][0], 0.0)
        q.append(q[-1] + [pushed, min(slope(model, friction) * pushed, h) if pushed > 0 else 0.0, 0.0])
    return np.array(q)


class Run:
    """q (steps + 1, 3) [m]; gap after the step [m], normal force [N] of wall, fence, floor; force of the floor [N]."""

    def __init__(self, recording):
        self.q, self.converged = recording.qpos, recording.converged[1:]
        found = [recording.of_pair("particle", geom) for geom in ("wall", "fence", "floor")]
        self.gap = np.array([gap[1:] for gap, _ in found]).T
        force = np.array([force[1:] for _, force in found])
        self.normal = np.column_stack([-force[0, :, 0], force[1, :, 0], force[2, :, 2]])
        self.floor = force[2]
        self.pushed = np.flatnonzero(np.abs(np.diff(self.q[:, 0])) > STILL)


def simulate(bench, model, friction):
    scene = scene_with(bench, friction)
    return Run(program.run(bench.program, scene, "--record", "contacts", *options(model)))


def model_row(model, friction, run):
    moved, expected = np.diff(run.q, axis=0), closed_form(model, friction, len(run.q) - 1)
    return {
        "model": model,
        "mu_2": friction,
        "x_end": run.q[-1, 0],
        "y_end": run.q[-1, 1],
        "first": run.pushed[0],
        "last": run.pushed[-1],
        "off_m": np.abs(run.q - expected).max(),
        "y_closed": expected[-1, 1],
        "floor_off_N": np.abs(run.normal[:, 2] - paper.WEIGHT).max(),
        "height_m": np.abs(run.q[:, 2]).max(),
        "least_gap_m": run.gap.min(),
        "least_normal_N": run.normal.min(),
        "complementarity": np.minimum(run.gap / STEP, run.normal / paper.WEIGHT).max(),
        "least_step_m": moved[:, 0].min(),
        "steps": len(moved),
        "converged": run.converged.mean(),
    }


def path_rows(model, run):
    """Every step of the push, and every tenth of the other steps."""
    for k in range(len(run.q)):
        if run.pushed[0] - 1 <= k <= run.pushed[-1] + 2 or k % 10 == 0:
            force = run.floor[k - 1] if k > 0 else np.zeros(3)
            yield {
                "model": model,
                "step": k,
                "time_s": STEP * k,
                "x": run.q[k, 0],
                "y": run.q[k, 1],
                "fence_x": fence_at(STEP * k)[0],
                "pushed": float(k - 1 in run.pushed),
                "floor_x_N": force[0],
                "floor_y_N": force[1],
                "floor_n_N": force[2],
            }


def step_rows(bench):
    """Where the particle ends with smaller steps; the table of the fence is made for each."""
    for model in ("dlc4", "dlc8", "dlc16", "dqc"):
        for h in SMALLER:
            scene = scene_with(bench)
            lines = (scene / "fence.csv").read_text().splitlines()[:1]
            lines += [fence_command.row(round(h * k, 10)) for k in range(round(6 / h) + 2)]
            (scene / "fence.csv").write_text("\n".join(lines) + "\n")
            run = program.run(bench.program, scene, "--step-size", h, *options(model))
            yield {
                "model": model,
                "step_s": h,
                "x_end": run.qpos[-1, 0],
                "y_end": run.qpos[-1, 1],
                "converged": run.converged[1:].mean(),
            }


def start_rows(bench):
    """Where the first step ends from many starts of the solver."""
    frictionless = ["--law", "frictionless"]
    models = {
        "frictionless": frictionless,
        "frictionless, dqc": [*frictionless, "--cone", "quadratic"],
        "dqc": options("dqc"),
        "dlc4": options("dlc4"),
    }
    for model, words in models.items():
        for way, end in WAYS:
            for aside in ASIDE:
                start = f"tolerance = 1e-10\nstart = [{way / STEP}, {aside / STEP}, 0.0]"
                scene = scene_with(bench, 0.5, ("tolerance = 1e-10", start))
                run = program.run(bench.program, scene, "--duration", STEP, *words)
                yield {
                    "model": model,
                    "start_x": 0.7 + way,
                    "start_y": aside,
                    "nearest_x": end,
                    "x": run.qpos[-1, 0],
                    "y": run.qpos[-1, 1],
                    "converged": float(run.converged[-1]),
                }


def optimum_off(model, friction, run):
    """Theorem 1: distance of every step's end from the optimum of (29), or (36), at the step's λ_n [m]."""
    mu = np.array([FLOOR_FRICTION, friction, FLOOR_FRICTION])
    off = []
    for k, (q, after) in enumerate(zip(run.q[:-1], run.q[1:], strict=True)):
        v, _ = paper.solve_convex_problem(q, STEP * k, mu, np.maximum(run.normal[k], 0) / paper.WEIGHT, MODELS[model])
        off.append(np.abs(q + STEP * v - after).max())
    return np.array(off)


def converse_off(model, friction, run):
    """Converse of Theorem 1: the same for an optimum whose multiplier is λ_n, found without the simulation [m]."""
    mu, guess, off = np.array([FLOOR_FRICTION, friction, FLOOR_FRICTION]), [0.0, 0.0, 1.0], []
    for k in sorted({*range(0, len(run.q) - 1, 10), run.pushed[0], run.pushed[-1], run.pushed[-1] + 1}):
        v, guess = paper.find_normal_impulses(run.q[k], STEP * k, mu, MODELS[model], guess, 1e-8)
        off.append(np.abs(run.q[k] + STEP * v - run.q[k + 1]).max())
    return max(off)


def unique_share(run, with_friction):
    """Proposition 1: share of the steps at which (32) holds."""
    sets = [
        (tuple(gap <= TOUCHING), tuple((gap <= TOUCHING) & (normal > LOADED * paper.WEIGHT)))
        for gap, normal in zip(run.gap, run.normal, strict=True)
    ]
    holds = {key: paper.motion_is_unique(*key, with_friction) for key in set(sets)}
    return np.mean([holds[key] for key in sets])


def theorem_row(model, friction, run):
    converse = converse_off(model, friction, run) if model != "lp" else math.nan
    return {
        "model": model,
        "mu_2": friction,
        "optimum_off_m": optimum_off(model, friction, run).max(),
        "converse_off_m": converse,
        "unique": unique_share(run, True),
    }


def frictionless_row(bench):
    scene = scene_with(bench)
    run = Run(program.run(bench.program, scene, "--record", "contacts", "--law", "frictionless"))
    return {
        "model": "frictionless",
        "mu_2": 0.0,
        "optimum_off_m": math.nan,
        "converse_off_m": math.nan,
        "unique": unique_share(run, False),
    }


def measure(bench):
    runs = {(model, mu): simulate(bench, model, mu) for model in MODELS for mu in FRICTIONS}
    return {
        "fence_models": [model_row(model, mu, run) for (model, mu), run in runs.items()],
        "fence_path": [row for (model, mu), run in runs.items() if mu == 0.5 for row in path_rows(model, run)],
        "fence_steps": list(step_rows(bench)),
        "fence_starts": list(start_rows(bench)),
        "fence_theorem": [theorem_row(model, mu, run) for (model, mu), run in runs.items()] + [frictionless_row(bench)],
    }
