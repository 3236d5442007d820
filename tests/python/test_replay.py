"""Claims about replays: from a recording alone, the run again to the last bit."""

import shutil

import h5py
import numpy as np
import pytest
from recordings import record
from stiction.errors import InputError
from stiction.recording import load_recording

# a pushed box and a mesh that falls, all that a scene can draw, and three tables in files
MODEL = """<mujoco><asset><mesh name="wedge" file="wedge.obj"/></asset><worldbody>
  <geom name="floor" type="plane" size="2 2 1"/>
  <body name="box" pos="0.3 0 0.0501"><freejoint name="free"/>
    <geom name="box" type="box" size=".05 .05 .05" density="333.3333333"/></body>
  <body name="wedge" pos="0 0.4 0.15" quat="0.9 0.1 0.2 0.3"><freejoint/>
    <geom name="wedge" type="mesh" mesh="wedge"/></body>
  <body name="pusher" pos="0.123456789123 0 0.06"><joint name="x" type="slide" axis="1 0 0"/>
    <geom name="pusher" size=".04"/></body>
  <body name="lid" mocap="true" pos="0.3 0 0.2"><geom name="lid" type="box" size=".05 .05 .01"/></body>
</worldbody><actuator><position name="push" joint="x" kp="1000"/></actuator></mujoco>"""
WEDGE = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SCENE = """model = "model.xml"
command_file = "command.csv"
[physics]
preset = "quasistatic_qp"
dynamics = "dynamic"
[solver]
tolerance = 1e-9
[step]
step_size = 0.01
duration = 0.2
[[mocap]]
body = "lid"
file = "lid.csv"
[[impulse]]
step = 3
body = "box"
value = [0.0, 0.01, 0.0, 0.0, 0.0, 0.001]
[[impulse]]
body = "wedge"
file = "pushes.csv"
[randomize]
seed = 7
qpos_noise = { x = [0.01], "free" = [0.01, 0.01, 0.0, 0.0, 0.0, 0.3] }
friction = [0.2, 0.9]
mass_scale = [0.5, 2.0]
"""


@pytest.fixture
def pushed(tmp_path):
    """A scene whose environments differ in everything that a scene can draw."""
    folder = tmp_path / "pushed"
    folder.mkdir()
    files = {"model.xml": MODEL, "wedge.obj": WEDGE, "scene.toml": SCENE,
             "command.csv": "time,push\n0,0\n0.2,0.3\n", "lid.csv": "0,0.3,0,0.2,1,0,0,0\n0.2,0.4,0.1,0.15,1,0,0,0.5\n",
             "pushes.csv": "2,0.001,0,0,0,0,0\n5,0,0.001,0,0,0,0.0001\n"}
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def assert_same_bits(recording, sim, envs=slice(None)):
    """Steps through all rows; what is compared first is where it starts."""
    status = np.zeros_like(recording.status[0][envs])
    steps = np.diff(recording.steps, prepend=0)
    for row in range(recording.rows):
        if row > 0:
            status = sim.step(steps=int(steps[row]))
        for name in ("qpos", "qvel", "ctrl"):
            recorded, now = getattr(recording, name)[row][envs], getattr(sim, name)
            assert recorded.dtype == now.dtype and recorded.tobytes() == now.tobytes(), f"{name} of row {row}"
        assert np.array_equal(status, recording.status[row][envs]), f"status of row {row}"


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        ("gripper2d", ("--duration", 0.4)),
        ("fence_particle", ("--duration", 2)),  # its fence follows a file
        ("iiwa_stack_1", ("--duration", 1)),  # meshes, a command in a file, positions that are drawn
        ("incline", ("--law", "coulomb", "--solver", "newton", "--step-size", 0.02, "--duration", 0.2)),
        ("planar_pick", ("--device", "reference", "--duration", 0.6)),
        ("gripper2d", ("--dtype", "float32", "--cone", "pyramid", "--facets", 6, "--duration", 0.4, "--every", 3)),
        ("gripper2d", ("--max-contacts", 1, "--allow-failures", 9, "--duration", 0.4)),  # contacts are dropped
    ],
)
def test_a_replay_has_the_bits_of_the_run(scene, options, tmp_path):
    file = record(f"scenes/{scene}", tmp_path / "run.h5", "--batch", 3, *options)
    with load_recording(file) as recording, recording.replay() as sim:
        assert recording.rows > 5 and not np.array_equal(recording.qpos[0], recording.qpos[-1])
        assert sim.scene.name == scene
        assert_same_bits(recording, sim)


READ_IN_A_WAY = """model = "arm.xml"
[compiler]
balanceinertia = true
[packages]
parts = "."
[[actuator]]
joint = "*"
kp = 30.0
kv = 2.0
[initial]
qpos = [0.1]
"""
ARM = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><inertial pos="0 0 .1" mass="1" diaginertia="1 1 5"/>
  <geom size=".1"/></body></worldbody><keyframe><key name="home" qpos=".5" qvel="1"/></keyframe></mujoco>"""


@pytest.mark.parametrize(("options", "start"), [((), 0.1), (("--keyframe", "home"), 0.5)])
def test_a_replay_has_the_actuators_of_the_scene_and_the_start_of_the_command_line(tmp_path, options, start):
    folder = tmp_path / "arm"
    folder.mkdir()
    (folder / "arm.xml").write_text(ARM)
    (folder / "scene.toml").write_text(READ_IN_A_WAY)
    file = record(folder, tmp_path / "run.h5", "--dynamics", "dynamic", "--duration", 0.2, *options)
    shutil.rmtree(folder)
    with load_recording(file) as recording, recording.replay() as sim:
        assert recording.qpos[0].tolist() == [[start]] and recording.ctrl[0].shape == (1, 1)
        assert recording.rows > 5 and not np.array_equal(recording.qpos[0], recording.qpos[-1])
        assert_same_bits(recording, sim)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_drawn_environments_are_replayed_without_the_files_of_the_scene(pushed, tmp_path, dtype):
    options = ("--batch", 9, "--seed", 5, "--envs", "7,0,3-5", "--dtype", dtype, "--allow-failures", 9)
    file = record(pushed, tmp_path / "run.h5", *options)  # 1e-9 is too small for float32 here and there
    shutil.rmtree(pushed)
    with load_recording(file) as recording:
        for start in (recording.qpos[0], recording.geom_friction):
            assert len(np.unique(start.reshape(5, -1), axis=0)) == 5  # so that another one shows
        with recording.replay() as sim:
            assert np.array_equal(sim.params.friction, recording.geom_friction)
            assert_same_bits(recording, sim)


@pytest.mark.parametrize("envs", [[2], [2, 3], [4, -5, 1, 4]])
def test_a_choice_of_environments_is_replayed(pushed, tmp_path, envs):
    file = record(pushed, tmp_path / "run.h5", "--batch", 9, "--envs", "7,0,3-5")
    with load_recording(file) as recording, recording.replay(envs, threads=1) as sim:
        assert sim.batch == len(envs)
        assert_same_bits(recording, sim, envs)


def test_consecutive_environments_are_drawn_again_by_a_reset(pushed, tmp_path):
    file = record(pushed, tmp_path / "run.h5", "--batch", 9, "--envs", "7,0,3-5")
    with load_recording(file) as recording, recording.replay([2, 3, 4]) as sim:
        sim.step(steps=5)
        sim.reset()
        assert_same_bits(recording, sim, [2, 3, 4])


def test_the_scene_of_a_recording_says_what_was_run(pushed, tmp_path):
    options = ("--law", "frictionless", "--solver", "pgs", "--step-size", 0.02, "--seed", 11, "--max-contacts", 23)
    with load_recording(record(pushed, tmp_path / "run.h5", *options)) as recording:
        scene = recording.load_scene()
        assert (scene.name, scene.dynamics, scene.law, scene.solver) == ("pushed", "dynamic", "frictionless", "pgs")
        assert (scene.step_size, scene.duration, scene.seed, scene.tolerance) == (0.02, 0.2, 11, 1e-9)
        assert scene.model.xml == recording.model_xml and recording.steps.tolist() == list(range(11))
        with recording.replay() as sim:
            assert sim.max_contacts == 23


@pytest.mark.parametrize("options", [("--preset", "ecp"), ("--dynamics", "dynamic", "--law", "patch", "--rotation", "linear")])
def test_how_contacts_are_read_is_recorded_and_replayed(pushed, tmp_path, options):
    chosen = {"law": "coulomb", "cone": "quadratic", "contact": "patch", "geometry": "end", "rotation": "linear"}
    file = record(pushed, tmp_path / "run.h5", *options, "--torsion-radius", "uniform", "--duration", 0.01)
    with load_recording(file) as recording:
        assert {key: recording.choices[key] for key in (*chosen, "torsion_radius")} == chosen | {"torsion_radius": "uniform"}
        scene = recording.load_scene()
        assert {key: getattr(scene, key) for key in chosen} == chosen
        assert (scene.dynamics, scene.torsion_radius) == ("dynamic", "uniform")


def changed(recording_file, tmp_path, change):
    """A copy of the recording after `change(file)`."""
    copy = tmp_path / "changed.h5"
    shutil.copy(recording_file, copy)
    with h5py.File(copy, "r+") as file:
        change(file)
    return copy


def set_attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


def cut_model(file):
    model = file["model"][:100]
    del file["model"]
    file["model"] = model


@pytest.mark.parametrize(("key", "default"), [("max_total_iterations", 0), ("hover_warning", 0.01), ("contact", "points")])
def test_a_recording_from_before_a_key_is_replayed(key, default, gripper_file, tmp_path):
    file = changed(gripper_file, tmp_path, lambda file: file.attrs.__delitem__(key))
    with load_recording(file) as recording, recording.replay() as sim:
        assert getattr(sim.scene, key) == default
        assert_same_bits(recording, sim)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_attribute("stiction_version", "0.0.1"), r"of stiction 0\.0\.1, this is .*: its bits need the same"),
        (set_attribute("mujoco_version", "3.2.1"), r"of mujoco 3\.2\.1, this is .*: its bits need the same version"),
        (set_attribute("seed", np.uint64(2**64 - 1)), "a scene takes at most"),
        (set_attribute("scene_text", "[physics"), "damaged"),
        (set_attribute("law", "sticky"), "the scene can not be made again"),
        (lambda file: file.attrs.__delitem__("first_env_id"), "attribute first_env_id is missing"),
        (lambda file: file.__delitem__("model"), "holds no compiled model, so that it can not be replayed"),
        (cut_model, "the scene can not be made again"),
    ],
)
def test_what_can_not_be_replayed_is_one_line(change, words, gripper_file, tmp_path):
    file = changed(gripper_file, tmp_path, change)
    with load_recording(file) as recording, pytest.raises(InputError, match=words) as error:
        recording.replay()
    assert "\n" not in str(error.value) and str(file) in str(error.value)


def test_environments_and_devices_that_are_not_there_are_named(gripper_file):
    with load_recording(gripper_file) as recording:
        for words, options in {"environment 3 is not there": {"envs": [3]}, "no environment": {"envs": []},
                               "device": {"device": "tpu"}}.items():
            with pytest.raises(InputError, match=words):
                recording.replay(**options)
