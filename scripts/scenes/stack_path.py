"""From tasks to command knots: waypoints of the hand, inverse kinematics, stiffness compensation.

  damped least squares   dq = J^T (J J^T + d² I)^-1 e,  e = (position error, rotation vector of the orientation error)
  compensation           command = q + J^T w / K: the weight w of the held cube deflects the compliant arm by J^T w / K

Joints 3 and 5 stay at 0: with the tool down the tilt is then q2 - q4 + q6 and the yaw q1 - q7, both exact under linear
interpolation between knots, so that the hand translates without turning.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from scenes import stack_model as scene

OPEN = 0.0545        # pad to middle, 0.5 mm off the stop
ROUND = 0.0305       # closed around a cube without squeezing it: centres and turns it, then it comes to rest
SQUEEZE = 0.015      # 15 mm inside the cube's faces: 15 N with kp = 1000 N/m
CLOSING = (0.046, 0.0385, ROUND)  # slow: a quasistatic step lifts what slides by mu times the slide
RELEASE = 0.0003     # height above the support at which a cube is let go
TRANSIT = 0.15       # height of the grip above the table when it arrives over a pick spot
ABOVE = 0.055        # tips just above a waiting cube, with the grip this much over the cube's centre
LIFT = 0.045         # straight up before and straight down after the carry
RETRACT = 0.07       # straight up after the release
HOME = (0.59, 0.0, 0.36)
HELD_JOINT_STEP = 0.14   # [rad] of any joint per knot while a cube is held
ACTIVE = [0, 1, 3, 5, 6]  # joints that the inverse kinematics moves


@dataclass
class Knot:
    """Grip position, pad coordinate, which cube is held (index or None), share of its weight to compensate."""
    grip: np.ndarray
    pads: float
    held: int | None = None
    weight: float = 0.0
    label: str = ""


class Kinematics:
    """Inverse kinematics of the grip site, tool down, pads closing along x."""

    def __init__(self, model):
        self.model, self.data = model, mujoco.MjData(model)
        self.arm = scene.arm_addresses(model)
        self.site = model.site(scene.GRIP_SITE).id
        self.range = np.array([model.joint(name).range for name in scene.ARM_JOINTS])
        self.down = np.array([[-1.0, 0, 0], [0, 1, 0], [0, 0, -1]])

    def jacobian(self, q):
        """(6, 7): velocity and angular velocity of the grip in world axes."""
        self.data.qpos[self.arm] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        jac = np.zeros((6, self.model.nv))
        mujoco.mj_jacSite(self.model, self.data, jac[:3], jac[3:], self.site)
        return jac[:, self.arm]

    def error(self, grip):
        """Position error [m] and rotation vector [rad] from the current grip to the wanted one (6)."""
        turn = self.down @ self.data.site_xmat[self.site].reshape(3, 3).T
        quat, rotation = np.zeros(4), np.zeros(3)
        mujoco.mju_mat2Quat(quat, turn.ravel())
        mujoco.mju_quat2Vel(rotation, quat, 1.0)
        return np.concatenate([grip - self.data.site_xpos[self.site], rotation])

    def solve(self, grip, damping=1e-3, tolerance=1e-12, max_rounds=200):
        """Joint angles (7); raises ValueError if the pose is out of reach or of the limits."""
        q = np.array([np.arctan2(grip[1], grip[0]), 0.5, 0, -1.6, 0, 1.04, np.arctan2(grip[1], grip[0])])
        for _ in range(max_rounds):
            jac = self.jacobian(q)[:, ACTIVE]
            error = self.error(grip)
            if np.abs(error).max() < tolerance:
                return q
            step = jac.T @ np.linalg.solve(jac @ jac.T + damping**2 * np.eye(6), error)
            q[ACTIVE] += step * min(1.0, 0.3 / np.abs(step).max())
            q = np.clip(q, self.range[:, 0], self.range[:, 1])
        raise ValueError(f"the grip cannot reach {np.round(grip, 4)}: error {np.abs(error).max():.1e} m or rad is left")


def interpolate(start, end, shares):
    return [start + s * (end - start) for s in shares]


def transit(start, pick):
    """Over the columns at the height of the start, then down over the pick spot."""
    over = pick + [0, 0, TRANSIT - pick[2]]
    first, second = interpolate(start, over, (0.45, 0.8))
    first[2] = max(start[2] + 0.01, TRANSIT)
    second[2] = max(0.5 * (start[2] + TRANSIT), TRANSIT)
    return [first, second, over]


def carry(lifted, arrival, num):
    """`num` positions from `lifted` to `arrival`, gaining height over the first 70 % of the way."""
    shares = np.arange(1, num + 1) / num
    way = [lifted + s * (arrival - lifted) for s in shares]
    for position, s in zip(way, shares):
        position[2] = lifted[2] + min(1.0, s / 0.7) * (arrival[2] - lifted[2])
    return way


def shortest_carry(kinematics, lifted, arrival):
    """As few knots as the joint step allows while a cube is held."""
    for num in range(2, 12):
        q = np.array([kinematics.solve(p) for p in [lifted, *carry(lifted, arrival, num)]])
        if np.abs(np.diff(q, axis=0)).max() <= HELD_JOINT_STEP:
            return carry(lifted, arrival, num)
    raise ValueError("the carry needs more than 11 knots")


def cube_knots(kinematics, start, index, job):
    """All knots of one cube, from the hand at `start` to the hand above the placed cube."""
    pick, place = job.pick, job.place + [0, 0, RELEASE]
    up = np.array([0, 0, 1.0])
    knots = [Knot(p, OPEN, label="transit") for p in transit(start, pick)]
    knots += [Knot(pick + ABOVE * up, OPEN, label="descend"), Knot(pick, OPEN, label="descend")]
    knots += [Knot(pick, pads, label="close") for pads in CLOSING]
    knots += [Knot(pick, ROUND, label="settle"), Knot(pick, SQUEEZE, label="squeeze")]
    knots += [Knot(pick, SQUEEZE, index, 0.0, "hold"), Knot(pick + LIFT * up, SQUEEZE, index, 1.0, "lift")]
    way = shortest_carry(kinematics, pick + LIFT * up, place + LIFT * up)
    knots += [Knot(p, SQUEEZE, index, 1.0, "carry") for p in way]
    knots += [Knot(p, SQUEEZE, index, 1.0, "lower") for p in (place + 0.3 * LIFT * up, place)]
    knots += [Knot(place, SQUEEZE, index, 1.0, "rest"), Knot(place, OPEN, label="open")]
    return knots + [Knot(place + RETRACT * up, OPEN, label="retract")]


def plan(kinematics, jobs):
    """All knots, `KNOT` seconds apart, home to home."""
    home = np.array(HOME)
    knots = [Knot(home, OPEN, label="start")]
    for index, job in enumerate(jobs):
        knots += cube_knots(kinematics, knots[-1].grip, index, job)
    middle = 0.5 * (knots[-1].grip + home)
    return knots + [Knot(p, OPEN, label="home") for p in (middle, home, home)]


def solve_knots(kinematics, knots, kp):
    """Joint angles (n, 7) of the knots and commands (n, 9) that reach them under the held weight."""
    weight = np.array([0, 0, -scene.CUBE_MASS * scene.GRAVITY])
    angles, commands = [], []
    for knot in knots:
        q = kinematics.solve(knot.grip)
        deflection = kinematics.jacobian(q)[:3].T @ weight / kp
        angles.append(q)
        commands.append(np.concatenate([q - knot.weight * deflection, [knot.pads, knot.pads]]))
    return np.array(angles), np.array(commands)
