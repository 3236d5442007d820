"""Checks of a stacking command in plain kinematics, along every chord between knots."""

import itertools

import mujoco
import numpy as np

from scenes import stack_model as scene

SAMPLES = 8      # per chord
FAR = 0.05       # distances beyond this [m] are not resolved


def sample_chord(angles, commands, k, s):
    """Joint angles and pads a share `s` into the chord from knot k."""
    q = (1 - s) * angles[k] + s * angles[k + 1]
    pads = (1 - s) * commands[k, 7:] + s * commands[k + 1, 7:]
    return q, pads


class Distances:
    """Least distances of geom groups in a configuration."""

    def __init__(self, model):
        self.model, self.data = model, mujoco.MjData(model)
        root = {g: model.body(model.geom_bodyid[g]).name for g in range(model.ngeom)}
        solid = [g for g in range(model.ngeom) if model.geom_contype[g]]
        self.robot = [g for g in solid if root[g].startswith((scene.ROBOT, scene.GRIPPER))]
        self.moving = [g for g in self.robot if root[g] not in (scene.ROBOT + "base", scene.ROBOT + "link1")]
        self.table = model.geom("table").id
        self.cube = {root[g]: g for g in solid if root[g].startswith(scene.CUBES)}

    def set(self, q, pads, cube_poses):
        self.data.qpos[scene.arm_addresses(self.model)] = q
        self.data.qpos[scene.finger_addresses(self.model)] = pads
        for name, (position, yaw) in cube_poses.items():
            address = self.model.joint(name).qposadr[0]
            self.data.qpos[address : address + 7] = [*position, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        mujoco.mj_kinematics(self.model, self.data)

    def between(self, geoms, others):
        """Least distance [m], at most FAR."""
        least = FAR
        for a, b in itertools.product(geoms, others):
            if self.near(a, b):
                least = min(least, mujoco.mj_geomDistance(self.model, self.data, a, b, FAR, None))
        return least

    def near(self, a, b):
        if b == self.table:
            return self.data.geom_xpos[a][2] < self.model.geom_rbound[a] + FAR
        reach = self.model.geom_rbound[a] + self.model.geom_rbound[b] + FAR
        return np.linalg.norm(self.data.geom_xpos[a] - self.data.geom_xpos[b]) < reach


def cube_states(knots, jobs, k):
    """State of every cube during the chord from knot k: 'waits', 'held' or 'stands'."""
    last_held = [max(i for i, n in enumerate(knots) if n.held == c) for c in range(len(jobs))]
    done = sum(k >= last for last in last_held)
    states = []
    for c in range(len(jobs)):
        if c < done:
            states.append("stands")
        else:
            states.append("held" if knots[k].held == c and knots[k + 1].held == c else "waits")
    return states


def clearances(model, knots, angles, commands, jobs):
    """Least distances over the whole path with the cubes where they are meant to be [m]."""
    distances, kinematics = Distances(model), mujoco.MjData(model)
    least = {"robot to table": FAR, "robot to other cubes": FAR, "held cube to other cubes": FAR,
             "open pads to cube": FAR}
    site = model.site(scene.GRIP_SITE).id
    for k in range(len(knots) - 1):
        states = cube_states(knots, jobs, k)
        for s in np.arange(1, SAMPLES + 1) / SAMPLES:
            q, pads = sample_chord(angles, commands, k, s)
            kinematics.qpos[scene.arm_addresses(model)] = q
            mujoco.mj_kinematics(model, kinematics)
            grip = kinematics.site_xpos[site].copy()
            poses, held = {}, None
            for c, job in enumerate(jobs):
                place = {"stands": job.place, "waits": job.pick, "held": grip}[states[c]]
                poses[job.name] = (place, 0.0)
                held = job.name if states[c] == "held" else held
            distances.set(q, pads, poses)
            update_least(distances, least, held, grip, pads)
    return least


def update_least(distances, least, held, grip, pads):
    """The cube that the hand surrounds is no obstacle, and while it is held it is not free either."""
    position = distances.data.geom_xpos
    around = {n for n, g in distances.cube.items() if np.linalg.norm((position[g] - grip)[:2]) < 0.02}
    around = {n for n in around if abs(position[distances.cube[n]][2] - grip[2]) < 0.058}
    others = [g for n, g in distances.cube.items() if n not in around and n != held]
    lower = min(least["robot to table"], distances.between(distances.moving, [distances.table]))
    least["robot to table"] = lower
    least["robot to other cubes"] = min(least["robot to other cubes"], distances.between(distances.robot, others))
    if held:
        beside = [g for g in others if position[g][2] > grip[2] - 0.058 or np.linalg.norm((position[g] - grip)[:2]) > .02]
        gap = distances.between([distances.cube[held]], beside)
        least["held cube to other cubes"] = min(least["held cube to other cubes"], gap)
    elif min(pads) > 0.05 and around:
        gap = distances.between(distances.moving, [distances.cube[n] for n in around])
        least["open pads to cube"] = min(least["open pads to cube"], gap)


def slack_rows(model, knots, angles, commands, jobs):
    """For every chord, taken as one step: the least slack of a pair that should not touch, and its geoms.

    slack = gap + n·d - mu |d_t| with the displacement d of the witness points to first order: below 0, the
    quasistatic step with Anitescu's law pushes the pair although the path is free.
    """
    distances, rows = Distances(model), []
    for k in range(len(knots) - 1):
        states = cube_states(knots, jobs, k)
        poses = {}
        for job, state in zip(jobs, states):
            poses[job.name] = ({"stands": job.place, "waits": job.pick, "held": knots[k].cube}[state], 0.0)
        distances.set(angles[k], commands[k, 7:], poses)
        mujoco.mj_comPos(model, distances.data)
        motion = np.zeros(model.nv)
        motion[scene.arm_addresses(model)] = angles[k + 1] - angles[k]
        motion[scene.finger_addresses(model)] = commands[k + 1, 7:] - commands[k, 7:]
        for job, state in zip(jobs, states):
            if state == "held":
                address = model.joint(job.name).dofadr[0]
                motion[address : address + 3] = knots[k + 1].grip - knots[k].grip
        rows.append(min(pair_slacks(distances, motion, knots, k, jobs, states)))
    return rows


def pair_slacks(distances, motion, knots, k, jobs, states):
    """(slack [m], geom, geom) of all pairs that are apart before and after the chord from knot k."""
    model, least = distances.model, [(1.0, "", "")]
    standing = [*distances.cube.values(), distances.table]
    held = [distances.cube[job.name] for job, state in zip(jobs, states) if state == "held"]
    gripping = knots[k].pads < 0.04 or knots[k + 1].pads < 0.04
    for a, b in itertools.product(distances.moving + held, standing):
        if a == b or (b in held):
            continue
        witnesses = np.zeros(6)
        gap = mujoco.mj_geomDistance(model, distances.data, a, b, 0.6, witnesses)
        if gap > 0.59 or gap < 1e-3 or (gripping and a in distances.robot and touched(distances, knots, k, b)):
            continue
        normal = (witnesses[3:] - witnesses[:3]) / gap
        move = point_motion(distances, b, witnesses[3:], motion) - point_motion(distances, a, witnesses[:3], motion)
        along = normal @ move
        slack = gap + along - scene.FRICTION * np.linalg.norm(move - along * normal)
        least.append((slack, model.geom(a).name, model.geom(b).name))
    return least


def touched(distances, knots, k, cube):
    """Whether the hand is working on this cube."""
    return np.linalg.norm((distances.data.geom_xpos[cube] - knots[k].grip)[:2]) < 1e-3


def point_motion(distances, geom, point, motion):
    jac = np.zeros((3, distances.model.nv))
    mujoco.mj_jac(distances.model, distances.data, jac, None, point, distances.model.geom_bodyid[geom])
    return jac @ motion


def noise_clearance(model, knots, angles, commands, jobs):
    """Least distance of the open hand to any waiting cube while it descends, over the corners of the noise [m]."""
    distances, least = Distances(model), FAR
    corners = list(itertools.product(*[(-1, 1)] * 3))
    descents = [k for k in range(len(knots) - 1) if knots[k + 1].label == "descend"]
    for k in descents:
        states = cube_states(knots, jobs, k)
        for s, signs in itertools.product((0.25, 0.5, 0.75, 1.0), corners):
            dx, dy, yaw = np.array(scene.NOISE) * signs
            poses = {}
            for c, job in enumerate(jobs):
                moved = job.pick + [dx, dy, 0]
                poses[job.name] = (job.place, 0.0) if states[c] == "stands" else (moved, yaw)
            distances.set(*sample_chord(angles, commands, k, s), poses)
            least = min(least, distances.between(distances.moving, list(distances.cube.values())))
    return least


def neighbour_clearance(model, knots, angles, commands, jobs):
    """The same with the hand's cube at its nominal place and the others noisy towards the hand [m]."""
    distances, least = Distances(model), FAR
    for k in range(len(knots) - 1):
        if knots[k + 1].label not in ("descend", "close"):
            continue
        states = cube_states(knots, jobs, k)
        own = sum(state == "stands" for state in states)
        for signs in itertools.product(*[(-1, 1)] * 3):
            dx, dy, yaw = np.array(scene.NOISE) * signs
            poses = {job.name: (job.pick + [dx, dy, 0], yaw) if state == "waits" else (job.place, 0.0)
                     for job, state in zip(jobs, states)}
            distances.set(*sample_chord(angles, commands, k, 1.0), poses)
            others = [distances.cube[job.name] for c, job in enumerate(jobs) if c != own]
            least = min(least, distances.between(distances.moving, others) if others else FAR)
    return least


def chord_errors(model, knots, angles):
    """Per chord: distance of the grip from the straight line [m], turn of the hand [rad], mean speed [m/s]."""
    data, site, arm = mujoco.MjData(model), model.site(scene.GRIP_SITE).id, scene.arm_addresses(model)
    rows = []
    for k in range(len(knots) - 1):
        bend = turn = length = 0.0
        before = None
        for s in np.linspace(0, 1, 2 * SAMPLES + 1):
            data.qpos[arm] = (1 - s) * angles[k] + s * angles[k + 1]
            mujoco.mj_kinematics(model, data)
            grip, axes = data.site_xpos[site].copy(), data.site_xmat[site].reshape(3, 3)
            straight = (1 - s) * knots[k].grip + s * knots[k + 1].grip
            bend = max(bend, np.linalg.norm(grip - straight))
            turn = max(turn, np.linalg.norm(axes - np.diag([-1.0, 1, -1])))
            length += 0.0 if before is None else np.linalg.norm(grip - before)
            before = grip
        rows.append((bend, turn, length / scene.KNOT))
    return np.array(rows)


def damping_error(model, commands):
    """Largest deviation of an actuator's damping from 2 √(K M_jj), M at the first knot, relative."""
    data = mujoco.MjData(model)
    data.qpos[scene.arm_addresses(model)] = commands[0, :7]
    data.qpos[scene.finger_addresses(model)] = commands[0, 7:]
    mujoco.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    dofs = model.jnt_dofadr[model.actuator_trnid[:, 0]]
    critical = 2 * np.sqrt(model.actuator_gainprm[:, 0] * np.diag(inertia)[dofs])
    return np.abs(-model.actuator_biasprm[:, 2] / critical - 1).max()


def report(model, knots, angles, commands, jobs):
    """The figures of a command as (name, value, unit, limit, holds) rows."""
    chords = chord_errors(model, knots, angles)
    steps = np.abs(np.diff(angles, axis=0)).max(axis=1) if len(knots) > 1 else np.zeros(0)
    held = np.array([knots[k].held is not None and knots[k + 1].held is not None for k in range(len(knots) - 1)])
    near = np.array([n.label in ("descend", "close", "settle", "squeeze", "lift", "lower", "rest", "open")
                     for n in knots[1:]])
    limits = np.array([model.joint(name).range for name in scene.ARM_JOINTS])
    margin = np.minimum(angles - limits[:, 0], limits[:, 1] - angles).min()
    per_cube = scene.KNOT * np.diff([0, *(k for k, n in enumerate(knots) if n.label == "retract")]).max()
    after = scene.KNOT * (len(knots) - 1 - max(k for k, n in enumerate(knots) if n.label == "open"))
    least = clearances(model, knots, angles, commands, jobs)
    rows = [("time per cube", per_cube, "s", "<= 10", per_cube <= 10),
            ("gripper open at the end", after, "s", ">= 1", after >= 1),
            ("peak tool speed", chords[:, 2].max(), "m/s", ">= 0.25", chords[:, 2].max() >= 0.25),
            ("joint step while held", steps[held].max(), "rad", "<= 0.15", steps[held].max() <= 0.15),
            ("joint limit margin", margin, "rad", ">= 0.05", margin >= 0.05),
            ("turn of the hand", chords[:, 1].max(), "rad", "<= 1e-9", chords[:, 1].max() <= 1e-9),
            ("chord error near contact", 1e3 * chords[near, 0].max(), "mm", "<= 1", chords[near, 0].max() <= 1e-3),
            ("chord error while held", 1e3 * chords[held, 0].max(), "mm", "<= 3", chords[held, 0].max() <= 3e-3)]
    slack = min(slack_rows(model, knots, angles, commands, jobs))[0]
    rows.append(("slack of one step per knot", 1e3 * slack, "mm", ">= 0", slack >= 0))
    for name, value in least.items():
        rows.append((name, 1e3 * value, "mm", ">= 5", value >= 5e-3))
    for name, check in (("open hand to noisy cubes", noise_clearance), ("hand to noisy neighbours", neighbour_clearance)):
        value = check(model, knots, angles, commands, jobs)
        rows.append((name, 1e3 * value, "mm", ">= 9", value >= 9e-3))
    damping = damping_error(model, commands)
    rows.append(("damping against critical", 1e2 * damping, "%", "<= 1", damping <= 1e-2))
    return rows
