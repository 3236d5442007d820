"""A scene as a place to judge grasps in: which body is the object, where the palm is, what closes the fingers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError
from stiction.named import find
from stiction.quaternions import multiply, rotate
from stiction.scene import Scene

_FREE, _HINGE_OR_SLIDE = 0, 2  # of model.joint_type: free; from here on hinges and slides
POSITION, _VELOCITY = 0, 1  # of model.actuator_kind


@dataclass(frozen=True)
class Setting:
    """Ids and arrays of one scene.

    Attributes:
        scene: that is stepped.
        object: body with the free joint.
        object_qpos: its place in qpos.
        object_bodies: it and what hangs on it (nbody) bool.
        hand_bodies: what may hold it (nbody) bool.
        palm_pose: of the palm in the world (7).
        joints: that actuators move, in the order of the model.
        columns: their places in qpos.
        dofs: of hand and object, which must be at rest.
    """

    scene: Scene
    object: int
    object_qpos: int
    object_bodies: NDArray[np.bool_]
    hand_bodies: NDArray[np.bool_]
    palm_pose: NDArray[np.float64]
    joints: list[int]
    columns: NDArray[np.int64]
    dofs: NDArray[np.int64]

    @property
    def joint_names(self) -> list[str]:
        """Of `joints`."""
        return [self.scene.model.joint_names[joint] for joint in self.joints]

    def geoms_of(self, bodies: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Ids of the geoms of some bodies, (nbody) bool."""
        return np.flatnonzero(bodies[self.scene.model.geom_body])


def setting_of(scene: Scene, palm: str | None = None, object: str | None = None) -> Setting:
    """Finds object, hand and palm.

    Raises:
        InputError: what is asked for is not there, not unique, or moves.
    """
    model = scene.model
    body = object_of(model, object)
    carried = carried_by(model, body)
    joints = actuated_joints(model, carried)
    palm_body, palm_pose = _palm_of(model, palm, joints)
    columns = model.joint_qpos_adr[joints].astype(np.int64)
    hand = carried_by(model, top_of(model, palm_body)) if palm_body else np.zeros(model.nbody, bool)
    for joint in joints:
        hand |= carried_by(model, int(model.joint_body[joint]))
    moving = (hand | carried)[model.dof_body]
    start = int(model.joint_qpos_adr[model.body_joint_adr[body]])
    return Setting(scene, body, start, carried, hand & ~carried, palm_pose, joints, columns, np.flatnonzero(moving))


def object_of(model: Any, name: str | None, any_joints: bool = False) -> int:
    """The body with a free joint of that name, or the only one; `any_joints`: one of that name with joints of any kind."""
    free = [int(model.joint_body[joint]) for joint in range(model.njoint) if model.joint_type[joint] == _FREE]
    if name is None:
        if len(free) != 1:
            names = ", ".join(model.body_names[body] for body in free[:8])
            raise InputError(f"object: {'bodies ' + names + ' have' if free else 'no body has'} a free joint" + ("; say which" if free else ""))
        return free[0]
    body = find("body", model.body_names, name)
    if any_joints and model.body_joint_num[body] > 0:
        return body
    if body not in free:
        raise InputError(f"object: body '{model.body_names[body]}' has no free joint")
    return body


def carried_by(model: Any, body: int) -> NDArray[np.bool_]:
    """The body and what hangs on it (nbody)."""
    carried = np.zeros(model.nbody, bool)
    carried[body] = True
    for one in range(body + 1, model.nbody):
        carried[one] = carried[model.body_parent[one]]
    return carried


def top_of(model: Any, body: int) -> int:
    """Its ancestor on the world."""
    while model.body_parent[body] != 0:
        body = int(model.body_parent[body])
    return body


def terms_of(model: Any, length: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Places in qpos, and coefficients, of the joints that make a length."""
    first, count = int(model.length_term_adr[length]), int(model.length_term_num[length])
    return model.term_qpos[first : first + count].astype(np.int64), model.term_coef[first : first + count]


def actuator_lengths(model: Any) -> NDArray[np.float64]:
    """How the lengths of actuators follow from the coordinates (nu, nq)."""
    lengths = np.zeros((model.nu, model.nq))
    for actuator in range(model.nu):
        columns, factors = terms_of(model, int(model.actuator_length[actuator]))
        lengths[actuator, columns] = model.actuator_gear[actuator] * factors
    return lengths


def slowest_actuators(model: Any, limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """How fast the lengths of actuators change where every dof moves at its limit (nu)."""
    scalar = np.flatnonzero(model.joint_type >= 2)  # joints that slide or turn about an axis
    return np.abs(actuator_lengths(model)[:, model.joint_qpos_adr[scalar]]) @ limits[model.joint_dof_adr[scalar]]



def actuated_joints(model: Any, object_bodies: NDArray[np.bool_]) -> list[int]:
    """Hinges and slides that actuators move, in the order of the model."""
    by_column = {int(column): joint for joint, column in enumerate(model.joint_qpos_adr)}
    found = set()
    for actuator, name in enumerate(model.actuator_names):
        length = int(model.actuator_length[actuator])
        if model.length_point_num[length]:
            raise InputError(f"scene: actuator '{name}' pulls a spatial tendon, which no joint angles tell what to do")
        if model.actuator_kind[actuator] == _VELOCITY or model.actuator_gain[actuator] == 0:
            raise InputError(f"scene: actuator '{name}' takes no position; fingers close by position actuators or motors")
        if model.actuator_act[actuator] >= 0:
            raise InputError(f"scene: actuator '{name}' has an activation; fingers close by position actuators or motors without")
        found |= {by_column[int(column)] for column in terms_of(model, length)[0]}
    joints = sorted(joint for joint in found if model.joint_type[joint] >= _HINGE_OR_SLIDE)
    if not joints:
        raise InputError("scene: no actuator moves a hinge or slide, so no hand can close")
    driven = [joint for joint in joints if object_bodies[model.joint_body[joint]]]
    if driven:
        raise InputError(f"object: joint '{model.joint_names[driven[0]]}' of the object has an actuator")
    return joints


def _palm_of(model: Any, name: str | None, joints: list[int]) -> tuple[int, NDArray[np.float64]]:
    """Body and pose in the world."""
    if name is None:
        holders = {int(model.body_parent[body]) for body in model.joint_body[joints]}
        fixed = sorted(body for body in holders if model.body_last_dof[body] < 0 and model.body_mocap_root[body] == 0)
        if len(fixed) != 1:
            names = ", ".join(f"'{model.body_names[body]}'" for body in fixed)
            raise InputError(f"palm: fingers hang on {'bodies ' + names if fixed else 'no body that is fixed'}; name the body or site that is the palm")
        return fixed[0], _pose_in_world(model, fixed[0])
    if name in model.site_names and name in model.body_names:
        raise InputError(f"palm: both a body and a site are called '{name}'")
    site = model.site_names.index(name) if name in model.site_names else -1
    body = int(model.site_body[site]) if site >= 0 else find("body", model.body_names, name)
    if model.body_last_dof[body] >= 0 or model.body_mocap_root[body] > 0:
        raise InputError(f"palm: body '{model.body_names[body]}' moves; the base of the hand must be fixed in the world")
    pose = _pose_in_world(model, body)
    return body, pose if site < 0 else placed(pose[None], model.site_pos[[site]], model.site_quat[[site]])[0]


def _pose_in_world(model: Any, body: int) -> NDArray[np.float64]:
    """Of a body that nothing moves (7)."""
    pose = np.array([[0.0, 0, 0, 1, 0, 0, 0]])
    chain = []
    while body:
        chain.append(body)
        body = int(model.body_parent[body])
    for one in reversed(chain):
        pose = placed(pose, model.body_pos[[one]], model.body_quat[[one]])
    return pose[0]


def placed(pose: NDArray[np.float64], position: NDArray[np.float64], quat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Poses (n, 7) of frames that are at a position and orientation in frames with poses (n, 7)."""
    turned = multiply(pose[:, 3:], quat)
    return np.concatenate([pose[:, :3] + rotate(pose[:, 3:], position), turned / np.linalg.norm(turned, axis=1, keepdims=True)], axis=1)
