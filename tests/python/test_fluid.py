"""Drag of air and water: closed forms, terminal speed, wind, MuJoCo's swimmer, energy, what is refused."""

import mujoco
import numpy as np
import pytest
import stiction as st

BALL = """<mujoco><option gravity="0 0 {gravity}" density="{density}" viscosity="{viscosity}" wind="{wind}"/><worldbody>
  <body pos="0 0 9"><freejoint/><geom type="box" size=".1 .2 .3" mass="2" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
MASS, SIDES = 2.0, np.array([0.2, 0.4, 0.6])

SWIMMER = """<mujoco><option gravity="0 0 0" density="800" viscosity=".01" timestep="1e-4" integrator="implicitfast"/>
  <default><geom type="capsule" size=".05" fromto="0 0 0 -.5 0 0" density="1000" contype="0" conaffinity="0"/></default>
  <worldbody><body><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="turn"/><geom fromto=".5 0 0 0 0 0"/>
    <body><joint name="a"/><geom/><body pos="-.5 0 0"><joint name="b"/><geom/></body></body></body></worldbody>
  <actuator><motor joint="a" gear="20"/><motor joint="b" gear="20"/></actuator></mujoco>"""


def ball(gravity=0.0, density=0.0, viscosity=0.0, wind="0 0 0"):
    return BALL.format(gravity=gravity, density=density, viscosity=viscosity, wind=wind)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_quadratic_drag_is_exact_along_each_side(device, axis):
    # m u' = -c u²: u = u0/(1 + c u0 t/m), whatever the step
    scene = st.load_model(ball(density=50.0), step_size=0.1)
    with st.Simulator(scene, device=device) as sim:
        sim.qvel[0, axis] = 3.0
        sim.step(steps=20)
        c = 0.5 * 50.0 * np.prod(np.delete(SIDES, axis))
        assert sim.qvel[0, axis] == pytest.approx(3.0 / (1 + c * 3.0 * 2.0 / MASS), rel=1e-7)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_a_falling_box_reaches_its_terminal_speed(device):
    with st.Simulator(st.load_model(ball(gravity=-10.0, density=1000.0), step_size=0.02), device=device) as sim:
        sim.step(steps=500)
        assert sim.qvel[0, 2] == pytest.approx(-np.sqrt(MASS * 10.0 / (0.5 * 1000.0 * SIDES[0] * SIDES[1])), rel=1e-6)


def test_wind_carries_a_box_to_its_own_speed():
    with st.Simulator(st.load_model(ball(viscosity=5.0, wind="2 -1 0"), step_size=0.1), device="cpu") as sim:
        sim.step(steps=300)
        assert np.allclose(sim.qvel[0, :3], [2, -1, 0], atol=1e-6)


def test_a_spinning_box_slows_down_as_in_mujoco():
    text = ball(density=200.0, viscosity=0.3)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, data = 1e-4, mujoco.MjData(model)
    data.qvel[:] = [1, 0.5, -0.3, 3, -2, 4]
    for _ in range(5000):
        mujoco.mj_step(model, data)
    with st.Simulator(st.load_model(text, step_size=1e-3), device="cpu") as sim:
        sim.qvel[0] = [1, 0.5, -0.3, 3, -2, 4]
        sim.step(steps=500)
        assert np.allclose(sim.qvel[0], data.qvel, atol=0.02)


def test_a_swimmer_swims_as_in_mujoco():
    model = mujoco.MjModel.from_xml_string(SWIMMER)
    data = mujoco.MjData(model)

    def command(t):
        return [np.sin(6 * t), np.sin(6 * t - 1.5)]

    while data.time < 2.0:
        data.ctrl[:] = command(data.time)
        mujoco.mj_step(model, data)
    h = 2e-3
    with st.Simulator(st.load_model(SWIMMER, step_size=h), device="cpu") as sim:
        for step in range(round(2.0 / h)):
            sim.step(np.array([command((step + 0.5) * h)]))
        assert np.linalg.norm(data.qpos[:2]) > 0.05
        assert np.allclose(sim.qpos[0], data.qpos, atol=0.02)


def test_drag_takes_energy_from_long_steps():
    with st.Simulator(st.load_model(SWIMMER, step_size=0.1), device="cpu") as sim:
        sim.qvel[0] = [3, -2, 5, -8, 8]
        first = last = sim.stats.energy[0, 1]
        for _ in range(50):
            sim.step()
            energy = sim.stats.energy[0, 1]
            assert energy <= last * (1 + 1e-9)
            last = energy
        assert last < 0.02 * first


def test_drag_needs_momentum():
    with pytest.raises(st.InputError, match=r"fluid .*dynamics with momentum.*--ignore fluid"):
        st.Simulator(st.load_model(ball(density=1.0), dynamics="quasidynamic"))
    st.Simulator(st.load_model(ball(density=1.0), dynamics="quasidynamic", ignore=["fluid"])).close()


def test_ellipsoids_in_fluid_are_refused_by_name():
    text = ball(density=1.0).replace("<geom ", '<geom name="wing" fluidshape="ellipsoid" ')
    with pytest.raises(st.InputError, match=r"geom 'wing'.*fluidshape ellipsoid.*--ignore fluid"):
        st.load_model(text)
