"""Claims: handles by name are live parts of the simulator's arrays, writes reach qpos, qvel and ctrl, what has no such part
refuses it by name, and a wrong name is answered with the nearest."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
import stiction as st

MODEL = """<mujoco model="desk"><option gravity="0 0 0"/><worldbody>
  <geom name="floor" type="plane" size="2 2 .1"/>
  <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/><geom name="rod" type="capsule" size=".02 .1" pos=".1 0 0" euler="0 90 0"/>
    <body name="hand" pos=".3 0 0"><joint name="wrist" type="ball"/><joint name="reach" type="slide" pos="0 0 0" axis="1 0 0"/>
      <geom name="palm" type="box" size=".02 .03 .04"/></body></body>
  <body name="cube" pos="1 0 .5"><freejoint name="fly"/><geom name="cube" type="box" size=".05 .05 .05" pos=".01 .02 .03" quat=".8 .6 0 0"/></body>
  <body><freejoint/><geom type="sphere" size=".05" pos="0 2 1"/></body>
  <body name="lid" mocap="true" pos="0 0 2"><geom name="lid" type="box" size=".1 .1 .01"/><body name="knob" pos="0 0 .1"><geom name="knob" size=".01"/></body></body>
  <body name="wall" pos="0 1 0"><geom name="wall" type="box" size=".1 .1 .1"/></body>
</worldbody>
<actuator><position name="bend" joint="elbow" kp="50" kv="5"/><motor name="push" joint="reach"/></actuator></mujoco>"""  # fmt: skip
ATTACHED = 'model = "desk.xml"\n[[attach]]\nmodel = "desk.xml"\nprefix = "left/"\npos = [0, 5, 0]\n'


@pytest.fixture(params=["float64", "float32"])
def sim(request):
    with st.Simulator(st.load_model(MODEL), batch=3, device="cpu", dtype=request.param) as simulator:
        yield simulator


def random_state(sim, seed=0):
    rng = np.random.default_rng(seed)
    for name in ("wrist", "fly", "#4"):
        turn = rng.normal(size=(3, 4))
        sim.joint(name).qpos[:, -4:] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    sim.joint("elbow").qpos = rng.normal(size=3)
    sim.qvel = rng.normal(size=sim.qvel.shape)
    sim.mocap_velocity = rng.normal(size=sim.mocap_velocity.shape)
    sim.forward()
    return 1e-12 if sim.qpos.dtype == np.float64 else 2e-6


def rotation(quat):
    w, x, y, z = np.asarray(quat, float).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1).reshape(-1, 3, 3)  # fmt: skip


def test_poses_of_all_bodies_are_those_of_the_arrays(sim):
    random_state(sim)
    for number, name in enumerate(sim.model.body_names):
        body = sim.body(name)
        assert (body.id, body.name) == (number, name) and body is sim.body(name) is sim.body(number)
        turn = body.quat * np.sign(np.sum(body.quat * sim.body_pose[:, number, 3:], axis=1, keepdims=True))
        assert body.pos.shape == (3, 3) and np.array_equal(body.pos, sim.body_pose[:, number, :3])
        assert np.allclose(turn, sim.body_pose[:, number, 3:], atol=1e-6) and body.pose.shape == (3, 7)
        assert np.shares_memory(body.pos, body.pose)


def test_what_is_written_to_a_free_body_is_in_qpos_and_the_next_step_starts_there(sim):
    cube = sim.body("cube")
    start = sim.model.joint_qpos_adr[sim.model.joint_names.index("fly")]
    cube.pos = [0.1, 0.2, 0.7]
    cube.pos[1] = (0.5, 0.5, 0.6)
    cube.quat = np.tile([0.0, 1.0, 0.0, 0.0], (3, 1))
    assert np.allclose(sim.qpos[:, start : start + 7], [[0.1, 0.2, 0.7, 0, 1, 0, 0], [0.5, 0.5, 0.6, 0, 1, 0, 0], [0.1, 0.2, 0.7, 0, 1, 0, 0]])
    cube.velocity = 0.0
    sim.step()
    assert np.allclose(sim.body_pose[1, cube.id], [0.5, 0.5, 0.6, 0, 1, 0, 0], atol=1e-6)
    cube.pose = (0, 0, 1, 1, 0, 0, 0)
    cube.pos += [0, 0, 0.5]
    assert np.array_equal(sim.qpos[:, start : start + 3], np.tile(np.array([0, 0, 1.5], sim.qpos.dtype), (3, 1)))


def test_velocities_are_those_of_points_that_move(sim):
    """For every kind of body: J qvel, and of what a mocap body carries its own."""
    close = 100 * random_state(sim)
    velocity = {name: sim.body(name).velocity for name in sim.model.body_names}
    twist = sim.mocap_velocity[:, 0]
    arm = sim.body("knob").pos - sim.body("lid").pos
    carried = np.concatenate([twist[:, :3] + np.cross(twist[:, 3:], arm), twist[:, 3:]], axis=1)
    for name, found in velocity.items():
        own = np.einsum("brk,bk->br", sim.jacobian(name, (0, 0, 0)), sim.qvel)
        assert np.allclose(found, {"lid": twist, "knob": carried}.get(name, own), atol=close), name
    assert np.abs(velocity["hand"]).max() > 0.1 and not np.any(velocity["wall"])


@pytest.mark.parametrize("name", ["cube", "lid", "#4"])
def test_a_velocity_that_is_written_is_the_one_that_is_read(sim, name):
    close = random_state(sim, 3)
    given = np.random.default_rng(4).normal(size=(3, 6))
    sim.body(name).velocity = given
    assert np.allclose(sim.body(name).velocity, given, atol=10 * close)


def test_a_free_body_flies_with_the_velocity_that_was_written():
    with st.Simulator(st.load_model(MODEL, step_size=0.01), batch=2, device="cpu") as sim:
        ball, before = sim.body("#4"), sim.body("#4").pos.copy()
        ball.velocity = [[1, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]]
        ball.pos[:, 2] += 3.0
        sim.step(steps=10)
        assert np.allclose(ball.pos - before, [[0.1, 0, 3], [0, 0.2, 3]], atol=1e-12)


REFUSED = {
    "a link": (lambda s: setattr(s.body("hand"), "pos", 0.0), "pos: body 'hand' has no free joint: write the qpos or qvel of joints"),
    "its velocity": (lambda s: setattr(s.body("arm"), "velocity", 0.0), "velocity: body 'arm' has no free joint"),
    "a wall": (lambda s: setattr(s.body("wall"), "pose", 0.0), "pose: body 'wall' does not move"),
    "a shape": (lambda s: setattr(s.body("cube"), "pos", np.zeros((2, 3))), "pos of body 'cube': expected an array of shape (3, 3), got (2, 3)"),
    "words": (lambda s: setattr(s.joint("elbow"), "qpos", "far"), "qpos of joint 'elbow': expected numbers of shape (3, 1)"),
    "a misspelt body": (lambda s: s.body("cub"), "body: the model has no body 'cub'; did you mean 'cube'"),
    "a misspelt joint": (lambda s: s.joint("elbw"), "joint: the model has no joint 'elbw'; did you mean 'elbow'?"),
    "a misspelt actuator": (lambda s: s.actuator("xyz"), "actuator: the model has no actuator 'xyz'; there are bend, push"),
    "a geom far off": (lambda s: s.geom("qqqqq"), "; there are #4, cube, floor, knob, lid, palm, rod, wall"),
    "a number": (lambda s: s.joint(99), "joint: the model has no joint of number 99; their numbers are 0 to 4"),
    "a negative number": (lambda s: s.body(-1), "body: the model has no body of number -1"),
    "no name": (lambda s: s.body(None), "body: expected a name or a number, got NoneType"),
    "an attribute": (lambda s: setattr(s.body("cube"), "poss", 0), "body has no 'poss' to set; did you mean 'pos'?"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_one_line_that_names_it(sim, case):
    call, message = REFUSED[case]
    with pytest.raises((st.InputError, AttributeError)) as error:
        call(sim)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_what_a_step_leaves_can_not_be_written_in_place(sim):
    with pytest.raises(ValueError, match="read-only"):
        sim.body("hand").pos[0] = 0.0


def test_joints_are_live_parts_of_the_state(sim):
    lengths = {"elbow": (1, 1), "wrist": (4, 3), "reach": (1, 1), "fly": (7, 6), "#4": (7, 6)}
    assert sim.model.joint_names == list(lengths)
    for name, (nq, nv) in lengths.items():
        joint = sim.joint(name)
        assert joint.qpos.shape == (3, nq) and joint.qvel.shape == (3, nv), name
        assert np.shares_memory(joint.qpos, sim.qpos) and np.shares_memory(joint.qvel, sim.qvel)
    assert [sim.joint(name).type for name in lengths] == ["hinge", "ball", "slide", "free", "free"]
    sim.joint("elbow").qpos = [0.1, 0.2, 0.3]
    sim.joint("reach").qvel = 7
    assert np.allclose(sim.qpos[:, 0], [0.1, 0.2, 0.3]) and np.array_equal(sim.qvel[:, 4], [7, 7, 7])


def test_control_that_is_written_holds_until_a_reset():
    knots = 'model = "desk.xml"\n[[command]]\ntime = 0\nctrl = [0.5, 0]\n[[command]]\ntime = 1\nctrl = [1.5, 0]\n'
    scene = in_folder(knots)
    with st.Simulator(scene, batch=2, device="cpu") as sim:
        bend = sim.actuator("bend")
        sim.step()
        assert np.shares_memory(bend.ctrl, sim.ctrl) and bend.ctrl.shape == (2,) and bend.id == 0
        bend.ctrl = bend.ctrl  # the same value holds, too
        held = bend.ctrl.copy()
        sim.step(steps=5)
        assert np.array_equal(bend.ctrl, held)
        sim.reset([1])
        sim.step(steps=5)
        assert bend.ctrl[0] == held[0] and bend.ctrl[1] != held[1]
        bend.ctrl[1] = -1.0
        sim.step(steps=5)
        assert bend.ctrl[1] == -1.0


def test_geoms_have_the_pose_that_their_body_gives_them(sim):
    close = random_state(sim, 1)
    for name in sim.model.geom_names:
        geom = sim.geom(name)
        g, pose = geom.id, sim.body_pose[:, geom.body.id].astype(float)
        assert sim.geom(g) is geom and geom.body.id == sim.model.geom_body[g]
        R = rotation(pose[:, 3:])
        assert np.allclose(geom.pos, pose[:, :3] + R @ sim.model.geom_pos[g], atol=10 * close), name
        assert np.allclose(rotation(geom.quat), R @ rotation(sim.model.geom_quat[g][None]), atol=10 * close), name


def in_folder(text):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "desk.xml").write_text(MODEL)
        (Path(folder) / "scene.toml").write_text(text)
        return st.load_scene(folder)


def test_attachments_are_named_with_their_prefix_which_is_offered():
    with st.Simulator(in_folder(ATTACHED), batch=1, device="cpu") as sim:
        assert sim.body("left/cube").id != sim.body("cube").id and sim.actuator("left/bend").id == 2
        with pytest.raises(st.InputError) as error:
            sim.actuator("left/bent")
        assert str(error.value).startswith("actuator: the model has no actuator 'left/bent'; did you mean 'left/bend'")
        assert np.allclose(sim.body("left/wall").pos, [[0, 6, 0]])


def test_handles_say_what_they_are(sim):
    said = [repr(h) for h in (sim.body("cube"), sim.joint("fly"), sim.actuator("push"), sim.geom("floor"), sim.body("#4"))]
    assert said[0].startswith("<body 'cube', id 3, of <stiction.Simulator of desk: batch 3") or "id 3" in said[0]
    assert all(line.startswith("<") and " at 0x" not in line for line in said)
    sim.close()
    assert "closed" in repr(sim.body("cube"))
