"""A Barrett hand on a Puma closes on a telephone handset and lifts it: Fig. 3 of Miller and Christensen 2003."""

import dataclasses
import os
import pathlib
import subprocess
import sys

import mujoco
import numpy as np
import pytest
import stiction as st
from stiction import control, grasp

ROOT = pathlib.Path(__file__).parents[2]
SCENE = ROOT / "scenes/barrett_puma"
FINGERS = ["finger_1", "finger_2", "thumb"]
LINKS = [f"{name}_{part}" for name in FINGERS for part in ("inner", "outer")]
WEIGHT = 0.25 * 9.81  # of the handset [N]
TARGET = 5e-5         # gap at which contacts rest [m]
LIFT, LIFTED, HEIGHT = 3.2, 5.7, 0.2  # when the arm lifts [s], and how far [m]
AT_REST = ((2.4, 3.19), (5.8, 6.31))   # [s]
BALANCE = 1e-6        # of the forces on the handset, as a share of its weight
STAYS = 1e-4          # way of the handset in the hand during the lift: hands turn, handsets move in straight lines within a step [m]
LAG = 1e-5            # of the arm, half a second after the lift [m]


@dataclasses.dataclass
class Course:
    """All steps of the scene's course: arrays begin with the steps."""

    time: np.ndarray
    status: np.ndarray
    qpos: np.ndarray
    ctrl: np.ndarray
    torque: np.ndarray     # of the fingers' actuators (steps, 3) [N m]
    gap: np.ndarray        # the least of a step [m]
    wrist: np.ndarray      # pose (steps, 7)
    palm: np.ndarray       # pose (steps, 7)
    unbalanced: np.ndarray  # force that is left at the handset, as a share of its weight
    pressing: set          # geoms that press on the handle at the end
    bearing: np.ndarray    # torque of contacts and weights about the fingers' joints at the end (3,) [N m]
    closed: grasp.Quality  # of the grasp before the lift
    held: grasp.Quality    # and at the end


def used(sim):
    return slice(0, int(sim.contacts.count[0]))


def forces(sim):
    """World forces on the second body of each contact (count, 3) [N]."""
    part = used(sim)
    return np.einsum("ci,cij->cj", sim.contacts.force[0, part], sim.contacts.frame[0, part])


def on_handset(sim):
    """1 where the handset is the second body of a contact, -1 where it is the first, else 0."""
    bodies = sim.model.geom_body[sim.contacts.geom[0, used(sim)]]
    mine = sim.model.body_names.index("handset")
    return (bodies[:, 1] == mine).astype(int) - (bodies[:, 0] == mine)


def bearing(sim):
    """What contacts and weights do about the joint of each finger, whose outer link turns by a third (3,) [N m]: by MuJoCo's Jacobians."""
    model = mujoco.MjModel.from_xml_string(sim.model.xml)
    data = mujoco.MjData(model)
    data.qpos[:] = sim.qpos[0]
    mujoco.mj_forward(model, data)
    found, jacobian = -data.qfrc_bias, np.zeros((3, model.nv))
    for pair, position, force in zip(sim.contacts.geom[0], sim.contacts.position[0], forces(sim)):
        for side, sign in ((0, -1), (1, 1)):
            mujoco.mj_jac(model, data, jacobian, None, position, model.geom(sim.model.geom_names[pair[side]]).bodyid[0])
            found += sign * force @ jacobian
    dofs = np.array([model.joint(name).dofadr[0] for name in FINGERS])
    return found[dofs] + found[dofs + 1] / 3


def quality(sim):
    """Of all contacts of the hand, with the cones of the steps; which of a face's corners carry is not determined."""
    length = float(sim.model.body_radius[sim.model.body_names.index("handset")])
    return grasp.of_contacts(sim, "handset", by=["hand", *LINKS], least_force=-1).quality(length, facets=4)


@pytest.fixture(scope="module")
def course():
    rows, closed = [], None
    with st.Simulator(st.load_scene(SCENE), device="cpu") as sim:
        names, wrist = sim.model.geom_names, sim.site("wrist")
        for _ in range(round(sim.scene.duration / sim.scene.step_size)):
            ctrl = sim.ctrl[0].copy()  # of the end of the step to come
            status = int(sim.step()[0])
            total = (on_handset(sim)[:, None] * forces(sim)).sum(0) - [0, 0, WEIGHT]
            gaps = sim.contacts.gap[0, used(sim)]
            rows.append((
                sim.time[0], status, sim.qpos[0].copy(), ctrl, [sim.sensor(name)[0, 0] for name in FINGERS], gaps.min(initial=np.inf),
                wrist.pose[0], sim.body("hand").pose[0].copy(), np.abs(total).max() / WEIGHT,
            ))
            if closed is None and sim.time[0] >= LIFT - 1e-9:
                closed = quality(sim)
        press = sim.contacts.force[0, used(sim), 0] > 0.1
        pressing = {names[g] for pair in sim.contacts.geom[0, used(sim)][press] for g in pair} - {"handle"}
        return Course(*(np.array(column) for column in zip(*rows)), pressing, bearing(sim), closed, quality(sim))


def test_the_scene_is_made_by_its_script():
    paths = {"PYTHONPATH": str(pathlib.Path(os.environ["STICTION_BUILD"]) / "python")}
    subprocess.run([sys.executable, ROOT / "scripts/make_barrett_puma.py", "--check"], check=True, env={**os.environ, **paths})


def test_a_static_handset_is_touched_from_below_only():
    with st.Simulator(st.load_scene(SCENE), device="cpu") as sim:
        found = grasp.auto_grasp(sim, static=True, joints=FINGERS, object="handset")
        assert found.touching.all() and not found.closure[0] and found.epsilon[0] == 0
        assert found.contacts.count[0] == 3
        assert (found.contacts.normal[0, :, 2] > 0.5).all()  # all of them press upwards
        mine = np.abs(on_handset(sim)) * (sim.model.geom_body[sim.contacts.geom[0, used(sim)]] != 0).all(axis=1) == 1
        np.testing.assert_allclose(sim.contacts.gap[0, used(sim)][mine], TARGET, atol=1e-8)


def test_every_step_converges_and_nothing_overlaps(course):
    assert (course.status == st.Status.CONVERGED).all()
    assert (course.gap >= -1e-9).all()


def test_a_handset_that_moves_is_pulled_into_the_palm(course):
    assert course.pressing == {"palm", "finger_1_inner", "finger_2_inner", "thumb_inner"}  # opposite sides, and the palm
    for found in (course.closed, course.held):
        assert found.closure[0] and found.epsilon[0] > 0
    before = np.searchsorted(course.time, LIFT - 1e-9)
    assert course.qpos[before, 14] - course.qpos[0, 14] == pytest.approx(0.0577, abs=2e-4)


def test_no_finger_exceeds_its_torque(course):
    most = np.abs(course.torque).max(axis=0)
    assert most[2] <= 2 + 1e-12 and (most[:2] <= 1 + 1e-12).all()
    limits = st.load_scene(SCENE).model.actuator_force_range.reshape(-1, 2)[6:]
    np.testing.assert_array_equal(limits, [[-1, 1], [-1, 1], [-2, 2]])  # two fingers, with half the thumb's


def test_the_fingers_press_with_their_largest_torque(course):
    """By the contacts, not by what the actuators say of themselves."""
    np.testing.assert_allclose(-course.bearing, [1, 1, 2], atol=1e-4)


def test_forces_and_weight_are_in_balance_at_rest(course):
    for begin, end in AT_REST:
        assert course.unbalanced[(course.time > begin) & (course.time < end)].max() <= BALANCE


def commanded(course, steps):
    """Poses of the wrist with the arm's joints at their targets (steps, 7)."""
    with st.Simulator(st.load_scene(SCENE), batch=len(steps), device="cpu") as sim:
        sim.qpos[:] = course.qpos[steps]
        sim.qpos[:, :6] = course.ctrl[steps, :6]
        sim.forward()
        return sim.site("wrist").pose.copy()


def test_the_wrist_stays_while_the_fingers_close(course):
    steps = np.flatnonzero(course.time < LIFT - 1e-3)
    wanted = commanded(course, steps[-1:])
    assert (course.ctrl[steps, :6] == course.ctrl[0, :6]).all()
    assert np.linalg.norm(course.wrist[steps, :3] - wanted[:, :3], axis=1).max() <= 2e-3
    turned = 2 * np.arccos(np.minimum(1, np.abs(course.wrist[steps, 3:] @ wanted[0, 3:])))
    assert np.rad2deg(turned).max() <= 0.5


def test_the_wrist_follows_its_command_through_the_lift(course):
    steps = np.flatnonzero(course.time > LIFT)[::10]
    wanted = commanded(course, steps)
    assert np.linalg.norm(course.wrist[steps, :3] - wanted[:, :3], axis=1).max() <= 2e-3
    turned = 2 * np.arccos(np.minimum(1, np.abs(np.sum(course.wrist[steps, 3:] * wanted[:, 3:], axis=1))))
    assert np.rad2deg(turned).max() <= 0.5


def in_hand(course, step):
    """Where the handset is in the palm's frame [m]."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, course.palm[step, 3:])
    return rotation.reshape(3, 3).T @ (course.qpos[step, 12:15] - course.palm[step, :3])


def test_the_arm_lifts_the_handset_and_holds_it(course):
    before, after = (np.searchsorted(course.time, t - 1e-9) for t in (LIFT, LIFTED))
    way = course.qpos[-1, 12:15] - course.qpos[before, 12:15]
    assert way[2] == pytest.approx(HEIGHT, abs=1e-4) and np.abs(way[:2]).max() <= 5e-4
    slip = [np.linalg.norm(in_hand(course, k) - in_hand(course, before)) for k in range(before, len(course.time), 10)]
    assert max(slip) <= STAYS
    resting = course.qpos[np.searchsorted(course.time, LIFTED + 0.2) :, 12:15]
    assert course.time[-1] - LIFTED >= 0.5 and np.ptp(resting, axis=0).max() <= LAG
    assert after < len(course.time)


def test_the_lift_is_a_straight_line_of_the_wrist(course):
    """The file of the command has the joints that stiction.control finds."""
    with st.Simulator(st.load_scene(SCENE), device="cpu") as sim:
        line = control.CartesianLine(sim, sim.site("wrist"), [0, 0, HEIGHT], relative=True, start_time=LIFT, duration=LIFTED - LIFT)
    knots = np.arange(LIFT, LIFTED, 0.1)
    steps = np.searchsorted(course.time, knots + 1e-9)
    np.testing.assert_allclose(course.ctrl[steps, :6], line(course.time[steps]).position[:, 0], atol=5e-5)  # the command is straight between knots
    poses = commanded(course, steps)
    assert np.ptp(poses[:, :2], axis=0).max() <= 1e-5


def test_outer_joints_keep_their_ratio(course):
    for k in range(3):
        assert np.rad2deg(np.abs(course.qpos[:, 7 + 2 * k] - course.qpos[:, 6 + 2 * k] / 3)).max() <= 0.01


@pytest.mark.parametrize("step_size", [1e-3, 1.25e-3, 5e-3])
def test_other_steps_end_with_the_same_grasp(course, step_size):
    with st.Simulator(st.load_scene(SCENE, step_size=step_size), device="cpu") as sim:
        assert (sim.step(steps=round(LIFT / step_size)) == st.Status.CONVERGED).all()
        assert quality(sim).epsilon[0] == pytest.approx(course.closed.epsilon[0], rel=0.01)


def test_the_hand_closes_on_a_moving_handset_by_contact():
    """Without the scene's command: the same end by auto_grasp, which closes until nothing moves."""
    with st.Simulator(st.load_scene(SCENE), device="cpu") as sim:
        found = grasp.auto_grasp(sim, joints=FINGERS, speed=0.8, object="handset")
        assert found.closure[0] and found.epsilon[0] > 0 and found.touching.all()
