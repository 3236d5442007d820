"""A model whose hand is welded to a mocap body, stepped by MuJoCo or by stiction through the same few calls."""

from collections import Counter

import mujoco
import numpy as np

FIGURES = ("residual", "penetration", "hover", "rounds")  # of sim.stats; the largest of all steps is kept
GOOD = ("converged", "converged, beyond order")  # statuses of steps that went well


def load(path, task):
    """The model of a task's file, its weld as the package's environment sets it: relative pose and torquescale."""
    spec = mujoco.MjSpec.from_file(str(path))
    for equality in spec.equalities:
        if equality.type == mujoco.mjtEq.mjEQ_WELD:
            equality.data[:11] = task.weld
    for joint, limits in task.limits.items():
        spec.joint(joint).range = limits
    return spec.compile()


class MujocoWorld:
    """MuJoCo with the step, integrator, solver and cone of the model."""

    name = "MuJoCo"

    def __init__(self, model, start):
        self.model, self.data, self.h = model, mujoco.MjData(model), model.opt.timestep
        for joint, value in start.items():
            self.data.joint(joint).qpos[:] = value
        mujoco.mj_forward(model, self.data)

    def step(self, now, then, ctrl):
        """One step; the mocap body moves from the pose `now` to the pose `then`, both pos 3 and quat 4."""
        self.data.mocap_pos[0], self.data.mocap_quat[0] = then[:3], then[3:]
        self.data.ctrl[:] = ctrl
        mujoco.mj_step(self.model, self.data)
        mujoco.mj_kinematics(self.model, self.data)

    def pose(self, body):
        return np.concatenate([self.data.body(body).xpos, self.data.body(body).xquat])

    def joint(self, name):
        return float(self.data.joint(name).qpos[0])

    def kinetic(self):
        """[J]"""
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy[1])

    def forget(self):
        pass

    def close(self):
        pass


class StictionWorld:
    """stiction with its defaults: dynamics `dynamic`, law `coulomb`, cone `quadratic`."""

    name = "stiction"

    def __init__(self, model, start, h, **choices):
        import stiction  # the bench's other programs do without the package

        self.h = h
        self.sim = stiction.Simulator(stiction.load_model(model, step_size=h, **choices), device="cpu", threads=1)
        for joint, value in start.items():
            self.sim.joint(joint).qpos[0] = value
        self.statuses, self.largest = Counter(), Counter()
        self.sim.forward()

    def step(self, now, then, ctrl):
        """One step, as of MujocoWorld. The mocap body is where the step begins, and has the velocity that leads on."""
        self.sim.mocap_pose[0, 0] = now
        self.sim.mocap_velocity[0, 0] = np.concatenate([then[:3] - now[:3], turn(now[3:], then[3:])]) / self.h
        self.sim.ctrl[0] = ctrl
        self.statuses[status_text(self.sim.step())] += 1
        for figure in FIGURES:
            self.largest[figure] = max(self.largest[figure], float(getattr(self.sim.stats, figure)[0]))

    def pose(self, body):
        return np.array(self.sim.body(body).pose[0], dtype=float)

    def joint(self, name):
        return float(self.sim.joint(name).qpos[0, 0])

    def forget(self):
        """The figures so far; statuses are kept."""
        self.largest.clear()

    def kinetic(self):
        """[J]"""
        return float(self.sim.stats.energy[0, 1])

    def failed(self):
        """How many steps did not go well."""
        return sum(count for said, count in self.statuses.items() if said not in GOOD)

    def close(self):
        self.sim.close()


def status_text(status):
    """The bits of the first environment's status by name."""
    import stiction

    return stiction.status_names(int(status[0]))


def turn(one, other):
    """Rotation vector, in world axes, that leads from one quaternion to the other [rad]."""
    inverse, product, vector = np.zeros(4), np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(inverse, np.ascontiguousarray(one))
    mujoco.mju_mulQuat(product, np.ascontiguousarray(other), inverse)
    mujoco.mju_quat2Vel(vector, product, 1.0)
    return vector


def apart(one, other):
    """Distance [m] and angle [rad] of two poses."""
    return np.linalg.norm(one[:3] - other[:3]), np.linalg.norm(turn(one[3:], other[3:]))


def seen_from(frame, pose):
    """A pose in the axes of a frame."""
    inverse, position, quat = np.zeros(4), np.zeros(3), np.zeros(4)
    mujoco.mju_negQuat(inverse, np.ascontiguousarray(frame[3:]))
    mujoco.mju_rotVecQuat(position, pose[:3] - frame[:3], inverse)
    mujoco.mju_mulQuat(quat, inverse, np.ascontiguousarray(pose[3:]))
    return np.concatenate([position, quat])
