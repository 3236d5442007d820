"""What the 2021 paper says of grasps, of one contact, of turning bodies, and of its pick and place in 3D."""

import os
import pathlib

import numpy as np
import pytest
from load_script import load_script

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
SIZES = [0.01, 0.1, 0.2, 0.4]  # of a step, every one a divisor of the knots [s]
KNOTS = np.arange(0.0, 9.7, 0.4)  # of the command [s]
LIFTED = slice(11, 18)  # the cube is off the table at these knots
TRUTH_LOST = 0.002  # step at which MuJoCo's default integrator loses the cube [s]
STILL = 1e-9  # [m/s], [N s]


# III-B and III-C: who knows how hard the fingers press?


def final_height(st, squeeze=0.0, **choices):
    """Of the ball above the ground after the rise; `squeeze`: how far either finger is told into the ball [m]."""
    with st.Simulator(st.load_scene("scenes/grazing_grasp", **choices), device="cpu") as sim:
        for _ in range(35):
            time = float(sim.time[0]) + 0.01
            y = 0.2 * max(0.0, time - 0.05)
            x = 0.106 - 0.2 * min(time, 0.03) - squeeze * min(1.0, time / 0.05)
            assert sim.step(np.array([[-x, x, y]]))[0] == st.Status.CONVERGED, time
        return float(sim.qpos[0, 1]) - 0.1


def test_a_grazing_grasp_of_prescribed_fingers_has_two_ends(st, measured):
    """(1) does not say whether the ball rises: both are solved, and the start of the solver decides."""
    measured("2021/grazing-stays", abs(final_height(st)))
    measured("2021/grazing-rises", final_height(st, start=[0.0, 0.2, 0.2, 0.0, 0.0]))


def test_with_springs_the_command_decides(st, measured):
    """(6), (10): 2 μ K × squeeze against the ball's weight; no start changes it."""
    for law in ("coulomb", "anitescu"):
        for start in (None, [0.0, 0.2, 0.2, 0.0, 0.0]):
            choices = {"dynamics": "quasistatic", "law": law, "start": start}
            measured("2021/springs-stay", abs(final_height(st, 0.0, **choices)))
            measured("2021/springs-lift", final_height(st, 0.015, **choices))


# IV-A: Fig. 4


@pytest.mark.parametrize("case", ["rolling", "sliding", "separation"])
def test_a_contact_has_the_modes_of_the_figure(st, measured, case):
    """(8), one contact over the ground: which multipliers act, and on which edge of its region the velocity lies."""
    h, mu, pushed = 0.01, 0.5, {"rolling": (-1.0, 0.3), "sliding": (-1.0, 1.0), "separation": (0.2, 1.0)}[case]
    slide = h * mu * (pushed[1] + mu * pushed[0])  # the gap with which the slide is along the surface
    phi = {"rolling": 0.0, "sliding": slide, "separation": h}[case]
    jacobian = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    answer = st.solve_contact(np.eye(2), np.array(pushed), jacobian, [phi], [mu], h, law="anitescu", tolerance=1e-10)
    assert answer.status == st.Status.CONVERGED
    normal, slip = answer.v
    multipliers = np.array([answer.lambda_[0] + answer.lambda_[1] / mu, answer.lambda_[0] - answer.lambda_[1] / mu]) / 2
    edges = normal + mu * np.array([slip, -slip]) + phi / h
    assert edges.min() >= -STILL and multipliers.min() >= -STILL
    measured("2021/modes", np.abs(np.minimum(edges, multipliers)).max())
    acts = list(multipliers > STILL)
    if case == "rolling":
        assert acts == [True, True] and abs(normal) + abs(slip) <= STILL
    elif case == "sliding":
        assert acts == [False, True] and phi > 0.0 and slip > 0.1
        measured("2021/modes-horizontal", abs(normal))
    else:
        assert acts == [False, False] and np.allclose(answer.v, pushed, rtol=0, atol=STILL)


# (2): a body that turns


def quaternion_step(st, h):
    """Distance of the simulated unit quaternion from q + h G(q) ν, normalised."""
    text = "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    q, omega = np.array([0.5, 0.1, -0.7, 0.5]), np.array([0.3, -1.0, 2.0])
    q /= np.linalg.norm(q)
    scene = st.load_model(text, dynamics="dynamic", step_size=h, qpos=[0, 0, 0, *q], qvel=[0, 0, 0, *omega])
    with st.Simulator(scene, device="cpu") as sim:
        assert sim.step()[0] == st.Status.CONVERGED
        w, x, y, z = q
        rates = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])  # G, ω in the body's axes
        linear = q + h * rates @ omega
        return np.abs(sim.qpos[0, 3:] - linear / np.linalg.norm(linear)).max()


def test_a_turning_body_departs_from_the_linear_update_to_third_order(st, measured):
    measured("2021/quaternion-order", np.log2(quaternion_step(st, 0.1) / quaternion_step(st, 0.05)))


# V-B: the stack


@pytest.mark.parametrize("size", [0.1, 0.4])
def test_ten_cubes_are_stacked(st, measured, size):
    with st.Simulator(st.load_scene("scenes/iiwa_stack", step_size=size), device="cpu") as sim:
        contacts, iterations, converged = [], [], []
        steps = round(sim.scene.duration / size)
        for _ in range(steps):
            converged.append(sim.step()[0] == st.Status.CONVERGED)
            contacts.append(int(sim.stats.contacts[0]))
            iterations.append(int(sim.stats.iterations[0]))
        targets = np.genfromtxt("scenes/iiwa_stack/targets.csv", delimiter=",", names=True, dtype=None, encoding=None)
        bodies = [sim.model.body_names.index(name) for name in targets["joint"]]
        places = np.column_stack([targets[axis] for axis in "xyz"])
        measured("2021/stack-dofs", sim.model.nv)
        measured(f"2021/stack-contacts-{size:g}", np.mean(contacts))
        measured(f"2021/stack-iterations-{size:g}", np.mean(iterations))
        measured(f"2021/stack-converged-{size:g}", np.mean(converged))
        measured(f"2021/stack-off-{size:g}", np.linalg.norm(sim.body_pose[0, bodies, :3] - places, axis=1).max())


# V-B: Figs. 7 and 8


@pytest.fixture(scope="module")
def bench():
    return load_script("bench/integral_error.py")


@pytest.fixture(scope="module")
def pick(bench, tmp_path_factory):
    """The scene of one pick, its cube where the command expects it."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    return bench.copy_scene(tmp_path_factory.mktemp("pick"))


@pytest.fixture(scope="module")
def poses(bench, pick):
    """(truth, runs): poses of the cube at the knots, runs by size of step."""
    def at_knots(time, pose):
        return bench.sample(time, pose, KNOTS).T

    truth = at_knots(*bench.read_truth(ROOT / "bench/results/iiwa_stack_1_truth.csv"))
    return truth, [at_knots(*bench.simulate(BINARY, pick, "quasistatic", size, 1)[:2]) for size in SIZES]


def angles(pose):
    """Of the axis-angle form of the orientation [deg]"""
    return np.degrees(2.0 * np.arccos(np.clip(np.abs(pose[:, 3]), 0.0, 1.0)))


def test_trajectories_do_not_depend_on_the_step(poses, measured):
    _, runs = poses
    measured("2021/paths-apart", max(np.linalg.norm(run[:, :3] - runs[0][:, :3], axis=1).max() for run in runs))
    measured("2021/angles-apart", max(np.abs(angles(run) - angles(runs[0])).max() for run in runs))


def test_trajectories_follow_the_truth(poses, measured):
    truth, runs = poses
    distance = [np.linalg.norm(run[:, :3] - truth[:, :3], axis=1) for run in runs]
    measured("2021/paths-truth", max(d.max() for d in distance))
    measured("2021/paths-truth-mean", max(d.mean() for d in distance))
    measured("2021/paths-truth-end", max(d[-1] for d in distance))
    off = [np.abs(angles(run) - angles(truth))[LIFTED] for run in runs]
    measured("2021/angles-truth", max(o.max() for o in off))
    measured("2021/angles-truth-mean", max(o.mean() for o in off))


def test_an_explicit_second_order_simulator_is_lost_right_above_a_millisecond(bench, pick, measured):
    truth = bench.read_truth(ROOT / "bench/results/iiwa_stack_1_truth.csv")
    errors = []
    for size in (0.001, TRUTH_LOST):
        time, pose, _ = bench.simulate_mujoco(BINARY, pick, bench.INTEGRATORS["mujoco_euler"], size, 1)
        errors.append(bench.integral_error(time, pose, *truth)[0])
    measured("2021/mujoco-error", errors[0])
    assert errors[1] == np.inf
