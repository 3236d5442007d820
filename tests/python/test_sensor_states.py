"""Claims: sensors are those of MuJoCo in the same state, with the same accelerations, on frames, joints and actuators of
three robots."""

import mujoco
import numpy as np
import pytest
import stiction as st
from data_folder import data_file

STATES = 200
SAME = 1e-9  # relative to the largest value of a sensor, or 1

EVERY_JOINT = """<mujoco><compiler angle="radian"/><option gravity="1 -2 -9" magnetic="0.2 -0.5 0.1"/><worldbody>
  <body name="base" pos="0.1 0.2 0.3" quat="0.9 0.1 -0.3 0.2">
    <joint name="slide" type="slide" axis="1 2 0.5" ref="0.1"/>
    <joint name="turn" type="hinge" axis="0 1 0.3" pos="0.05 0 0.02" ref="0.3" range="-0.8 0.6" armature="0.02"/>
    <inertial pos="0.02 0.03 -0.01" mass="1.3" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
    <body name="ball_body" pos="0 0.2 0.1" gravcomp="0.5"><joint name="ball" type="ball" range="0 0.7" pos="0 -0.1 0.03"/>
      <geom name="rod" type="capsule" size="0.03" fromto="0 0 0 0.2 0.1 0"/>
      <body name="static_child" pos="0.2 0 0" euler="0.1 0.2 0.3"><geom size="0.04"/><camera name="eye" pos=".1 .2 0" euler="1 .2 .4"/></body>
      <body name="tip" pos="0.1 0.1 0.1"><joint name="wrist" axis="1 0 0"/><geom type="ellipsoid" size="0.05 0.02 0.03"/></body>
    </body>
    <body name="branch" pos="-0.1 0 0"><joint name="twist" axis="0 0 1"/><joint name="reach" type="slide" axis="1 0 0"/>
      <geom type="cylinder" size="0.03 0.1"/></body>
  </body>
  <body name="free_body" pos="0.5 0 1"><freejoint/>
    <inertial pos="0.02 0.05 -0.03" mass="0.7" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
    <body name="flap" pos="0 0.1 0"><joint name="flap" axis="1 1 0"/><geom size="0.05" pos="0.1 0 0"/></body>
  </body>
</worldbody>
<tendon><fixed name="pair"><joint joint="turn" coef="0.5"/><joint joint="twist" coef="-2"/></fixed></tendon>
<actuator><position name="p" joint="turn" kp="30" kv="2" gear="3" forcerange="-20 20"/><motor name="m" joint="twist" gear="2"/>
  <velocity name="v" joint="reach" kv="4"/><position name="t" tendon="pair" kp="7" gear="1.5"/></actuator>
<sensor><ballquat joint="ball"/><ballangvel joint="ball"/><tendonpos tendon="pair"/><tendonvel tendon="pair"/>
  <tendonactuatorfrc tendon="pair"/></sensor></mujoco>"""

ON_FRAMES = ("FRAMEPOS", "FRAMEQUAT", "FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS", "FRAMELINVEL", "FRAMEANGVEL")
ON_SITES = ("VELOCIMETER", "GYRO", "MAGNETOMETER", "ACCELEROMETER", "FORCE", "TORQUE")
ON_SUBTREES = ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM")


def with_sensors(spec):
    """The model with a site on every body and every sensor on frames, joints and actuators."""
    rng = np.random.default_rng(7)
    add = lambda kind, of, name, **more: spec.add_sensor(type=getattr(mujoco.mjtSensor, "mjSENS_" + kind), objtype=of, objname=name, **more)
    types = mujoco.mjtObj
    bodies = [body for body in spec.bodies if body.name and body.name != "world"]
    for body in bodies:
        body.add_site(name=body.name + "_site", pos=rng.normal(size=3) * 0.1, quat=rng.normal(size=4))
    for i, geom in enumerate(spec.geoms):
        geom.name = geom.name or f"geom {i}"
    frames = [(types.mjOBJ_BODY, b.name) for b in bodies] + [(types.mjOBJ_XBODY, b.name) for b in bodies]
    frames += [(types.mjOBJ_SITE, b.name + "_site") for b in bodies] + [(types.mjOBJ_GEOM, g.name) for g in spec.geoms]
    frames += [(types.mjOBJ_CAMERA, c.name) for c in spec.cameras if c.name]
    for i, (of, name) in enumerate(frames):
        for kind in ON_FRAMES:
            add(kind, of, name)
            reference = frames[(5 * i + 3) % len(frames)]
            add(kind, of, name, reftype=reference[0], refname=reference[1])
        add("FRAMELINACC", of, name)
        add("FRAMEANGACC", of, name)
    for body in bodies:
        for kind in ON_SITES:
            add(kind, types.mjOBJ_SITE, body.name + "_site", cutoff=2.0 if kind == "GYRO" else 0.0)
        for kind in ON_SUBTREES:
            add(kind, types.mjOBJ_BODY, body.name)
    for joint in spec.joints:
        if joint.range[0] < joint.range[1]:
            add("JOINTLIMITPOS", types.mjOBJ_JOINT, joint.name)
            add("JOINTLIMITVEL", types.mjOBJ_JOINT, joint.name)
        if joint.type in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            for kind in ("JOINTPOS", "JOINTVEL", "JOINTACTFRC"):
                add(kind, types.mjOBJ_JOINT, joint.name)
    for actuator in spec.actuators:
        for kind in ("ACTUATORPOS", "ACTUATORVEL", "ACTUATORFRC"):
            add(kind, types.mjOBJ_ACTUATOR, actuator.name)
    add("CLOCK", types.mjOBJ_UNKNOWN, "")
    return spec.compile()


def robot(name):
    if name == "every joint":
        return with_sensors(mujoco.MjSpec.from_string(EVERY_JOINT))
    file = data_file(f"models/{name}")
    spec = mujoco.MjSpec.from_file(str(file))
    spec.meshdir = str(file.parent / spec.meshdir)
    return with_sensors(spec)


def mujoco_states(model):
    """Random qpos, qvel, ctrl and qacc (STATES, ...), and MuJoCo's sensordata there without contacts."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    rows = []
    for _ in range(STATES):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
        data.qvel = rng.normal(size=model.nv)
        data.ctrl = rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        data.qacc = rng.normal(size=model.nv) * 3
        mujoco.mj_rnePostConstraint(model, data)
        mujoco.mj_sensorAcc(model, data)
        rows.append([np.copy(x) for x in (data.qpos, data.qvel, data.ctrl, data.qacc, data.sensordata)])
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("name", ["every joint", "iiwa14/iiwa14.xml", "shadow/right_hand.xml"])
def test_sensors_are_those_of_mujoco_in_the_same_state(name):
    model = robot(name)
    scene = st.load_model(model, dynamics="dynamic")
    qpos, qvel, ctrl, qacc, expected = mujoco_states(model)
    with st.Simulator(scene, batch=STATES, device="cpu") as sim:
        sim.qpos[:], sim.qvel[:], sim.ctrl[:] = qpos, qvel, ctrl
        sim._set("qacc", qacc, [scene.model.nqacc])
        found = np.array(sim.sensordata)
    assert model.nsensor == len(scene.model.sensor_names) > 100
    wrong = []
    for s in range(model.nsensor):
        part = slice(model.sensor_adr[s], model.sensor_adr[s] + model.sensor_dim[s])
        ours, theirs = found[:, part], expected[:, part]
        if model.sensor_datatype[s] == mujoco.mjtDataType.mjDATATYPE_QUATERNION:
            ours = ours * np.sign(np.sum(ours * theirs, axis=1, keepdims=True))
        error = np.max(np.abs(ours - theirs)) / max(1.0, np.max(np.abs(theirs)))
        if not error <= SAME:
            wrong.append((mujoco.mjtSensor(model.sensor_type[s]).name, mujoco.mjtObj(model.sensor_objtype[s]).name, int(model.sensor_objid[s]), error))
    assert not wrong, (len(wrong), wrong[:12])
