"""When hand and object count as at rest while grasps are judged."""

import numpy as np
import pytest
from stiction.grasp import read_protocol
from stiction.grasp.rest import Rest

LIMIT, STEP = 1e-3, 0.02  # [m/s], [s]


def steps_at_rest(speeds, time=1.0, step=STEP):
    """Steps at rest after every one of these velocities of one dof, beside a dof that stands still."""
    rest = Rest(np.array([LIMIT, LIMIT]), read_protocol({"base": "six_forces", "step_size": step}), 1)
    found = []
    for v in speeds:
        rest.add(np.array([[v, 0.0]]), np.array([time]))
        found.append(int(rest.steps[0]))
    return found


def test_what_hardly_moves_is_at_rest_and_what_moves_is_not():
    assert steps_at_rest([LIMIT, -LIMIT, 2 * LIMIT, LIMIT]) == [1, 2, 0, 1]
    assert steps_at_rest([2 * LIMIT] * 60) == [0] * 60


@pytest.mark.parametrize("step", [0.002, 0.02])
def test_what_slows_down_is_at_rest_where_its_way_ends_in_time(step):
    share = 0.5 ** (step / 0.02)  # of the speed, left after a step
    way = step * share / (1 - share)  # still to go, of the speed
    near, far = 0.9 * LIMIT / way, 1.1 * LIMIT / way  # beside LIMIT for one second
    assert steps_at_rest([near / share, near, near * share], step=step) == [0, 1, 2]
    assert steps_at_rest([far / share, far], step=step) == [0, 0]
    assert steps_at_rest([near / share, near], time=0.5, step=step) == [0, 0]


def test_what_slows_down_too_little_or_gains_speed_is_not_at_rest():
    slow = [5 * LIMIT * 0.8**k for k in range(5)]
    assert steps_at_rest(slow) == [0] * 5 and steps_at_rest(slow[::-1]) == [0] * 5
    assert steps_at_rest([5 * LIMIT, 2 * LIMIT], time=0.0) == [0, 0]


def test_what_trembles_is_at_rest_after_a_window_and_what_creeps_is_not():
    trembles = steps_at_rest([5 * LIMIT, -5 * LIMIT] * 10)
    assert trembles[:9] == [0] * 9 and trembles[9] == 10 and trembles[10] == 0 and trembles[19] == 10
    creeps = steps_at_rest([12 * LIMIT, -9.5 * LIMIT] * 10)  # 1.25 times the limit on average
    assert creeps == [0] * 20


def test_a_new_beginning_forgets():
    rest = Rest(np.array([LIMIT]), read_protocol("six_forces"), 2)
    for _ in range(3):
        rest.add(np.zeros((2, 1)), 1.0)
    rest.begin(np.array([1]))
    rest.add(np.zeros((2, 1)), 1.0)
    assert rest.steps.tolist() == [4, 1]
