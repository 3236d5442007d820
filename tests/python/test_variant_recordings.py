"""Recordings of environments with different objects: they are run again to the last bit, and each object is drawn."""

import h5py
import numpy as np
import pytest
from recordings import record
from stiction.recording import load_recording

MODELS = {
    "ball.xml": '<body name="ball" pos="0 0 .3"><freejoint/><geom name="ball" size=".05" rgba="1 0 0 1"/></body>',
    "bar.xml": '<body name="bar" pos="0 0 .25"><freejoint/><geom name="bar" type="box" size=".1 .02 .02" rgba="0 0 1 1"/>'
    '<geom name="end" type="box" size=".02 .04 .02" pos=".08 0 0" rgba="0 0 1 1" friction=".3"/></body>',
    "cup.xml": '<body name="cup" pos="0 0 .2" euler="20 0 0"><freejoint/>'
    '<geom name="side" type="cylinder" size=".05 .04" rgba="0 1 0 1"/><geom name="ear" size=".02" pos=".06 0 0"/></body>',
}
WORLD = """<mujoco><worldbody>
  <light pos="0 0 2"/><geom name="floor" type="plane" size="1 1 .1" rgba=".5 .5 .5 1"/>
  <body name="post" pos=".3 0 .1"><geom name="post" type="capsule" size=".03 .1"/></body>
  {0}
</worldbody></mujoco>"""
SCENE = """model = "world.xml"
[[attach]]
model = ["ball.xml", "bar.xml", "cup.xml"]
prefix = "held_"
[step]
step_size = 0.01
duration = 0.4
[randomize]
seed = 4
friction = [0.5, 0.8]
mass_scale = [0.5, 2.0]
"""
BATCH = 7


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variants")
    (folder / "world.xml").write_text(WORLD.format(""))
    for name, body in MODELS.items():
        (folder / name).write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    (folder / "scene.toml").write_text(SCENE)
    return folder


@pytest.fixture(scope="module")
def file(folder):
    return record(folder, folder / "run.h5", "--batch", str(BATCH), "--record", "contacts")


def test_a_recording_says_which_object_each_environment_has(file):
    with load_recording(file) as recording:
        assert recording.variant_names == list(MODELS)
        assert recording.variant.tolist() == [env % 3 for env in range(BATCH)]
        for v, name in enumerate(MODELS):
            assert f'name="held_{name.removesuffix(".xml")}"' in recording.variant_xml(v)
        assert recording.model_xml == recording.variant_xml(0)


def test_the_same_run_has_the_same_bytes(file, folder):
    again = record(folder, folder / "again.h5", "--batch", str(BATCH), "--record", "contacts")
    with h5py.File(file) as a, h5py.File(again) as b:
        assert sorted(a["variants"]) == sorted(b["variants"]) == ["1", "2", "geom_id", "of_env"]
        assert a["variants/2/model"][:].tobytes() == b["variants/2/model"][:].tobytes()


@pytest.mark.parametrize("envs", [None, [2], [5, 0, 3]])
def test_a_replay_has_the_same_bits(file, envs):
    with load_recording(file) as recording, recording.replay(envs) as sim:
        chosen = list(range(BATCH)) if envs is None else envs
        assert [variant.name for variant in recording.load_scene().variants] == list(MODELS)
        for row in range(1, recording.rows):
            status = np.asarray(sim.step())
            assert np.array_equal(status, recording.status[row][chosen])
            assert np.array_equal(sim.qpos, recording.qpos[row][chosen]), row


def test_the_viewer_places_every_object_where_its_environment_is(file):
    pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
    pytest.importorskip("viser", reason="no viser: requirements/look.txt")
    from stiction.view.play import RecordingSource

    kinds = ({"held_bar", "held_end"}, {"held_side", "held_ear"}, {"held_ball"})
    with load_recording(file) as recording:
        source = RecordingSource(recording, [4, 5, 3])  # bar, cup, ball
        names = [[model.geom(g).name for g in range(model.ngeom)] for model in source.models.models]
        for env, own in enumerate(kinds):
            assert own <= set(names[source.models.of_env[env]])
        counted, last = [name for own in names for name in own], source.frame(recording.rows - 1)
        for env, own in enumerate(kinds):
            touching = {counted[g] for pair in last.contacts.geom[last.contacts.env == env] for g in pair}
            assert touching & own and touching <= own | {"floor", "post"}
        drawn = recording.geom_friction[[4, 5, 3], :, 0].max(axis=1)
        assert last.friction.shape == (3, len(counted)) and last.friction[1, counted.index("held_ear")] == drawn[1]


def test_films_show_the_object_of_the_environment(file):
    pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
    from stiction.video import render

    with load_recording(file) as recording:
        for env, channel in enumerate((0, 2, 1)):  # a red ball, a blue bar, a green cup
            plain, marked = (
                next(render(recording, [0.4], env=env, size=(160, 120), forces=forces)).astype(int) for forces in (False, True)
            )
            strongest = plain.argmax(axis=2)[np.ptp(plain, axis=2) > 90]
            counts = np.bincount(strongest, minlength=3)
            assert counts[channel] > 20 and counts[channel] > 0.7 * counts.sum(), (env, counts)
            assert (np.abs(marked - plain).max(axis=2) > 30).sum() > 10, env  # arrows and cones


def test_a_live_view_follows_every_object(folder):
    pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
    pytest.importorskip("viser", reason="no viser: requirements/look.txt")
    from stiction.view.live import simulate

    source = simulate(str(folder), 4)
    for _ in range(35):
        frame = source.step()
    assert len(source.models.models) == 3 and source.models.of_env.tolist() == [0, 1, 2, 0]
    assert set(frame.contacts.env) == {0, 1, 2, 3} and (frame.contacts.geom >= 0).all()
