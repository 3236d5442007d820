"""Many environments at once: the fastest methods at equal error, ours, by mujoco.rollout and in MuJoCo Warp."""

import mujoco_peer
import ours
import warp_peer
from runs import fastest

COLUMNS = ["scene", "error_m", "simulator", "method", "step_s", "environments", "threads", "steps_per_s", "simulated_s_per_s"]
ERRORS = [0.001, 0.003]    # mean error at most, by the front [m]
ENVIRONMENTS = 64
REPEATS = 3                # the fastest counts
WARP_SECONDS = 4.0


def of_peers(program, world, ours_best, theirs_best, our_methods, threads):
    """(run of the front, name, environments, threads, environment-steps/s)."""
    for n in sorted({1, threads}):
        if ours_best:
            options = our_methods[ours_best["method"]][1].split()
            rate = max(ours.simulate(program, world, ours_best["step_s"], options, ENVIRONMENTS, n).rate for _ in range(REPEATS))
            yield ours_best, "stiction", ENVIRONMENTS, n, rate
        if theirs_best:
            choice = mujoco_peer.choice_of(theirs_best)
            rate = max(mujoco_peer.throughput(world, *choice, ENVIRONMENTS, n) for _ in range(REPEATS))
            yield theirs_best, "MuJoCo rollout", ENVIRONMENTS, n, rate

def of_warp(world, theirs_best):
    """The same of MuJoCo Warp."""
    for environments in (1, ENVIRONMENTS):
        rate, device, apart = warp_peer.throughput(world, *mujoco_peer.choice_of(theirs_best), environments, WARP_SECONDS)
        print(f"  MuJoCo Warp ends within {apart:.1e} of MuJoCo's qpos")
        yield theirs_best, f"MuJoCo Warp on {device}", environments, 1, rate


def measure(program, world, rows, our_methods, threads):
    """`rows` are the front's."""
    found = []
    for error in ERRORS:
        best = [fastest(rows, world.name, simulator, error) for simulator in ("stiction", "MuJoCo")]
        runs = list(of_peers(program, world, *best, our_methods, threads))
        if best[1] and error == ERRORS[-1]:
            runs += of_warp(world, best[1])
        for run, name, environments, used, rate in runs:
            step = run["step_s"]
            found.append(dict(zip(COLUMNS, [world.name, error, name, run["method"], step, environments, used, rate, rate * step])))
            print(f"  {name:24s} {environments:4d} environments, {used} threads: {rate:9.0f} steps/s, x{rate * step:8.1f}", flush=True)
    return found
