"""Trains a policy that pushes a T to a place, on two CPU cores in a few minutes.

    python examples/train_push.py --seeds 0 1 2 --out out

For every seed: a learning curve (CSV), and the share of 100 starts that training never saw in which the policy
succeeds, beside a random policy's. Needs `pip install '.[learn]'`, from the checkout.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products of 64 columns: more threads take five times as long

import numpy as np
import stiction.envs
from numpy.typing import NDArray
from ppo import Learner, Policy, Settings

Array: TypeAlias = NDArray[Any]
Row: TypeAlias = tuple[int, float, int, float]  # seed, seconds, environment steps, share of episodes that succeeded

UNSEEN = 2**40  # seeds of the starts that are judged; training has those from 1,000,000 seed on


def main() -> None:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    chance = judge(options.id, lambda seen: np.random.default_rng(0).uniform(-1, 1, (len(seen), 2)))
    print(f"random policy: {chance:.0f} of 100 unseen starts", flush=True)
    rows: list[Row] = []
    for seed in options.seeds:
        begun, processor = time.perf_counter(), time.process_time()
        policy, curve = train(options, seed)
        spent = f"{time.perf_counter() - begun:.0f} s, {time.process_time() - processor:.0f} s of processor time"
        print(f"seed {seed}: {judge(options.id, policy.act):.0f} of 100 unseen starts; {spent}", flush=True)
        rows += [(seed, *row) for row in curve]
    with (options.out / "train_push.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("seed", "seconds", "steps", "success"), *rows])
    plot(rows, options.out / "train_push.png", options.id)


def train(options: argparse.Namespace, seed: int) -> tuple[Policy, list[tuple[float, int, float]]]:
    """A policy and its learning curve: seconds, environment steps, share of episodes that succeeded."""
    envs = stiction.envs.make_vec(options.id, options.num_envs, threads=options.threads)
    learner = Learner(envs, seed * 1_000_000, Settings())
    curve: list[tuple[float, int, float]] = []
    begun, per_update = time.perf_counter(), options.num_envs * learner.settings.horizon
    updates = options.steps // per_update
    ended = succeeded = 0
    for k in range(updates):
        learner.update(k / updates)
        ended, succeeded = ended + learner.ended, succeeded + learner.succeeded
        if (k + 1) % 10 == 0:
            share = succeeded / max(ended, 1)
            curve.append((round(time.perf_counter() - begun, 1), (k + 1) * per_update, round(share, 4)))
            ended = succeeded = 0
            if options.verbose:
                print(*curve[-1], learner.policy.log_std.round(2), flush=True)
    envs.close()
    return learner.policy, curve


def judge(id: str, act: Callable[[Array], Array], count: int = 100) -> float:
    """Of `count` unseen starts, in which share [%] the policy succeeds within one episode."""
    envs = stiction.envs.make_vec(id, count, seed=UNSEEN)
    observation, _ = envs.reset()
    open_, won = np.ones(count, bool), np.zeros(count, bool)
    while open_.any():
        observation, _, terminated, truncated, info = envs.step(act(observation))
        done = terminated | truncated
        if done.any():
            won |= open_ & done & info["final_info"]["success"]
            open_ &= ~done
    envs.close()
    return 100 * float(won.mean())


def plot(rows: list[Row], path: Path, id: str) -> None:
    """Share of training episodes that succeed, over time, a line a seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure: Any
    axes: Any
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    for seed in sorted({row[0] for row in rows}):
        mine = [row for row in rows if row[0] == seed]
        axes.plot([row[1] for row in mine], [100 * row[3] for row in mine], label=f"seed {seed}")
    axes.set(xlabel="time [s]", ylabel="episodes that succeed [%]", ylim=(0, 100), title=id)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--id", default="stiction/PushTPosition-v0", help="the task")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=1_500_000, help="environment steps of a seed")
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--verbose", action="store_true", help="a line every ten updates")
    return parser.parse_args()


if __name__ == "__main__":
    main()
