"""Files of grasps: layouts of other programs are read, what is written is read back, and nothing in a file is run."""

import json
import pickle

import numpy as np
import pytest
from stiction import grasp, quaternions
from stiction.errors import InputError
from stiction.grasp import Grasps

CLOSE = 1e-12
RNG = np.random.default_rng(5)
ISAAC = """# of two jaws
format: isaac_grasp
format_version: 1.0
object_frame: /World/mug
gripper_frame: /World/hand
grasps:
  "from_above":
    confidence: 0.75
    position: [0.01, -0.02, 0.1]
    orientation: {w: 0.0, xyz: [1.0, 0.0, 0.0]}
    cspace_position: {left: 0.01, right: 0.02}
    pregrasp_cspace_position: {right: 0.04, left: 0.03}
  "from_the_side":
    position: [0, 0, 0.05]
    orientation: {w: 0.70711, xyz: [0, 0.70711, 0]}
    cspace_position:
      right: 0.0
      left: 0.005
    pregrasp_cspace_position: {left: 0.04, right: 0.04}
"""


def random_grasps(count=6, joints=4, **changes):
    quat = RNG.normal(size=(count, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    arrays = {name: RNG.uniform(-1, 1, (count, joints)) for name in ("grasp", "pregrasp", "squeeze")}
    given = {"confidence": (RNG.uniform(size=count) > 0.5).astype(float), "object": "mug.obj", "scale": 0.08, **arrays, **changes}
    return Grasps(RNG.uniform(-0.1, 0.1, (count, 3)), quat, [f"j{k}" for k in range(joints)], **given)


def same_turns(a, b):
    return np.abs(np.abs(np.einsum("bi,bi->b", a, b)) - 1).max() < CLOSE


def test_isaac_grasp_files_are_read(tmp_path):
    (tmp_path / "mug.yaml").write_text(ISAAC)
    found = grasp.read_grasps(tmp_path / "mug.yaml")
    assert found.names == ["from_above", "from_the_side"] and found.object == "/World/mug" and found.joint_names == ["left", "right"]
    assert found.position.tolist() == [[0.01, -0.02, 0.1], [0, 0, 0.05]] and found.confidence.tolist() == [0.75, 1.0]
    assert found.grasp.tolist() == [[0.01, 0.02], [0.005, 0.0]] and found.pregrasp.tolist() == [[0.03, 0.04], [0.04, 0.04]]
    assert found.quat[0].tolist() == [0, 1, 0, 0] and found.quat[1] == pytest.approx([0.5**0.5, 0, 0.5**0.5, 0], abs=CLOSE)
    assert found.squeeze is None and len(found) == 2


def test_graspgen_files_are_read(tmp_path):
    turned = [[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]]
    content = {"object": {"file": "a/mug.obj", "scale": 0.7}, "grasps": {"transforms": [turned, np.eye(4).tolist()], "object_in_gripper": [True, False]}}
    (tmp_path / "mug.json").write_text(json.dumps(content))
    found = grasp.read_grasps(tmp_path / "mug.json")
    assert found.position.tolist() == [[0.1, 0.2, 0.3], [0, 0, 0]] and found.confidence.tolist() == [1, 0]
    assert found.quat[0] == pytest.approx([0.5**0.5, 0, 0, 0.5**0.5], abs=CLOSE)
    assert found.grasp.shape == (2, 0) and found.object == "a/mug.obj" and found.scale.tolist() == [0.7, 0.7]


def test_acronym_files_are_read(tmp_path):
    h5py = pytest.importorskip("h5py", reason="no h5py: requirements/look.txt")
    with h5py.File(tmp_path / "mug.h5", "w") as file:
        file["object/file"], file["object/scale"], file["object/mass"] = "meshes/Mug/1.obj", 7e-5, 0.2
        file["grasps/transforms"] = np.eye(4)[None].repeat(3, axis=0)
        file["grasps/qualities/flex/object_in_gripper"] = np.array([1, 0, 1])
    found = grasp.read_grasps(tmp_path / "mug.h5")
    assert len(found) == 3 and found.confidence.tolist() == [1, 0, 1] and found.object == "meshes/Mug/1.obj" and found.scale[0] == 7e-5


def test_dexgraspnet_files_are_read(tmp_path):
    angles = (0.3, -0.8, 1.9)
    qpos = {"WRJTx": 0.1, "WRJTy": 0.2, "WRJTz": 0.3, "WRJRx": angles[0], "WRJRy": angles[1], "WRJRz": angles[2], "robot0:FFJ3": 0.5, "robot0:THJ0": -0.1}
    np.save(tmp_path / "mug.npy", np.array([{"qpos": qpos, "scale": 0.06}, {"qpos": qpos, "scale": 0.1}], dtype=object), allow_pickle=True)
    found = grasp.read_grasps(tmp_path / "mug.npy")
    assert found.joint_names == ["robot0:FFJ3", "robot0:THJ0"] and found.grasp.tolist() == [[0.5, -0.1]] * 2
    assert found.scale.tolist() == [0.06, 0.1] and found.object == "mug" and found.position[0].tolist() == [0.1, 0.2, 0.3]
    c, s = np.cos(angles), np.sin(angles)
    x = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    assert quaternions.matrix_of(found.quat)[0] == pytest.approx(z @ y @ x, abs=CLOSE)


@pytest.mark.parametrize("single", [True, False])
def test_dexgraspbench_files_are_read_in_the_objects_frame(tmp_path, single):
    half = 0.5**0.5
    palm = [1.1, 2.0, 3.0, half, 0, 0, half]  # turned by 90° about z, as the object, and 0.1 m along the world's x
    rows = {f"{stage}_qpos": np.array([*palm, value, 2 * value]) for stage, value in (("pregrasp", 0.1), ("grasp", 0.2), ("squeeze", 0.3))}
    content = {name: row if single else np.array([row, row]) for name, row in rows.items()}
    content |= {"obj_pose": np.array([1, 2, 3, half, 0, 0, half]), "obj_path": "mug", "obj_scale": 0.08}
    np.save(tmp_path / "mug.npy", content, allow_pickle=True)
    found = grasp.read_grasps(tmp_path / "mug.npy", joint_names=["a", "b"])
    assert len(found) == (1 if single else 2) and found.joint_names == ["a", "b"]
    assert found.position[0] == pytest.approx([0, -0.1, 0], abs=CLOSE) and found.quat[0] == pytest.approx([1, 0, 0, 0], abs=CLOSE)
    assert (found.pregrasp[0].tolist(), found.grasp[0].tolist(), found.squeeze[0].tolist()) == ([0.1, 0.2], [0.2, 0.4], [0.3, 0.6])
    assert found.object == "mug" and (found.scale == 0.08).all()


@pytest.mark.parametrize(
    ("format", "file", "kept"),
    [
        ("isaac_grasp", "g.yaml", ("grasp", "pregrasp", "confidence", "names", "joint_names", "object")),
        ("graspgen", "g.json", ("confidence", "object", "scale")),
        ("acronym", "g.h5", ("confidence", "object", "scale")),
        ("dexgraspnet", "g.npy", ("grasp", "scale", "joint_names")),
        ("dexgraspbench", "g.npy", ("grasp", "pregrasp", "squeeze", "scale", "object")),
    ],
)
def test_what_is_written_is_read_back(tmp_path, format, file, kept):
    grasps = random_grasps()
    grasp.write_grasps(tmp_path / "made" / file, grasps, format)
    found = grasp.read_grasps(tmp_path / "made" / file)
    assert found.position == pytest.approx(grasps.position, abs=CLOSE) and same_turns(found.quat, grasps.quat)
    for name in kept:
        given, read = getattr(grasps, name), getattr(found, name)
        assert (read == pytest.approx(given, abs=CLOSE)) if isinstance(given, np.ndarray) else read == given, name


def test_rotations_of_every_kind_come_back():
    turns = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]])
    quat = np.concatenate([turns, random_grasps(200).quat])
    assert same_turns(quaternions.of_matrix(quaternions.matrix_of(quat), "R"), quat)
    from stiction.grasp.array_files import _angles_of, _quat_of_angles

    upright = _quat_of_angles(np.array([[0.3, np.pi / 2, -0.8], [0.3, -np.pi / 2, 1.2]]))
    quat = np.concatenate([quat, upright])
    assert np.abs(np.abs(np.einsum("bi,bi->b", _quat_of_angles(_angles_of(quaternions.matrix_of(quat))), quat)) - 1).max() < 1e-9


def test_some_of_the_grasps():
    grasps = random_grasps()
    mask = grasps.position[:, 0] > 0
    chosen = grasps.select(mask)
    assert len(chosen) == mask.sum() and np.array_equal(chosen.squeeze, grasps.squeeze[mask])
    assert chosen.names == [name for name, here in zip(grasps.names, mask, strict=True) if here]
    assert len(grasps.select([])) == 0


class Harmful:
    def __reduce__(self):
        return (exec, ("import pathlib; pathlib.Path('harm').touch()",))


def test_nothing_in_a_file_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "a.npy", np.array({"grasp_qpos": Harmful()}, dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match=r"a.npy: names builtins.exec, where only arrays and numbers are read"):
        grasp.read_grasps(tmp_path / "a.npy")
    (tmp_path / "b.yaml").write_text("!!python/object/apply:os.system ['touch harm']\n")
    with pytest.raises(InputError, match=r"b.yaml: is not YAML"):
        grasp.read_grasps(tmp_path / "b.yaml")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    ("file", "text", "match"),
    [
        ("g.txt", "", "unknown kind of file"),
        ("g.yaml", "a: [", "is not YAML"),
        ("g.yaml", "[1, 2]", "the file has no 'format'"),
        ("g.yaml", "format: other", "expected isaac_grasp"),
        ("g.yaml", "format: isaac_grasp\ngrasps: {}", "has no grasps"),
        ("g.yaml", ISAAC.replace("{w: 0.0, xyz", "{w: 3.0, xyz"), "quat: that of grasp 0 has the length 3.162"),
        ("g.yaml", ISAAC.replace("[0.01, -0.02, 0.1]", "[0.01, .nan, 0.1]"), r"position: not finite at \(0, 1\)"),
        ("g.yaml", ISAAC.replace("right: 0.0\n", "middle: 0.0\n"), "grasp 'from_the_side': cspace_position has other joints"),
        ("g.yaml", ISAAC.replace("[0.01, -0.02, 0.1]", "[0.01, -0.02]"), "position: expected"),
        ("g.json", "{", "is not JSON"),
        ("g.json", '{"object": {}, "grasps": {}}', "grasps has no 'transforms'"),
        ("g.json", '{"object": {}, "grasps": {"transforms": [[1, 2]]}}', "transforms: expected the shape"),
        ("g.json", json.dumps({"object": {}, "grasps": {"transforms": [(2 * np.eye(4)).tolist()]}}), "the matrix of number 0 is no rotation"),
        ("g.h5", "no hdf5", "is not an HDF5 file"),
        ("g.npy", "no numpy", "is no NumPy file"),
    ],
)
def test_wrong_files_are_refused_in_one_line(tmp_path, file, text, match):
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError, match=rf"{file}: .*{match}") as caught:
        grasp.read_grasps(tmp_path / file)
    assert "\n" not in str(caught.value)


def test_wrong_arrays_and_arguments_are_refused(tmp_path):
    def read(content):
        np.save(tmp_path / "g.npy", content, allow_pickle=True)
        return grasp.read_grasps(tmp_path / "g.npy")

    palm = np.array([0, 0, 0, 1.0, 0, 0, 0, 0.1])
    for content, match in (
        (np.zeros(3), "is an array of numbers"),
        (np.array({"other": 1}, dtype=object), "is neither of DexGraspNet"),
        (np.array([{"qpos": {"WRJTx": 1}}], dtype=object), "qpos has no 'WRJTy'"),
        (np.array({"grasp_qpos": np.zeros(3)}, dtype=object), "grasp_qpos: expected the shape"),
        (np.array({"grasp_qpos": palm, "pregrasp_qpos": palm + [0.01, 0, 0, 0, 0, 0, 0, 0]}, dtype=object), "pregrasp_qpos: the palm of grasp 0 is elsewhere"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=match):
            read(content)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "g.npy").read_bytes()[:-20])
    with pytest.raises(InputError, match=r"cut.npy: is no NumPy file, or a damaged one"):
        grasp.read_grasps(tmp_path / "cut.npy")
    with pytest.raises(InputError, match=r"none.json: no such file"):
        grasp.read_grasps(tmp_path / "none.json")
    grasps = random_grasps()
    for file, format, match in (
        ("g.npy", None, "dexgraspnet or dexgraspbench"), ("g.json", "isaac_grasp", "end in .yaml or .yml"),
        ("g.txt", None, "format None is unknown"), ("g.npy", "other", "format 'other' is unknown"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=match):
            grasp.write_grasps(tmp_path / file, grasps, format)
    with pytest.raises(InputError, match="scale: graspgen has one for all grasps"):
        grasp.write_grasps(tmp_path / "g.json", random_grasps(scale=np.arange(1, 7)))
    with pytest.raises(InputError, match=r"grasp: expected the shape \(6, 4\), got \(6, 3\)"):
        random_grasps(grasp=np.zeros((6, 3)))
    with pytest.raises(InputError, match="names: 1 given for 6 grasps"):
        random_grasps(names=["one"])


def test_grasps_of_older_numpy_are_read(tmp_path):
    """Which called its modules otherwise."""
    content = np.array({"grasp_qpos": np.array([0, 0, 0.1, 1, 0, 0, 0, 0.5])}, dtype=object)
    with (tmp_path / "old.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": ()})
        text = pickle.dumps(content, protocol=2).replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")
        file.write(text)
    found = grasp.read_grasps(tmp_path / "old.npy")
    assert found.position.tolist() == [[0, 0, 0.1]] and found.grasp.tolist() == [[0.5]]
