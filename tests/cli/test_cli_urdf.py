"""URDFs on the command line: where packages are, what is left out, joints that nothing drives; starts from keyframes."""

import pytest
from stiction_program import assert_one_line

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ARM = f"""<robot name="arm"><mujoco><compiler discardvisual="false"/></mujoco>
  <link name="base">{INERTIAL}</link>
  <link name="upper">{INERTIAL}<visual><geometry><mesh filename="scan.dae"/></geometry></visual>
    <collision><geometry><mesh filename="package://arm_parts/upper.obj"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="7" velocity="1"/></joint></robot>"""
SLIDER = """<mujoco><worldbody><body><joint name="s" type="slide" axis="1 0 0"/><geom size=".1"/></body></worldbody>
  <actuator><position joint="s" kp="10"/></actuator><keyframe><key name="home" qpos=".5" ctrl=".5"/></keyframe></mujoco>"""
STEPS = ("--duration", "0.02")


@pytest.fixture
def arm(tmp_path):
    """A URDF whose package lies elsewhere, in the folder `parts`, with a visual mesh that cannot be read."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/upper.obj").write_text(TETRAHEDRON)
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot/arm.urdf").write_text(ARM)
    (tmp_path / "robot/scan.dae").write_text("<COLLADA/>")
    return tmp_path / "robot/arm.urdf"


@pytest.fixture
def slider(tmp_path):
    (tmp_path / "slider.xml").write_text(SLIDER)
    return tmp_path / "slider.xml"


@pytest.mark.parametrize("command", [("info",), ("run", *STEPS), ("compare", *STEPS), ("bench", "--seconds", "0.01")])
def test_a_package_is_where_the_command_line_says(stiction, arm, command):
    name, *more = command
    assert_one_line(stiction(name, arm, *more), 2)
    done = stiction(name, arm, *more, "--package", f"arm_parts={arm.parents[1] / 'parts'}")
    assert done.returncode == 0, done.stderr


def test_a_refused_package_says_what_to_do(stiction, arm):
    refused = stiction("run", arm)
    assert_one_line(refused, 2)
    assert "package 'arm_parts'" in refused.stderr and "--package arm_parts=DIR" in refused.stderr


@pytest.mark.parametrize(("given", "says"), [("arm_parts", "NAME=DIR"), ("=parts", "NAME=DIR"), ("arm_parts=", "NAME=DIR"),
                                             ("arm_parts=nowhere", "no folder nowhere")])  # fmt: skip
def test_a_package_without_a_name_or_folder_is_refused(stiction, arm, given, says):
    refused = stiction("run", arm, "--package", given)
    assert_one_line(refused, 2)
    assert f"--package {given}" in refused.stderr and says in refused.stderr


def test_what_is_left_out_and_what_nothing_drives_is_said(stiction, arm):
    package = ("--package", f"arm_parts={arm.parents[1] / 'parts'}")
    left_out = "1 visual mesh cannot be read and is left out: scan.dae"
    run, info = stiction("run", arm, *STEPS, *package), stiction("info", arm, *package)
    assert left_out in run.stderr and left_out in info.stdout
    for printed in (run.stdout, info.stdout):
        assert "nothing drives the 1 hinges and slides; [[actuator]] of scene.toml" in printed


def test_actuators_of_a_scene_drive_a_urdf(stiction, arm):
    scene = arm.parents[1] / "scene.toml"
    scene.write_text('model = "robot/arm.urdf"\n[packages]\narm_parts = "parts"\n[[actuator]]\njoint = "*"\nkp = 30\n')
    info = stiction("info", scene)
    assert info.returncode == 0, info.stderr
    assert "elbow on elbow: position  kp 30" in info.stdout and "nothing drives" not in info.stdout


def test_a_keyframe_is_the_start(stiction, slider, tmp_path):
    h5py = pytest.importorskip("h5py")
    done = stiction("run", slider, "--keyframe", "home", *STEPS, "--out", tmp_path / "home.h5")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "home.h5") as file:
        assert file["qpos"][0].tolist() == [[0.5]] and file.attrs["keyframe"] == "home"


def test_an_unknown_keyframe_is_refused_with_those_that_there_are(stiction, slider):
    for name, *more in (("run",), ("compare",), ("bench",), ("info",)):
        refused = stiction(name, slider, *more, "--keyframe", "hom")
        assert_one_line(refused, 2)
        assert '"hom" is no keyframe of the model; it has: home' in refused.stderr


def test_families_have_no_keyframes(stiction):
    refused = stiction("bench", "boxes:2", "--keyframe", "home")
    assert_one_line(refused, 2)
    assert "boxes:2" in refused.stderr and "--keyframe" in refused.stderr
