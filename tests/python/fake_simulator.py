"""A simulator that needs no extension: its actuated joints jump to their commands, and one contact is reported."""

from types import SimpleNamespace

import mujoco
import numpy as np

MODEL = """
<mujoco model="slide">
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="slider" pos="0 0 .1">
      <joint name="x" type="slide" axis="1 0 0" range="-.5 .5" limited="true"/>
      <geom name="slider" type="box" size=".1 .1 .1"/>
    </body>
    <body name="box" pos=".3 0 .1"><freejoint/><geom name="box" type="box" size=".1 .1 .1" rgba="1 .4 0 1"/></body>
  </worldbody>
  <actuator><position name="push" joint="x" kp="100"/></actuator>
</mujoco>
"""
STEP = 0.05
GEOMS = ["floor", "box"]  # that can touch


class FakeSimulator:
    """The part of stiction.Simulator that the viewer uses."""

    def __init__(self, batch):
        self.model = mujoco.MjModel.from_xml_string(MODEL)
        self._data = mujoco.MjData(self.model)
        self.ctrl, self.time = np.zeros((batch, 1)), np.zeros(batch)
        self.body_pose = np.zeros((batch, self.model.nbody, 7))
        self.rise = 0.02  # of the scene's command in a step
        self._written = 0.0
        self._place()

    def step(self, ctrl=None):
        if ctrl is not None:
            self.ctrl[:] = ctrl
        elif (self.ctrl == self._written).all():  # nobody wrote: the scene's knots
            self.ctrl[:] = self._written = self.rise * (self.time[0] + STEP) / STEP
        self.time += STEP
        self._place()
        return np.ones(len(self.time), dtype=np.uint32)

    def reset(self):
        self.time[:] = self.ctrl[:] = self._written = 0
        self._place()

    def _place(self):
        for env, pose in enumerate(self.body_pose):
            self._data.qpos[0] = self.ctrl[env, 0]
            mujoco.mj_kinematics(self.model, self._data)
            pose[:, :3], pose[:, 3:] = self._data.xpos, self._data.xquat

    @property
    def contacts(self):
        """The box on the floor, in two slots of which one is padding."""
        batch = len(self.time)
        gap, geom = np.full((batch, 2), np.nan), np.full((batch, 2, 2), -1)
        position, force = np.full((2, batch, 2, 3), np.nan)
        frame = np.full((batch, 2, 3, 3), np.nan)
        gap[:, 0], position[:, 0], force[:, 0], geom[:, 0] = 0, (0.3, 0, 0), (9.81, 0, 0), (0, 1)
        frame[:, 0] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
        count = np.ones(batch, int)
        return SimpleNamespace(count=count, geom=geom, gap=gap, position=position, frame=frame, force=force)
