"""The same world in MuJoCo: its own batch interface, mujoco.rollout, for one environment and for many."""

import copy
import time
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

KINDS = mujoco.mjtIntegrator
INTEGRATORS = {"euler": KINDS.mjINT_EULER, "implicitfast": KINDS.mjINT_IMPLICITFAST, "implicit": KINDS.mjINT_IMPLICIT,
               "rk4": KINDS.mjINT_RK4, "discrete": KINDS.mjINT_DISCRETE}
CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
CHUNK = 2000        # steps of one call: the states of a long run need not fit into memory


@dataclass
class Contact:
    """How hard contacts are. Where `refsafe` is off, time constants below two steps count as they are."""
    steps: float = 0.0        # time constant [steps]; 0: as the model has it [s]
    hard: bool = False        # impedance 0.99 to 0.999, else as the model has it
    impratio: float = 1.0     # of elliptic cones
    refsafe: bool = True


CONTACTS = {"default": Contact(),
            "firm": Contact(steps=2.0, hard=True, impratio=100.0),
            "firm 2h": Contact(steps=2.0, hard=True)}
# the discrete integrator evaluates springs at the end of the step and is stable at any time constant
UNCLAMPED = {"default unclamped": Contact(refsafe=False),
             "firm 20ms": Contact(hard=True, refsafe=False),
             "firm h": Contact(steps=1.0, hard=True, refsafe=False),
             "firm h/2": Contact(steps=0.5, hard=True, refsafe=False)}


def prepare(world, integrator, cone, contact, step):
    """The model with these options."""
    model, chosen = copy.copy(world.model), (CONTACTS | UNCLAMPED)[contact]
    model.opt.timestep, model.opt.integrator, model.opt.cone = step, INTEGRATORS[integrator], CONES[cone]
    if chosen.steps:
        model.geom_solref[:] = [chosen.steps * step, 1.0]
    if chosen.hard:
        model.geom_solimp[:, :2] = [0.99, 0.999]
    if cone == "elliptic":
        model.opt.impratio = chosen.impratio
    if not chosen.refsafe:
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
    return model


def choice_of(row):
    """(integrator, cone, contact, step) of a row of the front."""
    return (*row["method"].split(", "), row["step_s"])


def initial_state(world, model, data):
    mujoco.mj_resetData(model, data)
    data.qpos[:] = world.start
    state = np.zeros(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    return state


def controls(world, step):
    """ctrl (steps, nu) of the times where the steps end."""
    return world.command(step * np.arange(1, round(world.duration / step) + 1))


def simulate(world, integrator, cone, contact, step, limit=np.inf):
    """(time, qpos, processor seconds) of one environment on one thread; ends early where a cube is lost or the limit is over."""
    model = prepare(world, integrator, cone, contact, step)
    data, every = mujoco.MjData(model), max(1, round(0.02 / step))
    state, ctrl, used = initial_state(world, model, data), controls(world, step), 0.0
    rows, times = [world.start[None]], [0.0]
    for first in range(0, len(ctrl), CHUNK):
        begin = time.process_time()
        states, _ = rollout.rollout(model, data, state[None], ctrl[None, first : first + CHUNK])
        used += time.process_time() - begin
        state = states[0, -1].copy()
        kept = [k for k in range(len(states[0])) if (first + k + 1) % every == 0]
        rows.append(states[0, kept, 1 : 1 + model.nq])
        times += [(first + k + 1) * step for k in kept]
        if data.warning.number.any():  # unstable: from here on the rollout repeats a state
            return np.array(times[:1]), rows[0], used
        if used > limit or not np.abs(rows[-1]).max(initial=0.0) < 10:
            break
    return np.array(times), np.concatenate(rows), used


def figures(world, integrator, cone, contact, step, most=2.0):
    """Means over the steps of the first `most` seconds of wall clock: contacts, solver iterations, gradient it stopped at."""
    model = prepare(world, integrator, cone, contact, step)
    data = mujoco.MjData(model)
    initial_state(world, model, data)
    found, begin = [], time.perf_counter()
    for ctrl in controls(world, step):
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data)
        last = max(0, min(data.solver_niter[0], mujoco.mjNSOLVER) - 1)
        found.append((data.ncon, data.solver_niter[0], data.solver.gradient[last]))
        if time.perf_counter() - begin > most:
            break
    contacts, iterations, gradient = np.array(found).T
    return contacts.mean(), iterations.mean(), gradient.max()


def throughput(world, integrator, cone, contact, step, environments, threads):
    """Environment-steps per wall second of a batch."""
    model = prepare(world, integrator, cone, contact, step)
    data = [mujoco.MjData(model) for _ in range(threads)]
    state = initial_state(world, model, data[0])
    ctrl = controls(world, step)
    with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
        begin = time.perf_counter()
        pool.rollout(model, data, np.tile(state, (environments, 1)), np.tile(ctrl, (environments, 1, 1)))
        return environments * len(ctrl) / (time.perf_counter() - begin)
