"""Claims: torsion with pyramids and boxes: random heaps lose energy in solved steps, solvers, devices and dtypes agree with the
reference, contacts without it are those of condim 3, raw problems and derivatives have it."""

import numpy as np
import pytest
import stiction as st

SOLVERS = ("interior_point", "newton", "lemke", "admm", "pgs")
SHAPES = ('type="box" size=".05 .04 .03"', 'type="sphere" size=".05"', 'type="capsule" size=".03 .05"', 'type="cylinder" size=".05 .03"',
          'type="ellipsoid" size=".05 .04 .03"')  # fmt: skip
TOP = """<mujoco><worldbody><geom type="plane" size="2 2 .1" friction=".5 .01 0" condim="4"/>
  <body pos="0 0 .03"><freejoint/><geom type="capsule" size=".03" fromto="-.05 0 0 .05 0 0" mass="1" friction=".5 .01 0" condim="4"/></body>
  <body pos=".3 0 .05"><freejoint/><geom type="sphere" size=".05" mass="1" friction=".5 .01 0" condim="{condim}"/></body>
</worldbody></mujoco>"""


def heap(rng, bodies):
    """Bodies above a floor, of random shapes and with random torsional friction, none of it on some."""
    text = '<mujoco><worldbody><geom type="plane" size="2 2 .1" friction=".1 0 0"/>'
    for i in range(bodies):
        shape, mu, mu_r = SHAPES[rng.integers(len(SHAPES))], rng.uniform(0.1, 1), 10 ** rng.uniform(-4, -1.5)
        text += f'<body pos="{rng.uniform(-0.1, 0.1)} {rng.uniform(-0.1, 0.1)} {0.12 * (i + 1)}"><freejoint/>'
        text += f'<geom {shape} mass="{10 ** rng.uniform(-1, 1)}" friction="{mu} {mu_r} 0" condim="{rng.choice([3, 4, 4])}"/></body>'
    return text + "</worldbody></mujoco>"


@pytest.mark.parametrize("law", ["coulomb", "anitescu"])
@pytest.mark.parametrize("seed", range(6))
def test_random_heaps_lose_energy_in_solved_steps(law, seed):
    rng = np.random.default_rng(seed)
    cone, facets = (("box", None), ("pyramid", int(rng.integers(3, 9))))[seed % 3 > 0]
    scene = st.load_model(heap(rng, 4), dynamics="dynamic", law=law, cone=cone, facets=facets, step_size=0.005, tolerance=1e-8)
    twisted = 0.0
    with st.Simulator(scene, batch=4) as sim:
        sim.qvel[:] = rng.normal(size=sim.qvel.shape) * np.tile([0.5, 0.5, 0.5, 5, 5, 5], 4)
        before = sim.stats.energy.sum(axis=1)
        for _ in range(120):
            assert (sim.step() == st.Status.CONVERGED).all()
            after = sim.stats.energy.sum(axis=1)
            assert (after <= before + 1e-4 * np.abs(before)).all()
            twisted, before = max(twisted, np.abs(sim.contacts.torsion).max()), after
            force, torsion, mu = sim.contacts.force, sim.contacts.torsion, sim.contacts.friction[..., 2]
            live = np.arange(force.shape[1]) < sim.contacts.count[:, None]
            assert (np.abs(torsion[live]) <= mu[live] * force[..., 0][live] * (1 + 1e-6) + 1e-6).all()
    assert twisted > 0


def trajectory(steps, solver="interior_point", tolerance=1e-10, **choices):
    scene = st.load_model(TOP.format(condim=4), step_size=0.01, tolerance=tolerance, max_iterations=500, solver=solver,
                          **{key: choices.pop(key) for key in ("dynamics", "law", "cone")})  # fmt: skip
    with st.Simulator(scene, **choices) as sim:
        sim.qvel[0] = [0.4, 0.1, 0, 0, 0, 9, 0.3, 0.2, 0, 0, 0, -7]
        states = []
        for _ in range(steps):
            assert sim.step()[0] == st.Status.CONVERGED
            states.append([*sim.qpos[0], *sim.qvel[0]])
    return np.array(states)


@pytest.mark.parametrize("cone", ["pyramid", "box"])
@pytest.mark.parametrize("law", ["coulomb", "anitescu"])
@pytest.mark.parametrize("dynamics", ["dynamic", "quasidynamic"])
def test_steps_are_those_of_the_reference(dynamics, law, cone):
    choices = {"dynamics": dynamics, "law": law, "cone": cone}
    np.testing.assert_allclose(trajectory(20, **choices), trajectory(20, **choices, device="reference"), atol=1e-9)


@pytest.mark.parametrize("law", ["coulomb", "anitescu"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_agree(solver, law):
    choices = {"dynamics": "dynamic", "law": law, "cone": "pyramid"}
    iterative = solver in ("admm", "pgs")
    found = trajectory(10, solver=solver, tolerance=1e-7 if iterative else 1e-10, **choices)
    np.testing.assert_allclose(found, trajectory(10, **choices), atol=1e-4 if iterative else 1e-8)


def test_float32_is_near():
    choices = {"dynamics": "dynamic", "law": "coulomb", "cone": "pyramid"}
    np.testing.assert_allclose(trajectory(10, tolerance=1e-5, dtype="float32", **choices), trajectory(10, **choices), atol=1e-3)


def test_a_contact_without_torsion_beside_others_is_that_of_condim_3():
    spins = []
    for condim in (3, 4):
        scene = st.load_model(TOP.format(condim=condim).replace('friction=".5 .01 0" condim="4"/>', 'condim="3" friction=".1 0 0"/>', 1),
                              dynamics="dynamic", law="coulomb", cone="pyramid", step_size=0.01, tolerance=1e-10)  # fmt: skip
        with st.Simulator(scene) as sim:
            sim.qvel[0] = [0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 5]
            assert sim.step()[0] == st.Status.CONVERGED
            spins.append(sim.qvel[0, [5, 11]])
    inertia = 0.4 * 0.05**2
    np.testing.assert_allclose(spins[0][1], 5, atol=1e-8)  # condim 3: nothing resists the ball's spin
    np.testing.assert_allclose(spins[1][1], 5 - 0.01 * 9.81 * 0.01 / inertia, atol=1e-8)
    np.testing.assert_allclose(spins[0][0], spins[1][0], atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_raw_problems_have_it(solver):
    h, inertia, mu = 0.01, 0.1, [[[0.5, 0.5, 0.02]]]
    rows = np.array([[[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]])
    answer = st.solve_contact(np.diag([1, 1, 1, inertia])[None], np.array([[0, 0, -10 * h, 0.2]]), rows, np.zeros((1, 1)), np.array(mu), h,
                              law="coulomb", cone="pyramid", solver=solver, tolerance=1e-8, radius=np.array([[0.05]]))  # fmt: skip
    assert answer.status[0] == st.Status.CONVERGED
    np.testing.assert_allclose(answer.v[0], [0, 0, 0, (0.2 - 0.02 * 10 * h) / inertia], atol=1e-6)
    np.testing.assert_allclose(answer.lambda_[0], [10 * h, 0, 0, -0.02 * 10 * h], atol=1e-6)


PUSH = """<mujoco><worldbody><geom type="plane" size="2 2 .1" friction=".5 {mu_r} 0" condim="4"/>
  <body pos=".1 0 .05"><freejoint/><geom type="ellipsoid" size=".05 .05 .05" mass="1" friction=".5 {mu_r} 0" condim="4"/></body>
  <body pos="0 .02 .05" gravcomp="1"><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size=".02" mass=".1" friction=".5 .001 0"/></body>
</worldbody><actuator><position joint="x" kp="500"/></actuator></mujoco>"""


def test_derivatives_of_a_push_beside_the_centre_are_its_differences():
    """The finger pushes the ball aside, which turns about its contact with the floor; the torsion there resists."""
    turns = []
    for mu_r in (0.0, 0.02):
        scene = st.load_model(PUSH.format(mu_r=mu_r), dynamics="quasidynamic", law="coulomb", cone="pyramid", step_size=0.1, tolerance=1e-10)
        with st.Simulator(scene) as sim:
            sim.step(np.array([[0.05]]))
            start = sim.state()
            sim.ctrl[:] = 0.06
            _, B = sim.linearize(1e-9)
            ends = []
            for delta in (1e-5, -1e-5):
                sim.set_state(start)
                assert sim.step(np.array([[0.06 + delta]]))[0] == st.Status.CONVERGED
                ends.append(sim.qpos[0].copy())
            difference = (ends[0] - ends[1]) / 2e-5
            np.testing.assert_allclose(B[0, [0, 1, 6], 0], difference[[0, 1, 7]], atol=1e-3)
            turns.append(B[0, 3:6, 0])
    assert np.abs(turns[0] - turns[1]).max() > 0.1


SPIN = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
  <body pos="0 0 .05"><freejoint/><geom name="ball" size=".05" mass="1"/></body></worldbody></mujoco>"""
DYNAMIC = {"dynamics": "dynamic", "law": "coulomb", "cone": "pyramid", "step_size": 0.01}


@pytest.mark.parametrize("choices", [{"preset": "graspit"}, DYNAMIC, DYNAMIC | {"geometry": "end"}, DYNAMIC | {"order": "move_first"}])
def test_materials_and_presets_have_it(choices):
    mu_r, spin = 0.005, 20.0
    keys = {"material": [{"name": "a", "geoms": ["floor", "ball"]}], "material_pair": [{"materials": ["a", "a"], "static": 0.5, "torsional": mu_r}]}
    with st.Simulator(st.load_model(SPIN, **choices, **keys)) as sim:
        assert sim.scene.cone == "pyramid"
        sim.qvel[0, 5] = spin
        for _ in range(10):
            assert sim.step()[0] == st.Status.CONVERGED
            pressed = sim.contacts.force[0, 0, 0]
            spin -= sim.scene.step_size * mu_r * pressed / (0.4 * 0.05**2)
            assert sim.qvel[0, 5] == pytest.approx(spin, abs=1e-4)
            assert sim.contacts.torsion[0, 0] == pytest.approx(-mu_r * pressed, rel=1e-4)
            assert pressed == pytest.approx(9.81, rel=0.2)  # graspit's first steps also take back what the ball sank
