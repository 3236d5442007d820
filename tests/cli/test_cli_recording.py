"""The recorded file, as another program reads it."""

import h5py
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_layout(stiction, scene, tmp_path, dtype):
    out = tmp_path / "a.h5"
    run = stiction("run", scene, "--batch", 3, "--record", "contacts", "--max-contacts", 12, "--dtype", dtype, "--out", out)
    assert run.returncode == 0, run.stderr
    real, s, b, c = np.dtype(dtype), 11, 3, 12
    expected = {
        "time": ((s,), np.dtype("float64")), "status": ((s, b), np.dtype("uint32")),
        "iterations": ((s, b), np.dtype("int32")), "residual": ((s, b), real), "penetration": ((s, b), real),
        "qpos": ((s, b, 8), real), "qvel": ((s, b, 7), real), "ctrl": ((s, b, 1), real),
        "contact/count": ((s, b), np.dtype("int32")), "contact/geom": ((s, b, c, 2), np.dtype("int32")),
        "contact/gap": ((s, b, c), real), "contact/gap_next": ((s, b, c), real),
        "contact/position": ((s, b, c, 3), real), "contact/frame": ((s, b, c, 3, 3), real),
        "contact/force": ((s, b, c, 3), real), "contact/torsion": ((s, b, c), real),
    }  # fmt: skip
    with h5py.File(out) as file:
        items = []
        file.visit(items.append)
        found = {name: (file[name].shape, file[name].dtype) for name in items if isinstance(file[name], h5py.Dataset)}
        (size,), kind = found.pop("model")
        assert size > 1000 and kind == np.uint8
        assert expected.items() <= found.items()
        assert all(name.startswith("contact/") and found[name][0][:3] == (s, b, c) for name in found.keys() - expected)
        assert all(file[name].chunks[0] >= 1 and file[name].maxshape[0] is None for name in found)


def test_contents(stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    assert stiction("run", scene, "--batch", 2, "--record", "contacts", "--out", out).returncode == 0
    with h5py.File(out) as file:
        np.testing.assert_allclose(file["time"], 0.02 * np.arange(11), rtol=1e-15)
        np.testing.assert_allclose(file["ctrl"][1:, :, 0], np.tile(0.02 * np.arange(1, 11), (2, 1)).T, rtol=1e-12)
        assert (file["status"][0] == 0).all() and (file["status"][1:] & 1 == 1).all()
        assert (file["iterations"][0] == 0).all() and (file["contact/count"][0] == 0).all()
        assert np.isnan(file["residual"][0]).all() and (file["residual"][1:] <= 1e-6).all()
        assert np.isnan(file["penetration"][0]).all() and (file["penetration"][1:] >= 0).all()
        slide = (file["qpos"][1:, :, 7] - file["qpos"][:-1, :, 7]) / 0.02
        np.testing.assert_allclose(file["qvel"][1:, :, 6], slide, atol=1e-12)
        used = np.arange(file["contact/gap"].shape[2]) < file["contact/count"][:][..., None]
        assert used[1:].any(axis=2).all()
        for name in ("gap", "gap_next", "position", "frame", "force", "torsion"):
            padding = np.isnan(file[f"contact/{name}"][:]).reshape(*used.shape, -1)
            assert (padding == ~used[..., None]).all(), name
        assert ((file["contact/geom"][:] == -1) == ~used[..., None]).all()


def test_weight_of_the_box_is_carried_by_its_contacts(stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    assert stiction("run", scene, "--record", "contacts", "--duration", 0.06, "--out", out).returncode == 0
    with h5py.File(out) as file:
        names = list(file.attrs["geom_names"])
        frame, force = np.nan_to_num(file["contact/frame"][-1, 0]), np.nan_to_num(file["contact/force"][-1, 0])
        geom = file["contact/geom"][-1, 0]
    on_box = sum(f @ (f_c if names[g[1]] == "box" else -f_c) * ("box" in (names[g[0]], names[g[1]]))
                 for f, f_c, g in ((force[i], frame[i], geom[i]) for i in range(len(geom))) if g[0] >= 0)  # fmt: skip
    np.testing.assert_allclose(on_box[2], 9.81, rtol=1e-3)


def test_attributes(stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    assert stiction("run", scene, "--batch", 2, "--out", out).returncode == 0
    with h5py.File(out) as file:
        a = dict(file.attrs)
    assert a["scene_text"] == (scene / "scene.toml").read_text()
    assert "<mujoco" in a["model_xml"] and "pusher" in a["model_xml"]
    assert list(a["body_names"]) == ["world", "box", "pusher"] and list(a["joint_names"]) == ["free", "push"]
    assert list(a["actuator_names"]) == ["push"] and set(a["geom_names"]) == {"floor", "box", "pusher"}
    choices = {k: a[k] for k in ("dynamics", "law", "cone", "facets", "solver", "factor", "dtype", "batch", "seed", "step_size")}
    assert choices == {
        "dynamics": "quasidynamic", "law": "anitescu", "cone": "pyramid", "facets": 4, "solver": "interior_point",
        "factor": "float64",
        "dtype": "float64", "batch": 2, "seed": 3, "step_size": 0.02,
    }  # fmt: skip
    assert all(a[f"{name}_version"] for name in ("stiction", "compiler", "mujoco", "hdf5"))


MOVED = """<mujoco><worldbody><geom name="floor" type="plane" size="2 2 1"/>
  <body name="lid" mocap="true" pos="0 0 1"><geom name="lid" size=".1"/></body>
  <body pos="0 0 .1"><freejoint/><geom name="ball" size=".1"/></body></worldbody></mujoco>"""


def test_poses_that_a_table_moves_and_the_friction_that_is_drawn(stiction, tmp_path):
    (tmp_path / "model.xml").write_text(MOVED)
    (tmp_path / "lid.csv").write_text("0,0,0,1,1,0,0,0\n0.1,0.5,0,2,0,1,0,0\n")
    text = 'model = "model.xml"\n[step]\nduration = 0.1\n[[mocap]]\nbody = "lid"\nfile = "lid.csv"\n[randomize]\n'
    (tmp_path / "scene.toml").write_text(text + "friction = [0.2, 0.9]\n")
    out = tmp_path / "a.h5"
    run = stiction("run", tmp_path, "--batch", 4, "--envs", "3,1", "--out", out)
    assert run.returncode == 0, run.stderr
    with h5py.File(out) as file:
        pose, friction = file["mocap_pose"][:], file["geom_friction"][:]
        assert pose.shape == (11, 2, 1, 7) and friction.shape == (2, 3, 3)
        np.testing.assert_allclose(pose[:, 1, 0, 0], 5 * file["time"][:], atol=1e-15)
        np.testing.assert_allclose(pose[[0, -1], 0, 0], [[0, 0, 1, 1, 0, 0, 0], [0.5, 0, 2, 0, 1, 0, 0]], atol=1e-15)
        assert (np.ptp(friction[..., 0], axis=1) == 0).all() and friction[0, 0, 0] != friction[1, 0, 0]
        assert ((0.2 <= friction[..., 0]) & (friction[..., 0] <= 0.9)).all() and (friction[..., 1] == 0.005).all()
        assert list(file.attrs["scene_file_names"]) == ["lid.csv"]
        assert list(file.attrs["scene_file_texts"]) == [(tmp_path / "lid.csv").read_text()]


def test_every_kth_step_and_the_last(stiction, scene, tmp_path):
    for every in (1, 4):
        assert stiction("run", scene, "--every", every, "--out", tmp_path / f"{every}.h5").returncode == 0
    with h5py.File(tmp_path / "1.h5") as all_steps, h5py.File(tmp_path / "4.h5") as some:
        rows = [0, 4, 8, 10]
        np.testing.assert_array_equal(some["time"], all_steps["time"][rows])
        np.testing.assert_array_equal(some["qpos"], all_steps["qpos"][rows])
        np.testing.assert_array_equal(some["iterations"][1], all_steps["iterations"][1:5].max(axis=0))
        np.testing.assert_array_equal(some["residual"][3], all_steps["residual"][9:11].max(axis=0))


def test_chosen_environments_only(stiction, scene, tmp_path):
    assert stiction("run", scene, "--batch", 6, "--out", tmp_path / "all.h5").returncode == 0
    assert stiction("run", scene, "--batch", 6, "--envs", "4,0-1", "--out", tmp_path / "some.h5").returncode == 0
    with h5py.File(tmp_path / "all.h5") as everything, h5py.File(tmp_path / "some.h5") as some:
        assert list(some.attrs["envs"]) == [4, 0, 1]
        np.testing.assert_array_equal(some["qpos"], everything["qpos"][:][:, [4, 0, 1]])


def test_no_more_than_asked_for(stiction, scene, tmp_path):
    for level, present, absent in (("none", "residual", "qpos"), ("state", "qpos", "contact")):
        assert stiction("run", scene, "--record", level, "--out", tmp_path / "a.h5").returncode == 0
        with h5py.File(tmp_path / "a.h5") as file:
            assert present in file and absent not in file


def test_same_command_same_bytes(stiction, scene, tmp_path):
    for name in ("a.h5", "b.h5"):
        assert stiction("run", scene, "--record", "contacts", "--out", tmp_path / name).returncode == 0
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
