"""Claims: a frozen body is a part of the world: the others move as if it had no joints, in every dynamics, law, cone and
solver; its contacts have forces; it stays to the last bit; environments that freeze nothing keep their bits."""

import numpy as np
import pytest
import stiction as st

MODEL = """<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1" friction=".5"/>
    <body name="block" pos="0 0 .2" euler="0 5 10">{free}<geom type="box" size=".2 .2 .1" mass="3" friction=".5"/></body>
    <body name="ball" pos=".1 0 .36"><freejoint/><geom type="sphere" size=".05" mass=".2" friction=".5"/></body>
    <body name="cube" pos="-.1 .05 .40" euler="20 5 0"><freejoint/><geom type="box" size=".05 .05 .05" mass=".3" friction=".5"/></body>
  </worldbody>
</mujoco>"""


def scene(free, **choices):
    return st.load_model(MODEL.format(free=free), step_size=0.01, **choices)


def others(sim):
    """Positions of ball and cube."""
    return np.concatenate([np.asarray(sim.body(name).pose) for name in ("ball", "cube")], axis=1)


CHOICES = [
    {"dynamics": dynamics, "law": law, "cone": cone}
    for dynamics in ("dynamic", "dynamic_fitted", "quasidynamic")
    for law, cone in (("coulomb", "quadratic"), ("anitescu", "pyramid"), ("frictionless", "pyramid"))
]


@pytest.mark.parametrize("choices", CHOICES, ids=lambda c: "-".join(c.values()))
@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_a_frozen_body_is_a_part_of_the_world(choices, device):
    with (
        st.Simulator(scene("<freejoint/>", **choices), batch=1, device=device) as frozen,
        st.Simulator(scene("", **choices), batch=1, device=device) as fixed,
    ):
        frozen.params.frozen[:, frozen.body("block").id] = 1
        frozen.body("block").velocity = [[1.0, 0, 0, 0, 0, 3.0]]
        start = frozen.body("block").pose.copy()
        for _ in range(40):
            assert frozen.step()[0] == fixed.step()[0] == int(st.Status.CONVERGED)
            np.testing.assert_allclose(others(frozen), others(fixed), atol=1e-7)
        np.testing.assert_array_equal(frozen.body("block").pose, start)
        assert not np.asarray(frozen.body("block").velocity).any()
        on_block = frozen.contact_wrench("block", ["ball", "cube"])
        np.testing.assert_allclose(on_block[:, :3], fixed.contact_wrench("block", ["ball", "cube"])[:, :3], atol=1e-4)
        assert on_block[0, 2] < -1


@pytest.mark.parametrize("solver", ["interior_point", "newton", "admm", "pgs"])
def test_every_solver_leaves_it_where_it_is(solver):
    choices = {"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic", "solver": solver, "max_iterations": 20000}
    with st.Simulator(scene("<freejoint/>", **choices), batch=1, device="cpu") as sim:
        sim.params.frozen[:, sim.body("block").id] = 1
        start = sim.body("block").pose.copy()
        sim.step(steps=60)
        np.testing.assert_array_equal(sim.body("block").pose, start)
        assert sim.contact_wrench("block", ["ball", "cube"])[0, 2] == pytest.approx(-9.81 * 0.5, rel=0.5)


def test_only_environments_that_freeze_are_changed_and_thawing_lets_go():
    with (
        st.Simulator(scene("<freejoint/>"), batch=3, device="cpu") as mixed,
        st.Simulator(scene("<freejoint/>"), batch=1, device="cpu") as alone,
    ):
        block = mixed.body("block").id
        mixed.params.frozen[1, block] = 1
        mixed.step(steps=30)
        alone.step(steps=30)
        for env in (0, 2):
            np.testing.assert_array_equal(mixed.qpos[env], alone.qpos[0])
        held = np.array(mixed.body("block").pos[1])
        mixed.params.frozen[1, block] = 0
        mixed.step(steps=30)
        assert mixed.body("block").pos[1, 2] < held[2] - 0.05


ROBOT = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="upper" pos="0 0 .6">{first}<geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
      <body name="wrist" pos=".3 0 0">{second}<geom type="capsule" fromto="0 0 0 .1 0 0" size=".03" mass=".5"/>
        <body name="finger" pos=".1 0 0"><joint name="bend" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".3"/></body>
      </body></body>
    <body name="ball" pos=".35 0 .9"><freejoint/><geom type="sphere" size=".05" mass=".2"/></body>
  </worldbody>
  <actuator>{motors}<position joint="bend" kp="20" kv="2"/></actuator>
</mujoco>"""
JOINTS = {"first": '<joint name="lift" axis="0 1 0"/>', "second": '<joint name="turn" axis="0 1 0"/>',
          "motors": '<position joint="lift" kp="200" kv="20"/><motor joint="turn" gear="1"/>'}  # fmt: skip


@pytest.mark.parametrize("dynamics", ["dynamic", "dynamic_fitted", "quasidynamic", "kinematic"])
@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_what_hangs_on_a_frozen_body_moves_as_on_a_fixed_one(dynamics, device):
    if dynamics == "kinematic":
        whole, part = ({**JOINTS, "motors": '<position joint="lift" kp="200"/>'}, {"first": "", "second": "", "motors": ""})
    else:
        whole, part = JOINTS, {"first": "", "second": "", "motors": ""}
    load = {"dynamics": dynamics, "step_size": 0.01, "law": "anitescu", "cone": "pyramid"}
    with (
        st.Simulator(st.load_model(ROBOT.format(**whole), **load), batch=1, device=device) as frozen,
        st.Simulator(st.load_model(ROBOT.format(**part), **load), batch=1, device=device) as fixed,
    ):
        frozen.params.frozen[:, frozen.body("wrist").id] = 1
        frozen.qvel[0, :2] = [1.0, -2.0]
        for k in range(50):
            frozen.ctrl[0, 0] = 0.5  # in vain
            frozen.ctrl[0, -1] = fixed.ctrl[0, -1] = 0.3 * np.sin(0.1 * k)
            frozen.step()
            fixed.step()
            np.testing.assert_allclose(frozen.qpos[0, 2], fixed.qpos[0, 0], atol=1e-7)
            if "dynamic" in dynamics.split("_"):  # without momentum the ball's rolling is not determined
                np.testing.assert_allclose(frozen.qpos[0, 3:], fixed.qpos[0, 1:], atol=1e-7)
        assert frozen.qpos[0, :2].tolist() == [0, 0]
        assert not np.asarray(frozen.qvel[0, :2]).any()


def test_what_can_not_move_needs_no_solution():
    """A frozen body in the floor and beyond a joint's range: nothing parts them, and the step goes on."""
    model = """<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="1 1 1"/>
      <body name="box" pos="0 0 .03"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>
      <body name="door" pos="1 0 1"><joint name="hinge" axis="0 0 1" range="0 1" limited="true"/><geom size=".1"/></body>
      <body name="ball" pos="0 0 .2"><freejoint/><geom size=".05" mass="1"/></body></worldbody></mujoco>"""
    with st.Simulator(st.load_model(model, step_size=0.01), batch=1, device="cpu") as sim:
        sim.qpos[0, sim.model.joint_qpos_adr[1]] = 1.5
        sim.params.frozen[:, [sim.body("box").id, sim.body("door").id]] = 1
        start = np.array(sim.qpos[0, :8])
        assert sim.step(steps=100)[0] == int(st.Status.CONVERGED)
        np.testing.assert_array_equal(sim.qpos[0, :8], start)
        assert sim.body("ball").pos[0, 2] == pytest.approx(0.13, abs=1e-4)


PENDULUM = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="base" pos="0 0 1">{free}<geom type="box" size=".1 .1 .1" mass="2"/>
    <body name="upper"><joint name="first" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1" contype="0"/>
      <body name="lower" pos=".3 0 0"><joint name="second" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".3" contype="0"/>
      </body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("speed", [3.0, 20.0])
def test_a_linkage_on_a_frozen_body_keeps_its_energy_and_swings_as_on_a_fixed_one(speed, device):
    with (
        st.Simulator(st.load_model(PENDULUM.format(free="<freejoint/>"), step_size=0.002), batch=1, device=device) as frozen,
        st.Simulator(st.load_model(PENDULUM.format(free=""), step_size=0.002), batch=1, device=device) as fixed,
    ):
        frozen.params.frozen[:, frozen.body("base").id] = 1
        frozen.qvel[0, 6:] = fixed.qvel[0] = [speed, -speed / 2]
        frozen.forward()
        start = np.array(frozen.stats.energy[0, 1])
        for _ in range(200):
            frozen.step()
            fixed.step()
            np.testing.assert_allclose(frozen.qpos[0, 7:], fixed.qpos[0], atol=1e-8)
            assert frozen.stats.energy[0, 1] <= start * (1 + 1e-9)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_an_overlap_is_parted_as_from_a_fixed_body(device):
    model = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><geom type="plane" size="2 2 1"/>
      <body name="upper" pos="0 0 .3">{joint}<geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
        <body name="lower" pos=".3 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".3"/></body></body>
      </worldbody><contact><exclude body1="upper" body2="lower"/></contact></mujoco>"""
    hinge = '<joint axis="0 1 0"/>'
    with (
        st.Simulator(st.load_model(model.format(joint=hinge), step_size=0.01), batch=1, device=device) as frozen,
        st.Simulator(st.load_model(model.format(joint=""), step_size=0.01), batch=1, device=device) as fixed,
    ):
        frozen.params.frozen[:, frozen.body("upper").id] = 1
        frozen.qpos[0], fixed.qpos[0] = [0, 1.3], [1.3]
        for _ in range(3):
            frozen.step()
            fixed.step()
        assert frozen.qpos[0, 0] == 0
        assert frozen.qpos[0, 1] == pytest.approx(fixed.qpos[0, 0], abs=1e-8)
        assert fixed.qpos[0, 0] < 1.25


def test_any_quaternion_keeps_its_bits():
    with st.Simulator(scene("<freejoint/>"), batch=64, device="cpu") as sim:
        quats = np.random.default_rng(0).normal(size=(64, 4))
        sim.body("block").quat = quats / np.linalg.norm(quats, axis=1, keepdims=True)
        sim.params.frozen[:, sim.body("block").id] = 1
        start = np.array(sim.body("block").pose)
        sim.step(steps=3)
        np.testing.assert_array_equal(sim.body("block").pose, start)


def test_a_value_that_is_neither_refuses_the_environment():
    with st.Simulator(scene("<freejoint/>"), batch=2, device="cpu") as sim:
        sim.params.frozen[1, 1] = 0.5
        status = sim.step()
        assert status[0] == int(st.Status.CONVERGED)
        assert status[1] & int(st.Status.BAD_PARAMETER)
