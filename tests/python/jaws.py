"""Two jaws, and grasps by them, that the tests of judging share."""

import dataclasses

import numpy as np
import stiction as st
from stiction import grasp
from stiction.grasp import Grasps
from stiction.quaternions import rotate

# Two pads press on an object between them; the palm is 6 cm away. `moves` says what drives them.
JAWS = """<mujoco>
  <option gravity="0 0 -9.81"/>
  <default><geom condim="{condim}" friction="0.9 0.01 0"/></default>
  <worldbody>
    <body name="palm" pos="0.1 0.2 .5" quat=".6 .8 0 0"><geom name="palm" type="box" size=".05 .02 .01"/><site name="tool" pos="0 0 -.06"/>
      <body name="left" pos="0 0 -.06"><joint name="left" type="slide" axis="1 0 0" range="-.06 .05" damping="2"/>
        <geom name="left" type="box" size=".005 .008 .008" pos="-.005 0 0" mass=".05"/></body>
      <body name="right" pos="0 0 -.06"><joint name="right" type="slide" axis="-1 0 0" range="-.06 .05" damping="2"/>
        <geom name="right" type="box" size=".005 .008 .008" pos=".005 0 0" mass=".05"/></body>
    </body>
    <body name="cube" pos="1 1 1"><freejoint/><geom name="cube" type="box" size="{size}" mass="{mass}"/></body>
  </worldbody>
  <contact><exclude body1="left" body2="right"/></contact>
  {moves}
  <equality><joint joint1="left" joint2="right"/></equality>
  <keyframe><key name="open" qpos="-.05 -.05 1 1 1 1 0 0 0"/><key name="closed" qpos=".04 .04 1 1 1 1 0 0 0"/></keyframe>
</mujoco>"""
PRESS = 10.0  # of a pad [N]
H = grasp.Protocol().step_size
POSITION = f"""<actuator><position name="left" joint="left" kp="2000" kv="40" forcerange="-{PRESS} {PRESS}"/>
  <position name="right" joint="right" kp="2000" kv="40" forcerange="-{PRESS} {PRESS}"/></actuator>"""
MOTOR = '<actuator><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator>'
CENTER = np.array([0, 0, -0.06])  # between the pads, in the palm's frame


def text(mass=0.1, size=".02 .02 .02", moves=POSITION, condim=4):
    return JAWS.format(mass=mass, size=size, moves=moves, condim=condim)


def jaws(**changes):
    return st.load_model(text(**changes), step_size=H)


def around(quat, offset=0.0, **changes):
    """Grasps that close around points of the object's frame, with the pads open by 1 cm on each side."""
    quat = np.atleast_2d(np.asarray(quat, float))
    quat = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    given = {"joint_names": ["left", "right"], "grasp": np.full((len(quat), 2), -0.02), "pregrasp": np.full((len(quat), 2), -0.05)}
    given |= {"squeeze": np.full((len(quat), 2), 0.04)} | changes
    return Grasps(np.broadcast_to(offset, (len(quat), 3)) - rotate(quat, CENTER), quat, **given)


STRAIGHT = [1, 0, 0, 0]


def many(count=24, seed=3):
    """Good ones and bad ones: off the middle, askew, in overlap, far away."""
    random = np.random.default_rng(seed)
    quat = np.array(STRAIGHT) + 0.25 * random.normal(size=(count, 4))
    offset = random.uniform(-0.012, 0.012, (count, 3))
    offset[3] = [0, 0.3, 0]
    found = around(quat, offset, pregrasp=random.uniform(-0.055, -0.03, (count, 2)).repeat(1, axis=1))
    found.pregrasp[5] = -0.005
    return found


def same_bits(a, b, order=slice(None)):
    for field in dataclasses.fields(a):
        if field.name != "loads":
            assert np.array_equal(getattr(a, field.name)[order], getattr(b, field.name)), field.name
