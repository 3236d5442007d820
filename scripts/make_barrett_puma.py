#!/usr/bin/env python3
"""Makes scenes/barrett_puma: a Barrett hand on a Puma 560 takes a telephone handset from a table.

    make_barrett_puma.py [--check]     --check: compare with the committed files instead of writing them

The models are ours, from published measures; shapes are capsules, boxes and cylinders. Needs the package (PYTHONPATH=BUILD/python): joints of the
straight line that lifts the handset come from stiction.control.

    Puma 560      axes, lengths and limits: the standard table of Denavit and Hartenberg, with the upper arm along x and the forearm upright
                  at zero. Masses, centres, inertias, rotor inertias and largest torques: Armstrong, Khatib and Burdick 1986;
                  the forearm's 0.086 kg m² is 0.0785 here, the most that its other two allow
    Barrett hand  links of 70 and 58 mm, which are bent by 42 degrees against each other when the finger is open; the outer joint turns by a
                  third of the inner one; the inner joints 50 mm from the middle of the palm, two of them 25 mm to the sides
"""

import pathlib

import numpy as np
import stiction as st
from made_files import write_or_compare
from stiction import control

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenes/barrett_puma"

# Puma 560 [m], [kg], [kg m²], [N m]
SHOULDER, UPPER, OFFSET, BEND, FOREARM, FLANGE = 0.6718, 0.4318, 0.15005, 0.0203, 0.4318, 0.05625
RANGES = ("-160 160", "-45 225", "-225 45", "-110 170", "-100 100", "-266 266")  # [degrees]
ROTORS = (1.14, 4.71, 0.83, 0.2, 0.179, 0.193)
TORQUES = (97.6, 186.4, 89.4, 24.2, 20.1, 21.3)
STIFFNESS = (1e5, 1e5, 1e5, 2e4, 2e4, 2e4)  # ours [N m/rad]
DAMPING = (800, 1500, 600, 120, 120, 120)   # ours [N m s/rad]

# Barrett hand [m], [rad], [N m]; masses of the links are ours, their sum is the hand's
INNER, OUTER, TILT, RATIO = 0.070, 0.058, np.deg2rad(42), 1 / 3
BASE, ROOT, SIDE, RADIUS = 0.076, 0.050, 0.025, 0.009
THUMB_TORQUE, FINGER_TORQUE = 2.0, 1.0
FINGERS = {"finger_1": (SIDE, -1), "finger_2": (-SIDE, -1), "thumb": (0.0, 1)}  # x of its root, side of the palm

# the task [m], [s], [rad]
TABLE = 0.55
PALM = TABLE + 0.123     # so that open fingertips are 4 mm over the table
REACH = 0.55             # of the hand in front of the shoulder
HANDLE, CLEAR = (0.125, 0.036, 0.028), 0.037  # edges of the handle, and its height over the table
SLOPE = (0.008, 0.026)   # below the upper side, where the handle's sides begin to slope; width of its lower side
GAP = 5e-5               # at which contacts rest
OPEN, SHUT = np.deg2rad(60), np.deg2rad(140)
CLOSING, LIFTING, HEIGHT, DURATION = (0.5, 2.7), (3.2, 5.7), 0.2, 6.3
KNOT = 0.02


def words(values):
    return " ".join(f"{round(float(x), 6) + 0.0:g}" for x in np.atleast_1d(values))


def puma(hand):
    """The arm, with `hand` at its flange."""
    return f"""    <body name="shoulder" pos="0 0 {SHOULDER}" childclass="arm">
      <joint name="arm_1" axis="0 0 1" range="{RANGES[0]}" armature="{ROTORS[0]}"/>
      <inertial pos="0 -.05 -.05" mass="13" diaginertia=".35 .35 .35"/>
      <geom type="cylinder" size=".09 .1" fromto="0 0 -.14 0 0 .06"/>
      <geom type="cylinder" size=".085" fromto="0 0 0 0 -.17 0"/>
      <body name="upper_arm">
        <joint name="arm_2" axis="0 -1 0" range="{RANGES[1]}" armature="{ROTORS[1]}"/>
        <inertial pos=".068 -.2275 .006" mass="17.4" diaginertia=".13 .539 .524"/>
        <geom type="capsule" size=".075" fromto="-.1 -.235 0 {UPPER} -.235 0"/>
        <body name="forearm" pos="{UPPER} {-OFFSET} 0">
          <joint name="arm_3" axis="0 -1 0" range="{RANGES[2]}" armature="{ROTORS[2]}"/>
          <inertial pos="0 -.014 .07" mass="4.8" diaginertia=".066 .0785 .0125"/>
          <geom type="cylinder" size=".07" fromto="0 -.02 0 0 .05 0"/>
          <geom type="capsule" size=".05" fromto="0 0 0 {BEND} 0 .3"/>
          <body name="wrist_roll" pos="{BEND} 0 {FOREARM}">
            <joint name="arm_4" axis="0 0 1" range="{RANGES[3]}" armature="{ROTORS[3]}"/>
            <inertial pos="0 0 -.019" mass=".82" diaginertia=".0018 .0018 .0013"/>
            <geom type="cylinder" size=".04" fromto="0 0 -.13 0 0 -.02"/>
            <body name="wrist_bend">
              <joint name="arm_5" axis="0 -1 0" range="{RANGES[4]}" armature="{ROTORS[4]}"/>
              <inertial pos="0 0 0" mass=".34" diaginertia=".0003 .0004 .0003"/>
              <geom type="cylinder" size=".035" fromto="0 -.045 0 0 .045 0"/>
              <body name="flange">
                <joint name="arm_6" axis="0 0 1" range="{RANGES[5]}" armature="{ROTORS[5]}"/>
                <inertial pos="0 0 .032" mass=".09" diaginertia=".00015 .00015 .00004"/>
                <geom type="cylinder" size=".03" fromto="0 0 .03 0 0 {FLANGE}"/>
                <site name="wrist" pos="0 0 {FLANGE}"/>
{hand}
              </body></body></body></body></body></body>"""


def finger(name):
    """Its links lie in a plane through the palm's normal; at zero the inner one points away from the palm's middle."""
    x, side = FINGERS[name]
    elbow = (0, side * INNER, 0)
    tip = OUTER * np.array([0, side * np.cos(TILT), np.sin(TILT)])
    return f"""                  <body name="{name}_inner" pos="{words((x, side * ROOT, BASE))}" childclass="hand">
                    <joint name="{name}" axis="{side} 0 0" range="0 140" damping=".05"/>
                    <geom name="{name}_inner" type="capsule" size="{RADIUS}" fromto="0 0 0 {words(elbow)}" mass=".06"/>
                    <body name="{name}_outer" pos="{words(elbow)}">
                      <joint name="{name}_outer" axis="{side} 0 0"/>
                      <geom name="{name}_outer" type="capsule" size="{RADIUS}" fromto="0 0 0 {words(tip)}" mass=".04"/>
                    </body></body>"""


def hand():
    fingers = "\n".join(finger(name) for name in FINGERS)
    return f"""                <body name="hand" pos="0 0 {FLANGE}" childclass="hand">
                  <geom name="housing" type="cylinder" size=".045" fromto="0 0 0 0 0 .06" mass=".5" contype="0"/>
                  <geom name="palm" type="box" size=".04 .03 .01" pos="0 0 {BASE - 0.01:g}" mass=".18"/>
{fingers}
                </body>"""


def handle_vertices():
    """A bar with a flat upper side, whose sides slope towards a narrower lower one."""
    length, width, height = HANDLE
    section = [(s * y, z) for s in (-1, 1) for y, z in ((width / 2, 0.0), (width / 2, -SLOPE[0]), (SLOPE[1] / 2, -height))]
    return "  ".join(words((x, *point)) for x in (-length / 2, length / 2) for point in section)


def handset():
    """Its origin is in the middle of the handle's upper side; a cup at each end stands on the table."""
    length, _, height = HANDLE
    below = height + CLEAR - 0.04  # height of a cup under its box
    cups = []
    for name, s in (("ear", -1), ("mouth", 1)):
        x = s * (length / 2 + 0.022)
        cups += [f'      <geom name="{name}" type="box" size=".026 .026 .02" pos="{words((x, 0, -0.02))}" mass=".04"/>',
                 f'      <geom name="{name}_cup" type="cylinder" size=".026 {words(below / 2)}" pos="{words((x, 0, -0.04 - below / 2))}" mass=".04"/>']
    return f"""    <body name="handset" pos="{words((REACH, -OFFSET, TABLE + CLEAR + height + GAP))}" childclass="handset">
      <freejoint name="handset"/>
      <geom name="handle" type="mesh" mesh="handle" mass=".09"/>
{chr(10).join(cups)}
    </body>"""


def actuators():
    lines = [f'    <position name="arm_{k + 1}" joint="arm_{k + 1}" kp="{STIFFNESS[k]:g}" kv="{DAMPING[k]:g}" forcerange="{-TORQUES[k]} {TORQUES[k]}"/>' for k in range(6)]
    for name in FINGERS:
        most = THUMB_TORQUE if name == "thumb" else FINGER_TORQUE
        lines.append(f'    <position name="{name}" joint="{name}" kp="{50 * most:g}" kv="{2 * most:g}" forcerange="{-most:g} {most:g}"/>')
    return "\n".join(lines)


def arm_at(height):
    """Joints with the palm, which looks down, at this height [rad]: the wrist's centre by the law of cosines, elbow up."""
    x, z = REACH, height + BASE + FLANGE - SHOULDER
    far, fore = np.hypot(x, z), np.hypot(FOREARM, BEND)
    elbow = np.arccos((UPPER**2 + fore**2 - far**2) / (2 * UPPER * fore))
    q2 = np.arctan2(z, x) + np.arccos((UPPER**2 + far**2 - fore**2) / (2 * UPPER * far))
    forearm = q2 - np.pi + elbow  # direction of the line from elbow to wrist
    q3 = forearm - q2 - np.pi / 2 + np.arctan2(BEND, FOREARM)
    return np.array([0, q2, q3, 0, -np.pi - q2 - q3, 0])


def model():
    couplings = "\n".join(f'    <joint joint1="{name}_outer" joint2="{name}" polycoef="0 {RATIO:.15g} 0 0 0"/>' for name in FINGERS)
    sensors = "\n".join(f'    <actuatorfrc name="{name}" actuator="{name}"/>' for name in FINGERS)
    begin = [*arm_at(PALM), *(angle for _ in FINGERS for angle in (OPEN, RATIO * OPEN)), REACH, -OFFSET, TABLE + CLEAR + HANDLE[2] + GAP, 1, 0, 0, 0]
    shut = [*begin[:6], *(angle for _ in FINGERS for angle in (SHUT, RATIO * SHUT)), *begin[12:]]
    ctrl = [words([*begin[:6], *[angle] * 3]) for angle in (OPEN, SHUT)]
    return f"""<mujoco model="barrett_puma">
  <!-- made by scripts/make_barrett_puma.py: a Barrett hand on a Puma 560, and a telephone handset on a table -->
  <compiler angle="degree" autolimits="true"/>
  <default>
    <geom condim="3" friction=".3 0 0"/>
    <default class="arm"><geom contype="0" conaffinity="0" mass="0" rgba=".86 .84 .78 1"/></default>
    <default class="hand"><geom contype="1" conaffinity="0" rgba=".35 .45 .6 1"/></default>
    <default class="handset"><geom contype="2" conaffinity="1" rgba=".75 .2 .16 1"/></default>
  </default>
  <asset><mesh name="handle" vertex="{handle_vertices()}"/></asset>
  <worldbody>
    <geom name="trunk" type="cylinder" size=".08" fromto="0 0 0 0 0 {SHOULDER - 0.14:g}" contype="0" conaffinity="0" rgba=".86 .84 .78 1"/>
    <geom name="table" type="box" size=".25 .3 .02" pos="{words((REACH, -OFFSET, TABLE - 0.02))}" contype="4" conaffinity="3" rgba=".72 .54 .36 1"/>
{puma(hand())}
{handset()}
  </worldbody>
  <equality>
{couplings}
  </equality>
  <actuator>
{actuators()}
  </actuator>
  <sensor>
{sensors}
  </sensor>
  <keyframe>
    <key name="open" qpos="{words(begin)}" ctrl="{ctrl[0]}"/>
    <key name="closed" qpos="{words(shut)}" ctrl="{ctrl[1]}"/>
  </keyframe>
</mujoco>
"""


def scene():
    return f"""# A Barrett hand on a Puma 560 takes a telephone handset from a table: Miller and Christensen 2003, Fig. 3 (made by scripts/make_barrett_puma.py).
model = "barrett_puma.xml"

# knots every {KNOT:g} s: time [s], arm_1 ... arm_6, finger_1, finger_2, thumb [rad]
command_file = "command.csv"

[physics]
preset = "graspit"  # bodies move until they touch, then velocities are solved; h = 2.5 ms

[step]
duration = {DURATION:g}  # [s]

[initial]
keyframe = "open"
"""


def course():
    """(knots, 10): time [s], and targets of the actuators [rad]. The fingers close, then the wrist rises in a straight line."""
    with st.Simulator(st.load_model(model()), device="cpu") as sim:
        sim.reset(keyframe="open")
        lift = control.CartesianLine(sim, sim.site("wrist"), [0, 0, HEIGHT], relative=True, start_time=LIFTING[0], duration=LIFTING[1] - LIFTING[0])
    close = control.JointTrajectory(CLOSING, [[OPEN] * 3, [SHUT] * 3])
    times = np.arange(round(DURATION / KNOT) + 1) * KNOT
    return np.column_stack([times, lift(times).position[:, 0], close(times).position])


def command_csv(rows):
    header = "time," + ",".join([*(f"arm_{k + 1}" for k in range(6)), *FINGERS])
    return "\n".join([header, *(",".join([f"{row[0]:.2f}", *(f"{x + 0.0:.7f}" for x in row[1:])]) for row in rows)]) + "\n"


def files():
    rows = course()
    return {"barrett_puma.xml": model(), "command.csv": command_csv(rows), "scene.toml": scene()}


if __name__ == "__main__":
    write_or_compare(__doc__.splitlines()[0], FOLDER, files)
