"""Claim: what is wrong is said in one line that names the argument, what was expected and what was given."""

import math
import threading

import numpy as np
import pytest
import stiction as st

GRIPPER = "scenes/gripper2d"
FREE = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"


@pytest.fixture(scope="module")
def sim():
    with st.Simulator(GRIPPER, batch=3) as simulator:
        yield simulator


# nv 3, one contact
H, G, J = np.eye(3), np.ones(3), np.eye(3)
PHI, MU = np.zeros(1), np.full(1, 0.5)


def contact(**change):
    arrays = {"H": H, "g": G, "J": J, "phi": PHI, "mu": MU, "h": 0.1} | change
    return st.solve_contact(**arrays)


BAD_CALLS = {
    "ctrl shape": (lambda s: s.step(np.zeros((3, 1))), r"ctrl: expected shape \(3, 3\), got \(3, 1\)"),
    "ctrl list": (lambda s: s.step([1, 2, 3]), "ctrl: expected an array of shape .*, got list"),
    "ctrl complex": (lambda s: s.step(np.zeros((3, 3), complex)), "ctrl: expected float64.*, got complex128"),
    "ctrl bool": (lambda s: s.step(np.zeros((3, 3), bool)), "ctrl: expected float64.*, got bool8"),
    "ctrl of another batch": (lambda s: s.step(np.zeros((4, 3))), r"ctrl: expected shape \(3, 3\), got \(4, 3\)"),
    "ctrl text": (lambda s: s.step("up"), "ctrl: expected an array .*, got str"),
    "no steps": (lambda s: s.step(steps=0), "steps: 0 given, must be at least 1"),
    "negative steps": (lambda s: s.step(steps=-3), "steps: -3 given"),
    "half a step": (lambda s: s.step(steps=0.5), "steps: expected an integer, got float"),
    "steps as text": (lambda s: s.step(steps="1"), "steps: expected an integer, got str"),
    "id too large": (lambda s: s.reset([3]), r"ids: environment 3 is not in \[0, 3\)"),
    "id negative": (lambda s: s.reset([-1]), r"ids: environment -1 is not in \[0, 3\)"),
    "id huge": (lambda s: s.reset([2**40]), "ids: environment 1099511627776 is not"),
    "mask too short": (lambda s: s.reset([True]), r"ids: expected a mask of shape \(3,\), got \(1,\)"),
    "ids of floats": (lambda s: s.reset([0.5]), "ids: expected integers .*, got float64"),
    "ids of two dimensions": (lambda s: s.reset([[0, 1]]), r"ids: expected .*, got shape \(1, 2\)"),
    "reset shape": (lambda s: s.reset([0], qpos=np.zeros((2, 5))), r"qpos: expected shape \(1, 5\), got \(2, 5\)"),
    "seed negative": (lambda s: s.reset(seed=-1), "seed: -1 given"),
    "qpos shape": (lambda s: setattr(s, "qpos", np.zeros((3, 4))), r"qpos: expected shape \(3, 5\), got \(3, 4\)"),
    "qpos is None": (lambda s: setattr(s, "qpos", None), r"qpos: expected an array of shape \(3, 5\), got NoneType"),
    "ctrl is None, once read": (lambda s: (s.ctrl, setattr(s, "ctrl", None)), "ctrl: expected an array of .*, got NoneType"),
    "friction shape": (lambda s: setattr(s.params, "friction", 0.5), "geom_friction: expected an array"),
    "state of another kind": (lambda s: s.set_state([1]), "state: expected what state.. returned, got list"),
    "state without qpos": (lambda s: s.set_state({"qvel": s.qvel}), "state: '.*' is missing"),
    "state of another batch": (
        lambda s: s.set_state({k: v[:2] for k, v in s.state().items()}),
        r"state\['.*'\]: expected shape \(3, .*\), got \(2, .*\)",
    ),
    "batch 0": (lambda s: st.Simulator(GRIPPER, batch=0), "batch: 0 given, must be at least 1"),
    "batch too large": (lambda s: st.Simulator(GRIPPER, batch=2**31), "batch: 2147483648 given"),
    "batch of 1.5": (lambda s: st.Simulator(GRIPPER, batch=1.5), "batch: expected an integer, got float"),
    "device": (lambda s: st.Simulator(GRIPPER, device="tpu"), 'device: "tpu" is not one of'),
    "dtype": (lambda s: st.Simulator(GRIPPER, dtype="int8"), 'dtype: "int8" is not one of float64, float32'),
    "reference in float32": (lambda s: st.Simulator(GRIPPER, device="reference", dtype="float32"), "dtype: the reference"),
    "stream of a CPU": (lambda s: st.Simulator(GRIPPER, device="cpu", stream=1), "stream: only a GPU has streams"),
    "threads": (lambda s: st.Simulator(GRIPPER, threads=-1), "threads: -1 given"),
    "solve threads": (lambda s: st.Simulator(GRIPPER, solve_threads=7), "solve_threads: 7 given"),
    "first id": (lambda s: st.Simulator(GRIPPER, first_env_id=-1), "first_env_id: -1 given"),
    "scene of another kind": (lambda s: st.Simulator(3), "scene: expected a Scene or a path, got int"),
    "no such scene": (lambda s: st.Simulator("nowhere"), "nowhere: no such file or folder"),
    "unknown key": (lambda s: st.load_scene(GRIPPER, lawn="x"), "unknown key 'lawn'"),
    "unknown law": (lambda s: st.load_scene(GRIPPER, law="coulom"), 'the given keys: physics.law = "coulom" is unknown'),
    "nearly the law patch": (lambda s: st.load_scene(GRIPPER, law="patches"), 'the nearest is "patch"'),
    "law patch with points": (lambda s: st.load_scene(GRIPPER, law="patch", contact="points"), 'contact = "points" excludes law'),
    "patches with facets": (lambda s: st.Simulator(st.load_scene(GRIPPER, contact="patch")), 'contact = "patch" needs a round friction cone'),
    "linear rotation at rest": (lambda s: st.Simulator(st.load_scene(GRIPPER, rotation="linear")), 'rotation = "linear" needs dynamics with momentum'),
    "uniform torsion of points": (lambda s: st.Simulator(st.load_scene(GRIPPER, torsion_radius="uniform")), 'torsion_radius = "uniform" is that of a patch'),
    "key of another type": (lambda s: st.load_scene(GRIPPER, facets="four"), "the given keys: physics.facets"),
    "factor of no kind": (lambda s: st.load_scene(GRIPPER, factor="half"), "factor"),
    "factor of a solver without one": (lambda s: st.Simulator(st.load_scene(GRIPPER, solver="pgs", factor="float32")), "pgs factors no matrix"),
    "key out of range": (lambda s: st.load_scene(GRIPPER, tolerance=2.0), "the given keys: solver.tolerance = 2"),
    "key not a number": (lambda s: st.load_scene(GRIPPER, step_size=math.nan), "the given keys: .*step_size"),
    "qpos key": (lambda s: st.load_scene(GRIPPER, qpos=[1.0]), "initial.qpos has 1 number"),
    "model text": (lambda s: st.load_model("<mujoco><body></mujoco>"), "model text:1: not well-formed XML"),
    "model of another kind": (lambda s: st.load_model(7), "model: expected a path, XML text, .* got int"),
    "gap shape": (lambda s: contact(phi=np.zeros(2)), r"phi: expected shape \(1\), got \(2,\)"),
    "Jacobian rows": (lambda s: contact(J=np.eye(2, 3)), r"J: expected shape \(3\*nc, 3\), got \(2, 3\)"),
    "friction": (lambda s: contact(mu=-MU), "mu.*-0.5"),
    "step size": (lambda s: contact(h=0.0), "h: expected a positive number of seconds, given 0"),
    "law of a problem": (lambda s: contact(law="ice"), 'law: "ice" is not one of'),
    "facets": (lambda s: contact(facets=2), "facets: expected 3 or more, given 2"),
    "facets without end": (lambda s: contact(facets=10**9), "facets: expected at most 1024, given 1000000000"),
    "total without end": (lambda s: contact(max_total_iterations=2**31), "max_total_iterations: expected at most 2147483647, given 2147483648"),
    "half an iteration": (lambda s: contact(max_iterations=np.float64(1)), "max_iterations: expected int, got float64"),
    "several totals": (lambda s: contact(max_total_iterations=np.arange(2)), "max_total_iterations: expected int, got nda"),
    "complex Jacobian": (lambda s: contact(J=np.eye(3) * 1j), "J: expected real numbers, got complex128"),
    "complex offset": (lambda s: contact(offset=[1j, 0, 0]), "offset: expected real numbers, got complex128"),
    "rows without a Jacobian": (lambda s: contact(row_offset=[0.0]), "row_J: expected with row_offset, but it is miss"),
    "rows of two numbers": (lambda s: contact(row_J=np.eye(3), row_offset=[0.0]), r"row_offset: expected shape \(3\)"),
    "negative M": (lambda s: contact(M=-np.eye(3)), "M: problem 0, expected a positive semidefinite matrix"),
    "tolerance": (lambda s: contact(tolerance=0), "tolerance: expected a positive number, given 0"),
    "asymmetric H": (lambda s: contact(H=np.triu(np.ones((3, 3)))), "H"),
    "ragged": (lambda s: st.solve_lcp([[1, 2], [3]], [1, 2]), "M: expected an array of numbers"),
    "LCP sizes": (lambda s: st.solve_lcp(np.eye(2), np.ones(3)), r"q: expected shape \(2\), got \(3,\)"),
    "empty batch": (lambda s: st.solve_lcp(np.zeros((0, 2, 2)), np.zeros((0, 2))), "batch.*0"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_bad_call_is_answered_in_one_line(sim, name):
    call, message = BAD_CALLS[name]
    with pytest.raises(st.InputError, match=message) as error:
        call(sim)
    assert "\n" not in str(error.value)


def test_what_a_step_leaves_can_not_be_set(sim):
    for views, name in ((sim, "body_pose"), (sim, "status"), (sim.contacts, "force"), (sim.stats, "residual")):
        with pytest.raises(AttributeError, match=name):
            setattr(views, name, 1)


def test_a_closed_simulator_says_so():
    simulator = st.Simulator(GRIPPER)
    simulator.close()
    simulator.close()
    for call in (simulator.step, simulator.reset, simulator.state, simulator.forward, lambda: simulator.qvel):
        with pytest.raises(st.ClosedError, match="closed"):
            call()


def test_a_second_thread_is_refused():
    with st.Simulator("scenes/iiwa_stack", batch=2, threads=1) as simulator:

        def step_long():
            while True:
                try:
                    return simulator.step(steps=1000)
                except st.ClosedError:  # the other thread was first
                    continue

        thread = threading.Thread(target=step_long)
        thread.start()
        refusals = 0
        while thread.is_alive():
            try:
                simulator.step()
            except st.ClosedError as error:
                assert "one thread at a time" in str(error)
                refusals += 1
        thread.join()
        assert refusals > 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_control_that_is_no_number_stops_its_environment_alone(value):
    with st.Simulator(GRIPPER, batch=3) as simulator, st.Simulator(GRIPPER, batch=3) as sound:
        for one in (simulator, sound):
            one.step(steps=5)
        before = simulator.qpos.copy()
        ctrl = simulator.ctrl.copy()
        sound.step(ctrl)
        ctrl[1, 0] = value
        status = simulator.step(ctrl)
        assert status[1] == st.Status.NOT_FINITE and np.array_equal(simulator.qpos[1], before[1])
        for env in (0, 2):
            assert status[env] == st.Status.CONVERGED and np.array_equal(simulator.qpos[env], sound.qpos[env])


def test_arrays_that_are_not_contiguous_are_read_right(sim):
    sim.reset()
    wide = np.arange(18.0).reshape(3, 6) * 1e-3
    sim.step(wide[:, ::2])
    assert np.array_equal(sim.ctrl, wide[:, ::2])


def test_counts_of_numpy_are_counts():
    given = contact(max_iterations=np.int64(50), max_total_iterations=np.int32(7), facets=np.uint8(4))
    assert np.array_equal(given.v, contact(max_total_iterations=7).v)
