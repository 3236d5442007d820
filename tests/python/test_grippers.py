"""A gripper of two closed linkages on a static base (the proportions of a Robotiq 2F-85): it closes as in MuJoCo."""

import mujoco
import numpy as np
import pytest
import stiction as st

BULK = '<geom type="box" size=".01 .01 .015" mass="{}" contype="0" conaffinity="0"/>'
FINGER = """<body name="{side}" pos="0 {y} 0"{turned}><body name="{side}_driver" pos="0 .0306 .0549">
    <joint name="{side}_driver" axis="1 0 0" range="0 .8" armature=".005" damping=".1"/>{driver}
    <body name="{side}_coupler" pos="0 .0315 -.0041"><joint name="{side}_coupler" axis="1 0 0" range="-1.57 0"/>{coupler}</body></body>
  <body name="{side}_spring" pos="0 .0132 .0609"><joint name="{side}_spring" axis="1 0 0" range="-.2967 .8" stiffness=".05" springref="2.62" damping=".00125"/>{link}
    <body name="{side}_follower" pos="0 .055 .0375"><joint name="{side}_follower" axis="1 0 0" range="-.8727 .8727" pos="0 -.018 .0065"/>{follower}</body></body></body>"""
SOFT = 'solimp=".95 .99 .001" solref=".005 1"'


def finger(side, turned):
    bulks = {name: BULK.format(mass) for name, mass in (("driver", 0.009), ("coupler", 0.014), ("link", 0.022), ("follower", 0.013))}
    return FINGER.format(side=side, y=0, turned=turned, **bulks)


GRIPPER = f"""<mujoco><compiler angle="radian"/><option gravity="0 0 0"/>
  <default><joint solimplimit=".95 .99 .001" solreflimit=".005 1"/></default><worldbody>{finger("right", "")}{finger("left", ' quat="0 0 0 1"')}</worldbody>
  <tendon><fixed name="split"><joint joint="right_driver" coef=".5"/><joint joint="left_driver" coef=".5"/></fixed></tendon>
  <equality><connect anchor="0 0 0" body1="right_follower" body2="right_coupler" {SOFT}/>
    <connect anchor="0 0 0" body1="left_follower" body2="left_coupler" {SOFT}/>
    <joint joint1="right_driver" joint2="left_driver" {SOFT}/></equality>
  <actuator><general tendon="split" forcerange="-5 5" ctrlrange="0 255" gainprm=".3137255 0 0" biastype="affine" biasprm="0 -100 -10"/></actuator></mujoco>"""


def in_mujoco(ctrl):
    """Joint angles of MuJoCo after 1 s."""
    model = mujoco.MjModel.from_xml_string(GRIPPER)
    model.opt.timestep, model.opt.integrator, data = 5e-4, mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.MjData(model)
    data.ctrl[:] = ctrl
    for _ in range(2000):
        mujoco.mj_step(model, data)
    return data.qpos


def closure(qpos):
    """Largest distance of two points that a connect holds together [m]."""
    model = mujoco.MjModel.from_xml_string(GRIPPER)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_fwdPosition(model, data)
    return np.abs(data.efc_pos[: 2 * 3]).max()


@pytest.mark.parametrize("equality", ["solref", "hard"])
@pytest.mark.parametrize("ctrl", [80.0, 255.0])
def test_a_gripper_with_closed_loops_closes_as_in_mujoco(ctrl, equality):
    expected = in_mujoco(ctrl)
    with st.Simulator(st.load_model(GRIPPER, step_size=0.01, equality=equality), device="cpu") as sim:
        assert sim.model.ntree == 4
        for _ in range(100):
            assert st.status_names(int(sim.step(np.array([[ctrl]]))[0])) == "converged"
        found = sim.qpos[0].copy()
    assert np.abs(expected).max() > 0.2
    assert found[0] == pytest.approx(expected[0], rel=0.01) and found[4] == pytest.approx(expected[4], rel=0.01)
    assert np.allclose(found, expected, atol=0.035)  # MuJoCo's couplers pass their limits by 0.014 rad
    assert closure(found) < (2e-4 if equality == "solref" else 1e-6)
