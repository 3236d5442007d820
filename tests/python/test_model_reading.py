"""Keywords of load_model and load_scene that say how a model is read."""

import pytest
import stiction as st

URDF = """<robot name="arm"><link name="base"/><link name="upper"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="package://arm_parts/upper.obj"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="7" velocity="1"/></joint></robot>"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SLIDER = """<mujoco><worldbody><body><joint name="s" type="slide" axis="1 0 0"/><geom size=".1"/></body></worldbody></mujoco>"""


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/upper.obj").write_text(TETRAHEDRON)
    return tmp_path / "parts"


def test_packages_compiler_and_actuators_are_keywords(tmp_path, parts):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(izz=5))
    keys = {"packages": {"arm_parts": parts}, "compiler": {"balanceinertia": True}, "actuator": [{"joint": "*", "kp": 30.0, "kv": 12}]}
    for model in (path, path.read_text()):
        with st.Simulator(st.load_model(model, **keys, dynamics="dynamic")) as sim:
            assert sim.model.actuator_names == ["elbow"]
            sim.ctrl[:] = 0.5
            for _ in range(1000):
                sim.step()
            assert sim.qpos[0, 0] == pytest.approx(0.5, abs=0.02)
    with pytest.raises(st.InputError, match="balanceinertia"):
        st.load_model(path, packages={"arm_parts": parts})


def test_a_package_folder_is_relative_to_the_working_directory(tmp_path, parts, monkeypatch):
    (tmp_path / "arm.urdf").write_text(URDF.format(izz=1))
    monkeypatch.chdir(parts)
    st.load_model(tmp_path / "arm.urdf", packages={"arm_parts": "."})
    with pytest.raises(st.InputError, match=r"packages\.arm_parts"):
        st.load_model(tmp_path / "arm.urdf", packages={"arm_parts": "nowhere"})


def test_actuators_cannot_be_added_to_a_compiled_model():
    mujoco = pytest.importorskip("mujoco")
    with pytest.raises(st.InputError, match="compiled"):
        st.load_model(mujoco.MjModel.from_xml_string(SLIDER), actuator=[{"joint": "s", "kp": 1}])
