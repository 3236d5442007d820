"""The stacking scene's layout, its files and its compiled model.

Lengths in m, angles in rad, times in s. The hand's pads close along the world's x; `yaw` of everything is 0.
"""

import pathlib
from dataclasses import dataclass

import mujoco
import numpy as np

CUBE = 0.06            # edge
CUBE_MASS = 0.1        # [kg]
FRICTION = 0.6
GRAVITY = 9.81         # [m/s²]
KNOT = 0.4             # spacing of the command's knots
ROBOT, GRIPPER, CUBES = "robot/", "gripper/", "cubes/"
ARM_JOINTS = [f"{ROBOT}joint{k}" for k in range(1, 8)]
FINGER_JOINTS = [f"{GRIPPER}finger_left", f"{GRIPPER}finger_right"]
GRIP_SITE = f"{GRIPPER}grip"
FLANGE_SITE = f"{ROBOT}flange"

COLUMNS = [(0.52, 0.045), (0.52, -0.045)]  # where the two columns stand (x, y)
# Pick spots of one side in the order of work: a cube is not carried over one that still waits, and the spots nearest to
# the robot, whose cubes slip most in the grip of a large step, serve the low levels.
SPOTS = [(0.585, 0.17), (0.455, 0.17), (0.455, 0.27), (0.715, 0.17), (0.585, 0.27)]
COLORS = [".90 .33 .13", ".16 .45 .70", ".95 .62 .16", ".20 .60 .58", ".80 .20 .26",
          ".38 .40 .72", ".98 .78 .28", ".36 .68 .40", ".70 .30 .52", ".42 .62 .82"]

# Half widths of the initial noise: along the closing axis, along the finger face, about the vertical.
NOISE = (0.010, 0.002, np.deg2rad(10))


@dataclass(frozen=True)
class Task:
    """One cube's job: from the centre `pick` to the centre `place`."""
    name: str
    pick: np.ndarray
    place: np.ndarray


def tasks(num_cubes):
    """Tasks in the order of work. More than five cubes go to two columns in turn, each fed from its own side."""
    num_columns = 2 if num_cubes > 5 else 1
    jobs = []
    for i in range(num_cubes):
        column, level = i % num_columns, i // num_columns
        x, y = SPOTS[level]
        pick = np.array([x, y if column == 0 else -y, CUBE / 2])
        place = np.array([*COLUMNS[column], CUBE / 2 + CUBE * level])
        jobs.append(Task(f"{CUBES}cube_{i}", pick, place))
    return jobs


def cubes_xml(jobs):
    """MJCF of the cubes at their pick spots."""
    lines = [f'<mujoco model="cubes_{len(jobs)}">',
             f"  <!-- Cubes of {100 * CUBE:g} cm and {CUBE_MASS:g} kg at their pick spots. -->",
             "  <default>",
             (f'    <geom type="box" size="{CUBE / 2:g} {CUBE / 2:g} {CUBE / 2:g}" mass="{CUBE_MASS:g}" '
              f'friction="{FRICTION:g} 0 0" contype="2" conaffinity="3"/>'),
             "  </default>", "  <worldbody>"]
    for i, job in enumerate(jobs):
        name = job.name.removeprefix(CUBES)
        pos = " ".join(f"{c:g}" for c in job.pick)
        lines.append(f'    <body name="{name}" pos="{pos}"><freejoint name="{name}"/>'
                     f'<geom name="{name}" rgba="{COLORS[i % len(COLORS)]} 1"/></body>')
    return "\n".join([*lines, "  </worldbody>", "</mujoco>", ""])


def compile_scene(folder, cubes_file):
    """The model that scene.toml composes: table, robot, gripper at the flange, cubes."""
    spec = mujoco.MjSpec.from_file(str(folder / "table.xml"))
    spec.attach(mujoco.MjSpec.from_file(str(folder / "robot.xml")), prefix=ROBOT, frame=spec.worldbody.add_frame())
    hand = mujoco.MjSpec.from_file(str(folder / "gripper.xml"))
    spec.attach(hand, prefix=GRIPPER, site=spec.site(FLANGE_SITE))
    cubes = mujoco.MjSpec.from_file(str(pathlib.Path(cubes_file)))
    spec.attach(cubes, prefix=CUBES, frame=spec.worldbody.add_frame())
    return spec.compile()


def arm_addresses(model):
    """qpos and dof addresses of the seven arm joints (equal: all come before the cubes)."""
    return np.array([model.joint(name).qposadr[0] for name in ARM_JOINTS])


def finger_addresses(model):
    return np.array([model.joint(name).qposadr[0] for name in FINGER_JOINTS])


def stiffness(model):
    """kp of the arm's actuators [N m/rad]."""
    return np.array([model.actuator(name).gainprm[0] for name in ARM_JOINTS])
