"""Proximal policy optimisation in NumPy (Schulman et al. 2017): two small networks, Adam, generalised advantages.

    L = E[ min(r A, clip(r, 1 - c, 1 + c) A) ],   r = pi(a|s) / pi_old(a|s)                            (7)
    A_t = sum_l (gamma lambda)^l (r_{t+l} + gamma V(s_{t+l+1}) - V(s_{t+l}))                           (11)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from stiction.envs.vector_env import VectorEnv

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Settings:
    """Usable as they are for continuous actions in [-1, 1] and rewards of the order of one an episode."""

    horizon: int = 16  # steps of every environment between updates
    discount: float = 0.98  # gamma
    trace: float = 0.95  # lambda
    clip: float = 0.2  # c
    epochs: int = 4  # passes over the samples of an update
    minibatches: int = 8
    rate: float = 1e-3  # of Adam, falling linearly to a tenth
    entropy: float = 0.003  # weight
    hidden: tuple[int, ...] = (64, 64)


class Network:
    """A perceptron with tanh layers, and its gradient."""

    def __init__(self, sizes: tuple[int, ...], last_scale: float, rng: np.random.Generator) -> None:
        scales = [1.0 / np.sqrt(n) for n in sizes[:-1]]
        scales[-1] *= last_scale
        pairs = zip(sizes[:-1], sizes[1:], scales, strict=True)
        self.weights = [(s * rng.standard_normal((m, n))).astype(np.float32) for m, n, s in pairs]
        self.biases = [np.zeros(n, np.float32) for n in sizes[1:]]

    @property
    def parameters(self) -> list[Array]:
        return self.weights + self.biases

    def __call__(self, x: Array) -> Array:
        return self.layers(x)[-1]

    def layers(self, x: Array) -> list[Array]:
        """Input, what every hidden layer says, and the output."""
        out = [x]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            out.append(np.tanh(out[-1] @ weight + bias))
        return [*out, out[-1] @ self.weights[-1] + self.biases[-1]]

    def gradient(self, layers: list[Array], by_output: Array) -> list[Array]:
        """Of a loss, by the parameters, from that by the output (n, outputs)."""
        by_weights: list[Array] = []
        by_biases: list[Array] = []
        for k in reversed(range(len(self.weights))):
            by_weights.insert(0, layers[k].T @ by_output)
            by_biases.insert(0, by_output.sum(0))
            by_output = (by_output @ self.weights[k].T) * (1 - layers[k] ** 2)
        return by_weights + by_biases


class Adam:
    """Kingma and Ba 2015, with the gradient's norm bounded by one."""

    def __init__(self, parameters: list[Array]) -> None:
        self.parameters, self.count = parameters, 0
        self.mean = [np.zeros_like(p) for p in parameters]
        self.square = [np.zeros_like(p) for p in parameters]

    def step(self, gradient: list[Array], rate: float) -> None:
        self.count += 1
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradient))
        step = rate * np.sqrt(1 - 0.999**self.count) / (1 - 0.9**self.count)
        for p, g, m, s in zip(self.parameters, gradient, self.mean, self.square, strict=True):
            g = g / max(norm, 1.0)
            m += 0.1 * (g - m)
            s += 0.001 * (g * g - s)
            p -= step * m / (np.sqrt(s) + 1e-8)


@dataclass
class Policy:
    """A normal distribution whose mean a network says; observations are shifted and scaled by what training saw."""

    network: Network
    log_std: Array  # (actions,)
    mean: Array  # of the observations
    std: Array

    def normalised(self, observation: Array) -> Array:
        return np.clip((observation - self.mean) / self.std, -8, 8)

    def act(self, observation: Array) -> Array:
        """The likeliest action (batch, actions)."""
        return self.network(self.normalised(observation))

    def log_density(self, mean: Array, action: Array) -> Array:
        """Up to a constant (batch,)."""
        return -(0.5 * ((action - mean) * np.exp(-self.log_std)) ** 2 + self.log_std).sum(-1)


@dataclass
class Samples:
    """What one update learns from: rows of (horizon, batch, ...)."""

    observation: list[Array] = field(default_factory=list[Array])
    action: list[Array] = field(default_factory=list[Array])
    log_density: list[Array] = field(default_factory=list[Array])
    value: list[Array] = field(default_factory=list[Array])
    reward: list[Array] = field(default_factory=list[Array])
    done: list[Array] = field(default_factory=list[Array])


class Learner:
    """Learns a policy on a gymnasium vector environment that starts anew in the same step."""

    def __init__(self, envs: VectorEnv, seed: int, settings: Settings | None = None) -> None:
        self.envs, self.settings, self.rng = envs, settings or Settings(), np.random.default_rng(seed)
        seen, actions = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
        hidden = self.settings.hidden
        actor = Network((seen, *hidden, actions), 0.01, self.rng)
        self.critic = Network((seen, *hidden, 1), 1.0, self.rng)
        self.observation, _ = envs.reset(seed=seed)
        mean, std = np.zeros(seen, np.float32), np.ones(seen, np.float32)
        self.policy = Policy(actor, np.full(actions, -0.5, np.float32), mean, std)
        self.adam = Adam([*actor.parameters, self.policy.log_std, *self.critic.parameters])
        self.ended, self.succeeded, self.seen = 0, 0, 0

    def update(self, progress: float) -> None:
        """Collects a horizon of samples and learns from them. `progress`: share of the training that is done."""
        self.ended, self.succeeded = 0, 0
        samples, last_value = self._collect()
        advantage, target = self._advantages(samples, last_value)
        self._learn(samples, advantage, target, self.settings.rate * (1 - 0.9 * progress))

    def _collect(self) -> tuple[Samples, Array]:
        samples, policy = Samples(), self.policy
        for _ in range(self.settings.horizon):
            self._follow(self.observation)
            x = policy.normalised(self.observation)
            mean, value = policy.network(x), self.critic(x)[:, 0]
            action = mean + np.exp(policy.log_std) * self.rng.standard_normal(mean.shape, np.float32)
            observation, reward, terminated, truncated, info = self.envs.step(action)
            reward = reward.astype(np.float32) + self._beyond(truncated, info)
            row = (x, action, policy.log_density(mean, action), value, reward, terminated | truncated)
            for name, values in zip(samples.__dataclass_fields__, row, strict=True):
                getattr(samples, name).append(values)
            self.observation = observation
        return samples, self.critic(policy.normalised(self.observation))[:, 0]

    def _follow(self, observation: Array) -> None:
        """Mean and spread of the observations of the first updates; fixed after two million."""
        if self.seen > 2_000_000:
            return
        n, policy = len(observation), self.policy
        share = n / (self.seen + n)
        moved = observation.mean(0) - policy.mean
        variance = (policy.std**2 if self.seen else 0) * (1 - share) + observation.var(0) * share
        policy.mean = policy.mean + share * moved
        policy.std = np.sqrt(variance + share * (1 - share) * moved**2).clip(0.01)
        self.seen += n

    def _beyond(self, truncated: Array, info: dict[str, Any]) -> Array:
        """What a cut episode would still have earned, and the count of successes."""
        extra = np.zeros(len(truncated), np.float32)
        if "final_info" in info:
            self.ended += int(info["_final_info"].sum())
            self.succeeded += int(info["final_info"]["success"].sum())
        if truncated.any():
            last = np.stack(list(info["final_obs"][truncated]))
            extra[truncated] = self.settings.discount * self.critic(self.policy.normalised(last))[:, 0]
        return extra

    def _advantages(self, samples: Samples, value: Array) -> tuple[Array, Array]:
        discount, trace = self.settings.discount, self.settings.trace
        advantages: list[Array] = []
        running = np.zeros_like(value)
        for t in reversed(range(len(samples.reward))):
            alive = 1 - samples.done[t].astype(np.float32)
            error = samples.reward[t] + discount * alive * value - samples.value[t]
            running = error + discount * trace * alive * running
            advantages.insert(0, running)
            value = samples.value[t]
        advantage = np.concatenate(advantages)
        return advantage, advantage + np.concatenate(samples.value)

    def _learn(self, samples: Samples, advantage: Array, target: Array, rate: float) -> None:
        x, action, old = (np.concatenate(a) for a in (samples.observation, samples.action, samples.log_density))
        for _ in range(self.settings.epochs):
            for part in np.array_split(self.rng.permutation(len(x)), self.settings.minibatches):
                better = (advantage[part] - advantage[part].mean()) / (advantage[part].std() + 1e-6)
                actor = self._actor_gradient(x[part], action[part], old[part], better)
                layers = self.critic.layers(x[part])
                wrong = (layers[-1] - target[part, None]) / len(part)
                self.adam.step(actor + self.critic.gradient(layers, wrong), rate)

    def _actor_gradient(self, x: Array, action: Array, old: Array, advantage: Array) -> list[Array]:
        """Of -(7) and the entropy, by the network's parameters and log_std."""
        policy, c = self.policy, self.settings.clip
        layers = policy.network.layers(x)
        off = (action - layers[-1]) * np.exp(-policy.log_std)
        ratio = np.exp(policy.log_density(layers[-1], action) - old)
        counts = np.where(advantage > 0, ratio < 1 + c, ratio > 1 - c)
        by_density = -(counts * ratio * advantage / len(x))[:, None]
        by_mean = by_density * off * np.exp(-policy.log_std)
        by_std = (by_density * (off**2 - 1)).sum(0) - self.settings.entropy
        return [*policy.network.gradient(layers, by_mean.astype(np.float32)), by_std.astype(np.float32)]
