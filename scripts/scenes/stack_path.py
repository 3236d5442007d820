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
from scenes import stack_planner as planner

OPEN = 0.0545        # pad to middle, 0.5 mm off the stop
ROUND = 0.0305       # closed around a cube without squeezing it: centres and turns it, then it comes to rest
SQUEEZE = 0.015      # 15 mm inside the cube's faces: 15 N with kp = 1000 N/m
CLOSING = (0.0425, ROUND)  # slow: a quasistatic step lifts what slides by mu times the slide
RELEASE = 0.0003     # height above the support at which a cube is let go
# Height of the pads' lower edges over the cube's top, on the way down and up. One quasistatic step feels a surface at
# a distance of mu times its own slide along it. The most turned and shifted cube is 9.75 mm from a pad, so that 16 mm
# down beside it are free, 12 mm from just above its edge, and 18 mm from 20 mm above it (stack_planner.slacks).
DESCENT = (0.002, -0.010, -0.026)
ARRIVAL = 0.020
ASCENT = 0.002
PAD_HALF = 0.022     # half height of the pads
GRASP = 0.5 * scene.CUBE + DESCENT[-1] + PAD_HALF  # the grip over the centre of a held cube
LIFT = 0.050         # straight up before the carry
LOWER = 0.030        # straight down after it
HOME = (0.52, 0.0, 0.40)
FREE_JOINT_STEP = 0.5    # [rad] of any joint per knot
MOST_KNOTS = 24          # per cube, without the retract
BOWS = (0.0, 0.02, 0.04, 0.06)
HELD_JOINT_STEP = 0.148  # [rad] of any joint per knot while a cube is held
ACTIVE = [0, 1, 3, 5, 6]  # joints that the inverse kinematics moves


@dataclass
class Knot:
    """Grip position, pad coordinate, index of the held cube or None, share of its weight to compensate."""
    grip: np.ndarray
    pads: float
    held: int | None = None
    weight: float = 0.0
    label: str = ""

    @property
    def cube(self):
        """Centre of the cube that is held here."""
        return self.grip - [0, 0, GRASP]


class Kinematics:
    """Inverse kinematics of the grip site, tool down, pads closing along x."""

    def __init__(self, model):
        self.model, self.data = model, mujoco.MjData(model)
        self.arm = scene.arm_addresses(model)
        self.site = model.site(scene.GRIP_SITE).id
        self.range = np.array([model.joint(name).range for name in scene.ARM_JOINTS])
        heights = {name: self.height(name) for name in ("link2", "link6")}
        self.shoulder_height, self.wrist_to_grip = heights["link2"], self.height(None) - heights["link6"]
        self.down = np.array([[-1.0, 0, 0], [0, 1, 0], [0, 0, -1]])

    def height(self, link):
        """Height of a link's origin (None: of the grip) with all joints at 0 [m]."""
        self.data.qpos[self.arm] = 0
        mujoco.mj_kinematics(self.model, self.data)
        return self.data.site_xpos[self.site][2] if link is None else self.data.body(scene.ROBOT + link).xpos[2]

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

    def planar_guess(self, grip):
        """Shoulder, elbow and wrist as two links in the plane of the base axis and the grip, elbow up."""
        upper, fore = (np.linalg.norm(self.model.body(scene.ROBOT + b).pos + self.model.body(scene.ROBOT + a).pos)
                       for a, b in (("link3", "link4"), ("link5", "link6")))
        out, rise = np.hypot(grip[0], grip[1]), grip[2] + self.wrist_to_grip - self.shoulder_height
        reach = np.clip(np.hypot(out, rise), 0.2, 0.999 * (upper + fore))
        elbow = np.pi - np.arccos((upper**2 + fore**2 - reach**2) / (2 * upper * fore))
        lean = np.arctan2(out, rise) - np.arcsin(fore * np.sin(elbow) / reach)
        turn = np.arctan2(grip[1], grip[0])
        return np.array([turn, lean, 0, -elbow, 0, np.pi - lean - elbow, turn])

    def solve(self, grip, damping=1e-3, tolerance=1e-12, max_rounds=200):
        """Joint angles (7); raises ValueError if the pose is out of reach or of the limits."""
        q = self.planar_guess(grip)
        for _ in range(max_rounds):
            jac = self.jacobian(q)[:, ACTIVE]
            error = self.error(grip)
            if np.abs(error).max() < tolerance:
                return q
            step = jac.T @ np.linalg.solve(jac @ jac.T + damping**2 * np.eye(6), error)
            q[ACTIVE] += step * min(1.0, 0.3 / np.abs(step).max())
            q = np.clip(q, self.range[:, 0], self.range[:, 1])
        raise ValueError(f"the grip cannot reach {np.round(grip, 4)}: error {np.abs(error).max():.1e} m or rad is left")


def over_top(centre, edge):
    """Grip position with the pads' lower edges `edge` above the top of a cube at `centre`."""
    return centre + [0, 0, 0.5 * scene.CUBE + edge + PAD_HALF]


def obstacles(jobs, index):
    """Boxes of the table, the cubes that stand before cube `index` is placed, and the cubes that wait behind it."""
    standing = [planner.cube_box(job.place) for job in jobs[:index]]
    waiting = [planner.cube_box(job.pick, planner.WAIT_GROWTH) for job in jobs[index + 1 :]]
    return [planner.TABLE, *standing, *waiting]


def fly(kinematics, jobs, index, start, end):
    """The open hand's path to the pick spot of cube `index` (or home, with all cubes placed)."""
    waiting = [planner.cube_box(job.pick, planner.WAIT_GROWTH) for job in jobs[index : index + 1]]
    blocks = obstacles(jobs, index) + waiting
    return planner.route(kinematics, start, end, planner.hand_boxes(OPEN), blocks, FREE_JOINT_STEP, 8)


def carry(kinematics, jobs, index, start, end, most_knots):
    """The path of the hand with cube `index`: three knots more than needed, if there is time."""
    held = planner.cube_box([0, 0, -GRASP])
    boxes = [*planner.hand_boxes(0.5 * scene.CUBE), held]
    return planner.route(kinematics, start, end, boxes, obstacles(jobs, index), HELD_JOINT_STEP, most_knots, 3, BOWS)


def cube_knots(kinematics, start, index, jobs):
    """All knots of one cube, from the hand at `start` to the hand above the placed cube."""
    job = jobs[index]
    grasp, release = over_top(job.pick, DESCENT[-1]), over_top(job.place + [0, 0, RELEASE], DESCENT[-1])
    lifted, arrival = grasp + [0, 0, LIFT], release + [0, 0, LOWER]
    knots = [Knot(p, OPEN, label="transit") for p in fly(kinematics, jobs, index, start, over_top(job.pick, ARRIVAL))]
    knots += [Knot(over_top(job.pick, edge), OPEN, label="descend") for edge in DESCENT]
    knots += [Knot(grasp, pads, label="close") for pads in CLOSING]
    knots += [Knot(grasp, ROUND, label="settle"), Knot(grasp, SQUEEZE, label="squeeze")]
    knots += [Knot(grasp, SQUEEZE, index, 0.0, "hold"), Knot(lifted, SQUEEZE, index, 1.0, "lift")]
    most = MOST_KNOTS - len(knots) - 2
    way = carry(kinematics, jobs, index, lifted, arrival, most)
    knots += [Knot(p, SQUEEZE, index, 1.0, "carry") for p in way]
    knots += [Knot(release, SQUEEZE, index, 1.0, "lower"), Knot(release, OPEN, label="open")]
    return knots + [Knot(over_top(job.place, ASCENT), OPEN, label="retract")]


def plan(kinematics, jobs):
    """All knots, `KNOT` seconds apart, home to home."""
    home = np.array(HOME)
    knots = [Knot(home, OPEN, label="start")]
    for index in range(len(jobs)):
        knots += cube_knots(kinematics, knots[-1].grip, index, jobs)
    way = fly(kinematics, jobs, len(jobs), knots[-1].grip, home)
    return knots + [Knot(p, OPEN, label="home") for p in [*way, home]]


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
