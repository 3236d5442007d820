"""Claims: the quality of grasps is that of closed forms, of qhull and of a linear program, also where contacts are
symmetric, coplanar or doubled; a grasp's bits are its own; bad input is named."""

import numpy as np
import pytest
import stiction as st
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError
from stiction import grasp


def disc(angles, radius=1.0):
    """Fingers around a disc: positions and inward normals."""
    outward = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return radius * outward, -outward


def wrenches(position, normal, friction, length, center=0.0, facets=8, torsion=0.0, tangent=None):
    """The wrenches of one grasp, from the definition."""
    arms = position - center
    n = len(position)
    friction, torsion = np.broadcast_to(friction, n), np.broadcast_to(torsion, n)
    found = []
    for i in range(n):
        unit = normal[i] / np.linalg.norm(normal[i])
        if position.shape[1] == 2:
            side = np.array([-unit[1], unit[0]])
            for sign in (1, -1):
                force = unit + sign * friction[i] * side
                found.append([*force, (arms[i][0] * force[1] - arms[i][1] * force[0]) / length])
            continue
        axis = np.array([0.0, 1, 0]) if abs(unit[1]) < 0.5 else np.array([0, 0, 1.0])
        first = axis if tangent is None else tangent[i]
        first = first - (first @ unit) * unit
        first /= np.linalg.norm(first)
        second = np.cross(unit, first)
        for angle in 2 * np.pi * np.arange(facets) / facets:
            force = unit + friction[i] * (np.cos(angle) * first + np.sin(angle) * second)
            found.append([*force, *(np.cross(arms[i], force) / length)])
        for sign in (1, -1):
            found.append([*unit, *((np.cross(arms[i], unit) + sign * torsion[i] * unit) / length)])
    return np.array(found)


def qhull_epsilon(points):
    """Distance of the hull's border from the origin, negative outside, and its volume; 0 and 0 for a flat hull."""
    try:
        hull = ConvexHull(points)
    except QhullError:
        return 0.0, 0.0
    return -hull.equations[:, -1].max(), hull.volume


def lp_closure(points):
    """The largest least weight of a convex combination that gives 0; positive if the origin is inside."""
    n, d = points.shape
    equal = np.block([[points.T, np.zeros((d, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    answer = linprog(np.r_[np.zeros(n), -1.0], A_ub=np.c_[-np.eye(n), np.ones(n)], b_ub=np.zeros(n), A_eq=equal,
                     b_eq=np.r_[np.zeros(d), 1.0], bounds=[(0, None)] * n + [(None, None)])  # fmt: skip
    return -answer.fun if answer.status == 0 else -1.0


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.6, 1.0])
def test_two_fingers_on_a_box_in_a_plane(mu):
    found = grasp.quality([[-0.04, 0], [0.04, 0]], [[1, 0], [-1, 0]], mu, 0.04)
    assert found.closure
    assert found.epsilon == pytest.approx(mu / np.sqrt(mu**2 + 2), abs=1e-9)


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.6, 0.9])
def test_three_fingers_on_a_disc(mu):
    found = grasp.quality(*disc(2 * np.pi * np.arange(3) / 3), mu, 1.0)
    assert found.closure
    assert found.epsilon == pytest.approx(mu, abs=1e-9)
    assert found.lower <= found.epsilon <= found.upper <= found.lower + 1e-9


def test_without_friction_or_with_two_hard_fingers_in_space_there_is_none():
    smooth = grasp.quality(*disc(2 * np.pi * np.arange(3) / 3), 0.0, 1.0)
    pinch = grasp.quality([[-1, 0, 0], [1, 0, 0]], [[1, 0, 0], [-1, 0, 0]], 0.6, 1.0, volume=True)
    for found in (smooth, pinch):
        assert not found.closure
        assert found.epsilon == 0
        assert found.upper <= 1e-9
    assert pinch.volume == 0


def test_torsion_makes_two_fingers_hold_in_space():
    position, normal = np.array([[-1.0, 0, 0], [1, 0, 0]]), np.array([[1.0, 0, 0], [-1, 0, 0]])
    found = grasp.quality(position, normal, 0.6, 1.0, torsion=0.3)
    assert found.closure
    assert found.epsilon == pytest.approx(qhull_epsilon(wrenches(position, normal, 0.6, 1.0, torsion=0.3))[0], abs=1e-9)


def random_grasp(rng, dimension):
    """Contacts of fingers that come from anywhere, or from one side only, on a lumpy object."""
    n = rng.integers(2, 17)
    outward = rng.normal(size=(n, dimension))
    if rng.random() < 0.4:
        outward[:, 0] = np.abs(outward[:, 0]) - rng.choice([0, 0.3])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    normal = -outward + rng.choice([0, 0.3]) * rng.normal(size=outward.shape)
    return rng.uniform(0.5, 1.5, (n, 1)) * outward * 0.05, normal, rng.uniform(0.05, 1.0, n)


@pytest.mark.parametrize(("dimension", "facets", "seed"), [(2, 4, 0), (2, 8, 1), (3, 4, 2), (3, 8, 3)])
def test_random_grasps_are_judged_as_by_qhull_and_a_linear_program(dimension, facets, seed):
    rng = np.random.default_rng(seed)
    closed = 0
    for _ in range(250):
        position, normal, friction = random_grasp(rng, dimension)
        torsion = rng.choice([0, 0.005]) if dimension == 3 else 0.0
        center = rng.normal(size=dimension) * 0.01
        found = grasp.quality(position, normal, friction, 0.05, center=center, facets=facets, torsion=torsion, volume=True)
        points = wrenches(position, normal, friction, 0.05, center, facets, torsion)
        epsilon, volume = qhull_epsilon(points)
        assert found.upper - found.lower <= 1e-6
        assert found.volume == pytest.approx(volume, rel=1e-7, abs=1e-12)
        if epsilon > 1e-7:
            assert found.closure
            assert found.lower - 1e-9 <= epsilon <= found.upper + 1e-9
            assert lp_closure(points) > 0
        elif epsilon < -1e-7:
            assert not found.closure
            assert lp_closure(points) <= 1e-9
        closed += bool(found.closure)
    assert 50 < closed < 250


def regular_grasps():
    """Grasps of boxes, cylinders and prisms whose wrenches are symmetric and lie in common planes."""
    sides = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1.0]])
    for chosen in ([0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4], range(6), [0, 0, 1, 1]):
        yield sides[list(chosen)], -sides[list(chosen)]
    corners = np.array([[y, z] for y in (-1, 1) for z in (-1, 1.0)])
    for x in (1.0, 0.5):  # four points of two pads
        position = np.array([[side * x, y, z] for side in (-1, 1) for y, z in corners])
        yield position, np.array([[-np.sign(p[0]), 0, 0] for p in position])
    for n in (3, 4, 6, 12):
        angle = 2 * np.pi * np.arange(n) / n
        ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
        yield ring, -ring
        yield np.concatenate([ring + [0, 0, 1], ring - [0, 0, 1]]), np.concatenate([-ring, -ring])


@pytest.mark.parametrize("facets", [3, 4, 8, 12])
@pytest.mark.parametrize("torsion", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
def test_regular_grasps_are_judged_as_by_qhull(mu, torsion, facets):
    for position, normal in regular_grasps():
        found = grasp.quality(position, normal, mu, 1.0, facets=facets, torsion=torsion)
        epsilon, _ = qhull_epsilon(wrenches(position, normal, mu, 1.0, facets=facets, torsion=torsion))
        assert found.upper - found.lower <= 1e-6
        if abs(epsilon) > 1e-7:
            assert found.closure == (epsilon > 0)
        assert found.epsilon == pytest.approx(max(epsilon, 0), abs=1e-7)


def test_a_tangent_turns_the_edges():
    rng = np.random.default_rng(5)
    position, normal, friction = random_grasp(rng, 3)
    tangent = rng.normal(size=position.shape)
    found = grasp.quality(position, normal, friction, 0.05, facets=4, tangent=tangent)
    epsilon, _ = qhull_epsilon(wrenches(position, normal, friction, 0.05, facets=4, tangent=tangent))
    other, _ = qhull_epsilon(wrenches(position, normal, friction, 0.05, facets=4))
    assert found.epsilon == pytest.approx(max(epsilon, 0), abs=1e-9)
    assert abs(epsilon - other) > 1e-4


def doubled(points, gap, seed=0):
    """The same points again, a little beside themselves."""
    return np.concatenate([points, points + gap * np.random.default_rng(seed).normal(size=points.shape)])


@pytest.mark.parametrize("gap", [1e-12, 1e-10, 1e-9, 1e-8, 1e-6])
@pytest.mark.parametrize("seed", range(12))
def test_contacts_that_almost_coincide_are_judged_as_one(gap, seed):
    position = np.random.default_rng(seed).normal(size=(4, 3))
    position /= np.linalg.norm(position, axis=1, keepdims=True)
    alone = grasp.quality(position, -position, 1.0, 0.1, facets=4, volume=True)
    found = grasp.quality(doubled(position, gap), -np.concatenate([position, position]), 1.0, 0.1, facets=4, volume=True)
    assert found.closure == alone.closure
    assert found.epsilon == pytest.approx(alone.epsilon, abs=2e-5 + 100 * gap)
    assert found.upper - found.lower <= 2e-5  # the longest wrench is 17
    assert found.volume == pytest.approx(alone.volume, rel=1e-4 + 1e3 * gap)


@pytest.mark.parametrize("height", [1e-4, 1e-3, 1e-2])
def test_volumes_of_flat_rings_are_those_of_qhull(height):
    ring = disc(2 * np.pi * np.arange(8) / 8)[0]
    position = np.concatenate([np.c_[ring, np.full(8, height)], np.c_[ring, np.full(8, -height)]])
    normal = -np.concatenate([np.c_[ring, np.zeros(8)]] * 2)
    found = grasp.quality(position, normal, 1.0, 1.0, facets=4, volume=True)
    hull = ConvexHull(wrenches(position, normal, 1.0, 1.0, facets=4), qhull_options="QJ")
    assert found.volume == pytest.approx(hull.volume, rel=1e-4)


@pytest.mark.parametrize("center", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_closure_does_not_hang_on_the_unit_of_torques(center, length):
    position, normal = np.array([[-1.0, 0, 0], [1, 0, 0]]), np.array([[1.0, 0, 0], [-1, 0, 0]])
    assert grasp.quality(position, normal, 0.5, length, center=3 * [center], torsion=0.01).closure
    assert not grasp.quality(position, normal, 0.5, length, center=3 * [center]).closure


def test_normals_may_have_any_length():
    position, normal, friction = many_grasps(1)
    one = grasp.quality(position, normal, friction, 1.0)
    for factor in (1e-200, 1e-300, 1e200):
        again = grasp.quality(position, factor * normal, friction, 1.0, tangent=np.roll(factor * normal, 1, axis=-1))
        assert again.closure[0]
        assert grasp.quality(position, factor * normal, friction, 1.0).epsilon == pytest.approx(one.epsilon, rel=1e-12)


def many_grasps(batch):
    rng = np.random.default_rng(9)
    position = rng.normal(size=(batch, 8, 3))
    return position, -position + 0.2 * rng.normal(size=position.shape), rng.uniform(0.2, 0.9, (batch, 8))


def test_a_grasp_has_the_same_bits_in_any_batch_and_with_any_threads():
    position, normal, friction = many_grasps(40)
    found = grasp.quality(position, normal, friction, 1.0, volume=True)
    for threads in (1, 2, 5):
        again = grasp.quality(position[::-1], normal[::-1], friction[::-1], 1.0, volume=True, threads=threads)
        for one, other in zip(found, again, strict=True):
            np.testing.assert_array_equal(one, other[::-1])
    alone = [grasp.quality(p, n, f, 1.0, volume=True) for p, n, f in zip(position, normal, friction, strict=True)]
    np.testing.assert_array_equal(found.epsilon, [one.epsilon for one in alone])
    np.testing.assert_array_equal(found.volume, [one.volume for one in alone])


def test_count_leaves_contacts_out_and_what_is_beyond_it_is_not_looked_at():
    position, normal, friction = many_grasps(6)
    count = np.array([8, 5, 3, 0, 1, 8])
    for array in (position, normal, friction):
        for i, n in enumerate(count):
            array[i, n:] = np.nan
    found = grasp.quality(position, normal, friction, 1.0, count=count)
    for i, n in enumerate(count):
        alone = grasp.quality(position[i, :n], normal[i, :n], friction[i, :n], 1.0)
        assert found.epsilon[i] == alone.epsilon
        assert found.closure[i] == alone.closure
    assert not found.closure[3]
    assert found.upper[3] == 0


def test_leading_axes_are_broadcast():
    position, normal, _ = many_grasps(6)
    found = grasp.quality(position.reshape(2, 3, 8, 3), normal.reshape(2, 3, 8, 3), 0.5, np.array([1.0, 2.0, 3.0]))
    assert found.epsilon.shape == (2, 3)
    assert found.epsilon[1, 2] == grasp.quality(position[5], normal[5], 0.5, 3.0).epsilon
    empty = grasp.quality(np.zeros((0, 4, 3)), np.ones((0, 4, 3)), 0.5, 1.0)
    assert empty.epsilon.shape == (0,)


def wrong(**changed):
    good = {"position": np.eye(3)[None], "normal": -np.eye(3)[None], "friction": 0.5, "length": 1.0}
    return grasp.quality(**(good | changed))


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"position": np.full((1, 3, 3), np.nan)}, "position: that of contact 0 of grasp 0 is nan"),
        ({"position": [1, 2, 3]}, "position: expected shape (..., n, 3) or (..., n, 2), got (3,)"),
        ({"position": "here"}, "position: expected an array of numbers, got str"),
        ({"normal": np.eye(3)[:2]}, "normal: expected shape (..., 3, 3), got (2, 3)"),
        ({"normal": [[1, 0, 0], [0, 0, 0], [1, 0, 0]]}, "normal: that of contact 1 of grasp 0 is zero; it may have any other length"),
        ({"friction": [0.5, -0.1, 0.5]}, "friction: that of contact 1 of grasp 0 is -0.1, must be at least 0"),
        ({"friction": [0.5, np.inf, 0.5]}, "friction: that of contact 1 of grasp 0 is inf"),
        ({"length": 0.0}, "length: that of grasp 0 is 0, must be positive [m]"),
        ({"length": [1.0, -2.0]}, "length: that of grasp 1 is -2, must be positive [m]"),
        ({"center": [0, np.nan, 0]}, "center: that of grasp 0 is nan"),
        ({"torsion": -1.0}, "torsion: that of contact 0 of grasp 0 is -1, must be at least 0"),
        ({"facets": 2}, "facets: 2 given, must be in [3, 65535]"),
        ({"facets": 2**40}, "facets: 1099511627776 given, must be in [3, 65535]"),
        ({"threads": -1}, "threads: -1 given, must be in [0, 65535]"),
        ({"volume": "yes"}, "volume: yes given, must be True or False"),
        ({"count": 2**32 + 2}, "count: that of grasp 0 is 2147483647, must be in [0, 3]"),
        ({"count": [[1], [2, 3]]}, "count: expected whole numbers, got object"),
        ({"friction": "0.5"}, "friction: expected an array of numbers, got str"),
        ({"friction": None}, "friction: expected an array of numbers, got NoneType"),
        ({"friction": 10**400}, "friction: expected an array of numbers, got int"),
        ({"normal": 1.0}, "normal: expected shape (..., 3, 3), got ()"),
        ({"position": 1e160 * np.eye(3)}, "position: that of contact 0 of grasp 0 is 1e+160, must be within 1e+50"),
        ({"length": 1e-160}, "length: that of grasp 0 is 1e-160, must be between 1e-50 and 1e+50"),
        ({"facets": 2.5}, "facets: 2.5 given, must be a whole number"),
        ({"facets": 30000}, "facets: 3 contacts of 30000 edges are more than 65535 wrenches"),
        ({"count": 4}, "count: that of grasp 0 is 4, must be in [0, 3]"),
        ({"count": 1.5}, "count: expected whole numbers, got float64"),
        ({"tangent": -np.eye(3)}, "tangent: that of contact 0 of grasp 0 is along its normal"),
        ({"length": np.ones(2), "count": np.ones(3, int)},
         "leading axes that do not fit together: position (1,), normal (1,), length (2,), count (3,); expected equal ones, or 1"),
    ],
)  # fmt: skip
def test_bad_input_is_named(changed, line):
    with pytest.raises(st.InputError) as error:
        wrong(**changed)
    assert str(error.value) == line


def test_a_plane_has_no_torsion_and_no_tangent():
    plane = {"position": np.eye(2), "normal": -np.eye(2), "friction": 0.5, "length": 1.0}
    with pytest.raises(st.InputError, match="torsion: that of contact 0 of grasp 0 is not 0"):
        grasp.quality(**plane, torsion=0.1)
    with pytest.raises(st.InputError, match="tangent: grasps in a plane have none"):
        grasp.quality(**plane, tangent=np.ones((2, 3)))
