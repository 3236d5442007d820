"""Claims: arrays are the simulator's memory; saved states, parameters and parts of a batch give the same bits."""

import gc
import threading
from pathlib import Path

import numpy as np
import pytest
import stiction as st
from stiction import _core

GRIPPER, STACK = "scenes/gripper2d", "scenes/iiwa_stack_1"


@pytest.fixture
def sim():
    with st.Simulator(GRIPPER, batch=3) as simulator:
        yield simulator


@pytest.fixture
def host_sim():
    with st.Simulator(GRIPPER, batch=3, device="cpu") as simulator:
        yield simulator


def test_arrays_are_the_memory_of_the_simulator(host_sim):
    before = host_sim.qpos
    host_sim.step()
    assert host_sim.qpos is before and before.__array_interface__["data"][0] % 64 == 0
    kept = before.copy()
    before[1] = kept[1] + 1e-3
    host_sim.step()
    assert not np.array_equal(before[0] - kept[0], before[1] - kept[1] - 1e-3)


def test_torch_aliases_the_memory(host_sim):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.from_dlpack(host_sim.qpos)
    assert tensor.data_ptr() == host_sim.qpos.__array_interface__["data"][0]
    host_sim.step()
    assert np.array_equal(tensor.numpy(), host_sim.qpos)
    tensor[0, 0] = 0.25
    assert host_sim.qpos[0, 0] == 0.25


def test_jax_aliases_the_memory(host_sim):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jax.config.update("jax_enable_x64", True)
    array = jax.dlpack.from_dlpack(host_sim.qpos)
    assert array.unsafe_buffer_pointer() == host_sim.qpos.__array_interface__["data"][0]


def test_arrays_outlive_the_simulator():
    simulator = st.Simulator(GRIPPER, batch=2)
    qpos, force = simulator.qpos, simulator.contacts.force
    simulator.step(steps=5)
    kept = qpos.copy()
    simulator.close()
    del simulator
    gc.collect()
    assert np.array_equal(qpos, kept) and force.shape[0] == 2


def test_step_returns_the_live_status_of_every_environment(sim):
    status = sim.step(steps=10)
    assert status is sim.status and status.dtype == np.uint32
    assert (status == st.Status.CONVERGED).all()
    assert (sim.stats.residual <= sim.scene.tolerance).all() and (sim.stats.iterations > 0).all()


def test_contacts_carry_the_weight(sim):
    """Force on the second geom [N] in the frame's rows; the sum over an object is its weight when it is held."""
    sim.step(steps=200)
    contacts = sim.contacts.padded()
    count = contacts["count"][0]
    assert np.isnan(contacts["force"][0, count:]).all() and (contacts["geom"][0, count:] == -1).all()
    world = np.einsum("ca,caw->cw", contacts["force"][0, :count], contacts["frame"][0, :count])
    ball = sim.model.geom_names.index("ball") if "ball" in sim.model.geom_names else None
    geoms = contacts["geom"][0, :count]
    free = int(geoms[0, 1]) if ball is None else ball
    sign = np.where(geoms[:, 1] == free, 1.0, np.where(geoms[:, 0] == free, -1.0, 0.0))
    held = sim.model.geom_body[free]
    weight = sim.model.body_mass[held] * np.linalg.norm(sim.model.gravity)
    assert abs(np.linalg.norm(sign @ world) - weight) <= 1e-3 * max(weight, 1.0)


def test_every_contact_array_is_live_and_padded_as_the_list_says(sim):
    arrays = {name: getattr(sim.contacts, name) for name, *_ in _core.contact_fields()}
    sim.step()
    padded = sim.contacts.padded()
    assert list(padded) == ["count", *arrays]
    for name, shape, _, _ in _core.contact_fields():
        live = arrays[name]
        assert live is getattr(sim.contacts, name) and live.shape == (sim.batch, sim.max_contacts, *shape), name
        for env, count in enumerate(padded["count"]):
            assert np.array_equal(live[env, :count], padded[name][env, :count]), name
            behind = padded[name][env, count:]
            assert ((behind == -1) | np.isnan(behind)).all(), name


def test_ctrl_written_in_one_environment_holds_there_alone(sim):
    sim.step(steps=20)
    sim.ctrl[1] = sim.ctrl[1] + 0.01
    held = sim.ctrl[1].copy()
    sim.step(steps=20)
    assert np.array_equal(sim.ctrl[1], held) and not np.array_equal(sim.ctrl[0], held - 0.01)
    sim.reset([1])
    sim.step()
    assert not np.array_equal(sim.ctrl[1], held)


def test_ctrl_of_a_step_stays(sim):
    ctrl = sim.ctrl + 0.0
    sim.step(ctrl)
    sim.step(steps=30)
    assert np.array_equal(sim.ctrl, ctrl)


def test_a_saved_state_continues_with_the_same_bits():
    with st.Simulator(STACK, batch=3) as first, st.Simulator(STACK, batch=3, threads=1) as second:
        first.step(steps=17)
        second.set_state(first.state())
        first.step(steps=23)
        second.step(steps=23)
        for name in ("qpos", "qvel", "ctrl", "time", "body_pose", "status"):
            assert np.array_equal(getattr(first, name), getattr(second, name)), name
        assert np.array_equal(first.stats.residual, second.stats.residual)


def test_environments_continue_from_the_state_of_another():
    with st.Simulator(STACK, batch=4) as sim, st.Simulator(STACK, batch=1, first_env_id=2) as alone:
        sim.step(steps=17)
        alone.step(steps=17)
        untouched = sim.state([1])
        sim.set_state(alone.state(), [3, 0])
        for name, values in sim.state([1]).items():
            assert np.array_equal(values, untouched[name]), name
        sim.step(steps=23)
        assert all(np.array_equal(sim.qpos[env], sim.qpos[2]) for env in (0, 3))
        assert all(np.array_equal(sim.stats.residual[env], sim.stats.residual[2]) for env in (0, 3))
        assert not np.array_equal(sim.qpos[1], sim.qpos[2])


def test_states_of_some_environments_change_places():
    with st.Simulator(STACK, batch=3) as sim:
        sim.step(steps=17)
        before, some = sim.qpos.copy(), np.array([True, False, True])
        saved = sim.state(some)
        assert {len(values) for values in saved.values()} == {2}
        sim.set_state({name: values[::-1] for name, values in saved.items()}, some)
        assert np.array_equal(sim.qpos, before[[2, 1, 0]])
        sim.set_state(sim.state([]), [])
        assert np.array_equal(sim.qpos, before[[2, 1, 0]])


def test_two_halves_are_the_whole():
    with (
        st.Simulator(STACK, batch=6) as whole,
        st.Simulator(STACK, batch=3) as left,
        st.Simulator(STACK, batch=3, first_env_id=3) as right,
    ):
        for simulator in (whole, left, right):
            simulator.step(steps=40)
        assert np.array_equal(whole.qpos, np.concatenate([left.qpos, right.qpos]))
        assert not np.array_equal(left.qpos, right.qpos)


PUSHED_BOX = """<mujoco><option gravity="0 0 {g}"/><worldbody><geom type="plane" size="1 1 1" friction="{mu}"/>
  <body pos="0 0 .2"><freejoint/><geom type="box" size="{s} .05 .05" mass="{m}" friction="{mu}"/></body>
  <body pos=".2 0 .06"><joint name="push" type="slide" axis="1 0 0"/>
    <geom type="sphere" size=".04" mass="1" friction="{mu}"/></body>
  </worldbody><actuator><position joint="push" kp="{kp}" kv="{kd}"/></actuator></mujoco>"""
BASE = {"g": -9, "mu": 0.6, "s": 0.05, "m": 0.3, "kp": 90, "kd": 1}


def push_box(values, change=None):
    """qpos after 60 steps of two environments; `change` writes the parameters of the second."""
    scene = st.load_model(PUSHED_BOX.format(**values), dynamics="dynamic", step_size=0.01)
    with st.Simulator(scene, batch=2) as simulator:
        if change:
            change(simulator.params)
        simulator.ctrl[:] = -0.1
        assert (simulator.step(steps=60) == st.Status.CONVERGED).all()
        return simulator.qpos.copy()


def test_parameters_of_an_environment_are_those_of_a_model_of_its_own():
    own = BASE | {"g": -4, "mu": 0.2, "m": 0.7, "kp": 50, "kd": 2}

    def change(params):
        params.gravity[1, 2] = own["g"]
        params.friction[1, :, 0] = own["mu"]
        params.mass[1, 1] = own["m"]
        params.inertia[1, 1] = st.load_model(PUSHED_BOX.format(**own)).model.body_inertia[1]
        params.kp[1], params.kd[1] = own["kp"], own["kd"]

    both, plain, separate = push_box(BASE, change), push_box(BASE), push_box(own)
    assert np.array_equal(both[0], plain[0]) and np.array_equal(both[1], separate[1])
    assert not np.allclose(both[0], both[1])


def test_a_geom_of_another_size_moves_as_one_that_was_made_so():
    """Not to the bit: the lengths that scale the residual are the model's, and each step is solved to 1e-8."""
    own = BASE | {"s": 0.08}

    def change(params):
        params.size[1, 1, 0] = own["s"]
        params.inertia[1, 1] = st.load_model(PUSHED_BOX.format(**own)).model.body_inertia[1]

    both, separate = push_box(BASE, change), push_box(own)
    np.testing.assert_allclose(both[1], separate[1], atol=1e-7)
    assert not np.allclose(both[0], both[1], atol=1e-3)


def test_reset_by_ids_mask_and_state(sim):
    sim.step(steps=30)
    moved = sim.qpos.copy()
    sim.reset([0])
    sim.reset(np.array([False, True, False]), qpos=moved[2:] + 0.01)
    assert np.array_equal(sim.qpos[0], sim.scene.qpos)
    assert np.array_equal(sim.qpos[1], moved[2] + 0.01)
    assert np.array_equal(sim.qpos[2], moved[2])
    assert sim.time.tolist()[:2] == [0.0, 0.0] and sim.time[2] > 0


def test_forward_finds_the_contacts_of_a_written_state(sim):
    sim.step(steps=50)
    sim.forward()
    found = sim.contacts.gap.copy()
    assert not sim.contacts.force.any()
    sim.step()
    count = sim.contacts.count[0]
    assert count > 0 and np.array_equal(found[0, :count], sim.contacts.gap[0, :count])


def test_keys_come_before_those_of_the_scene():
    scene = st.load_scene(GRIPPER, law="coulomb", step_size=0.02, tolerance=1e-7, solver="newton", cone="quadratic")
    assert (scene.law, scene.step_size, scene.tolerance, scene.solver) == ("coulomb", 0.02, 1e-7, "newton")
    assert st.load_scene(GRIPPER).law == "anitescu"


def words(scene):
    return " ".join(getattr(scene, key) for key in ("law", "cone", "contact", "geometry", "rotation", "torsion_radius"))


def test_keys_say_how_contacts_are_read():
    assert words(st.load_scene(GRIPPER)) == "anitescu pyramid points start exact model"
    given = {"contact": "patch", "geometry": "end", "cone": "quadratic", "torsion_radius": "uniform"}
    assert words(st.load_scene(GRIPPER, **given)) == "anitescu quadratic patch end exact uniform"
    assert words(st.load_scene(GRIPPER, law="patch")) == "coulomb quadratic patch end exact model"
    assert words(st.load_scene(GRIPPER, law="patch", geometry="start")) == "coulomb quadratic patch start exact model"
    assert words(st.load_model(f"{GRIPPER}/model.xml", preset="ecp")) == "coulomb quadratic patch end linear model"
    assert words(st.load_scene(GRIPPER, preset="ecp", rotation="exact")) == "coulomb quadratic patch end exact model"


def test_properties_say_which_words_they_may_be():
    docs = {key: getattr(st.Scene, key).__doc__ for key in ("contact", "geometry", "rotation", "torsion_radius")}
    assert [doc[doc.rindex(":") :] for doc in docs.values()] == [": points, patch.", ": start, end.", ": exact, linear.", ": model, uniform."]


def test_mujoco_models_load_as_their_files_do():
    mujoco = pytest.importorskip("mujoco")
    path = "scenes/gripper2d/model.xml"
    keys = {"dynamics": "quasistatic"}
    loaded = [
        st.load_model(path, **keys),
        st.load_model(mujoco.MjModel.from_xml_path(path), **keys),
        st.load_model(mujoco.MjSpec.from_file(path), **keys),
    ]
    runs = []
    for scene in loaded:
        with st.Simulator(scene, batch=1) as simulator:
            simulator.step(steps=5)
            runs.append(simulator.qpos.copy())
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])


TETRAHEDRON = b"v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = """<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .2"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""


def test_a_spec_with_assets_in_memory_loads_as_with_files(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "m.obj").write_bytes(TETRAHEDRON)
    (tmp_path / "model.xml").write_text(MESH)
    runs = []
    for model in (tmp_path / "model.xml", mujoco.MjSpec.from_string(MESH, assets={"m.obj": TETRAHEDRON})):
        with st.Simulator(st.load_model(model, dynamics="dynamic"), device="cpu") as simulator:
            simulator.step(steps=40)
            assert simulator.contacts.count[0] > 0
            runs.append(simulator.qpos.copy())
    assert np.array_equal(runs[0], runs[1])


def test_a_spec_that_does_not_compile_is_said_in_one_line():
    mujoco = pytest.importorskip("mujoco")
    with pytest.raises(st.InputError, match=r"model: the MjSpec does not compile: .*m\.obj") as error:
        st.load_model(mujoco.MjSpec.from_string(MESH))
    assert "\n" not in str(error.value)


def test_float32_is_the_memory_too():
    with st.Simulator(GRIPPER, batch=2, dtype=np.float32) as simulator:
        assert simulator.qpos.dtype == np.float32
        simulator.step(np.zeros((2, simulator.model.nu)))  # float64 is converted
        assert (simulator.ctrl == 0).all()


def test_other_threads_run_while_it_steps():
    with st.Simulator("scenes/iiwa_stack", batch=4, threads=1) as simulator:
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        simulator.step(steps=600)
        after = counted[0]
        done.set()
        thread.join()
        assert after - before > 1000


CHANNEL = """<mujoco><option gravity="0 0 0"/><worldbody>
<geom name="left" type="plane" size="1 1 1" pos="-.075 0 0" zaxis="1 0 0"/>
<geom name="right" type="plane" size="1 1 1" pos=".075 0 0" zaxis="-1 0 0"/>
<body name="stuck"><joint type="slide" axis="1 0 0" damping="1"/><geom name="ball" size=".1" mass="1"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("infeasible", ["least_violation", "keep"])
def test_what_no_motion_separates_has_a_name_a_depth_and_a_step(infeasible):
    with st.Simulator(st.load_model(CHANNEL, infeasible=infeasible), batch=2, device="cpu") as sim:
        assert sim.scene.infeasible == infeasible and sim.infeasibility() is None
        sim.qpos[0] = 0.04  # the least sum of overlaps is 5 cm, anywhere within 2.5 cm of the middle
        start = sim.qpos.copy()
        assert (sim.step(steps=2) == st.Status.INFEASIBLE).all()
        assert (infeasible == "keep") == np.array_equal(sim.qpos[0], start[0])
        np.testing.assert_allclose(sim.stats.violation, 0.05, atol=1e-9)
        for env, depth in enumerate((0.065 if infeasible == "keep" else 0.05, 0.025)):
            found = sim.infeasibility(env)
            assert found.what in ("world/left and stuck/ball overlap", "world/right and stuck/ball overlap")
            assert found.depth == pytest.approx(depth, abs=1e-6) and found.unit == "m" and found.step == 2
        with pytest.raises(st.InputError, match="env: 2 given"):
            sim.infeasibility(2)


def test_gymnasiums_pusher_is_no_infeasible_scene():
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    model = Path(gymnasium.__file__).parent / "envs/mujoco/assets/pusher_v5.xml"
    for dynamics in ("quasidynamic", "dynamic"):
        with st.Simulator(st.load_model(model, dynamics=dynamics)) as sim:
            for _ in range(20):
                assert sim.step(np.full((1, 7), 0.1))[0] == st.Status.CONVERGED


def test_max_elements_is_a_key_like_the_others():
    many = "<mujoco><worldbody><replicate count='50'><geom size='.1'/></replicate></worldbody></mujoco>"
    st.load_model(many, max_elements=50, step_size=0.02)
    with pytest.raises(st.InputError, match="max_elements = 49"):
        st.load_model(many, max_elements=49)


def test_a_total_of_iterations_bounds_the_problem_of_every_round():
    scene = st.load_scene("scenes/iiwa_stack", max_total_iterations=2)
    assert scene.max_total_iterations == 2
    limited = 0
    with st.Simulator(scene, 2, device="cpu") as sim:
        for _ in range(20):
            status = sim.step()
            assert (sim.stats.iterations <= 2 * sim.stats.rounds).all() and np.isfinite(sim.qpos).all()
            assert set(status.tolist()) <= {st.Status.CONVERGED, st.Status.ITERATION_LIMIT}
            limited += (status == st.Status.ITERATION_LIMIT).sum()
    assert limited > 0
