"""A sampling planner for a task: MPPI (Williams et al. 2017) whose spread follows the elites, as in CEM.

    S_k = mean over t of p(x_t) + p(x_T)              score of sequence k: the task's progress p [m] or [rad]
    w_k = exp((S_k - max S) / temperature) / Z        weights of the sequences
    u  <- sum_k w_k u_k                               the plan, in knots that are held for several steps

After a success at step t every remaining step adds `arrival` to the score, so that plans arrive early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import stiction
from stiction.envs.task import Snapshot, Task


@dataclass(frozen=True)
class Settings:
    """Settings of the search; the defaults are usable for pushing."""

    samples: int = 128  # sequences of a problem
    horizon: int = 15  # actions
    hold: int = 3  # actions a knot is held
    iterations: int = 2
    spread: float = 0.8  # standard deviation of the first iteration's knots, of actions in [-1, 1]
    narrowing: float = 0.5  # of the spread from one iteration to the next
    temperature: float = 0.003  # in units of the score
    arrival: float = 0.02  # of the score, for every step after a success


class SamplingPlanner:
    """Plans for several problems at once: one simulator of problems x samples environments.

    Args:
        task: the task whose scene, actions, progress and success the rollouts use.
        problems: number of states for which the planner plans together.
        settings: settings of the search.
        seed: seed of the sampled sequences.
        simulator: keyword arguments of `stiction.Simulator`.

    Attributes:
        sim: the simulator of problems x samples environments.
        mean: the plan in knots (problems, knots, action_size).
        steps: number of steps simulated so far, in all environments together.
    """

    def __init__(
        self, task: Task, problems: int = 1, settings: Settings | None = None, seed: int = 0, **simulator: Any
    ) -> None:
        self.task, self.settings = task, settings or Settings()
        self.scene, self.simulator = task.load(), simulator
        task.prepare(self.scene)
        self.rng = np.random.default_rng(seed)
        self._open(problems)
        self.knots = -(-self.settings.horizon // self.settings.hold)
        self.mean = np.zeros((problems, self.knots, task.action_size))
        self.steps = 0  # simulated so far, of all environments

    def plan(self, qpos: np.ndarray, ctrl: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """Continues the search from the last plan.

        Args:
            qpos: present configurations of the problems (problems, nq).
            ctrl: present commands (problems, nu).
            goal: goals, as the task defines them (problems, goal_size).

        Returns:
            Actions in [-1, 1] (problems, horizon, action_size).
        """
        s, spread = self.settings, self.settings.spread
        for _ in range(s.iterations):
            knots = self._sample(spread)
            score = self._score(np.repeat(knots, s.hold, axis=2)[:, :, : s.horizon], qpos, ctrl, goal)
            weight = np.exp((score - score.max(1, keepdims=True)) / s.temperature)
            weight /= weight.sum(1, keepdims=True)
            self.mean = np.einsum("ps,pska->pka", weight, knots)
            spread *= s.narrowing
        return np.repeat(self.mean, s.hold, axis=1)[:, : s.horizon]

    def advance(self, actions: int) -> None:
        """Shifts the kept plan by the number of `actions` (a multiple of `hold`) that were carried out."""
        knots = actions // self.settings.hold
        self.mean = np.concatenate([self.mean[:, knots:], np.zeros_like(self.mean[:, :knots])], axis=1)

    def keep(self, problems: np.ndarray) -> None:
        """Continues with some of the problems, given as ids or a mask, in a smaller simulator."""
        self.mean = self.mean[problems]
        self.sim.close()
        self._open(len(self.mean))

    def _open(self, problems: int) -> None:
        batch = problems * self.settings.samples
        self.sim = stiction.Simulator(self.scene, batch=batch, device="cpu", **self.simulator)
        self.problems = problems

    def _sample(self, spread: float) -> np.ndarray:
        """Knots (problems, samples, knots, action_size): the plan, no motion, and random knots around the plan."""
        shape = (self.problems, self.settings.samples, self.knots, self.task.action_size)
        noise = spread * self.rng.standard_normal(shape)
        noise[:, 0] = 0
        noise[:, 1] = -self.mean
        return np.clip(self.mean[:, None] + noise, -1, 1)

    def _score(self, actions: np.ndarray, *state: np.ndarray) -> np.ndarray:
        """Scores (problems, samples) of sequences (problems, samples, horizon, action_size)."""
        horizon, batch = actions.shape[2], self.sim.batch
        qpos, ctrl, goal = (np.repeat(a, self.settings.samples, axis=0) for a in state)
        self.sim.reset(qpos=qpos)
        self.sim.ctrl[...] = ctrl
        now = Snapshot(np, self.sim.qpos, self.sim.ctrl, self.sim.body_pose, goal)
        total, progress, arrived = np.zeros(batch), np.zeros(batch), np.zeros(batch, bool)
        for t in range(horizon):
            status = self.sim.step(self.task.command(now, actions[:, :, t].reshape(batch, -1)))
            progress = np.where((status & int(stiction.Status.FAILED)) == 0, self.task.progress(now), -np.inf)
            arrived |= self.task.success(now)
            total += progress / horizon + self.settings.arrival * arrived
        self.steps += batch * horizon
        return (total + progress).reshape(self.problems, -1)
