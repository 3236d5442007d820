"""Claims: energy is MuJoCo's; derivatives of steps are their differences, follow the smoothing, and name what is wrong."""

import mujoco
import numpy as np
import pytest
import stiction as st

SPRINGS = """<mujoco>
  <worldbody>
    <body pos="0 0 1"><joint type="hinge" axis="0 1 0" stiffness="3" springref="20" armature="0.1"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="1"/>
      <body pos="0.3 0 0"><joint type="ball" stiffness="0.5"/><geom type="box" size="0.1 0.05 0.02" mass="0.4"/></body>
    </body>
    <body pos="1 0 1"><freejoint/><geom type="ellipsoid" size="0.1 0.05 0.2" mass="2"/></body>
  </worldbody>
</mujoco>"""

PUSHER = """<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom type="plane" size="2 2 .1" friction="0.5"/>
    <body name="box" pos="0.1 0 0.05"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1" friction="0.5"/></body>
    <body name="finger" pos="0 0 0.05" gravcomp="1"><joint name="x" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.02" mass="0.1" friction="0.5"/></body>
  </worldbody>
  <actuator><position joint="x" kp="500"/></actuator>
</mujoco>"""


def test_energy_is_mujocos():
    model = mujoco.MjModel.from_xml_string(SPRINGS)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    with st.Simulator(st.load_model(SPRINGS, dynamics="dynamic"), batch=3) as sim:
        for env in range(3):
            data.qvel[:] = rng.normal(size=model.nv)
            mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.3)
            sim.qpos[env], sim.qvel[env] = data.qpos, data.qvel
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_crb(model, data)
            mujoco.mj_energyPos(model, data)
            mujoco.mj_energyVel(model, data)
            np.testing.assert_allclose(sim.stats.energy[env], data.energy, rtol=1e-12)


def test_energy_is_kept_in_free_fall():
    with st.Simulator(st.load_model(SPRINGS, dynamics="dynamic", step_size=1e-4)) as sim:
        before = sim.stats.energy.sum()
        sim.step(steps=1000)
        potential, kinetic = sim.stats.energy[0]
        assert kinetic > 1.0 and abs(potential + kinetic - before) < 2e-3 * kinetic


@pytest.fixture
def pusher():
    scene = st.load_model(PUSHER, dynamics="quasidynamic", law="anitescu", cone="pyramid", step_size=0.1, tolerance=1e-10)
    with st.Simulator(scene, batch=2) as sim:
        yield sim


def test_derivatives_of_a_push_are_its_differences(pusher):
    """The finger pushes the box in environment 0; it is 30 mm away in environment 1."""
    command = 0.05
    pusher.step(np.full((2, 1), command))
    pusher.reset([1])
    start, command = pusher.state(), np.array([[command + 0.02], [0.0]])
    pusher.ctrl[:] = command
    A, B = pusher.linearize(1e-9)
    assert A.shape == (2, 7, 7) and B.shape == (2, 7, 1)
    ends = []
    for delta in (1e-5, -1e-5):
        pusher.set_state(start)
        pusher.step(command + delta)
        ends.append(pusher.qpos[:, [0, 7]].copy())
    difference = (ends[0] - ends[1]) / 2e-5
    np.testing.assert_allclose(B[:, [0, 6], 0], difference, atol=1e-4)
    assert B[0, 0, 0] > 0.5 and abs(B[1, 0, 0]) < 1e-6


def test_smoothing_lets_a_contact_act_before_it_is_touched(pusher):
    pusher.qpos[:, 7] = 0.028  # 2 mm before it, and on its way
    pusher.ctrl[:] = 0.029
    pull = [pusher.linearize(smoothing)[1][0, 0, 0] for smoothing in (1e-8, 1e-4, 1e-2)]
    assert pull[0] < 1e-5 < pull[1] < pull[2]


def test_derivatives_are_new_arrays(pusher):
    A, _ = pusher.linearize(1e-3)
    kept = A.copy()
    pusher.qpos[:, 7] += 0.02
    pusher.linearize(1e-3)
    assert np.array_equal(A, kept)
    pusher.close()
    assert np.array_equal(A, kept)


def test_an_environment_without_derivatives_has_nan_alone(pusher):
    pusher.qpos[1, 0] = np.nan
    A, B = derivatives = pusher.linearize(1e-3)
    assert list(derivatives.status) == [st.Status.CONVERGED, st.Status.NOT_FINITE]
    assert np.isfinite(A[0]).all() and np.isfinite(B[0]).all() and np.isnan(A[1]).all() and np.isnan(B[1]).all()


@pytest.mark.parametrize(
    ("smoothing", "said"),
    [
        (0.0, "smoothing: 0.000000 given, must be positive"),
        (-1.0, "smoothing: -1.000000 given, must be positive"),
        (float("nan"), "smoothing: nan given"),
        ("much", "smoothing: expected a number [J], got str"),
        (None, "smoothing: expected a number [J], got NoneType"),
    ],
)
def test_smoothing_must_be_a_positive_number(pusher, smoothing, said):
    with pytest.raises(st.InputError) as error:
        pusher.linearize(smoothing)
    assert said in str(error.value)


def test_the_reference_is_refused_by_name():
    with st.Simulator(st.load_model(PUSHER), device="reference") as sim, pytest.raises(st.InputError, match="not yet"):
        sim.linearize(1e-3)
