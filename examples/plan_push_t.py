"""Solves Push-T by planning: every few steps thousands of rollouts, of which the best are carried out.

    python examples/plan_push_t.py --starts 100

Prints how many of the starts end with the T in its place. All starts are planned for together, in one simulator.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, TypeAlias

import numpy as np
import stiction.envs
from numpy.typing import NDArray
from stiction.envs.vector_env import VectorEnv
from stiction.planning import SamplingPlanner, Settings

Array: TypeAlias = NDArray[Any]


def main() -> None:
    options = _options()
    begun = time.perf_counter()
    won, planner, actions = solve(options)
    seconds = time.perf_counter() - begun
    processor = time.process_time()
    print(f"{won.sum()} of {len(won)} starts solved in {seconds:.0f} s, {processor:.0f} s of processor time")
    print(f"{actions.mean():.0f} actions on average, at most {actions.max():.0f}; "
          f"{planner.steps / 1e6:.2f} million rollout steps, {planner.steps / seconds:.0f} a second")  # fmt: skip


def solve(options: argparse.Namespace) -> tuple[Array, SamplingPlanner, Array]:
    """Which starts were solved (starts,) of bool, the planner, and the actions each took (starts,)."""
    settings = Settings(samples=options.samples, iterations=options.iterations)
    envs = stiction.envs.make_vec(options.id, options.starts, seed=options.seed, autoreset="disabled")
    planner = SamplingPlanner(envs.task, options.starts, settings, threads=options.threads)
    envs.reset()
    won, actions = np.zeros(options.starts, bool), np.zeros(options.starts)
    open_: Array = np.arange(int(options.starts))
    while len(open_):
        now, plan = envs.episodes.snapshot(), np.zeros((options.starts, settings.horizon, envs.task.action_size))
        plan[open_] = planner.plan(now.qpos[open_], now.ctrl[open_], now.goal[open_])
        planner.advance(settings.hold)
        done = np.zeros(options.starts, bool)
        for t in range(settings.hold):
            actions[open_] += ~done[open_]
            _, _, terminated, truncated, info = envs.step(plan[:, t])
            won[open_] |= info["success"][open_] & ~done[open_]
            done |= terminated | truncated
            _restart(envs, terminated | truncated)
        if done[open_].any() and not done[open_].all():
            planner.keep(~done[open_])
        open_ = open_[~done[open_]]
        if options.verbose:
            print(f"{won.sum()} solved, {len(open_)} open after {actions.max():.0f} actions", flush=True)
    return won, planner, actions


def _restart(envs: VectorEnv, done: Array) -> None:
    """What has ended goes on with an episode that does not count."""
    if done.any():
        envs.reset(options={"reset_mask": done})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--id", default="stiction/PushT-v0", help="the task")
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the starts")
    parser.add_argument("--samples", type=int, default=128, help="rollouts a start and iteration")
    parser.add_argument("--iterations", type=int, default=2)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--verbose", action="store_true", help="a line every plan")
    return parser.parse_args()


if __name__ == "__main__":
    main()
