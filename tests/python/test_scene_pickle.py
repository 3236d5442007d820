"""Claims: a pickled scene is the same scene, to the last bit, without its files and in another process."""

import multiprocessing
import pickle
import shutil

import numpy as np
import pytest
import stiction as st

SCENES = ["gripper2d", "iiwa_stack_1", "hand_cube", "pulsed_cylinder"]  # knots, attachments, hulls, tables


def run(scene, steps=5):
    with st.Simulator(scene, batch=2, device="cpu", threads=1) as simulator:
        simulator.step(steps=steps)
        return simulator.qpos.copy(), simulator.contacts.count.copy()


@pytest.mark.parametrize("name", SCENES)
def test_a_pickled_scene_steps_with_the_same_bits_where_its_files_are_gone(tmp_path, name):
    folder = shutil.copytree("scenes", tmp_path / "scenes")
    scene = st.load_scene(folder / name, seed=7)
    text = pickle.dumps(scene)
    shutil.rmtree(folder)
    again = pickle.loads(text)
    for array, other in zip(run(scene), run(again), strict=True):
        assert np.array_equal(array, other)
    assert (again.seed, again.name, again.path, again.text) == (7, scene.name, scene.path, scene.text)
    assert pickle.dumps(again) == text


def test_every_value_of_a_scene_and_array_of_its_model_survives():
    scene = st.load_scene("scenes/iiwa_stack", law="coulomb", cone="quadratic", max_contacts=99, qpos_noise=0.01)
    again = pickle.loads(pickle.dumps(scene))
    for owner, other in ((scene, again), (scene.model, again.model)):
        names = [name for name in dir(owner) if not name.startswith("_") and name != "model" and not callable(getattr(owner, name))]
        assert len(names) > 20
        for name in names:
            assert np.array_equal(getattr(owner, name), getattr(other, name)), name
    assert again.max_contacts == 99 and again.max_pairs is None


def test_workers_of_a_pool_take_scenes():
    scene = st.load_scene("scenes/gripper2d")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (qpos, _), = pool.map(run, [scene])
    assert np.array_equal(qpos, run(scene)[0])


def test_a_pickle_of_another_version_or_a_damaged_one_is_refused():
    make, arguments, state = st.load_scene("scenes/gripper2d").__reduce_ex__(2)[:3]
    scene = make(*arguments)
    with pytest.raises(st.InputError, match=r"of stiction 0\.0\.9, this is .*load the scene anew"):
        scene.__setstate__(("0.0.9", state[1]))
    for bytes in (state[1][:-8], state[1] + b"12345678", b""):
        with pytest.raises(st.InputError, match="damaged"):
            make(*arguments).__setstate__((state[0], bytes))
