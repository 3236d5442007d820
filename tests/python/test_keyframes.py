"""Claims: a reset to a keyframe starts as a scene with that keyframe does, bit for bit; others stay; wrong names are refused."""

import numpy as np
import pytest
import stiction as st

MODEL = """<mujoco><worldbody>
  <geom type="plane" size="2 2 .1"/>
  <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/><geom type="capsule" size=".02 .1" pos=".1 0 0" euler="0 90 0"/></body>
  <body name="ball" pos="1 0 .5"><freejoint/><geom size=".05"/></body>
  <body name="lid" mocap="true" pos="0 0 2"><geom type="box" size=".1 .1 .01"/></body>
</worldbody>
<actuator><position name="bend" joint="elbow" kp="50" kv="5"/></actuator>
<keyframe>
  <key name="home" qpos=".5 1 0 .2 1 0 0 0" qvel="0 1 0 0 0 0 0" ctrl=".4" mpos="0 1 1" mquat="0 1 0 0"/>
  <key name="bent" qpos="-.7 1 0 .3 0 2 0 0" qvel=".1 0 0 0 0 0 2" ctrl="-.8" mpos="1 0 2" mquat="1 0 0 0"/>
  <key qpos="0 0 0 3 1 0 0 0"/>
</keyframe></mujoco>"""  # fmt: skip
NAMES = ["home", "bent", "#2"]


def load(**keys):
    return st.load_model(MODEL, step_size=0.01, **keys)


def course(sim, steps=20):
    """All that a step may leave of the state, after every step."""
    rows = []
    for _ in range(steps):
        sim.step()
        rows.append(np.concatenate([sim.qpos, sim.qvel, sim.ctrl, sim.mocap_pose[:, 0], sim.time[:, None]], axis=1))
    return np.array(rows)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("name", NAMES)
def test_a_reset_to_a_keyframe_is_the_start_of_a_scene_that_names_it(name, device):
    noise = {"qpos_noise": {"elbow": [0.1]}, "seed": 5}
    with st.Simulator(load(**noise), batch=3, device=device) as sim, st.Simulator(load(keyframe=name, **noise), batch=3, device=device) as own:
        assert sim.model.keyframe_names == NAMES
        sim.step(steps=3)
        sim.reset(keyframe=name)
        assert np.array_equal(sim.body_pose, own.body_pose)
        assert np.array_equal(course(sim), course(own))


def test_a_number_and_a_part_of_the_batch():
    with st.Simulator(load(), batch=4, device="cpu") as sim, st.Simulator(load(), batch=4, device="cpu") as other:
        sim.step(steps=3), other.step(steps=3)
        sim.reset([1, 3], keyframe=1)
        assert np.allclose(sim.qpos[[1, 3]], [-0.7, 1, 0, 0.3, 0, 1, 0, 0]) and np.allclose(sim.ctrl[:, 0], [0, -0.8, 0, -0.8])
        assert np.array_equal(sim.time, [other.time[0], 0, other.time[0], 0])
        sim.reset(np.array([False, False, True, False]), keyframe="home")
        assert np.allclose(sim.mocap_pose[:, 0, :3], [[0, 0, 2], [1, 0, 2], [0, 1, 1], [1, 0, 2]])
        assert np.array_equal(course(sim)[:, 0], course(other)[:, 0])


def test_its_control_stays_until_it_is_written_or_reset():
    with st.Simulator(load(keyframe="home"), batch=2, device="cpu") as sim:
        sim.reset([1], keyframe="bent")
        sim.step(steps=5)
        assert np.allclose(sim.ctrl[:, 0], [0.4, -0.8])
        sim.reset()
        sim.step()
        assert np.allclose(sim.ctrl, 0.4)


def test_a_command_of_the_scene_comes_before_its_control(tmp_path):
    (tmp_path / "desk.xml").write_text(MODEL)
    (tmp_path / "scene.toml").write_text('model = "desk.xml"\n[[command]]\ntime = 0\nctrl = [0]\n[[command]]\ntime = 1\nctrl = [1]\n')
    with st.Simulator(st.load_scene(tmp_path, step_size=0.01), batch=1, device="cpu") as sim:
        sim.reset(keyframe="bent")
        assert sim.qpos[0, 0] == -0.7
        sim.step(steps=10)
        assert np.allclose(sim.ctrl, 0.1)


def test_a_table_comes_before_its_mocap_pose(tmp_path):
    (tmp_path / "desk.xml").write_text(MODEL)
    (tmp_path / "lid.csv").write_text("0,0,0,5,1,0,0,0\n1,0,0,6,1,0,0,0\n")
    (tmp_path / "scene.toml").write_text('model = "desk.xml"\n[[mocap]]\nbody = "lid"\nfile = "lid.csv"\n')
    with st.Simulator(st.load_scene(tmp_path), batch=1, device="cpu") as sim:
        sim.reset(keyframe="home")
        assert np.allclose(sim.mocap_pose[0, 0, :3], [0, 0, 5])


REFUSED = {
    "a misspelt one": ({"keyframe": "hom"}, "keyframe: the model has no keyframe 'hom'; did you mean 'home'?"),
    "none near": ({"keyframe": "zzz"}, "keyframe: the model has no keyframe 'zzz'; there are #2, bent, home"),
    "a number": ({"keyframe": 3}, "keyframe: the model has no keyframe of number 3; their numbers are 0 to 2"),
    "a type": ({"keyframe": 0.5}, "keyframe: expected a name or a number, got float"),
    "two starts": ({"keyframe": 0, "qvel": np.zeros((1, 7))}, "keyframe and qvel exclude each other"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_one_line_and_changes_nothing(case):
    arguments, message = REFUSED[case]
    with st.Simulator(load(), batch=1, device="cpu") as sim:
        sim.step()
        before = sim.qpos.copy()
        with pytest.raises(st.InputError) as error:
            sim.reset(**arguments)
        assert str(error.value).startswith(message) and np.array_equal(sim.qpos, before)


def test_a_model_without_keyframes_says_so():
    with st.Simulator(st.load_model(MODEL.partition("<keyframe>")[0] + "</mujoco>"), device="cpu") as sim:
        with pytest.raises(st.InputError) as error:
            sim.reset(keyframe="home")
        assert str(error.value) == "keyframe: the model has no keyframe 'home'; it has none"
