"""Random numbers that depend only on (seed, episode, index), and not on the order in which they are drawn."""

from __future__ import annotations

import numpy as np

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(x: np.ndarray) -> np.ndarray:
    """The finaliser of splitmix64, a bijection of 64-bit integers."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def uniform(seeds: np.ndarray, episodes: np.ndarray, count: int) -> np.ndarray:
    """Numbers in [0, 1) of shape (n, count), one row for every pair of seed (n,) and episode (n,)."""
    with np.errstate(over="ignore"):
        key = _mix(seeds.astype(np.uint64) + _GOLDEN)
        key = _mix(key ^ (episodes.astype(np.uint64) * _GOLDEN + np.uint64(1)))
        steps = np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
        bits = _mix(key[:, None] + steps)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
