"""Claims: trajectories have the values, velocities and accelerations of their knots and those of a polynomial of fifth
degree; inverse kinematics and straight lines are right against closed forms of an arm in a plane; a tracker's torques are
those of the equations of motion, within its limit; an environment's numbers are its own; mistakes are named."""

import numpy as np
import pytest
import stiction as st
from stiction import control

UPPER, LOWER = 0.5, 0.4
ARM = f"""<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 -9.81 0"/>
  <worldbody>
    <body name="upper"><joint name="shoulder" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 {UPPER} 0 0" size=".03" mass="2"/>
      <body name="lower" pos="{UPPER} 0 0"><joint name="elbow" axis="0 0 1" range="0.05 3" limited="true"/>
        <geom type="capsule" fromto="0 0 0 {LOWER} 0 0" size=".02" mass="1"/>
        <site name="tip" pos="{LOWER} 0 0" quat="0 0 1 0"/>
        <body name="tool" pos="{LOWER} 0 0"/>
      </body>
    </body>
    <body name="ball" pos="0 0 2"><freejoint name="loose"/><geom size=".1"/></body>
  </worldbody>
  <contact><exclude body1="upper" body2="lower"/></contact>
  <actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator>
</mujoco>"""


def arm(batch=1, step_size=0.01):
    sim = st.Simulator(st.load_model(ARM, dynamics="dynamic", step_size=step_size), batch=batch, device="cpu")
    sim.qpos[:, :2] = [0.3, 1.0]
    sim.forward()
    return sim


def tip(q):
    """Where the tip of the arm is (..., 2)."""
    both = q[..., 0] + q[..., 1]
    return np.stack([UPPER * np.cos(q[..., 0]) + LOWER * np.cos(both), UPPER * np.sin(q[..., 0]) + LOWER * np.sin(both)], axis=-1)


def joints_for(xy):
    """The joints with a positive elbow whose tip is at xy (..., 2)."""
    cosine = (np.sum(xy**2, axis=-1) - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER)
    elbow = np.arccos(cosine)
    shoulder = np.arctan2(xy[..., 1], xy[..., 0]) - np.arctan2(LOWER * np.sin(elbow), UPPER + LOWER * np.cos(elbow))
    return np.stack([shoulder, elbow], axis=-1)


def rest_to_rest(s):
    return 10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


def test_from_rest_to_rest_it_is_the_minimum_jerk_polynomial():
    start, goal = np.array([0.1, -2.0]), np.array([1.1, 1.0])
    move = control.JointTrajectory([1.0, 3.0], [start, goal])
    for s in (0.0, 0.2, 0.5, 0.9):
        found, (share, rate, change) = move(1 + 2 * s), rest_to_rest(s)
        np.testing.assert_allclose(found.position, start + share * (goal - start), atol=1e-14)
        np.testing.assert_allclose(found.velocity, rate / 2 * (goal - start), atol=1e-14)
        np.testing.assert_allclose(found.acceleration, change / 4 * (goal - start), atol=1e-13)
    assert move.duration == 2
    for outside, held in ((-5, start), (9, goal)):
        assert move(outside).position.tolist() == held.tolist()
        assert not move(outside).velocity.any()


def test_knots_are_passed_as_given_and_nothing_jumps():
    rng = np.random.default_rng(1)
    times, shape = np.array([0, 0.4, 1.0, 1.1]), (4, 5, 3)
    position, velocity, acceleration = (rng.normal(size=shape) for _ in range(3))
    move = control.JointTrajectory(times, position, velocity, acceleration)
    for side in (-1e-9, 1e-9):
        for k, t in enumerate(times[1:-1], start=1):
            found = move(t + side)
            np.testing.assert_allclose(found.position, position[k], atol=1e-7)
            np.testing.assert_allclose(found.velocity, velocity[k], atol=1e-5)
            np.testing.assert_allclose(found.acceleration, acceleration[k], atol=1e-3)
    t = np.linspace(0.01, 1.09, 37)
    before, at, after = move(t - 1e-5), move(t), move(t + 1e-5)
    assert at.position.shape == (37, 5, 3)
    np.testing.assert_allclose((after.position - before.position) / 2e-5, at.velocity, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (([0], [[1.0]]), "times: expected at least two times (K,), got shape (1,)"),
        (([0, 1, 1], np.zeros((3, 2))), "times: that of knot 2 is 1, must be after 1"),
        (([0, 1], np.zeros((3, 2))), "positions: expected shape (2, ..., n), one for each time, got (3, 2)"),
        (([0, np.nan], np.zeros((2, 2))), "times: not all numbers are finite"),
        (([0, 1], np.zeros((2, 2)), np.zeros((3, 2))), "velocities: expected the shape of positions, (2, 2), got (3, 2)"),
        (([0, 1e-320], np.zeros((2, 2))), "times: two knots are less than 1e-100 s apart, or more than 1e100 s"),
        (([0, 1], np.full((2, 2), 1e200)), "positions: not all numbers are finite and below 1e100"),
        (([0, 1], "here"), "positions: expected an array of numbers, got str"),
    ],
)
def test_a_wrong_trajectory_is_named(arguments, line):
    with pytest.raises(st.InputError) as error:
        control.JointTrajectory(*arguments)
    assert str(error.value) == line


def test_inverse_kinematics_finds_the_joints_of_a_closed_form_and_leaves_the_state_alone():
    rng = np.random.default_rng(2)
    wanted = np.stack([rng.uniform(-3, 3, 40), rng.uniform(0.2, 2.5, 40)], axis=1)
    goal = np.concatenate([tip(wanted), np.zeros((40, 1))], axis=1)
    with arm(batch=40) as sim:
        before = sim.qpos.copy()
        for frame in ("tool", sim.body("tool"), sim.site("tip")):
            found = control.inverse_kinematics(sim, frame, goal)
            assert found.converged.all()
            np.testing.assert_allclose(tip(found.qpos), goal[:, :2], atol=1e-8)
            np.testing.assert_allclose(np.cos(found.qpos), np.cos(joints_for(goal[:, :2])), atol=1e-6)
            assert ((found.qpos[:, 1] >= 0.05) & (found.qpos[:, 1] <= 3)).all()
        np.testing.assert_array_equal(sim.qpos, before)


def test_orientations_count_where_they_are_given():
    with arm() as sim:
        wanted = np.array([0.8, 0.7])
        turned = [np.cos(0.75), 0, 0, np.sin(0.75)]
        place = [*tip(wanted), 0]
        found = control.inverse_kinematics(sim, "tool", place, turned)
        np.testing.assert_allclose(found.qpos[0], wanted, atol=1e-6)
        assert found.converged[0]
        other = control.inverse_kinematics(sim, "tool", place, [np.cos(0.85), 0, 0, np.sin(0.85)])
        assert not other.converged[0]
        assert other.rotation_error[0] > 0.01


def test_quaternions_may_have_any_length():
    with arm() as sim:
        for length in (1e-200, -1.0, 1e200):
            turned = length * np.array([np.cos(0.75), 0, 0, np.sin(0.75)])
            found = control.inverse_kinematics(sim, "tool", [*tip(np.array([0.8, 0.7])), 0], turned)
            np.testing.assert_allclose(found.qpos[0], [0.8, 0.7], atol=1e-6)


def test_a_trajectory_keeps_what_it_was_made_of():
    times = np.array([0.0, 1.0])
    move = control.JointTrajectory(times, [[0.0], [1.0]])
    times[1] = 10
    assert move.duration == 1


def test_out_of_reach_the_nearest_point_is_found():
    with arm() as sim:
        found = control.inverse_kinematics(sim, "tool", [1.5, 0, 0])
        nearest = np.hypot(UPPER + LOWER * np.cos(0.05), LOWER * np.sin(0.05))  # the elbow's range begins at 0.05
        assert not found.converged[0]
        assert found.position_error[0] == pytest.approx(1.5 - nearest, abs=1e-5)


def test_a_line_is_straight_and_its_joints_are_those_of_the_closed_form():
    with arm(batch=2) as sim:
        sim.qpos[1, :2] = [-0.4, 1.4]
        begin = tip(np.array(sim.qpos[:, :2]))
        way = np.array([[-0.1, 0.15, 0], [0.2, 0.05, 0]])
        line = control.CartesianLine(sim, sim.site("tip"), way, relative=True, free_rotation=True, duration=1.5, start_time=1.0)
        assert line.joints == ["shoulder", "elbow"]
        assert line.reached.tolist() == [1, 1]
        for t in (0.0, 1.0, 1.31, 1.75, 2.2, 2.5, 4.0):
            share = rest_to_rest(np.clip((t - 1) / 1.5, 0, 1))
            at = line(t)
            np.testing.assert_allclose(at.position, joints_for(begin + share[0] * way[:, :2]), atol=1e-6)
        t = np.linspace(1.01, 2.49, 23)
        before, at, after = line(t - 1e-4), line(t), line(t + 1e-4)
        np.testing.assert_allclose((after.position - before.position) / 2e-4, at.velocity, atol=1e-6)
        np.testing.assert_allclose((after.velocity - before.velocity) / 2e-4, at.acceleration, atol=1e-5)
        to_end = control.CartesianLine(sim, sim.site("tip"), np.c_[begin, [0, 0]] + way, free_rotation=True, duration=1.5, start_time=1.0)
        np.testing.assert_allclose(to_end(1.8).position, line(1.8).position, atol=1e-6)


def test_an_environment_out_of_reach_is_named_or_stays_and_its_neighbours_keep_their_bits():
    with arm(batch=3) as sim:
        way = np.array([[-0.1, 0.1, 0], [2.0, 0, 0], [0.1, -0.1, 0]])
        with pytest.raises(st.InputError, match=r"the line of environment 1 can not be followed beyond \d+% of it"):
            control.CartesianLine(sim, "tool", way, relative=True, free_rotation=True, duration=1)
        line = control.CartesianLine(sim, "tool", way, relative=True, free_rotation=True, duration=1, unreachable="hold")
        assert line.reached[[0, 2]].tolist() == [1, 1]
        assert 0 < line.reached[1] < 1
        np.testing.assert_array_equal(line(0.7).position[1], [0.3, 1.0])
        assert not line(0.7).velocity[1].any()
        for one in (0, 2):
            with arm() as alone:
                np.testing.assert_array_equal(
                    control.CartesianLine(alone, "tool", way[one], relative=True, free_rotation=True, duration=1)(0.7).position[0], line(0.7).position[one]
                )


def test_a_tracker_follows_within_first_order_of_the_step():
    reach = control.JointTrajectory([0, 1], [[0.3, 1.0], [1.2, 0.4]])
    worst = {}
    for h in (0.002, 0.001):
        with arm(step_size=h) as sim:
            tracker = control.Tracker(sim, ["shoulder", "elbow"], kp=100, kd=4)
            worst[h] = 0.0
            for k in range(round(1 / h)):
                sim.ctrl[:] = tracker.torque(reach(k * h))
                sim.step()
                worst[h] = max(worst[h], np.abs(sim.qpos[0, :2] - reach((k + 1) * h).position).max())
    assert worst[0.002] < 4e-3
    assert worst[0.001] < 0.6 * worst[0.002]


def test_at_rest_the_torque_is_that_of_the_weight_and_limits_hold():
    with arm(batch=2) as sim:
        rest = control.Motion(np.array([0.3, 1.0]), np.zeros(2), np.zeros(2))
        torque = control.Tracker(sim, ["shoulder", "elbow"], 100, 10).torque(rest)
        np.testing.assert_allclose(torque, sim.bias()[:, :2], atol=1e-12)
        weight = 9.81 * (0.5 * UPPER * 2 * np.cos(0.3) + UPPER * np.cos(0.3) + 0.5 * LOWER * np.cos(1.3))
        np.testing.assert_allclose(torque[:, 0], weight, rtol=1e-9)
        reversed_rest = control.Motion(rest.position[::-1], rest.velocity, rest.acceleration)
        limited = control.Tracker(sim, ["elbow", "shoulder"], 100, 10, limit=[0.5, 3.0]).torque(reversed_rest)
        np.testing.assert_allclose(limited, [[0.5, 3.0]] * 2)
        bare = control.Tracker(sim, ["shoulder", "elbow"], 100, 10, feed_forward=False).torque(rest)
        np.testing.assert_allclose(bare, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda sim: control.inverse_kinematics(sim, "tol", [0, 0, 0]), "body: .*'tol'.*tool"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0]), r"position: expected shape \(3,\) or \(1, 3\), got \(2,\)"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], [0, 0, 0, 0]), "quat: a quaternion is zero"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, np.nan, 0]), "position: not all numbers are finite"),
        (lambda sim: control.inverse_kinematics(sim, "ball", [0, 0, 0]), "frame: no hinge or slide moves body 'ball'"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], joints=["loose"]), "joints: 'loose' is neither a hinge nor"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], joints=[]), "joints: expected at least one name"),
        (lambda sim: control.CartesianLine(sim, "tool", [0, 0, 0], duration=0), "duration: 0 given, must be positive"),
        (lambda sim: control.CartesianLine(sim, "tool", [0, 0, 0], duration=1, unreachable="stop"), 'unreachable: "stop" is not one of'),
        (lambda sim: control.CartesianLine(sim, "tool", [0, 0, 0], [1, 0, 0, 0], duration=1, free_rotation=True), "quat: the frame's rotation is"),
        (lambda sim: control.CartesianLine(sim, "tool", [0, 0, 0], duration=1, start_time="now"), "start_time: 'now' given"),
        (lambda sim: control.CartesianLine(sim, "tool", [0, 0, 0], duration=1, tolerance=0), "tolerance: 0 given, must be a positive"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], tolerance="x"), "tolerance: 'x' given"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], max_iterations=1.5), "max_iterations: 1.5 given"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], joints=["elbow", "elbow"]), "joints: .* names a joint twice"),
        (lambda sim: control.inverse_kinematics(sim, "tool", [0, 0, 0], joints=3), "joints: expected names, got 3"),
        (lambda sim: control.Tracker(sim, ["elbow"], 1, np.inf), r"kd: inf given, must be finite"),
        (lambda sim: control.Tracker(sim, ["elbow"], 1, 1).torque(None), "wanted: expected a Motion, or position"),
        (lambda sim: control.Tracker(sim, ["elbow"], -1, 1), r"kp: -1.0 given, must be finite and at least 0"),
        (lambda sim: control.Tracker(sim, ["elbow"], [1, 2], 1), r"kp: expected one number, or \(1,\), got shape \(2,\)"),
        (lambda sim: control.Tracker(sim, ["elbow"], 1, 1).torque(control.Motion(np.zeros(2), np.zeros(2), np.zeros(2))),
         r"position: expected shape \(1,\) or \(1, 1\), got \(2,\)"),
    ],
)  # fmt: skip
def test_mistakes_are_named(make, line):
    with arm() as sim, pytest.raises(st.InputError, match=line):
        make(sim)
