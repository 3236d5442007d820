"""Claims: forces and torques on bodies act as J^T f does, in every step until they are overwritten, on host and reference,
in every dynamics; the bits do not depend on the batch, and a force that is no number stops its own environment only."""

import numpy as np
import pytest
import stiction as st

H = 0.01
FREE = """<mujoco><option gravity="0 0 {gravity}"/><worldbody>
  <body name="ball" pos="0 0 5"><freejoint/><geom type="{shape}" size=".1 .2 .3" mass="2" pos="{offset} 0 0"/></body>
</worldbody></mujoco>"""
ARM = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/><geom type="capsule" size=".03 .1" pos=".1 0 .02" quat=".7 0 .7 0"/>
    <body name="lower" pos=".25 0 0"><joint name="elbow" axis="0 .6 .8"/><joint name="reach" type="slide" axis="1 0 0" damping="3"/>
      <geom type="box" size=".1 .02 .03" pos=".1 .03 0"/></body></body>
  <body name="cube" pos="1 1 .5"><freejoint/><geom type="box" size=".05 .06 .07"/></body>
</worldbody>
<actuator><position joint="shoulder" kp="40" kv="4"/></actuator></mujoco>"""  # fmt: skip
DYNAMICS = ["dynamic", "dynamic_fitted", "quasidynamic", "quasistatic", "kinematic"]
DEVICES = ["cpu", "reference"]


def free(shape="sphere", gravity=0.0, offset=0.0, **keys):
    return st.load_model(FREE.format(shape=shape, gravity=gravity, offset=offset), dynamics="dynamic", step_size=H, tolerance=1e-12, **keys)


@pytest.mark.parametrize("device", DEVICES)
def test_a_free_ball_under_a_force_moves_by_the_closed_form(device):
    """v = f t / m, and each step moves by the velocity at its end: x = f h^2 n (n + 1) / 2 m."""
    with st.Simulator(free(gravity=-10.0), batch=2, device=device) as sim:
        assert sim.applied_wrench.shape == (2, 2, 6) and not sim.applied_wrench.any()
        sim.body("ball").applied_wrench = [[3, 0, 20, 0, 0, 0], [0, -1, 20, 0, 0, 0]]
        sim.step(steps=50)
        way = H * H * 50 * 51 / 2 / 2
        assert np.allclose(sim.qvel[:, :3], np.array([[3, 0, 0], [0, -1, 0]]) * 0.5 / 2, atol=1e-12)
        assert np.allclose(sim.qpos[:, :3] - [0, 0, 5], [[3 * way, 0, 0], [0, -way, 0]], atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_a_torque_turns_a_box_and_leaves_its_centre(device):
    """About a principal axis: w = torque t / I, also where the centre of mass is not the body's origin."""
    with st.Simulator(free("box", offset=0.4), batch=1, device=device) as sim:
        sim.body("ball").applied_wrench = [0, 0, 0, 0, 0, 0.7]
        moment = 2 / 3 * (0.1**2 + 0.2**2)
        sim.step(steps=20)
        centre = sim.jacobian("ball") @ sim.qvel[0]
        assert np.allclose(sim.qvel[:, 3:], [[0, 0, 0.7 * 20 * H / moment]], rtol=1e-9, atol=1e-9)
        assert np.abs(centre[0, :3]).max() < 1e-9


def test_a_force_acts_until_it_is_overwritten_and_reset_clears_it():
    with st.Simulator(free(), batch=2, device="cpu") as sim:
        sim.applied_wrench[:, 1, 0] = 2.0
        sim.step(steps=5)
        assert np.allclose(sim.qvel[:, 0], 5 * H)
        sim.applied_wrench[:] = 0.0
        sim.step(steps=5)
        assert np.allclose(sim.qvel[:, 0], 5 * H)
        sim.applied_wrench = np.ones((2, 2, 6))
        sim.reset([0])
        assert not sim.applied_wrench[0].any() and (sim.applied_wrench[1] == 1).all()
        with pytest.raises(st.InputError, match="applied_wrench"):
            sim.applied_wrench = np.ones((2, 6))


def test_it_is_part_of_the_state():
    with st.Simulator(free(), batch=2, device="cpu") as sim, st.Simulator(free(), batch=2, device="cpu") as other:
        sim.applied_wrench[1, 1] = np.arange(6)
        sim.step(steps=3)
        other.set_state(sim.state())
        sim.step(steps=5), other.step(steps=5)
        assert np.array_equal(sim.qpos, other.qpos) and sim.qpos[1, 1] != sim.qpos[0, 1]


@pytest.mark.parametrize("device", DEVICES)
def test_a_force_on_a_link_is_the_jacobian_transposed(device):
    """M (v+ - v) = h J^T f - h D v+ for the arm from rest, so that every term is known."""
    rng = np.random.default_rng(1)
    with st.Simulator(st.load_model(ARM, dynamics="dynamic", step_size=H), batch=4, device=device) as sim:
        sim.qpos[:, :3] = rng.normal(size=(4, 3)) * 0.4
        wrench = rng.normal(size=(4, 6))
        sim.body("lower").applied_wrench = wrench
        M, J, q = sim.mass_matrix(), sim.jacobian("lower"), sim.qpos[:, 0].copy()
        sim.step()
        H_of_step = M.copy()
        H_of_step[:, 2, 2] += 3 * H
        H_of_step[:, 0, 0] += H * 4 + H * H * 40
        g = H * np.einsum("brk,br->bk", J, wrench)
        g[:, 0] -= H * 40 * q
        assert np.allclose(sim.qvel, np.linalg.solve(H_of_step, g[..., None])[..., 0], atol=1e-10)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_in_every_dynamics_it_is_the_impulse_of_a_scene(tmp_path, dynamics, device):
    (tmp_path / "arm.xml").write_text(ARM.replace('type="slide"', 'type="slide" stiffness="50"'))
    push, cube = [0.3, -0.2, 0.1, 0.02, 0.03, -0.01], [0.1, 0.2, 0.3, 0.001, 0.002, 0.003]
    text = 'model = "arm.xml"\n'
    impulses = f'[[impulse]]\nstep = 0\nbody = "lower"\nvalue = {push}\n[[impulse]]\nstep = 0\nbody = "cube"\nvalue = {cube}\n'
    (tmp_path / "scene.toml").write_text(text)
    (tmp_path / "pushed.toml").write_text(text + impulses)
    keys = {"dynamics": dynamics, "step_size": H}
    with st.Simulator(st.load_scene(tmp_path / "scene.toml", **keys), device=device) as sim, st.Simulator(st.load_scene(tmp_path / "pushed.toml", **keys), device=device) as own:
        sim.body("lower").applied_wrench, sim.body("cube").applied_wrench = np.array(push) / H, np.array(cube) / H
        moved = sim.qpos.copy()
        status, wanted = sim.step(), own.step()
        assert status == wanted
        assert np.allclose(sim.qpos, own.qpos, atol=1e-10) and np.allclose(sim.qvel, own.qvel, atol=1e-8)
        if not status[0] & st.Status.FAILED:
            assert np.abs(sim.qpos - moved).max() > 1e-6


def test_bits_do_not_depend_on_the_batch():
    rng = np.random.default_rng(2)
    wrench = rng.normal(size=(7, 4, 6))
    scene = st.load_model(ARM, dynamics="dynamic", step_size=H)
    with st.Simulator(scene, batch=7, device="cpu", threads=2) as sim:
        sim.applied_wrench = wrench
        sim.step(steps=30)
        for env in range(7):
            with st.Simulator(scene, batch=1, device="cpu") as alone:
                alone.applied_wrench = wrench[env : env + 1]
                alone.step(steps=30)
                assert np.array_equal(alone.qpos[0], sim.qpos[env]) and np.array_equal(alone.qvel[0], sim.qvel[env])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_force_that_is_no_number_stops_its_environment_only(device, bad):
    with st.Simulator(free(), batch=3, device=device) as sim, st.Simulator(free(), batch=3, device=device) as clean:
        sim.qvel[:, 0] = clean.qvel[:, 0] = 1.0
        sim.applied_wrench[1, 1, 4] = bad
        sim.step(), clean.step()
        assert [bool(s & st.Status.NOT_FINITE) for s in sim.status] == [False, True, False]
        assert np.array_equal(sim.qpos[[0, 2]], clean.qpos[[0, 2]]) and sim.qpos[1, 0] == 0
        sim.applied_wrench[1] = 0.0
        sim.step()
        assert (sim.status == st.Status.CONVERGED).all()


def test_without_a_force_the_bits_are_those_of_before():
    """Zeros of either sign, and wrenches on bodies that nothing moves, change no bit."""
    scene = st.load_scene("scenes/gripper2d")
    with st.Simulator(scene, batch=1, device="cpu") as sim, st.Simulator(scene, batch=1, device="cpu") as plain:
        sim.applied_wrench[:] = -0.0
        sim.applied_wrench[:, 0] = 5.0
        sim.step(steps=100), plain.step(steps=100)
        assert np.array_equal(sim.qpos, plain.qpos)


def test_single_precision_feels_it_too():
    with st.Simulator(free(), batch=1, device="cpu", dtype="float32") as sim:
        sim.body("ball").applied_wrench = [1, 2, 3, 0, 0, 0]
        sim.step(steps=10)
        assert sim.applied_wrench.dtype == np.float32
        assert np.allclose(sim.qvel[0, :3], np.array([1, 2, 3]) * 10 * H / 2, rtol=1e-5)
