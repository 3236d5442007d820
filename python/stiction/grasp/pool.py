"""Many grasps through few environments: each takes one grasp, closes the hand, puts every load on it, and takes the next grasp
as soon as that one is decided. No environment waits for another.

    start        hand and object may not overlap; contacts are looked for without a step, which would have to part them
    closing      fingers go from before the contact to behind it; then they come to rest; that is the closed state
    load i       from the closed state, with its contact forces; until the object is lost, or at rest, or the time is up

A reset begins a grasp, so that nothing of an earlier one is left, and a grasp's bits are its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.grasp.contacts import loaded_contacts, used_contacts
from stiction.grasp.halves import Progress
from stiction.grasp.knocks import Steps, Taken
from stiction.grasp.protocols import Protocol
from stiction.grasp.rest import Rest, rest_limits
from stiction.grasp.setting import POSITION, Setting, actuator_lengths, slowest_actuators
from stiction.grasp.stages import Stages
from stiction.grasp.verdicts import Verdicts, Why, bit
from stiction.quaternions import rotate
from stiction.simulator import Simulator
from stiction.status import Status

_STATE_KEPT, _CONVERGED = (np.uint32(int(bits)) for bits in (Status.STATE_KEPT, Status.CONVERGED))
_NOTHING = np.uint32(0)  # no bit of Why
IDLE, CLOSING = -2, -1  # phases; from 0 on loads
_AWAY = 100.0  # where objects of idle environments wait [m]
_FACETS = 8  # of friction cones, for epsilon

Ids = NDArray[np.intp]


class Pool:
    """One pass of grasps through the environments of a simulator; `fine` takes the parts of steps, as `Steps` says."""

    def __init__(self, sim: Simulator, fine: Simulator | None, setting: Setting, stages: Stages, protocol: Protocol, quality: bool) -> None:
        self.sim, self.setting, self.stages, self.protocol, self.quality = sim, setting, stages, protocol, quality
        self.course, self.length = protocol.course()
        self.closing_steps = protocol.steps(protocol.closing)
        self.closing_limit = self.closing_steps + (protocol.steps(protocol.settling) if protocol.settling > 0 else 0)
        self.verdicts = Verdicts.empty(len(stages.qpos), protocol.loads)
        self._prepare_slots(sim.batch)
        self._prepare_limits()
        self._prepare_simulator(fine)

    def _prepare_slots(self, batch: int) -> None:
        """What every environment is doing."""
        model = self.sim.model
        self.next = 0
        self.grasp = np.full(batch, -1)
        self.phase = np.full(batch, IDLE)
        self.k = np.zeros(batch, np.int64)  # step within the phase
        self.rest = Rest(rest_limits(model, self.protocol)[self.setting.dofs], self.protocol, batch)
        self.reference = np.tile([0.0, 0, 0, 1, 0, 0, 0], (batch, 1))  # pose that displacements are from
        self.closed: dict[str, NDArray[Any]] = self.sim.state()  # where the loads of each begin
        self.axes = np.zeros((batch, 3, 3))
        self.mass = np.zeros((batch, model.nbody))  # that a load pushes
        self.open, self.shut = np.zeros((batch, model.nu)), np.zeros((batch, model.nu))
        self.now = Verdicts.empty(batch, self.protocol.loads)  # so far
        self.good = np.zeros(batch, np.int64)  # steps without a failure
        self.all_converged = np.ones(batch, bool)
        self.finished: list[Ids] = []  # environments whose grasp this step decided

    def _prepare_limits(self) -> None:
        model, protocol = self.sim.model, self.protocol
        self.distance = np.array([protocol.closing_distance, protocol.distance])
        self.angle = np.radians([protocol.closing_angle, protocol.angle])
        self.lengths = actuator_lengths(model)
        self.slowest = slowest_actuators(model, rest_limits(model, protocol))
        self.object_geoms = self.setting.geoms_of(self.setting.object_bodies)
        self.hand_geoms = self.setting.geoms_of(self.setting.hand_bodies)

    def _prepare_simulator(self, fine: Simulator | None) -> None:
        sim, protocol = self.sim, self.protocol
        dof = int(sim.model.joint_dof_adr[sim.model.body_joint_adr[self.setting.object]])
        self.steps = Steps(sim, fine, self._aside(), dof)
        self.gravity = np.array(sim.model.gravity) if protocol.gravity else np.zeros(3)
        sim.params.gravity[:] = self.gravity

    def _write_friction(self, ids: Ids) -> None:
        if self.protocol.friction != "model":
            self.sim.params.friction[ids, :, :2] = [self.protocol.friction, self.protocol.torsion]

    def run(self, progress: Progress | None = None) -> Verdicts:
        """Judges all grasps."""
        self.queue = self._clear_starts()
        total = len(self.queue)
        self._take_grasps(np.arange(self.sim.batch))
        while (self.phase != IDLE).any():
            self._step()
            if progress is not None:
                progress(self.next - int((self.phase != IDLE).sum()), total)
        return self.verdicts

    # --- what environments begin

    def _clear_starts(self) -> Ids:
        """The grasps that do not begin with hand and object deep in one another; the others get their verdicts."""
        total, batch = len(self.verdicts), self.sim.batch
        for first in range(0, total, batch):
            grasps = np.arange(first, min(first + batch, total))
            ids = np.arange(len(grasps))
            self._place(ids, grasps, IDLE)
            self.sim.forward()
            self.verdicts.deepest_overlap[grasps] = self._depths(ids)
        deep = self.verdicts.deepest_overlap > self.protocol.start_overlap
        self.verdicts.why[deep] |= bit(Why.START_OVERLAP)
        self.verdicts.time_of_loss[deep], self.verdicts.converged[deep] = 0.0, 1.0
        return np.flatnonzero(~deep)

    def _place(self, ids: Ids, grasps: Ids, phase: int) -> None:
        """Puts the objects of grasps where they begin."""
        if self.setting.scene.variants:
            self.sim.params.variant[ids] = self.stages.variant[grasps]
        self._begin(ids, phase, self.stages.qpos[grasps], np.zeros((len(ids), self.sim.model.nv)))

    def _take_grasps(self, ids: Ids) -> None:
        """Environments begin their next grasp; those for which none is left are put aside."""
        count = min(len(ids), len(self.queue) - self.next)
        taken, spare = ids[:count], ids[count:]
        grasps = self.queue[self.next : self.next + count]
        self.next += count
        if count:
            self.grasp[taken] = grasps
            self.good[taken], self.all_converged[taken] = 0, True
            self.now.put(taken, self.verdicts.at(grasps))
            self.open[taken], self.shut[taken], self.axes[taken] = self.stages.open[grasps], self.stages.shut[grasps], self.stages.axes[grasps]
            self.steps.begin(taken, self.open[taken])
            self._place(taken, grasps, CLOSING)
            self._weigh(taken)
        if len(spare):
            self._put_aside(spare)

    def _begin(self, ids: Ids, phase: int, qpos: NDArray[np.float64], qvel: NDArray[np.float64]) -> None:
        self.sim.reset(ids, qpos=qpos, qvel=qvel)
        self._write_friction(ids)  # which a reset may draw, or bring with an object
        self._start_phase(ids, phase, qpos)
        if self.protocol.on == "gravity":
            self.sim.params.gravity[ids] = self.gravity

    def _load(self, ids: Ids) -> None:
        """The next load begins, with the closed hand."""
        closed = {name: values[ids] for name, values in self.closed.items()}
        self.sim.set_state(closed, ids)
        self._start_phase(ids, self.phase[ids] + 1, closed["qpos"])

    def _start_phase(self, ids: Ids, phase: Any, qpos: NDArray[np.float64]) -> None:
        self.phase[ids], self.k[ids] = phase, 0
        self.rest.begin(ids)
        start = self.setting.object_qpos
        self.reference[ids] = qpos[:, start : start + 7]

    def _weigh(self, ids: Ids) -> None:
        """Masses that loads push: of the object, or of all."""
        mass = np.asarray(self.sim.params.mass)[ids]
        self.mass[ids] = mass * self.setting.object_bodies if self.protocol.on == "object" else -mass if self.protocol.on == "frame" else 0.0

    def _put_aside(self, ids: Ids) -> None:
        """Nothing happens there any more."""
        qpos = np.tile(self._aside(), (len(ids), 1))
        self._begin(ids, IDLE, qpos, np.zeros((len(ids), self.sim.model.nv)))
        self.shut[ids] = self.open[ids]
        self.mass[ids] = 0.0

    def _aside(self) -> NDArray[np.float64]:
        """Coordinates with the object out of reach (nq)."""
        qpos = np.array(self.setting.scene.qpos)
        qpos[self.setting.object_qpos + 2] += _AWAY
        return qpos

    # --- one step of all

    def _step(self) -> None:
        self._write_loads()
        share = np.where(self.phase >= 0, 1.0, np.minimum((self.k + 1.0) / self.closing_steps, 1.0))[:, None]
        busy, loading = self.phase != IDLE, self.phase >= 0
        goes_on = busy & ~loading & (self.k + 1 < self.closing_limit)  # its contacts are not looked at
        taken = self.steps.take(self.open + share * (self.shut - self.open), goes_on)
        moved, turned = self._ways()
        failed = self._note(busy, taken, moved, turned)
        kind = loading.astype(int)
        far, round_ = moved > self.distance[kind], turned > self.angle[kind]
        lost = busy & ~failed & (far | round_)
        self._note_losses(np.flatnonzero(lost), moved, turned, far, round_)
        failed |= lost
        ended = self._advance(busy, taken.knocked) & ~failed
        closed = self._keep_closed(np.flatnonzero(ended & ~loading))
        self._go_on(np.flatnonzero(failed), closed, np.flatnonzero(ended & loading))

    def _write_loads(self) -> None:
        loading = self.phase >= 0
        local = np.where(loading[:, None], self.course[np.maximum(self.phase, 0), np.minimum(self.k, self.course.shape[1] - 1)], 0.0)
        R = self.axes
        acceleration = R[:, :, 0] * local[:, :1] + R[:, :, 1] * local[:, 1:2] + R[:, :, 2] * local[:, 2:]
        if self.protocol.on == "gravity":
            self.sim.params.gravity[:] = self.gravity + acceleration
        else:
            self.sim.applied_wrench[:, :, :3] = self.mass[:, :, None] * acceleration[:, None, :]

    def _ways(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far the object is from its reference [m], [rad] (batch)."""
        start = self.setting.object_qpos
        pose = np.asarray(self.sim.qpos)[:, start : start + 7].astype(float)
        x, y, z = (pose[:, :3] - self.reference[:, :3]).T
        q, r = pose[:, 3:], self.reference[:, 3:]
        side = np.where(q[:, 0] * r[:, 0] + q[:, 1] * r[:, 1] + q[:, 2] * r[:, 2] + q[:, 3] * r[:, 3] < 0, -1.0, 1.0)
        a, b, c, d = (q - side[:, None] * r).T
        chord = np.minimum(np.sqrt(a * a + b * b + c * c + d * d) / 2, 1.0)
        return np.sqrt(x * x + y * y + z * z), 4 * np.arcsin(chord)

    def _note(self, busy: NDArray[np.bool_], taken: Taken, moved: NDArray[np.float64], turned: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Adds the step to the verdicts; which environments it ends, because it left their state as it was."""
        now, loading = self.now, self.phase >= 0
        self.good += taken.good
        self.all_converged &= (taken.status & _CONVERGED) != 0
        now.steps[:] += taken.steps
        now.status[:] |= taken.status
        for total, values in ((now.residual, taken.residual), (now.deepest_overlap, taken.overlap)):
            np.maximum(total, values, out=total)
        for total, values in ((now.displacement, moved), (now.rotation, turned)):
            np.maximum(total, values, out=total, where=loading)
        kept = busy & ((taken.status & _STATE_KEPT) != 0)
        now.why[kept] |= bit(Why.FAILED_STEPS)
        return kept

    def _depths(self, ids: Ids) -> NDArray[np.float64]:
        """How deep hand and object overlap in their deepest contact [m] (ids)."""
        geom, gap, used = used_contacts(self.sim, ids, "geom", "gap")
        of_object, of_hand = np.isin(geom, self.object_geoms), np.isin(geom, self.hand_geoms)
        both = used & ((of_object[..., 0] & of_hand[..., 1]) | (of_object[..., 1] & of_hand[..., 0]))
        return np.where(both, -gap, 0.0).max(axis=1, initial=0.0)

    def _note_losses(self, ids: Ids, moved: NDArray[np.float64], turned: NDArray[np.float64], far: NDArray[np.bool_], round_: NDArray[np.bool_]) -> None:
        if not len(ids):
            return
        now, phase = self.now, self.phase[ids]
        now.displacement[ids] = np.maximum(now.displacement[ids], moved[ids])
        now.rotation[ids] = np.maximum(now.rotation[ids], turned[ids])
        now.why[ids] |= np.where(far[ids], bit(Why.MOVED), _NOTHING) | np.where(round_[ids], bit(Why.TURNED), _NOTHING)
        now.why[ids] |= np.where(phase == CLOSING, bit(Why.CLOSING), _NOTHING)
        now.time_of_loss[ids] = (self.k[ids] + 1) * self.protocol.step_size
        now.direction[ids] = np.maximum(phase, -1)

    def _advance(self, busy: NDArray[np.bool_], knocked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Counts the step; which environments are through with their phase: at rest, or out of time. A hand that is at rest before
        its fingers are where they aim is stopped by the object: what is left of their way comes at once. Motion that slows down is
        rest under a load alone, as forces of a closed hand are those of what no longer moves."""
        protocol, loading = self.protocol, self.phase >= 0
        self.rest.add(np.asarray(self.sim.qvel, float)[:, self.setting.dofs], np.where(loading, protocol.load_time, 0.0))
        self.rest.begin(np.flatnonzero(knocked))
        still = self.rest.steps >= protocol.rest_steps
        stopped = np.flatnonzero(still & (self.phase == CLOSING) & (self.k + 1 < self.closing_steps))
        still[stopped] = self._press_already(stopped)
        per_word = protocol.steps(protocol.load_time)
        skip = still & loading & (protocol.frequency == 0)
        hurry = stopped[~still[stopped] & self._close_quickly(stopped)]
        following = np.where(skip, (self.k // per_word + 1) * per_word, self.k + 1)
        following[hurry] = self.closing_steps - 1
        limit = np.where(loading, self.length[np.maximum(self.phase, 0)], self.closing_limit)
        ended = busy & ((following >= limit) | (still & ~loading))
        self.rest.begin(np.flatnonzero(skip))
        self.rest.begin(hurry)
        self.k = following
        return ended

    def _press_already(self, ids: Ids) -> NDArray[np.bool_]:
        """In which environments, all at rest, the rest of the closing changes no force: actuators are at their limits already, and
        stay there, or have arrived (ids)."""
        if not len(ids):
            return np.zeros(0, bool)
        model, params = self.sim.model, self.sim.params
        share = ((self.k[ids] + 1.0) / self.closing_steps)[:, None]
        now, end = self.open[ids] + share * (self.shut[ids] - self.open[ids]), self.shut[ids]
        length = (np.asarray(self.sim.qpos, float)[ids][:, None, :] * self.lengths).sum(axis=2)
        asked = [np.asarray(params.kp)[ids] * (model.actuator_gain * ctrl + model.actuator_bias - length) for ctrl in (now, end)]
        least, most = np.moveaxis(np.asarray(params.force_range)[ids], 2, 0)
        limited = (model.actuator_force_limited > 0) & (model.actuator_kind == POSITION)
        at_limit = limited & ((np.minimum(*asked) >= most) | (np.maximum(*asked) <= least))
        return (at_limit | (now == end)).all(axis=1)

    def _close_quickly(self, ids: Ids) -> NDArray[np.bool_]:
        """In which environments a finger that follows its actuator is clearly not at rest (ids)."""
        model = self.sim.model
        rate = np.abs(model.actuator_gain * (self.shut[ids] - self.open[ids])) / (self.closing_steps * self.protocol.step_size)
        return ((rate == 0) | (rate > 2 * self.slowest) | (model.actuator_kind != POSITION)).all(axis=1)

    # --- what follows

    def _keep_closed(self, ids: Ids) -> Ids:
        """Keeps the closed states; the environments whose hand presses on the object."""
        if not len(ids):
            return ids
        for name, values in self.sim.state(ids).items():
            self.closed[name][ids] = values
        names = ("geom", "position", "frame", "friction", "force")
        *arrays, used = used_contacts(self.sim, ids, *names)
        found: dict[str, NDArray[Any]] = dict(zip(names, arrays, strict=True))
        found["geom"] = np.where(used[..., None], found["geom"], -1)
        center = self._centers(ids)
        pressing = loaded_contacts(found, self.object_geoms, self.hand_geoms, center)
        holds = pressing.count > 0
        self.now.why[ids[~holds]] |= bit(Why.NO_CONTACT)
        if self.quality and holds.any():
            length = self._lengths(self.grasp[ids[holds]])
            found_quality = pressing.select(holds).quality(length, facets=_FACETS)
            self.now.closure[ids[holds]], self.now.epsilon[ids[holds]] = found_quality.closure, found_quality.epsilon
        self._finish(ids[~holds])
        return ids[holds]

    def _centers(self, ids: Ids) -> NDArray[np.float64]:
        """Centre of mass of the object [m] (ids, 3)."""
        pose = self.sim.body(self.setting.object).pose[ids].astype(float)
        com = np.asarray(self.sim.params.com)[ids, self.setting.object].astype(float)
        return pose[:, :3] + rotate(pose[:, 3:], com)

    def _lengths(self, grasps: Ids) -> NDArray[np.float64]:
        """Farthest point of the object from its centre of mass [m]."""
        models = [one.model for one in self.setting.scene.variants] or [self.sim.model]
        return np.array([model.body_radius[self.setting.object] for model in models])[self.stages.variant[grasps]]

    def _finish(self, ids: Ids) -> None:
        """Writes the last of the verdicts, and gives the environments their next grasps."""
        if not len(ids):
            return
        v = self.now.at(ids)
        v.converged[:] = self.good[ids] / v.steps
        v.why[v.converged < 1 - self.protocol.failed_share] |= bit(Why.FAILED_STEPS)
        v.status[~self.all_converged[ids]] &= ~_CONVERGED
        v.held[:] = v.why == 0
        v.time_of_loss[~v.held & (self.phase[ids] == CLOSING)] = 0.0
        self.verdicts.put(self.grasp[ids], v)
        self.finished.append(ids)

    def _go_on(self, failed: Ids, closed: Ids, held: Ids) -> None:
        """The next load, or the next grasp."""
        last = self.phase[held] + 1 >= len(self.length)
        self._finish(failed)
        self._finish(held[last])
        following = np.sort(np.concatenate([closed, held[~last]]))
        if len(following):
            self._load(following)
        if self.finished:
            done = np.sort(np.concatenate(self.finished))
            self.finished = []
            self._take_grasps(done)
