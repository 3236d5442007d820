"""The certificate of contact patches accepts exact motions, and nothing that is wrong by a millionth; no simulator is asked.

Exact are towers of equal solids that slide in one piece on a plane, and the cube that spins: bench/patches/sliding_cube.py.
In a tower of n solids of height s the patch below solid k carries m = n − k of them, whose centre is m s/2 higher: its
ECP is μ m s/2 ahead of their centres, and every patch carries μ times its normal force.
"""

import certificate
import h5py
import mujoco
import numpy as np
import pytest
import recorded
from load_script import load_script

cube = load_script("bench/patches/sliding_cube.py")

EXACT = 1e-12     # a few roundings of numbers of order one
WRONG = 1e-6      # what is added to one number
CAUGHT = 1e-9     # the residual that the scenes may leave: a lie shows more
STEPS = 20
AHEAD = np.array([0.8, 0.6])
FRAME = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
SOLIDS = {"box": 'type="box" size=".5 .5 .5"', "cylinder": 'type="cylinder" size=".5 .5"', "mesh": 'type="mesh" mesh="cube"'}
MESH = '<asset><mesh name="cube" vertex="{}"/></asset>'.format(
    " ".join(f"{x} {y} {z}" for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)))  # fmt: skip


def model_of(bodies, solid):
    grip = f'friction="{cube.FRICTION} {cube.FRICTION * cube.RADIUS} 0" condim="4"'
    places = "".join(f'<body name="b{k}" pos="0 0 {k + 0.5}"><freejoint/><geom name="g{k}" mass="1" {grip} {SOLIDS[solid]}/>'
                     "</body>" for k in range(bodies))  # fmt: skip
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 0 {-cube.GRAVITY}"/>{MESH if solid == "mesh" else ""}<worldbody>'
        f'<geom name="floor" type="plane" size="9 9 1" {grip}/>{places}</worldbody></mujoco>')  # fmt: skip


def tower(bodies, solid, spin=0.0):
    """The arrays of a recording, environments left out: rows of qpos, qvel, and of the patches below every body."""
    course = cube.slide(spin, STEPS)
    rows, force = STEPS + 1, course.impulse / cube.STEP_SIZE
    data = {"qpos": np.zeros((rows, bodies, 7)), "qvel": np.zeros((rows, bodies, 6)),
            "point": np.zeros((rows, bodies, 3)), "force": np.zeros((rows, bodies, 3)),
            "torsion": np.zeros((rows, bodies)), "frame": np.tile(FRAME, (rows, bodies, 1, 1)),
            "geom": np.tile([[k, k + 1] for k in range(bodies)], (rows, 1, 1)),
            "count": np.full(rows, bodies)}  # fmt: skip
    data["count"][0] = 0
    for k in range(bodies):
        above = bodies - k
        data["qpos"][:, k, :2], data["qpos"][:, k, 2] = course.position, k + 0.5
        data["qpos"][:, k, 3], data["qpos"][:, k, 6] = np.cos(course.yaw / 2), np.sin(course.yaw / 2)
        data["qvel"][:, k, :2], data["qvel"][:, k, 5] = course.velocity[:, :2], course.velocity[:, 2]
        data["point"][:, k, :2], data["point"][:, k, 2] = course.position + above * course.arm, k
        data["force"][:, k, 0] = above * cube.MASS * cube.GRAVITY
        data["force"][:, k, 1:] = above * force[:, :2]
        data["torsion"][:, k] = above * force[:, 2]
    return data


def write(path, data, model, bodies):
    size = mujoco.mj_sizeModel(model)
    model_bytes = np.zeros(size, np.uint8)
    mujoco.mj_saveModel(model, None, model_bytes)
    with h5py.File(path, "w") as file:
        file["model"] = model_bytes
        file["time"] = cube.STEP_SIZE * np.arange(STEPS + 1)
        for name, values in data.items():
            joint = name in ("qpos", "qvel")
            file[name if joint else f"patch/{name}"] = values.reshape(STEPS + 1, 1, -1) if joint else values[:, None]
        file.attrs["geom_names"] = ["floor", *(f"g{k}" for k in range(bodies))]
        file.attrs["step_size"], file.attrs["scene_text"] = cube.STEP_SIZE, 'model = "model.xml"'
    return path


def test_the_cube_slides_as_its_closed_form_and_comes_to_rest():
    assert np.abs(cube.slide().position - cube.closed_form()).max() <= EXACT
    for spin in (0.0, cube.SPIN):
        end = cube.slide(spin, 500)
        assert not end.velocity[-1].any() and not end.impulse[-1].any()


@pytest.mark.parametrize("bodies", [1, 2, 3])
@pytest.mark.parametrize("solid", SOLIDS)
def test_a_sliding_tower_is_accepted(tmp_path, solid, bodies):
    file = write(tmp_path / "tower.h5", tower(bodies, solid), model_of(bodies, solid), bodies)
    assert max(certificate.residuals(file).values()) <= EXACT


def test_a_spinning_cube_is_accepted(tmp_path):
    file = write(tmp_path / "cube.h5", tower(1, "box", cube.SPIN), model_of(1, "box"), 1)
    assert max(certificate.residuals(file).values()) <= EXACT


def add(name, *at):
    def change(data):
        data[name][(STEPS // 2, 0, *at)] += WRONG
    return change  # fmt: skip


def tilt_normal(data):
    turn = np.array([[np.cos(WRONG), np.sin(WRONG), 0], [-np.sin(WRONG), np.cos(WRONG), 0], [0, 0, 1]])
    data["frame"][STEPS // 2, 0] = turn @ FRAME


def turn_body(axis):
    def change(data):
        data["qpos"][STEPS // 2, 0, 4 + axis] += WRONG
        data["qpos"][STEPS // 2, 0, 3:] /= np.linalg.norm(data["qpos"][STEPS // 2, 0, 3:])
    return change  # fmt: skip


def sink(data):
    data["qpos"][STEPS // 2 :, 0, 2] -= WRONG


def rotate_friction(data):
    force, turned = data["force"][STEPS // 2, 0], [[1.0, -WRONG], [WRONG, 1.0]]
    force[1:] = turned @ force[1:]


LIES = {
    **{f"force along {'nto'[k]}": ("motion", add("force", k)) for k in range(3)},
    **{f"friction along {'nto'[k]}": ("friction", add("force", k)) for k in range(3)},
    "friction across the slip": ("friction", rotate_friction),
    "torsion": ("motion", add("torsion")),
    **{f"ECP along {'xyz'[k]}": ("motion", add("point", k)) for k in range(3)},
    "ECP above the plane": ("touch", add("point", 2)),
    "normal": ("touch", tilt_normal),
    **{f"velocity {k}": ("motion", add("qvel", k)) for k in range(6)},
    **{f"velocity {k} from where it is to where it goes": ("kinematics", add("qvel", k)) for k in range(6)},
    **{f"position along {'xyz'[k]}": ("kinematics", add("qpos", k)) for k in range(3)},
    **{f"rotation about {'xyz'[k]}": ("kinematics", turn_body(k)) for k in range(3)},
    "tilted into the plane": ("overlap", turn_body(0)),
    "sunk": ("overlap", sink),
}


@pytest.mark.parametrize("spin", [0.0, cube.SPIN])
@pytest.mark.parametrize("lie", LIES)
def test_a_millionth_is_rejected(tmp_path, lie, spin):
    kind, change = LIES[lie]
    data = tower(1, "box", spin)
    change(data)
    assert certificate.residuals(write(tmp_path / "lie.h5", data, model_of(1, "box"), 1))[kind] > CAUGHT


def test_what_acts_between_two_bodies_must_move_both(tmp_path):
    data = tower(2, "box")
    data["force"][STEPS // 2, 1, 1] += WRONG
    assert certificate.residuals(write(tmp_path / "lie.h5", data, model_of(2, "box"), 2))["motion"] > CAUGHT


def test_a_patch_across_a_gap_may_carry_nothing(tmp_path):
    """Free fall from a height: a patch without force is no lie there, one with force is."""
    data, fall = tower(1, "box"), cube.GRAVITY * cube.STEP_SIZE * np.arange(STEPS + 1)
    data["qpos"][:, 0, :2], data["qvel"][:, 0] = 0.0, 0.0
    data["qvel"][:, 0, 2], data["qpos"][:, 0, 2] = -fall, 2.0 - cube.STEP_SIZE * np.cumsum(fall)
    data["force"][:], data["point"][:, 0, 2] = 0.0, 0.7
    model = model_of(1, "box")
    assert max(certificate.residuals(write(tmp_path / "falls.h5", data, model, 1)).values()) <= EXACT
    data["force"][:, 0, 0] += WRONG
    assert certificate.residuals(write(tmp_path / "lie.h5", data, model, 1))["touch"] > CAUGHT


@pytest.mark.parametrize("solid", ["box", "cylinder"])
@pytest.mark.parametrize("shift", [-WRONG, WRONG])
def test_an_overlap_is_found_where_no_patch_says_so(solid, shift):
    """Side by side, then one on the other's top."""
    world, _ = recorded.world_of(model_of(2, solid), cube.STEP_SIZE, ["floor", "g0", "g1"])
    state = recorded.State(np.array([[0, 0, 0.5], [0.1, 0, 1.5 - shift]]), np.tile([1.0, 0, 0, 0], (2, 1)),
                           np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 6)))  # fmt: skip
    assert certificate.overlap(world, state, []) == pytest.approx(max(shift, 0.0), abs=1e-9)


def test_a_recording_with_gaps_is_refused(tmp_path):
    file = write(tmp_path / "cube.h5", tower(1, "box"), model_of(1, "box"), 1)
    with h5py.File(file, "r+") as recording:
        recording["time"][:] *= 2
    with pytest.raises(ValueError, match="record every step"):
        recorded.read(file)
