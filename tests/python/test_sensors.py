"""Claims: accelerometers, forces and touch of bodies that fall, rest, swing and hang are done by hand; sites are where
MuJoCo has them; what is not computed is refused by name."""

import mujoco
import numpy as np
import pytest
import stiction as st

G = 9.81
SAME = 1e-9  # relative to the largest value


def scene_of(bodies, sensors="", extra="", step_size=0.01, gravity=G, **choices):
    text = f'<mujoco><option gravity="0 0 {-gravity}"/><worldbody>{bodies}</worldbody>{extra}<sensor>{sensors}</sensor></mujoco>'
    return st.load_model(text, **{"dynamics": "dynamic", "step_size": step_size, **choices})


BOX = """<geom name="floor" type="plane" size="2 2 1"/><body name="box" pos="0 0 .1"><freejoint/>
  <geom name="box" type="box" size=".1 .2 .1" mass="3"/><site name="imu" pos=".03 .02 .01" euler="0 0 90"/>
  <site name="whole" type="box" size=".2 .3 .2"/><site name="sole" type="ellipsoid" pos="0 0 -.3" size=".3 .4 .05"/>
  <site name="lid" type="cylinder" pos="0 0 .1" size=".3 .05"/></body>"""
BOX_SENSORS = """<accelerometer name="imu" site="imu"/><gyro name="gyro" site="imu"/><touch name="whole" site="whole"/>
  <touch name="sole" site="sole"/><touch name="lid" site="lid"/><touch name="cut" site="whole" cutoff="5"/>
  <insidesite name="inside" site="whole" objtype="site" objname="imu"/><insidesite name="outside" site="lid" objtype="body" objname="box"/>
  <clock name="clock"/><framelinacc name="felt" objtype="body" objname="box"/>"""


def test_an_accelerometer_reads_nothing_in_free_fall_and_g_upwards_at_rest():
    scene = scene_of(BOX, BOX_SENSORS)
    with st.Simulator(scene, batch=2, device="cpu") as sim:
        assert np.isnan(sim.sensor("imu")).all()  # there was no step
        sim.qpos[1, 2] = 5.0
        sim.qvel[1, 3:] = 0.0
        sim.step(steps=3)
        assert np.abs(sim.sensor("imu") - [[0, 0, G], [0, 0, 0]]).max() < 1e-6
        assert np.abs(sim.sensor("felt") - [[0, 0, G], [0, 0, 0]]).max() < 1e-6
        assert np.allclose(sim.sensor("clock"), 0.03, rtol=0, atol=1e-12)
        sim.reset([1])
        assert np.isnan(sim.sensor("imu")).any(axis=1).tolist() == [False, True]
        sim.step()
        sim.forward()
        assert np.isnan(sim.sensor("imu")).all()


def test_touch_is_the_weight_of_a_box_that_rests():
    with st.Simulator(scene_of(BOX, BOX_SENSORS), batch=2, device="cpu") as sim:
        sim.qpos[1, 2] = 5.0
        sim.step(steps=3)
        for name in ("whole", "sole"):  # the sole is outside: the normals out of the box meet it
            assert np.abs(sim.sensor(name)[:, 0] - [3 * G, 0]).max() < 1e-5 * 3 * G
        assert (sim.sensor("lid") == 0).all()
        assert 0 < sim.sensor("cut")[0, 0] <= 5
        assert (sim.sensor("inside") == 1).all()
        assert (sim.sensor("outside") == 0).all()


def test_touch_takes_the_contacts_whose_point_or_outward_normal_is_in_the_volume():
    rng, shapes = np.random.default_rng(5), ("sphere", "capsule", "ellipsoid", "cylinder", "box")
    numbers = lambda values: " ".join(f"{value:.17g}" for value in values)
    sites = [
        f'<site name="s{i}" type="{shapes[i % 5]}" size="{numbers(rng.uniform(0.02, 0.15, 3))}" pos="{numbers(rng.normal(size=3) * 0.1 - [0, 0, 0.12])}" quat="{numbers(rng.normal(size=4))}"/>'
        for i in range(200)
    ]
    body = f'<geom type="plane" size="1 1 1"/><body name="ball" pos="0 0 .1"><freejoint/><geom size=".1" mass="3"/>{"".join(sites)}</body>'
    touches = "".join(f'<touch name="t{i}" site="s{i}"/>' for i in range(200))
    scene = scene_of(body, touches)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    with st.Simulator(scene, device="cpu") as sim:
        sim.step(steps=3)
        data.qpos = sim.qpos[0]
        mujoco.mj_kinematics(model, data)
        point, out = sim.contacts.position[0, 0], -sim.contacts.frame[0, 0, 0]
        ray = lambda i: mujoco.mju_rayGeom(data.site_xpos[i], data.site_xmat[i], model.site_size[i], point, out, model.site_type[i], None)
        expected = np.array([3 * G if ray(i) >= 0 else 0.0 for i in range(200)])
        found = np.array(sim.sensordata)[0]
    assert 20 < np.count_nonzero(expected) < 180
    assert np.abs(found - expected).max() < 1e-5 * 3 * G


@pytest.mark.parametrize("dynamics", ["quasistatic", "quasidynamic", "kinematic"])
def test_accelerations_are_refused_by_name_without_momentum(dynamics):
    with st.Simulator(scene_of(BOX, BOX_SENSORS, dynamics=dynamics, law="anitescu"), device="cpu") as sim:
        sim.step(steps=2)
        with pytest.raises(st.InputError, match=f"^sensor 'imu': needs accelerations, which dynamics \"{dynamics}\" does not have"):
            sim.sensor("imu")
        values = np.array(sim.sensordata)[0]
        assert np.isnan(values[:3]).all()
        assert np.isfinite(values[3:-3]).all()
        assert np.isnan(values[-3:]).all()


PENDULUM = """<body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
  <inertial pos=".5 0 0" mass="2" diaginertia=".01 .05 .05"/><site name="end" pos="0.8 0 0"/></body>"""


def test_an_accelerometer_on_a_pendulum_tends_to_the_closed_form():
    errors = []
    for h in (1e-3, 1e-4):
        scene = scene_of(PENDULUM, '<accelerometer name="end" site="end"/><torque name="t" site="end"/>', step_size=h)
        with st.Simulator(scene, batch=1, device="cpu") as sim:
            sim.qpos[0, 0], sim.qvel[0, 0] = 0.3, 2.0
            sim.step()
            angle, rate = sim.qpos[0, 0], sim.qvel[0, 0]  # about y: the rod points down by the angle
            turning = 2 * G * 0.5 * np.cos(angle) / (0.05 + 2 * 0.25)
            expected = [-0.8 * rate**2 - G * np.sin(angle), 0, -0.8 * turning + G * np.cos(angle)]  # in the rod's axes
            errors.append(np.abs(sim.sensor("end")[0] - expected).max())
    assert errors[1] < 2e-3
    assert 8 < errors[0] / errors[1] < 12  # of first order


ARM = """<body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1.2"/>
  <body name="lower" pos=".4 0 0"><joint name="b" axis="0 1 .3" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".7"/>
    <site name="wrist" pos=".1 0 .02" euler="20 30 40"/></body></body>"""


@pytest.mark.parametrize("dynamics", ["dynamic", "dynamic_fitted"])
def test_force_and_torque_of_a_moving_arm_are_those_of_newton_and_euler(dynamics):
    sensors = '<force name="f" site="wrist"/><torque name="t" site="wrist"/><actuatorfrc name="drive" actuator="m"/>'
    extra = '<actuator><motor name="m" joint="a" gear="2"/></actuator>'
    text = f"<mujoco><worldbody>{ARM}</worldbody>{extra}<sensor>{sensors}</sensor></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    with st.Simulator(st.load_model(text, dynamics=dynamics, step_size=0.01), batch=1, device="cpu") as sim:
        sim.ctrl[:] = 0.8
        sim.step(steps=20)
        before = np.array(sim.qvel[0])
        sim.step()
        data.qpos, data.qvel, data.ctrl = sim.qpos[0], sim.qvel[0], 0.8
        mujoco.mj_forward(model, data)
        data.qacc = (sim.qvel[0] - before) / 0.01
        mujoco.mj_rnePostConstraint(model, data)
        mujoco.mj_sensorAcc(model, data)
        found = np.concatenate([sim.sensor(name)[0] for name in ("f", "t", "drive")])
    assert np.abs(data.sensordata[:6]).min() > 1e-3
    assert np.abs(found - data.sensordata).max() < SAME * np.abs(data.sensordata).max()


def test_the_parent_of_a_cantilever_carries_its_weight_and_what_lies_on_it():
    table = """<body name="table"><geom type="box" size=".5 .5 .05" pos=".5 0 0" mass="4"/><site name="foot" euler="90 0 0"/></body>
      <body name="load" pos=".7 .1 .15"><freejoint/><geom type="box" size=".1 .1 .1" mass="3"/></body>"""
    scene = scene_of(table, '<force name="f" site="foot"/><torque name="t" site="foot"/>')
    with st.Simulator(scene, batch=1, device="cpu") as sim:
        sim.step(steps=3)
        force, torque = sim.sensor("f")[0], sim.sensor("t")[0]
    weight, arms = np.array([4 * G, 3 * G]), np.array([[0.5, 0, 0], [0.7, 0.1, 0]])
    about = np.sum(np.cross(arms, np.outer(weight, [0, 0, 1])), axis=0)
    turn = lambda v: np.array([v[0], v[2], -v[1]])  # into the axes of the foot, turned by 90 degrees about x
    assert np.abs(force - turn([0, 0, weight.sum()])).max() < 1e-4
    assert np.abs(torque - turn(about)).max() < 1e-4


@pytest.mark.parametrize("equality", ["hard", "solref"])
def test_a_force_sensor_carries_what_hangs_on_a_weld(equality):
    hung = """<body name="beam" pos="0 0 2"><geom type="box" size=".1 .1 .1" mass="1" contype="0" conaffinity="0"/><site name="top"/></body>
      <body name="bob" pos="0 0 1.5"><freejoint/><geom size=".1" mass="2"/></body>"""
    scene = scene_of(hung, '<force name="f" site="top"/>', '<equality><weld body1="bob" body2="beam"/></equality>', equality=equality)
    with st.Simulator(scene, batch=1, device="cpu") as sim:
        sim.step(steps=400)
        assert np.abs(sim.sensor("f")[0] - [0, 0, 3 * G]).max() < 1e-3


def test_the_force_of_a_joint_limit_is_what_it_carries():
    hung = """<body name="a" pos="0 0 1"><joint name="up" type="slide" axis="0 0 1" range="-.1 1"/><joint name="free" axis="0 1 0" range="-2 2"/>
      <geom size=".1" mass="3"/></body><body name="b" pos="1 0 1"><joint name="lift" type="slide" axis="0 0 -1" range="-1 .05"/><geom size=".1" mass="2"/></body>"""
    sensors = "".join(f'<jointlimitfrc name="{joint}" joint="{joint}"/>' for joint in ("up", "free", "lift"))
    with st.Simulator(scene_of(hung, sensors), batch=1, device="cpu") as sim:
        sim.step(steps=60)
        assert np.abs(np.array(sim.sensordata)[0] - [3 * G, 0, 2 * G]).max() < 1e-5


def test_forces_of_actuators_are_refused_where_joints_follow_exactly():
    driven = '<actuator><position name="p" joint="hinge" kp="50"/></actuator>'
    scene = scene_of(PENDULUM, '<actuatorfrc name="f" actuator="p"/>', driven, dynamics="kinematic", law="anitescu")
    with st.Simulator(scene, device="cpu") as sim:
        sim.step()
        assert np.isnan(np.array(sim.sensordata)).all()
        with pytest.raises(st.InputError, match=r"^sensor 'f': needs the force of an actuator"):
            sim.sensor("f")


def test_an_impulse_of_the_scene_is_no_force_of_the_parent(tmp_path):
    (tmp_path / "model.xml").write_text("""<mujoco><option gravity="0 0 0"/><worldbody><body name="big"><freejoint/><geom size=".1" mass="3"/>
      <body name="small"><geom size=".05" mass="1"/><site name="s"/></body></body></worldbody><sensor><force name="f" site="s"/></sensor></mujoco>""")
    (tmp_path / "scene.toml").write_text(
        'model = "model.xml"\n[physics]\ndynamics = "dynamic"\n[step]\nstep_size = 0.01\n[[impulse]]\nbody = "small"\nstep = 1\nvalue = [0.4, 0, 0, 0, 0, 0]\n'
    )
    with st.Simulator(tmp_path, batch=1, device="cpu") as sim:
        found = []
        for _ in range(3):
            sim.step()
            found.append(sim.sensor("f")[0, 0])
    assert np.allclose(found, [0, 0.1 / 0.01 - 0.4 / 0.01, 0], rtol=0, atol=30 * 1e-8)  # the tolerance of a step


def test_a_wrench_that_is_applied_is_no_force_of_the_parent():
    arm = '<body name="arm"><geom type="box" size=".5 .05 .05" pos=".5 0 0" mass="4"/><site name="foot"/></body>'
    with st.Simulator(scene_of(arm, '<force name="f" site="foot"/><torque name="t" site="foot"/>'), batch=1, device="cpu") as sim:
        sim.body("arm").applied_wrench = [1, 2, 30, 0, 0, 7]
        sim.step()
        assert np.allclose(sim.sensor("f")[0], [-1, -2, 4 * G - 30], rtol=0, atol=1e-9)
        assert np.allclose(sim.sensor("t")[0], [0, -0.5 * (4 * G - 30), -0.5 * 2 - 7], rtol=0, atol=1e-9)


def test_sensors_have_the_same_bits_in_any_batch_and_nearly_the_same_values_in_single_precision():
    scene = scene_of(BOX, BOX_SENSORS)
    rng = np.random.default_rng(1)
    start = np.tile(scene.model.qpos0, (7, 1)) + rng.normal(size=(7, 7)) * 0.02
    ends = {}
    for batch, dtype in ((7, "float64"), (1, "float64"), (7, "float32")):
        with st.Simulator(scene, batch=batch, device="cpu", dtype=dtype, threads=2) as sim:
            sim.qpos[:] = start[-batch:]
            sim.step(steps=4)
            ends[batch, dtype] = np.array(sim.sensordata)
    assert (ends[7, "float64"][-1] == ends[1, "float64"][0]).all()
    assert np.abs(ends[7, "float64"]).max() > 1
    assert np.abs(ends[7, "float32"] - ends[7, "float64"]).max() < 1e-2 * np.abs(ends[7, "float64"]).max()


def test_reading_sensors_leaves_the_steps_as_they_are():
    scene = scene_of(BOX, BOX_SENSORS)
    ends = []
    for reads in (True, False):
        with st.Simulator(scene, batch=2, device="cpu") as sim:
            sim.qvel[:, 0] = 1.0
            for _ in range(5):
                sim.step()
                if reads:
                    assert sim.sensordata.shape == (2, scene.model.nsensordata)
            ends.append(np.array(sim.qpos))
    assert (ends[0] == ends[1]).all()


def test_names_that_do_not_exist_and_sensors_that_are_not_computed_are_refused():
    scene = scene_of(BOX, BOX_SENSORS + '<rangefinder name="ray" site="imu"/>')
    with st.Simulator(scene, device="cpu") as sim:
        for call, message in (
            (lambda: sim.sensor("imo"), "sensor: the model has no sensor 'imo'; did you mean 'imu'?"),
            (lambda: sim.site("hole"), "site: the model has no site 'hole'; did you mean 'whole' or 'sole'?"),
            (lambda: sim.sensor(2.5), "sensor: expected a name or a number, got float"),
            (lambda: sim.sensor("ray"), "sensor 'ray': rangefinder sensors are not computed"),
            (lambda: sim.contact_wrench("bax"), "body or geom: the model has no body or geom 'bax'; did you mean 'box'?"),
            (lambda: sim.contact_wrench("box", []), "b: expected names of bodies or geoms, got none"),
        ):
            with pytest.raises(st.InputError) as error:
                call()
            assert str(error.value) == message
        assert np.isnan(np.array(sim.sensordata)[0, -1])
    with st.Simulator(scene, device="reference") as sim, pytest.raises(st.InputError, match="not computed by the reference"):
        _ = sim.sensordata


def test_a_site_of_an_attached_model_is_where_mujoco_has_it(tmp_path):
    stand = '<mujoco><worldbody><body name="stand" pos="1 2 0" euler="0 0 30">{}</body></worldbody></mujoco>'
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{ARM}</worldbody></mujoco>")
    (tmp_path / "base.xml").write_text(stand.format(""))
    (tmp_path / "scene.toml").write_text('model = "base.xml"\n[[attach]]\nmodel = "arm.xml"\nto = "stand"\nprefix = "arm/"\n[physics]\ndynamics = "dynamic"\n')
    with st.Simulator(tmp_path, batch=2, device="cpu") as sim:
        sim.qpos[1] = [0.3, -0.4]
        sim.forward()
        site = sim.site("arm/wrist")
        assert repr(site).startswith("<site 'arm/wrist', id 0, of ")
        model = mujoco.MjModel.from_xml_string(stand.format(ARM))
        data = mujoco.MjData(model)
        for env in range(2):
            data.qpos = sim.qpos[env]
            mujoco.mj_kinematics(model, data)
            quat = np.empty(4)
            mujoco.mju_mat2Quat(quat, data.site("wrist").xmat)
            assert np.abs(site.pos[env] - data.site("wrist").xpos).max() < 1e-9
            assert abs(abs(site.quat[env] @ quat) - 1) < 1e-9
        assert site.pose.shape == (2, 7)


def test_the_contact_wrench_on_a_box_is_its_weight():
    with st.Simulator(scene_of(BOX + BOX_ON_TOP), batch=2, device="cpu") as sim:
        sim.qpos[1, 2], sim.qpos[1, 9] = 5.0, 7.0
        sim.step(steps=3)
        lower, upper = 3 * G, 2 * G
        cases = [("box", None, lower), ("box", "floor", lower + upper), ("box", "top", -upper), ("floor", ["box"], -lower - upper)]
        cases += [(["box", "top"], None, lower + upper), ("top", "world", 0.0)]
        for on, by, force in cases:
            wrench = sim.contact_wrench(on, by)
            assert wrench.shape == (2, 6)
            assert np.abs(wrench[0, :3] - [0, 0, force]).max() < 1e-4
            assert (wrench[1] == 0).all()
        arm = np.array([0.02, 0.0, 0.0])  # of the upper box's weight about the centre of the lower
        assert np.abs(sim.contact_wrench("box", "top")[0, 3:] - np.cross(arm, [0, 0, -upper])).max() < 1e-4


BOX_ON_TOP = '<body name="top" pos=".02 0 .25"><freejoint/><geom name="top_geom" type="box" size=".05 .05 .05" mass="2"/></body>'
