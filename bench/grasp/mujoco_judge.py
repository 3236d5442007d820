"""The judge of grasps on MuJoCo: the same starts, controls, loads and rules as stiction.grasp, with DexGraspBench's options.

    closing      ctrl goes from `open` to `shut`; then the hand comes to rest; that is the closed state
    load i       from the closed state, until the object is lost, at rest, or the time is up
"""

import time

import mujoco
import numpy as np
from stiction.grasp import Why
from stiction.grasp.rest import Rest, rest_limits
from stiction.grasp.setting import slowest_actuators

STEP = 0.004  # [s]; the options of DexGraspBench, commit 1e7a5a6f
NOSLIP, IMPRATIO = 2, 10.0
LEAST_FORCE = 1e-3  # a contact with more presses [N]


def prepared(xml, protocol):
    """The model with these options, and friction and gravity of the protocol."""
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep, model.opt.integrator, model.opt.cone = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.noslip_iterations, model.opt.impratio = NOSLIP, IMPRATIO
    model.opt.gravity[:] = 0
    model.geom_friction[:, :2] = protocol.friction, protocol.torsion
    return model


class Judge:
    """Judges grasps of one model, one after the other. `seconds` is what the steps took of the thread's time."""

    def __init__(self, xml, setting, protocol):
        self.model = prepared(xml, protocol)
        self.data = mujoco.MjData(self.model)
        self.protocol, self.setting = protocol, setting
        self.course, self.length = protocol.course()
        self.closing_steps = protocol.steps(protocol.closing)
        self.closing_limit = self.closing_steps + protocol.steps(protocol.settling)
        self.object = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, "object")
        start = setting.object_qpos
        self.pose, self.dofs = slice(start, start + 7), setting.dofs
        self.own, self.hand = (set(setting.geoms_of(bodies).tolist()) for bodies in (setting.object_bodies, setting.hand_bodies))
        own_model = setting.scene.model
        limits = rest_limits(own_model, protocol)
        self.rest, self.slowest = Rest(limits[self.dofs], protocol, 1), slowest_actuators(own_model, limits)
        self.limits = {True: (protocol.closing_distance, np.radians(protocol.closing_angle)), False: (protocol.distance, np.radians(protocol.angle))}
        self.seconds, self.steps = 0.0, 0

    def judge(self, qpos, opened, shut, axes):
        """Bits of `Why`, 0 where the grasp holds."""
        why = self._close(qpos, opened, shut)
        if why:
            return why
        closed = self.data.qpos.copy(), self.data.qvel.copy()
        for number in range(len(self.length)):
            why = self._pull(closed, shut, number, axes)
            if why:
                return why
        return 0

    def _close(self, qpos, opened, shut):
        self._begin(qpos, np.zeros(self.model.nv))
        k = 0
        while k < self.closing_limit:
            self.data.ctrl[:] = opened + min((k + 1) / self.closing_steps, 1.0) * (shut - opened)
            self._step()
            if k == 0 and self._depth() > self.protocol.start_overlap:
                return int(Why.START_OVERLAP)
            why = self._lost(closing=True)
            if why:
                return why | int(Why.CLOSING)
            still, k = self._still(self.protocol.settling), k + 1
            if still and (k >= self.closing_steps or self._press_already(shut)):
                break
            if still and self._closes_quickly(opened, shut):
                k = self.closing_steps - 1
                self.rest.begin(np.zeros(1, int))
        return 0 if self._presses() else int(Why.NO_CONTACT)

    def _pull(self, closed, shut, number, axes):
        self._begin(*closed)
        self.data.ctrl[:] = shut
        for k in range(int(self.length[number])):
            self.data.xfrc_applied[self.object, :3] = self.model.body_mass[self.object] * (axes @ self.course[number, k])
            self._step()
            why = self._lost(closing=False)
            if why:
                return why
            if self._still(self.protocol.load_time):
                break
        return 0

    def _begin(self, qpos, qvel):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        self.reference = self.data.qpos[self.pose].copy()
        self.rest.begin(np.zeros(1, int))

    def _step(self):
        begin = time.thread_time()
        mujoco.mj_step(self.model, self.data)
        self.seconds += time.thread_time() - begin
        self.steps += 1

    def _lost(self, closing):
        pose, (distance, angle) = self.data.qpos[self.pose], self.limits[closing]
        turn = 2 * np.arccos(min(abs(float(pose[3:] @ self.reference[3:])), 1.0))
        moved = float(np.linalg.norm(pose[:3] - self.reference[:3]))
        return (int(Why.MOVED) if moved > distance else 0) | (int(Why.TURNED) if turn > angle else 0)

    def _still(self, time):
        self.rest.add(self.data.qvel[None, self.dofs], time)
        return self.rest.steps[0] >= self.protocol.rest_steps

    def _closes_quickly(self, opened, shut):
        """Whether a finger that follows its actuator is clearly not at rest."""
        rate = np.abs(self.model.actuator_gainprm[:, 0] / self.model.actuator_biasprm[:, 1] * (shut - opened)) / self.protocol.closing
        return bool(((rate == 0) | (rate > 2 * self.slowest)).all())

    def _press_already(self, shut):
        """Whether the rest of the closing changes no force, because all actuators are at their limits or have arrived."""
        model, data = self.model, self.data
        gain, bias = model.actuator_gainprm[:, 0], model.actuator_biasprm[:, 1]
        asked = [gain * ctrl + bias * data.actuator_length for ctrl in (data.ctrl, shut)]
        least, most = model.actuator_forcerange.T
        at_limit = (model.actuator_forcelimited > 0) & ((np.minimum(*asked) >= most) | (np.maximum(*asked) <= least))
        return bool((at_limit | (data.ctrl == shut)).all())

    def _between(self):
        """Contacts of hand and object."""
        for k, (a, b) in enumerate(self.data.contact.geom.tolist()):
            if (a in self.own and b in self.hand) or (b in self.own and a in self.hand):
                yield k

    def _depth(self):
        return max((-float(self.data.contact.dist[k]) for k in self._between()), default=0.0)

    def _presses(self):
        force = np.zeros(6)
        for k in self._between():
            mujoco.mj_contactForce(self.model, self.data, k, force)
            if force[0] > LEAST_FORCE:
                return True
        return False
