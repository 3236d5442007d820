"""The shapes of a model, where they are drawn, and what is known of its pairs."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")

from stiction.mjcf import pair_friction  # noqa: E402
from stiction.view import geometry, meshes  # noqa: E402
from stiction.view.drawing import grid_offsets  # noqa: E402
from stiction.view.forces import rotate  # noqa: E402

EXACT = 1e-9
EVERY_SHAPE = """
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 .1" rgba=".2 .3 .4 1"/>
    <body pos="0 0 1" euler="20 30 40"><freejoint/>
      <geom name="sphere" type="sphere" size=".1" pos="1 0 0" rgba="1 0 0 1"/>
      <geom name="capsule" type="capsule" size=".1 .2" pos="2 0 0" euler="10 0 50"/>
      <geom name="cylinder" type="cylinder" size=".1 .2" pos="3 0 0" euler="10 0 50"/>
      <geom name="ellipsoid" type="ellipsoid" size=".1 .2 .3" pos="4 0 0"/>
      <geom name="box" type="box" size=".1 .2 .3" pos="5 0 0" rgba="0 1 0 .5"/>
      <geom name="mesh" type="mesh" mesh="wedge" pos="6 0 0"/>
      <geom name="hidden" type="box" size=".1 .1 .1" pos="7 0 0" group="3"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def shapes():
    model = mujoco.MjModel.from_xml_string(EVERY_SHAPE)
    qpos = np.array([[1.0, 2, 3, 0.5, 0.5, -0.5, 0.5], [0, 0, 1, 1, 0, 0, 0]])
    return model, {shape.name: shape for shape in geometry.shapes_of(model)}, geometry.BodyPoses(model)(qpos), qpos


@pytest.mark.parametrize(
    "name, shape, which", [("sphere", "ball", 0), ("cylinder", "tube", 1), ("ellipsoid", "ball", -1), ("box", "box", 0),
                           ("mesh", "mesh_0", 0), ("capsule", "tube", 0)])
def test_every_geom_is_drawn_where_mujoco_has_it(shapes, name, shape, which):
    model, drawn, poses, qpos = shapes
    data, geom = mujoco.MjData(model), model.geom(name).id
    position, quat = drawn[shape].place(poses)
    for env, row in enumerate(qpos):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        assert position[env, which] == pytest.approx(data.geom_xpos[geom], abs=EXACT)
        axes = np.stack([rotate(quat[env, which], axis) for axis in np.eye(3)], axis=-1)
        assert axes == pytest.approx(data.geom_xmat[geom].reshape(3, 3), abs=EXACT)


def test_a_capsule_ends_in_balls_and_hidden_groups_are_not_drawn(shapes):
    model, drawn, poses, _ = shapes
    ends = drawn["ball"].place(poses)[0][0, 1:3]
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(0.4)
    assert len(drawn["box"].body) == 1 and drawn["box"].rgba[0].tolist() == pytest.approx([0, 1, 0, 0.5])
    assert drawn["ball"].scale[-1].tolist() == [0.1, 0.2, 0.3] and geometry.floors(model) == [0]


@pytest.mark.parametrize("mesh", [meshes.box, meshes.ball, meshes.arrow_head])
def test_closed_meshes_are_seen_from_outside(mesh):
    vertices, faces = mesh()
    corner = vertices[faces]
    volume = np.einsum("fk,fk->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])) / 6
    expected = {"box": 8, "ball": 4.19, "arrow_head": 1.05}[mesh.__name__]
    assert volume == pytest.approx(expected, rel=0.05)


def test_environments_stand_apart_in_a_square():
    offsets = grid_offsets(7, np.array([2.0, 1.0, 3.0]))
    assert len({tuple(place) for place in offsets}) == 7 and np.ptp(offsets[:, 0]) == pytest.approx(2 * 2 * 1.15)
    difference = np.abs(offsets[:, None] - offsets[None]) / [2, 1, 1]
    assert np.all(difference.max(axis=2) + 2 * np.eye(7) >= 1)


def test_a_mocap_body_is_where_its_pose_says_with_what_hangs_on_it():
    xml = """<mujoco><worldbody><body mocap="true" pos="1 2 3"><body pos="0 0 1"/></body></worldbody></mujoco>"""
    poses = geometry.BodyPoses(mujoco.MjModel.from_xml_string(xml))
    half = np.sqrt(0.5)
    moved = poses(np.zeros((2, 0)), np.array([[[0, 0, 5, 1, 0, 0, 0]], [[0, 1, 0, half, half, 0, 0]]]))
    assert moved[:, 1, :3] == pytest.approx(np.array([[0, 0, 5], [0, 1, 0]]), abs=EXACT)
    assert moved[:, 2, :3] == pytest.approx(np.array([[0, 0, 6], [0, 0, 0]]), abs=EXACT)


def test_friction_of_a_pair_is_chosen_as_by_the_simulator():
    xml = """<mujoco><worldbody><geom name="a" type="plane" size="1 1 1" friction=".3"/><body><freejoint/>
      <geom name="b" size=".1" friction=".7"/></body><body><freejoint/>
      <geom name="c" size=".1" friction=".2" priority="1"/></body><body><freejoint/>
      <geom name="d" size=".1" condim="1"/></body></worldbody>
      <contact><pair geom1="d" geom2="b" friction=".4 .1"/></contact></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    friction = pair_friction(model, np.array([0, 0, 1, 1]), np.array([1, 2, 2, 3]))
    assert friction.tolist() == pytest.approx(np.array([[0.7, 0.7], [0.2, 0.2], [0.2, 0.2], [0.4, 0.1]]))
    drawn = np.array([[0.6, 0.5], [0.6, 0.8], [0.5, 0.8], [0.5, 0.9]])  # of both geoms, in their environment
    friction = pair_friction(model, np.array([0, 0, 1, 1]), np.array([1, 2, 2, 3]), drawn)
    assert friction.tolist() == pytest.approx(np.array([[0.6, 0.6], [0.8, 0.8], [0.8, 0.8], [0.4, 0.1]]))
