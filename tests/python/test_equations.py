"""Claim: M, c and J are those of MuJoCo, to 1e-9 of their size, in random states of three models and in every environment's own
parameters."""

import mujoco
import numpy as np
import pytest
import stiction as st
from data_folder import data_file

STATES = 200
MIXED = """<mujoco><option gravity=".3 -.2 -9"/><worldbody>
  <body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .05" pos=".03 0 .01"/>
    <body name="leg" pos=".1 0 0"><joint type="ball" pos="0 0 .02"/><geom type="capsule" size=".02 .1" pos="0 0 -.1"/>
      <body name="foot" pos="0 0 -.2" gravcomp=".5"><joint type="hinge" axis="0 1 0" armature=".01"/><joint type="slide" axis="1 0 0"/>
        <geom type="sphere" size=".03" pos=".05 0 0"/></body></body></body>
  <body name="cart"><joint type="slide" axis="1 0 0"/><geom type="box" size=".1 .1 .1" pos="0 2 0"/>
    <body name="still" pos="0 0 .3"><geom type="box" size=".05 .05 .05" pos="0 2 0"/>
      <body name="pole" pos="0 2 .1"><joint axis="0 1 0" pos="0 0 -.01" ref=".3"/><geom type="capsule" size=".01 .2" pos="0 0 .2"/></body></body></body>
</worldbody></mujoco>"""  # fmt: skip
MODELS = {
    "mixed": MIXED,
    "iiwa": "models/iiwa14/scene.xml",
    "allegro": "models/allegro/right_hand.xml",
}


@pytest.fixture(params=MODELS, scope="module")
def both(request):
    """The simulator in random states, and MuJoCo's model with a function that puts its data into one of them."""
    text = MODELS[request.param]
    spec = mujoco.MjSpec.from_string(text) if text.startswith("<") else mujoco.MjSpec.from_file(str(data_file(text)))
    model = spec.compile()
    rng = np.random.default_rng(3)
    with st.Simulator(st.load_model(model), batch=STATES, device="cpu") as sim:
        qpos = sim.qpos + rng.normal(size=sim.qpos.shape)
        for joint in range(sim.model.njoint):
            if sim.model.joint_type[joint] < 2:
                start = sim.model.joint_qpos_adr[joint] + (3 if sim.model.joint_type[joint] == 0 else 0)
                turn = rng.normal(size=(STATES, 4))
                qpos[:, start : start + 4] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        sim.qpos, sim.qvel = qpos, 3 * rng.normal(size=sim.qvel.shape)
        data = mujoco.MjData(model)

        def at(env):
            data.qpos, data.qvel = sim.qpos[env], sim.qvel[env]
            mujoco.mj_forward(model, data)
            return data

        yield sim, model, at


def close(found, wanted):
    return np.abs(found - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())


def test_the_mass_matrix_is_that_of_mujoco(both):
    sim, model, at = both
    found, wanted = sim.mass_matrix(), np.zeros((model.nv, model.nv))
    assert found.shape == (STATES, model.nv, model.nv) and found.dtype == np.float64
    for env in range(STATES):
        mujoco.mj_fullM(model, at(env), wanted)
        assert close(found[env], wanted), env


def test_the_bias_is_that_of_mujoco(both):
    sim, model, at = both
    found = sim.bias()
    assert found.shape == (STATES, model.nv)
    for env in range(STATES):
        assert close(found[env], at(env).qfrc_bias), env


@pytest.mark.parametrize("point", [None, (0.0, 0.0, 0.0), (0.1, -0.2, 0.3)])
def test_jacobians_are_those_of_mujoco(both, point):
    sim, model, at = both
    wanted = np.zeros((6, model.nv))
    for body in range(model.nbody):
        found = sim.jacobian(body, point)
        assert found.shape == (STATES, 6, model.nv)
        for env in range(body % 10, STATES, 10 if model.nbody > 8 else 1):
            data = at(env)
            place = data.xipos[body] if point is None else data.xpos[body] + data.xmat[body].reshape(3, 3) @ point
            mujoco.mj_jac(model, data, wanted[:3], wanted[3:], place, body)
            assert close(found[env], wanted), (body, env)


def test_masses_and_gravity_are_those_of_the_environment():
    with st.Simulator(st.load_model(MIXED), batch=2, device="cpu") as sim:
        sim.params.mass[1] *= 2
        sim.params.inertia[1] *= 2
        M, c = sim.mass_matrix(), sim.bias()
        armature = np.diag(sim.model.dof_armature)
        assert np.allclose(M[1] - armature, 2 * (M[0] - armature)) and np.allclose(c[1], 2 * c[0])
        sim.params.gravity[1] = 0.0
        assert not sim.bias()[1].any()


@pytest.mark.parametrize("device, dtype, close", [("cpu", "float32", 1e-4), ("reference", "float64", 1e-12)])
def test_other_devices_answer_alike(device, dtype, close):
    with st.Simulator(st.load_model(MIXED), batch=1, device="cpu") as sim, st.Simulator(st.load_model(MIXED), batch=1, device=device, dtype=dtype) as other:
        rng = np.random.default_rng(7)
        sim.qvel = other.qvel = rng.normal(size=sim.qvel.shape).astype(other.qvel.dtype)
        for call in ("mass_matrix", "bias"):
            assert np.allclose(getattr(sim, call)(), getattr(other, call)(), rtol=close, atol=close)
        assert np.allclose(sim.jacobian("foot"), other.jacobian(other.body("foot")), atol=close)


def test_a_state_that_is_no_number_gives_nan_in_its_environment():
    with st.Simulator(st.load_model(MIXED), batch=2, device="cpu") as sim:
        sim.qpos[1, 0] = sim.qpos[1, 12] = np.nan
        assert np.isfinite(sim.mass_matrix()[0]).all() and np.isnan(sim.mass_matrix()[1]).any()


REFUSED = {
    "a body": (lambda s: s.jacobian("fot"), "body: the model has no body 'fot'; did you mean 'foot'?"),
    "a flat point": (lambda s: s.jacobian("foot", (0, 0)), "point: expected three finite numbers [m], got [0.0, 0.0]"),
    "no number": (lambda s: s.jacobian("foot", (0, 0, np.nan)), "point: expected three finite numbers [m]"),
    "words": (lambda s: s.jacobian("foot", "tip"), "point: expected three numbers [m], got str"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_one_line(case):
    call, message = REFUSED[case]
    with st.Simulator(st.load_model(MIXED), batch=1, device="cpu") as sim:
        with pytest.raises(st.InputError) as error:
            call(sim)
        assert str(error.value).startswith(message)
        sim.close()
        with pytest.raises(st.ClosedError):
            sim.mass_matrix()
