"""How long grasps take to their verdicts, how much of that is outside of the simulator's steps, and what the steps did."""

import importlib
import threading
import time

import grasp_sets
import numpy as np
from stiction import grasp
from stiction.grasp.pool import IDLE, Pool

evaluation = importlib.import_module("stiction.grasp.evaluate")  # the file: the package has a function of this name
COUNT, STEPS = 2000, (20.0, 10.0)  # grasps of each gripper, step sizes [ms]


class Meter:
    """What happened in the steps of a pass: sums over environments that had a grasp, and times [s] of all pools; `own_seconds` is what
    looking took."""

    def __init__(self):
        self.step_seconds = self.own_seconds = self.pool_seconds = 0.0
        self.pools = 0
        self.lock = threading.Lock()
        self.busy = self.contacts = self.iterations = self.places = 0

    def pool(self, sim, fine, *arguments):
        """A pool that is measured."""
        if fine is not None:
            fine.step = self.timed(fine.step)
        pool, step = Pool(sim, fine, *arguments), self.timed(sim.step)

        def metered(ctrl):
            status = step(ctrl)
            begin = time.perf_counter()
            with self.lock:
                self.note(sim, pool.phase != IDLE)
                self.own_seconds += time.perf_counter() - begin
            return status

        def run(progress):
            begin = time.perf_counter()
            verdicts = judge(progress)
            with self.lock:
                self.pools, self.pool_seconds = self.pools + 1, self.pool_seconds + time.perf_counter() - begin
            return verdicts

        sim.step, judge, pool.run = metered, pool.run, run
        return pool

    def timed(self, step):
        """The step, which adds to the time of steps."""

        def metered(ctrl):
            begin = time.perf_counter()
            status = step(ctrl)
            with self.lock:
                self.step_seconds += time.perf_counter() - begin
            return status

        return metered

    def outside_share(self):
        """Of a pool's time, what is not spent in steps."""
        return 1 - self.step_seconds / (self.pool_seconds - self.own_seconds)

    def note(self, sim, busy):
        self.places += len(busy)
        self.busy += int(busy.sum())
        self.contacts += int(np.asarray(sim.contacts.count)[busy].sum())
        self.iterations += int(np.asarray(sim.stats.iterations)[busy].sum())


def metered(chosen, step, batch, threads):
    """(verdicts, meter, wall seconds, processor seconds) of a pass, without what looking took."""
    meter, usual = Meter(), evaluation.Pool
    evaluation.Pool = meter.pool
    try:
        wall, process = time.perf_counter(), time.process_time()
        found = grasp.evaluate(chosen.scene, chosen.grasps, grasp_sets.PROTOCOL | {"step_size": 1e-3 * step}, variant=chosen.variant,
                               batch=batch, threads=threads)  # fmt: skip
        wall, process = time.perf_counter() - wall, time.process_time() - process
    finally:
        evaluation.Pool = usual
    return found, meter, wall - meter.own_seconds / meter.pools, process - meter.own_seconds


def measure(options):
    """Rows of grasp_speed.csv: each gripper, step size and batch."""
    for gripper in options.grippers:
        chosen = grasp_sets.grasp_set(gripper, options.count or COUNT, options.seed, grasp_sets.FEW_OBJECTS[gripper])
        for step in options.steps or STEPS:
            for batch in options.batches:
                row = row_of(chosen, step, batch, options.threads, *metered(chosen, step, batch, options.threads))
                print(" ".join(f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in row.items()), flush=True)
                yield {"speed": [row]}


def row_of(chosen, step, batch, threads, found, meter, wall, process):
    steps = int(found.steps.sum())
    return {
        "gripper": chosen.gripper, "objects": " ".join(chosen.objects), "grasps": len(chosen), "step_ms": step, "batch": batch,
        "threads": threads, "wall_s": wall, "process_s": process, "ms_a_grasp": 1e3 * process / len(chosen),
        "held": float(found.held.mean()), "steps_a_grasp": steps / len(chosen), "contacts": meter.contacts / meter.busy,
        "iterations": meter.iterations / meter.busy, "converged": float(found.converged @ found.steps / steps),
        "residual": float(found.residual.max()), "outside_share": meter.outside_share(), "idle_share": 1 - meter.busy / meter.places,
    }  # fmt: skip
