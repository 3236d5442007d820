"""Recordings read back, and exported as demonstrations."""

import json
import re

import h5py
import numpy as np
import pytest
from recordings import ROOT, record
from stiction import _core
from stiction.demos import export_demos
from stiction.errors import InputError
from stiction.recording import STATUS_BITS, load_recording

NO_SUCH = "no such file; record one with stiction run"


@pytest.fixture
def gripper(gripper_file):
    with load_recording(gripper_file) as recording:
        yield recording


def test_every_array_has_its_shape_unit_and_values(gripper, gripper_file):
    S, B, C = 36, 3, gripper.contact.gap.shape[2]
    contact = gripper.contact
    shapes = {"qpos": (S, B, 5), "qvel": (S, B, 5), "ctrl": (S, B, 2), "status": (S, B), "residual": (S, B)}
    assert gripper.time == pytest.approx(0.01 * np.arange(S))
    assert {name: getattr(gripper, name).shape[:2] for name in shapes} == dict.fromkeys(shapes, (S, B))
    assert contact.frame.shape == (S, B, C, 3, 3) and contact.geom.shape == (S, B, C, 2)
    assert (gripper.penetration.unit, contact.force.unit, gripper.status.unit) == ("m", "N", "")
    with h5py.File(gripper_file) as file:
        assert np.array_equal(gripper.qpos[3:5], file["qpos"][3:5])
        assert np.array_equal(contact.force[-1, 1], file["contact/force"][-1, 1], equal_nan=True)


def test_every_contact_array_of_the_list_is_recorded_with_its_unit(gripper):
    S, B, C = gripper.contact.gap.shape
    for name, shape, unit, _ in _core.contact_fields():
        column = getattr(gripper.contact, name)
        assert (column.shape, column.unit) == ((S, B, C, *shape), unit), name
    assert {"count", "force", "torsion"} <= set(dir(gripper.contact))
    with pytest.raises(AttributeError, match="contacts have no array forces; there are geom, gap"):
        _ = gripper.contact.forces


def test_a_recording_that_lacks_a_contact_array_shows_the_others(tmp_path, gripper_file):
    older = tmp_path / "older.h5"
    older.write_bytes(gripper_file.read_bytes())
    with h5py.File(older, "r+") as file:
        del file["contact/torsion"]
    with load_recording(older) as recording, load_recording(gripper_file) as whole:
        assert np.array_equal(recording.contact.force[5], whole.contact.force[5], equal_nan=True)
        with pytest.raises(InputError, match="/contact/torsion was not recorded"):
            _ = recording.contact.torsion


def test_the_attributes_say_what_was_run(gripper):
    assert gripper.scene == "gripper2d" and gripper.step_size == 0.01 and gripper.envs == [0, 1, 2]
    assert gripper.geom_names == ["ground", "ball", "finger_left", "finger_right"]
    assert gripper.choices["law"] == "anitescu" and gripper.choices["facets"] == 4
    assert gripper.versions["mujoco"] == "4.0.0" and "<mujoco" in gripper.model_xml
    assert "[physics]" in gripper.scene_text


def test_every_value_of_scene_toml_is_recorded_as_the_scene_says_it(gripper):
    scene = gripper.load_scene()
    values = {key.keyword: getattr(scene, key.keyword) for key in _core.scene_keys() if key.is_value}
    assert len(values) > 10 and "preset" not in values
    recorded = {name: gripper.attributes.get(name) for name in values}
    assert recorded == {name: "auto" if value is None else value for name, value in values.items()}


def test_a_row_out_of_range_is_an_index_error(gripper):
    assert np.array_equal(gripper.status[-1], gripper.status[35])
    for row in (36, -37):
        with pytest.raises(IndexError, match="36 rows"):
            _ = gripper.status[row]


def test_status_bits_are_those_of_the_kernels():
    text = (ROOT / "kernels/model/status.inc").read_text()
    bits = re.findall(r'^ST_STATUS\(k(\w+), "([\w ]+)"', text, re.MULTILINE)
    assert [re.sub(r"(?<!^)(?=[A-Z])", " ", enumerator).lower() for enumerator, _ in bits] == [name for _, name in bits]
    assert [name for _, name in bits] == list(STATUS_BITS)


def test_what_was_not_recorded_is_named_with_the_option_that_records_it(tmp_path):
    with load_recording(record("scenes/incline", tmp_path / "state.h5", "--duration", 0.1)) as recording:
        assert not recording.has_contacts and recording.qpos.shape[0] == recording.rows
        with pytest.raises(InputError, match="/contact/count was not recorded; use stiction run --record contacts"):
            recording.contact.count[0]


def broken(tmp_path, source):
    """Files that are no complete recordings: name -> (path, words of the message)."""
    content = source.read_bytes()
    files = {"missing.h5": None, "text.h5": b"time,qpos\n0,1\n", "empty.h5": b"",
             "cut.h5": content[: len(content) // 2], "killed.h5.partial": content}
    for name, data in files.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["pictures"] = np.zeros(3)
    words = {"missing.h5": NO_SUCH, "text.h5": "not an HDF5 file", "empty.h5": "not an HDF5 file",
             "cut.h5": "truncated or damaged", "killed.h5.partial": "killed; open it as partial",
             "other.h5": "not a recording of stiction run", ".": "not a file"}
    return {name: (tmp_path / name, text) for name, text in words.items()}


@pytest.mark.parametrize(
    "name", ["missing.h5", "text.h5", "empty.h5", "cut.h5", "killed.h5.partial", "other.h5", "."]
)
def test_a_file_that_is_no_complete_recording_gives_one_line(tmp_path, gripper_file, name):
    path, words = broken(tmp_path, gripper_file)[name]
    with pytest.raises(InputError, match=words) as error:
        load_recording(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_a_partial_recording_opens_on_request_and_shows_its_complete_rows(tmp_path, gripper_file):
    partial = tmp_path / "killed.h5.partial"
    partial.write_bytes(gripper_file.read_bytes())
    with h5py.File(partial, "r+") as file:
        file["time"].resize(7, axis=0)  # what a kill leaves: the other arrays may be a flush longer
    with pytest.raises(InputError, match=r"rows so far: open killed\.h5\.partial"):
        load_recording(tmp_path / "killed.h5")
    with load_recording(partial, partial=True) as recording:
        assert recording.rows == 7 and len(recording.qpos) == 7
        assert np.array_equal(recording.qpos[-1], recording.qpos[6])


def test_demos_have_robomimics_layout(tmp_path, gripper):
    path = tmp_path / "demos.hdf5"
    assert export_demos(gripper, path, envs=[2, 0]) == 70
    with h5py.File(path) as file:
        data = file["data"]
        assert sorted(data) == ["demo_0", "demo_1"] and data.attrs["total"] == 70
        args = json.loads(data.attrs["env_args"])
        assert args["env_name"] == "stiction/gripper2d" and args["env_type"] == 2
        demo = data["demo_0"]
        assert demo.attrs["num_samples"] == 35 and demo.attrs["env"] == 2 and "mask" not in file
        assert np.array_equal(demo["obs/qpos"], gripper.qpos[:-1, 2])
        assert np.array_equal(demo["next_obs/qvel"], gripper.qvel[1:, 2])
        assert demo["states"].shape == (35, 1 + 5 + 5) and demo["states"][3, 0] == gripper.time[3]
        assert demo["dones"][:].tolist() == [False] * 34 + [True] and not demo["rewards"][:].any()


def test_normalised_actions_give_the_commands_back(tmp_path, gripper):
    path = tmp_path / "demos.hdf5"
    export_demos(gripper, path)
    with h5py.File(path) as file:
        low, high = file["data"].attrs["action_low"], file["data"].attrs["action_high"]
        actions = file["data/demo_1/actions"][:]
    assert np.abs(actions).max() == 1.0
    assert (low + high) / 2 + actions * (high - low) / 2 == pytest.approx(gripper.ctrl[1:, 1], abs=1e-12)
    export_demos(gripper, path, normalize=False)
    with h5py.File(path) as file:
        assert np.array_equal(file["data/demo_1/actions"], gripper.ctrl[1:, 1])


def test_own_observations_rewards_and_a_split(tmp_path, gripper):
    path = tmp_path / "demos.hdf5"
    height = {"height": lambda recording, env: recording.qpos[:, env, 1]}
    export_demos(gripper, path, obs=height, rewards=lambda recording, env: np.full(35, env), valid_share=0.3)
    with h5py.File(path) as file:
        assert list(file["data/demo_2/obs"]) == ["height"] and (file["data/demo_2/rewards"][:] == 2).all()
        split = {name: {text.decode() for text in file["mask"][name]} for name in file["mask"]}
    assert len(split["valid"]) == 1 and split["valid"] | split["train"] == {"demo_0", "demo_1", "demo_2"}


def test_bad_exports_are_named(tmp_path, gripper):
    for words, options in {"environment 3 is not there": {"envs": [3]}, "no environment": {"envs": []},
                           "valid_share = 1.5": {"valid_share": 1.5},
                           "rewards: expected 35 rows": {"rewards": lambda recording, env: np.zeros(36)}}.items():
        with pytest.raises(InputError, match=words):
            export_demos(gripper, tmp_path / "demos.hdf5", **options)
