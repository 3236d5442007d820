"""Claims: a depth image is what mj_multiRay meets through every pixel of a camera of the model; a wall before a camera is as deep
as it is far, in every pixel; poses may be given, and differ between environments."""

import mujoco
import numpy as np
import pytest
import stiction as st

SAME = 1e-9  # [m]
WIDTH, HEIGHT = 40, 30

ROOM = """<mujoco><compiler angle="degree"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <camera name="corner" pos="2 -2 2" xyaxes="1 1 0 -.5 .5 1" fovy="60"/>
  <camera name="follower" mode="targetbody" target="arm"/>
  <camera name="flat" projection="orthographic" pos="0 0 3"/>
  <body name="arm" pos="0 0 1"><joint name="lift" axis="0 1 0" range="-60 60"/><geom type="capsule" size=".1" fromto="0 0 0 1 0 0"/>
    <camera name="wrist" pos="1.2 0 .1" euler="10 -70 5" fovy="75"/>
    <body name="hand" pos="1 0 0"><joint type="ball"/><geom type="box" size=".1 .2 .05"/></body></body>
  <body name="ball" pos="1.5 .5 .5"><freejoint/><geom size=".3"/></body></worldbody></mujoco>"""


def mujoco_depth(model, data, camera, width, height, excluded=-1):
    """(height, width): multiples of rays of length 1 along -z that mj_multiRay finds, infinite where it meets nothing."""
    half = np.tan(np.radians(model.cam_fovy[camera]) / 2)
    x, y = np.meshgrid((np.arange(width) + 0.5) / width * 2 - 1, 1 - (np.arange(height) + 0.5) / height * 2)
    local = np.stack([x * half * width / height, y * half, -np.ones_like(x)], axis=-1).reshape(-1, 3)
    rays = np.ascontiguousarray(local @ data.cam_xmat[camera].reshape(3, 3).T)
    distance, geom = np.zeros(len(rays)), np.zeros(len(rays), np.int32)
    mujoco.mj_multiRay(model, data, data.cam_xpos[camera], rays.ravel(), None, 1, excluded, geom, distance, None, len(rays), 1e9)
    return np.where(distance < 0, np.inf, distance).reshape(height, width)


@pytest.mark.parametrize("camera", ["corner", "wrist"])
def test_a_depth_image_is_what_mujoco_meets_through_every_pixel(camera):
    model = mujoco.MjModel.from_xml_string(ROOM)
    data, rng = mujoco.MjData(model), np.random.default_rng(2)
    with st.Simulator(st.load_model(model, dynamics="dynamic"), batch=20, device="cpu") as sim:
        assert list(sim.model.geom_source_id) == list(range(model.ngeom))
        number = model.camera(camera).id
        expected = []
        for env in range(20):
            mujoco.mj_resetData(model, data)
            mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv) * 0.3, 1.0)
            mujoco.mj_forward(model, data)
            sim.qpos[env] = data.qpos
            expected.append(mujoco_depth(model, data, number, WIDTH, HEIGHT))
        expected = np.array(expected)
        found = np.asarray(sim.depth_image(camera, WIDTH, HEIGHT))
        sim.forward()
        given = np.asarray(sim.depth_image(sim.camera(camera).pose, WIDTH, HEIGHT, fovy=model.cam_fovy[number]))
        last = sim.camera(number).pos[-1]
    assert np.abs(last - data.cam_xpos[number]).max() <= SAME
    assert found.shape == expected.shape == (20, HEIGHT, WIDTH)
    seen = np.isfinite(expected)
    assert seen.mean() > 0.2
    for images in (found, given):
        assert np.array_equal(np.isfinite(images), seen)
        assert np.abs(images[seen] - expected[seen]).max() <= SAME * np.maximum(1, expected[seen]).max()


def test_a_wall_is_as_deep_in_every_pixel_as_it_is_far():
    text = """<mujoco><worldbody><geom type="box" size="9 9 .5" pos="0 0 -.5"/><camera name="down" pos=".3 0 4" fovy="80"/>
      <body name="tile" pos="0 0 1"><freejoint/><geom type="box" size=".5 .5 .25"/></body></worldbody></mujoco>"""
    with st.Simulator(st.load_model(text, dynamics="dynamic"), batch=2, device="cpu") as sim:
        sim.qpos[1, 2] = 2.0
        depth = np.asarray(sim.depth_image("down", 81, 41))
        assert np.abs(depth[:, [0, 0, -1, -1], [0, -1, 0, -1]] - 4).max() <= 1e-12
        assert np.abs(depth[:, 20, 40 - 3] - [2.75, 1.75]).max() <= 1e-12  # the tile is to the left of the middle
        left, right = (depth[0, 20, : 40] < 3).sum(), (depth[0, 20, 41:] < 3).sum()
        assert left > right > 0  # x is to the right
        alone = np.asarray(sim.depth_image("down", 81, 41, exclude="tile"))
        assert np.abs(alone - 4).max() <= 1e-12
        near = np.asarray(sim.depth_image("down", 81, 41, cutoff=3.9))
        assert np.array_equal(np.isinf(near), np.abs(depth - 4) < 1e-9)
        up = np.asarray(sim.depth_image([0, 0, 10, 0, 1, 0, 0], 4, 3))  # turned over: it looks up
        assert np.isinf(up).all()
        rows = np.asarray(sim.depth_image([0, 0, 3, np.sqrt(0.5), np.sqrt(0.5), 0, 0], 4, 3, fovy=90))
        assert np.isinf(rows[:, 0]).all()  # it looks level: the upper row sees the sky
        assert np.isinf(rows[:, 2]).sum() < rows[:, 2].size


def test_poses_differ_between_environments_and_single_precision_is_near():
    scene = st.load_model(ROOM, dynamics="dynamic")
    with st.Simulator(scene, batch=2, device="cpu") as sim, st.Simulator(scene, batch=2, device="cpu", dtype="float32") as single:
        poses = np.array([[0, 0, 3, 1, 0, 0, 0], [0, 0, 5, 2.0, 0, 0, 0]])
        both, one = np.asarray(sim.depth_image(poses, 9, 7)), np.asarray(sim.depth_image(poses[1], 9, 7))
        assert (both[1] == one[1]).all()
        assert np.abs(both[:, 0, 0] - [3, 5]).max() <= 1e-12
        near = np.asarray(single.depth_image(poses, 9, 7))
        assert near.dtype == np.float32
        assert np.abs(near - both).max() < 1e-5


def test_what_is_wrong_with_a_picture_is_said_in_a_line():
    with st.Simulator(st.load_model(ROOM, dynamics="dynamic"), batch=2, device="cpu") as sim:
        for call, message in (
            (lambda: sim.depth_image("wrest", 4, 4), "camera: the model has no camera 'wrest'; did you mean 'wrist'?"),
            (lambda: sim.depth_image("follower", 4, 4), "camera 'follower': it follows something, where only cameras that are fixed to a body are known"),
            (lambda: sim.depth_image("flat", 4, 4), "camera 'flat': its projection is orthographic, where only perspective is known"),
            (lambda: sim.depth_image("wrist", 0, 4), "width: 0 given, must be a whole number of pixels, at least 1"),
            (lambda: sim.depth_image("wrist", 4, 2.5), "height: 2.5 given, must be a whole number of pixels, at least 1"),
            (lambda: sim.depth_image("wrist", 4, 4, fovy=180), "fovy: 180 given, must be in (0, 180) [deg]"),
            (lambda: sim.depth_image("wrist", 4, 4, exclude="hend"), "body: the model has no body 'hend'; did you mean 'hand'?"),
            (lambda: sim.depth_image(np.zeros((3, 7)), 4, 4), "camera: expected a camera's name or id, or a pose of shape (7,) or (2, 7), got (3, 7)"),
            (lambda: sim.depth_image(None, 4, 4), "camera: expected a camera's name or id, or a pose of shape (7,) or (2, 7), got NoneType"),
            (lambda: sim.depth_image(np.zeros(7), 4, 4), "camera: the pose is not finite, or its quaternion is zero"),
        ):
            with pytest.raises(st.InputError) as error:
                call()
            assert str(error.value) == message


def test_cameras_are_pickled_with_their_scene():
    import pickle

    scene = pickle.loads(pickle.dumps(st.load_model(ROOM, dynamics="dynamic")))
    assert scene.model.camera_names == ["corner", "follower", "flat", "wrist"]
    assert scene.model.camera_fovy.tolist() == [60, 45, 45, 75]
    assert scene.model.camera_body.tolist() == [0, 0, 0, 1]
