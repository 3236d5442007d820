"""The grasps that are judged: random ones from a seed, in equal shares of some objects of a scene."""

import pathlib
from dataclasses import dataclass

import numpy as np
import stiction as st
from stiction import grasp, quaternions

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
CONVEX = ("cube", "battery", "egg")  # box, cylinder, ellipsoid
FEW_OBJECTS = {"jaws": CONVEX, "displaced jaws": CONVEX, "hand": ("golf_ball", "cube", "battery")}  # sphere, box, cylinder
KINDS = {"jaws": ("jaws", "displaced jaws"), "hand": ("hand",)}  # of grasps of a gripper
PROTOCOL = {"base": "six_forces", "friction": 0.6, "torsion": 0.02}
SHIFT, TURN = 0.015, 30.0  # of the palm of displaced grasps, at most, in each axis [m] and about a random one [degrees]
ARRAYS = ("position", "quat", "grasp", "pregrasp", "squeeze")


@dataclass(frozen=True)
class GraspSet:
    """Grasps of one gripper.

    Attributes:
        gripper: "jaws", "displaced jaws" or "hand".
        scene: with the gripper and its objects.
        grasps: N of them; neighbours are of different objects.
        objects: names of the objects.
        of: which object each grasp is of, an index of `objects` (N).
        variant: the same as a number of the scene's models (N).
    """

    gripper: str
    scene: st.Scene
    grasps: grasp.Grasps
    objects: tuple[str, ...]
    of: np.ndarray
    variant: np.ndarray

    def __len__(self):
        return len(self.of)


def names_of(scene):
    return tuple(pathlib.PurePath(one.name).stem for one in scene.variants)


def grasp_set(gripper, count, seed, objects=None):
    """`count` grasps of these objects; None: of all that the scene has."""
    scene = st.load_scene(SCENES / ("grasp_hand" if gripper == "hand" else "grasp_jaws"))
    names = names_of(scene)
    objects = names if objects is None else tuple(objects)
    of = np.arange(count) % len(objects)
    numbers = np.array([names.index(name) for name in objects])
    make = {"jaws": jaw_grasps, "displaced jaws": displaced_grasps, "hand": hand_grasps}[gripper]
    return GraspSet(gripper, scene, make(scene, numbers, count, np.random.default_rng(seed)), objects, of, numbers[of])


def jaw_grasps(scene, numbers, count, rng):
    """Antipodal grasps, of one object after the other."""
    each = -(-count // len(numbers))
    with st.Simulator(scene, batch=len(numbers), device="cpu") as sim:
        sim.params.variant[:] = numbers
        sim.reset()
        sim.forward()
        found = grasp.sample_jaws(sim, "object", each, rng)
    arrays = {name: np.stack([getattr(one, name) for one in found], axis=1) for name in ARRAYS}  # (each, objects, ..)
    flat = {name: array.reshape(-1, array.shape[-1])[:count] for name, array in arrays.items()}
    return grasp.Grasps(joint_names=found[0].joint_names, **flat)


def displaced_grasps(scene, numbers, count, rng):
    """Antipodal grasps whose palm is somewhere else, and whose jaws begin wide open: many slip or turn."""
    found = jaw_grasps(scene, numbers, count, rng)
    shift = SHIFT * rng.uniform(-1, 1, size=(count, 3))
    axis = rng.normal(size=(count, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    turn = quaternions.turn(np.radians(TURN) * rng.uniform(size=(count, 1)) * axis)
    grip = grasp.Jaws().grip * np.array([0, 0, 1.0])  # the palm turns about the middle of the pads
    quat = quaternions.multiply(found.quat, turn)
    middle = found.position + quaternions.rotate(found.quat, grip + shift)
    position = middle - quaternions.rotate(quat, np.broadcast_to(grip, (count, 3)))
    pregrasp = np.full((count, 2), grasp.Jaws().stroke / 2)
    return grasp.Grasps(position, quat, joint_names=found.joint_names, grasp=found.grasp, pregrasp=pregrasp, squeeze=found.squeeze)


def hand_grasps(_scene, _numbers, count, rng):
    """Objects anywhere over the palm: how they are drawn does not depend on the object."""
    return grasp.sample_hand(count, rng)
