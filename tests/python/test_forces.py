"""Resultants, centres of pressure and cones: hand numbers."""

import numpy as np
import pytest
from stiction.view import forces
from stiction.view.forces import Contacts

UP = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # rows n, t, o of a floor
EXACT = 1e-12
SAME_ROTATION = 1e-12


def contacts(points):
    """Contacts (env, geoms, position, force along n, t, o) on a floor."""
    env, geom, position, force = (np.array(part) for part in zip(*points))
    frame = np.repeat(UP[None], len(points), axis=0)
    return Contacts(env, geom, np.zeros(len(points)), position.astype(float), frame, force.astype(float))


def test_the_resultant_of_a_patch_acts_at_its_centre_of_pressure():
    four = contacts([(0, (0, 1), (x, y, 0), (n, 0.5, 0)) for x, y, n in ((0, 0, 1), (1, 0, 3), (0, 2, 1), (1, 2, 3))])
    patch = forces.patch_resultants(four)
    assert len(patch) == 1
    assert patch.point[0] == pytest.approx([0.75, 1, 0], abs=EXACT)  # 6 of 8 N at x = 1, half at y = 2
    assert patch.force[0] == pytest.approx([2, 0, 8], abs=EXACT)
    assert patch.local()[0] == pytest.approx([8, 2, 0], abs=EXACT)


def test_patches_are_of_one_pair_of_geoms_in_one_environment():
    points = [(0, (0, 1), (0, 0, 0), (1, 0, 0)), (0, (0, 2), (1, 0, 0), (2, 0, 0)), (1, (0, 1), (5, 0, 0), (4, 0, 0)),
              (1, (0, 1), (7, 0, 0), (4, 0, 0))]
    patch = forces.patch_resultants(contacts(points))
    found = {(env, *geom): (p[0], f[2]) for env, geom, p, f in zip(patch.env, patch.geom, patch.point, patch.force)}
    assert found == {(0, 0, 1): (0, 1), (0, 0, 2): (1, 2), (1, 0, 1): (6, 8)}


def test_contacts_without_force_make_no_patch():
    points = contacts([(0, (0, 1), (0, 0, 0), (0, 0, 0)), (0, (0, 2), (1, 0, 0), (3, 0, 0))])
    assert forces.patch_resultants(points).geom.tolist() == [[0, 2]]
    assert len(forces.patch_resultants(points.select(np.array([0])))) == 0
    assert len(forces.single_forces(points)) == 2


def test_a_single_force_is_turned_to_world_axes():
    sideways = np.array([[[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]])  # n along y, t along z, o along x
    zero, force = np.zeros(1, int), np.array([[5.0, 3, 2]])
    one = Contacts(zero, np.array([[0, 1]]), np.zeros(1), np.zeros((1, 3)), sideways, force)
    assert forces.single_forces(one).force[0] == pytest.approx([2, 5, 3], abs=EXACT)


def test_a_force_within_friction_lies_inside_its_drawn_cone_and_one_beyond_it_outside():
    arrows = forces.single_forces(contacts([(0, (0, 1), (0, 0, 0), (10, 3, 2)), (0, (0, 1), (0, 0, 0), (10, 5, 2))]))
    friction, length = np.array([[0.5, 0.4]] * 2), 0.01
    height, along_t, along_o = forces.cone_scales(arrows, friction, length).T
    assert height == pytest.approx([0.1, 0.1]) and along_t == pytest.approx([0.05] * 2)
    drawn = length * arrows.local()
    inside = (drawn[:, 1] / along_t) ** 2 + (drawn[:, 2] / along_o) ** 2 <= 1
    assert inside.tolist() == [True, False]


def test_a_force_is_shown_as_it_acts_on_what_is_handled():
    arrows = forces.single_forces(contacts([(0, (1, 2), (0, 0, 0), (10, 3, 2)), (0, (0, 1), (0, 0, 0), (10, 3, 2))]))
    shown = forces.facing(arrows, np.array([False, True, False]))
    assert shown.force == pytest.approx(np.array([[-3, -2, -10], [3, 2, 10]])) and shown.geom[:, 1].tolist() == [1, 1]
    assert np.linalg.det(shown.frame) == pytest.approx(1)
    assert shown.local() == pytest.approx(np.array([[10, 3, -2], [10, 3, 2]]))  # still inside the cone along n


@pytest.mark.parametrize("sides", [3, 4, 32])
def test_a_cone_has_its_corners_where_the_facets_are(sides):
    vertices, faces = forces.cone_mesh(sides)
    assert vertices[0].tolist() == [0, 0, 0] and len(faces) == sides
    assert vertices[1] == pytest.approx([1, 1, 0])  # the first facet lies along t
    assert vertices[2] == pytest.approx([1, np.cos(2 * np.pi / sides), np.sin(2 * np.pi / sides)])
    corner = vertices[faces]
    outward = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    assert (np.einsum("fk,fk->f", outward[:, 1:], corner.mean(axis=1)[:, 1:]) > 0).all()


def test_padding_is_left_out_and_geoms_get_mujocos_numbers():
    E, C = 2, 3
    geom = np.full((E, C, 2), -1)
    geom[0, :2], geom[1, :1] = [[0, 1], [1, 2]], [[0, 2]]
    gap, vector = np.full((E, C), np.nan), np.full((E, C, 3), np.nan)
    gap[0, :2], gap[1, :1], vector[0, :2], vector[1, :1] = [1, 2], [3], 4, 5
    flat = forces.flatten(np.array([2, 1]), geom, gap, vector, np.zeros((E, C, 3, 3)), vector, np.array([10, 11, 15]))
    assert flat.env.tolist() == [0, 0, 1] and flat.gap.tolist() == [1, 2, 3]
    assert flat.geom.tolist() == [[10, 11], [11, 15], [10, 15]]
    assert np.isfinite(flat.position).all() and np.isfinite(flat.force).all()


def test_a_contact_travels_with_the_body_that_moves():
    at_rest = np.array([0, 0, 0, 1.0, 0, 0, 0])
    before = np.array([[at_rest, [1, 0, 0, 1, 0, 0, 0]]])
    quarter = np.sqrt(0.5)
    after = np.array([[at_rest, [3, 0, 0, quarter, 0, 0, quarter]]])  # body 1: 2 m along x, a quarter turn about z
    geom_body, moves = np.array([0, 1]), np.array([False, True])
    for geoms in ((0, 1), (1, 0)):
        point = contacts([(0, geoms, (2, 0, 0.5), (1, 0, 0))])
        moved = forces.carry_along(point, before, after, geom_body, moves)
        assert moved.position[0] == pytest.approx([3, 1, 0.5], abs=EXACT)


def random_quaternions(num):
    quat = np.random.default_rng(1).normal(size=(num, 4))
    return quat / np.linalg.norm(quat, axis=1, keepdims=True)


def test_quaternions_turn_vectors_as_matrices_do():
    quat = np.vstack([random_quaternions(200), np.eye(4)])
    matrix = np.stack([forces.rotate(quat, np.broadcast_to(axis, (len(quat), 3))) for axis in np.eye(3)], axis=-1)
    assert np.linalg.det(matrix) == pytest.approx(1)
    again = forces.quaternion_of(matrix)
    assert np.abs(np.einsum("nk,nk->n", again, quat)) == pytest.approx(1, abs=SAME_ROTATION)
    product = forces.multiply(quat[:100], quat[100:200])
    vector = np.array([0.3, -0.2, 0.9])
    expected = forces.rotate(quat[:100], forces.rotate(quat[100:200], np.tile(vector, (100, 1))))
    assert forces.rotate(product, np.tile(vector, (100, 1))) == pytest.approx(expected, abs=EXACT)


def test_arrows_point_along_their_forces():
    direction = np.vstack([random_quaternions(50)[:, :3], np.eye(3), -np.eye(3)])
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    turned = forces.rotate(forces.turn_x_to(direction), np.tile([1.0, 0, 0], (len(direction), 1)))
    assert turned == pytest.approx(direction, abs=1e-9)
