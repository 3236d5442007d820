"""The planar gripper of the 2021 paper in numbers: tables `gripper`, `gripper_layer`, `gripper_exact`, `grazing`.

    symbol        column          unit
    q             x_c ... x_r     m      ball centre, finger height, left and right contact face
    q̄             bar_l bar_r bar_y   m  command at the end of the step
    φ_1 φ_2 φ_3   gap_1 ...       m      left finger, right finger, ground, at the end of the step
    c_n, c_f      c_n1 ... c_f2   N      on the ball: along the contact's normal; friction of the fingers, upwards

Models: lcp is (6), Coulomb's law; qp is (10), Anitescu's; exact is (1), fingers that follow their command exactly. The
two finger frictions are not determined one by one while the ball sticks to both; their mean is.
"""

import numpy as np
from figure_parts import program

WRITES = ("gripper", "gripper_layer", "gripper_exact", "grazing")
LAWS = {"lcp": "coulomb", "qp": "anitescu"}
RADIUS, STIFFNESS, WEIGHT, FRICTION, STEP = 0.1, 1000.0, 10.0, 0.5, 0.01  # [m], [N/m], [N], -, [s]
LAYER_STEPS = [0.01, 0.005, 0.0025, 0.00125]  # [s]
RISING = (0.2, 0.4)  # grazing_grasp: start of the solver [m/s], and the value written beside it


def rows_of(model, run):
    """Rows of `gripper` of one run."""
    x_c, y_c, y, x_l, x_r = run.qpos.T
    columns = {"model": np.full(len(x_c), model), "time_s": run.time}
    columns |= {"x_c": x_c, "y_c": y_c, "y": y, "x_l": x_l, "x_r": x_r}
    columns |= dict(zip(["bar_l", "bar_r", "bar_y"], run.ctrl.T, strict=True))
    columns |= {"gap_1": x_c - x_l - RADIUS, "gap_2": x_r - x_c - RADIUS, "gap_3": y_c - RADIUS}
    normals = {"1": ("finger_left", [1, 0, 0]), "2": ("finger_right", [-1, 0, 0]), "3": ("ground", [0, 0, 1])}
    for k, (geom, normal) in normals.items():
        force = run.of_pair("ball", geom)[1]
        columns |= {f"c_n{k}": force @ np.array(normal, float), f"c_f{k}": force[:, 2 if k in "12" else 0]}
    columns |= {"residual": run.residual, "converged": run.converged.astype(float)}
    keys = list(columns)
    return [dict(zip(keys, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def simulate(bench, model, *options):
    scene = program.copy_scene("gripper2d", bench.folder())
    return program.run(bench.program, scene, "--record", "contacts", "--law", LAWS[model], *options)


def layer(bench):
    """The largest gap of a sliding finger by step size; Anitescu's law tends to μ h v."""
    for step in LAYER_STEPS:
        run = simulate(bench, "qp", "--step-size", step)
        x_c, _, y, x_l, _ = run.qpos.T
        touching = np.abs(run.time - 0.08) < 1e-9
        assert touching.any()
        after = run.time > 0.08
        slide = np.abs(np.diff(y)).max() / step
        gap = (x_c - x_l - RADIUS)[after].max()
        yield {"step_s": step, "gap_m": gap, "slide_m_s": slide, "mu_h_v_m": FRICTION * step * slide}


def exact(bench):
    """Model (1) with the command of the gripper: which steps have a solution."""
    scene = program.copy_scene("gripper2d", bench.folder())
    run = program.run(bench.program, scene, "--dynamics", "kinematic", "--law", "coulomb", "--duration", 0.1)
    for k in range(1, len(run.time)):
        left, right = run.ctrl[k, :2]
        room = right - left - 2 * RADIUS
        yield {
            "step": k - 1,
            "time_s": run.time[k],
            "commanded_room_m": room,
            "solved": float(run.converged[k]),
            "residual": run.residual[k],
        }


def grazing(bench):
    """Fingers that touch and rise: height of the ball with model (1) from two starts of the solver, and with (6)."""
    rising = ("# start = { y_c = 0.2, y = 0.2 }", "start = { y_c = 0.2, y = 0.2 }")
    cases = {"exact, from rest": ([], []), "exact, from rising": ([rising], [])}
    cases |= {"springs, from rest": ([], ["--dynamics", "quasistatic"])}
    cases |= {"springs, from rising": ([rising], ["--dynamics", "quasistatic"])}
    for case, (edits, options) in cases.items():
        run = program.run(bench.program, program.copy_scene("grazing_grasp", bench.folder(), *edits), *options)
        for k, time in enumerate(run.time):
            yield {
                "case": case,
                "time_s": time,
                "ball_m": run.qpos[k, 1],
                "finger_m": run.qpos[k, 2],
                "converged": float(run.converged[k]),
            }


def measure(bench):
    gripper = [row for model in LAWS for row in rows_of(model, simulate(bench, model))]
    return {
        "gripper": gripper,
        "gripper_layer": list(layer(bench)),
        "gripper_exact": list(exact(bench)),
        "grazing": list(grazing(bench)),
    }


def slides(table):
    """Velocity [m/s] of the ball's surface past the left finger, upwards, in every step."""
    return np.diff(table["y_c"] - table["y"]) / np.diff(table["time_s"])
