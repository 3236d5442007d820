"""Positions of the hand between two places such that even one step per knot moves past everything unhindered.

A quasistatic step with Anitescu's law and its linearised gaps hinders two boxes that are `gap` apart (normal n, from one
to the other) and move by d relative to each other unless

    slack = gap + n·d - mu |d - (n·d) n| >= 0

Positions are nodes of a grid in the upright plane through start and end; a chord between two nodes is allowed if every
slack is at least MARGIN and no joint moves too far. The fewest chords win, then the least sum of squared lengths.
The hand does not turn, so that all boxes are parallel to the axes.
"""

import itertools

import numpy as np

from scenes import stack_model as scene

MARGIN = 0.003       # [m]
SHARES = 9           # grid along the plane
HEIGHT_STEP = 0.03   # grid in height [m]
TOP = 0.47           # highest grip position [m]
SLIP_WEIGHT = 1e3    # extra cost of a chord's sideways slip in the grip at one step per knot
WAIT_GROWTH = np.array([0.0148, 0.0068, 0.0])  # how much farther a waiting cube reaches in the worst noise [m]

# Boxes of the open or closed hand relative to the grip: centre, half lengths [m]. Pads 22 mm high either way.
PALM = (np.array([0, 0, 0.0968]), np.array([0.073, 0.025, 0.0363]))
WRIST = (np.array([0, 0, 0.24]), np.array([0.08, 0.08, 0.11]))


def hand_boxes(pads):
    """Palm, wrist and one box for each finger with its pad."""
    finger = np.array([0.009, 0.024, 0.022])
    return [PALM, WRIST, (np.array([-pads - 0.009, 0, 0]), finger), (np.array([pads + 0.009, 0, 0]), finger),
            (np.array([-pads - 0.013, 0, 0.041]), np.array([0.005, 0.012, 0.02])),
            (np.array([pads + 0.013, 0, 0.041]), np.array([0.005, 0.012, 0.02]))]


def cube_box(centre, growth=0.0):
    return np.asarray(centre, float), np.full(3, scene.CUBE / 2) + growth


TABLE = (np.array([0, 0, -1.0]), np.array([5.0, 5.0, 1.0]))


def slacks(start, moves, boxes, obstacles):
    """Least slack [m] of every chord from one position of the grip (3) by `moves` (n, 3)."""
    offsets, halves = (np.array(rows)[:, None] for rows in zip(*boxes))
    centres, sizes = (np.array(rows)[None] for rows in zip(*obstacles))
    apart = centres - (start + offsets)
    vector = (np.sign(apart) * np.maximum(np.abs(apart) - halves - sizes, 0.0)).reshape(-1, 3)
    gap = np.linalg.norm(vector, axis=1)
    normal = vector / np.maximum(gap, 1e-12)[:, None]
    along = moves @ normal.T  # (n, pairs)
    slide = np.sqrt(np.maximum(np.sum(moves**2, axis=1)[:, None] - along**2, 0.0))
    return np.where(gap > 1e-9, gap - along - scene.FRICTION * slide, -np.inf).min(axis=1)


def grid(start, end, bows):
    """Nodes (n, 3): start, end, and the grid over the straight line and over arcs that bow by `bows` towards -x."""
    heights = np.arange(min(start[2], end[2]), TOP, HEIGHT_STEP)
    nodes = [start, end]
    for s, z in itertools.product(np.linspace(0, 1, SHARES), heights):
        ground = (1 - s) * start + s * end
        for bow in bows if 0 < s < 1 else bows[:1]:
            nodes.append(np.array([ground[0] - bow * 4 * s * (1 - s), ground[1], z]))
    return np.array(nodes)


def reachable(kinematics, nodes):
    """The nodes with a joint solution, and the solutions; start and end must have one."""
    kept, angles = [], []
    for i, node in enumerate(nodes):
        try:
            angles.append(kinematics.solve(node))
            kept.append(node)
        except ValueError:
            if i < 2:
                raise
    return np.array(kept), np.array(angles)


def route(kinematics, start, end, boxes, obstacles, joint_step, most_knots, spare=0, bows=(0.0,)):
    """Positions after `start` up to and including `end`, `spare` more than needed but at most `most_knots`.

    Raises ValueError if `most_knots` do not suffice.
    """
    nodes, angles = reachable(kinematics, grid(start, end, bows))
    cost = np.full((len(nodes), len(nodes)), np.inf)
    for i, node in enumerate(nodes):
        turns = angles - angles[i]
        near = np.flatnonzero(np.abs(turns).max(axis=1) <= joint_step)
        near = near[slacks(node, nodes[near] - node, boxes, obstacles) >= MARGIN]
        jacobian = kinematics.jacobian(angles[i])[:3]
        linear = turns[near] @ jacobian.T  # what the step's linearised gaps see
        near = near[slacks(node, linear, boxes, obstacles) >= MARGIN]
        linear = turns[near] @ jacobian.T
        slip = (linear - nodes[near] + node)[:, 1]
        cost[i, near] = np.sum((nodes[near] - node) ** 2, axis=1) + SLIP_WEIGHT * slip**2
    return cheapest(nodes, cost, most_knots, spare)


def cheapest(nodes, cost, most_knots, spare):
    """Path from node 0 to node 1 (dynamic programming over the number of chords), `spare` chords longer than the shortest."""
    best, before, wanted = cost[0].copy(), [], most_knots
    for num in range(1, most_knots + 1):
        if np.isfinite(best[1]):
            wanted = min(wanted, num + spare)
        if num == wanted and np.isfinite(best[1]):
            return backtrack(nodes, before)
        through = best[:, None] + cost
        before.append(np.argmin(through, axis=0))
        best = through.min(axis=0)
    raise ValueError(f"no free way from {np.round(nodes[0], 3)} to {np.round(nodes[1], 3)} in {most_knots} knots")


def backtrack(nodes, before):
    way, node = [1], 1
    for previous in reversed(before):
        node = previous[node]
        way.append(node)
    return [nodes[i].copy() for i in reversed(way)]
