"""A task's script in one world: what moved, how far the hand was from its mocap body, and how far the grip slipped."""

import itertools
from dataclasses import dataclass

import numpy as np
from mocap_tasks import DOWN
from mocap_worlds import apart, seen_from


@dataclass
class Outcome:
    """`moved` is what the task measures, from the end of the first leg on [m], [rad]."""

    moved: float = 0.0
    slip: float = 0.0  # the farthest that a gripped body moved against a finger, from the end of the closing leg on [m]
    weld: float = 0.0  # distance of hand and mocap body at the end [m]
    weld_turn: float = 0.0  # angle between them [rad]
    lag: float = 0.0  # the largest distance of the two after the first leg [m]
    kinetic: float = 0.0  # energy of the whole scene at the end [J]


def run(world, task, controlled=False):
    """The whole script; as a control, with the gripper left open, or for a pull or push with the hand `aside`."""
    outcome, hand, start, held = Outcome(), None, None, None
    for leg in task.legs:
        to = np.add(leg.to, task.aside if controlled else 0.0)
        hand = to if hand is None else hand
        ctrl = task.ctrl(leg.grip and not (controlled and task.grips))
        for now, then in poses_between(hand, to, round(leg.seconds / world.h)):
            world.step(now, then, ctrl)
            if start is not None:
                outcome.lag = max(outcome.lag, apart(then, world.pose(task.hand))[0])
            if held is not None:
                outcome.slip = max(outcome.slip, np.linalg.norm(seen(world, task)[:3] - held[:3]))
        hand = to
        if start is None:
            start = measured(world, task)
            world.forget()  # the model's reference may begin in overlap, and the hand is flung to its place
        if leg.grip and task.grips and held is None:
            held = seen(world, task)
    outcome.moved = measured(world, task) - start
    outcome.kinetic = world.kinetic()
    outcome.weld, outcome.weld_turn = apart(pose_at(hand), world.pose(task.hand))
    return outcome


def pose_at(place):
    return np.concatenate([place, DOWN])


def poses_between(start, end, steps):
    """Where the mocap body is at the start and at the end of each step; it begins and ends at rest."""
    share = np.linspace(0.0, 1.0, steps + 1)
    places = start + np.outer(share**2 * (3 - 2 * share), end - start)
    return [(pose_at(now), pose_at(then)) for now, then in itertools.pairwise(places)]


def seen(world, task):
    """The pose of the task's body in the axes of a finger."""
    return seen_from(world.pose(task.finger), world.pose(task.body))


def measured(world, task):
    if task.joint:
        return task.sign * world.joint(task.joint)
    return float(np.dot(task.along, world.pose(task.body)[:3]))
