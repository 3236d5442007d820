"""Claims: random first steps of one and of two moving bodies solve (18), (19) of Xie and Chakraborty, as the certificate
says from the outside, or say that they are open; and their motion alone tells where and how hard they pushed.

ST_FULL=1 takes 1,008 steps on a plane and 2,016 of two bodies: cold_steps.py.
"""

import functools
import itertools
import os

import certificate
import cold_steps
import numpy as np
import pytest
from cold_steps import st

FULL = os.environ.get("ST_FULL") == "1"
RESIDUAL = 1e-9  # of impulses over m g h, of lengths in metres
EQUAL = 1e-9  # of an ECP [m], and of impulses over those of the step
LEAST = 0.03  # share of m g h that a patch carries of which the ECP is compared: the rest is rounding over little

GROUPS = {
    "plane": ["box", "cylinder", "prism3", "prism5", "prism8", "hull"],
    "polytopes": ["box+box", "box+prism3", "prism5+box", "box+hull", "prism8+prism3", "hull+prism5", "hull+hull"],
    "cylinders": ["cylinder+cylinder", "box+cylinder", "cylinder+prism8", "cylinder+hull", "prism3+cylinder"],
}  # fmt: skip
COUNT = 56 if FULL else 8  # of every step size and pair of shapes
SOLVED = {"plane": 0.999, "polytopes": 0.995, "cylinders": 0.995}


@functools.cache
def steps(group):
    return [step for (k, h), shapes in itertools.product(enumerate(cold_steps.STEP_SIZES), GROUPS[group])
            for step in cold_steps.take(shapes.split("+"), h, COUNT, 5000 + k)]  # fmt: skip


@functools.cache
def residuals(group):
    """The largest of every step."""
    found = [certificate.certificate(step.world, [step.start, step.end], [step.patches], np.zeros((1, 2, 6)))
             for step in steps(group)]  # fmt: skip
    return np.array([max(kind[0] for kind in of_step.values()) for of_step in found])


@pytest.mark.parametrize("group", GROUPS)
def test_a_step_that_says_that_it_converged_solves_the_equations(group):
    converged = np.array([step.converged for step in steps(group)])
    assert residuals(group)[converged].max() <= RESIDUAL
    assert sum(len(step.patches) for step in steps(group)) >= len(converged) / 3


@pytest.mark.parametrize("group", GROUPS)
def test_as_many_steps_are_solved_as_were_promised(group):
    assert np.mean(residuals(group) <= RESIDUAL) >= SOLVED[group]


@pytest.mark.parametrize("group", GROUPS)
def test_the_motion_alone_tells_the_same_contact(group):
    """Of geom[1], on which the impulses of a patch act."""
    rows = [contact_row(step) for step in steps(group) if step.converged and step.patches]
    columns = {name: np.array([row[0][name] for row in rows]) for name in rows[0][0]}
    found = st.contact_from_motion(**columns)
    point, impulse, weight = (np.array(column) for column in zip(*(row[1:] for row in rows), strict=True))
    carries = impulse[:, 0] >= LEAST * weight
    assert found.valid[carries].all() and carries.mean() >= 0.9
    told = np.column_stack([found.p_n, found.p_t, found.p_o, found.p_r])
    scale = np.maximum(weight, impulse[:, 0])[:, None]
    assert np.abs(told / scale - impulse / scale)[found.valid].max() <= EQUAL
    assert np.abs(found.point - point)[carries].max() <= EQUAL


def contact_row(step):
    """Arguments of contact_from_motion for the upper body, and the ECP, impulse and m g h of the step."""
    (patch,) = step.patches
    b = step.world.geoms[patch.geom[1]].body
    mass, inertia = step.world.bodies[b]
    turn, n = step.start.rotation[b], patch.frame[0]
    arguments = {
        "position": step.end.position[b], "velocity_before": step.start.velocity[b], "velocity_after": step.end.velocity[b],
        "mass": mass, "inertia": turn @ inertia @ turn.T, "impulse": np.append(step.world.h * mass * step.world.gravity, np.zeros(3)),
        "normal": n, "plane_offset": n @ patch.point, "tangent": patch.frame[1], "step_size": step.world.h,
    }  # fmt: skip
    return arguments, patch.point, patch.impulse, step.world.h * mass * np.linalg.norm(step.world.gravity)
