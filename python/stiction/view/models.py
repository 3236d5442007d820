"""The models of the environments that are shown: one for all, or several where the scene lists them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction.mjcf import source_geoms


class DrawnModels:
    """Models with the same bodies, and their geoms counted through, as far as contacts need them.

    Args:
        models: mujoco.MjModel, the different ones.
        of_env: which of them each environment has (E).
        geom_ids: for each model, MuJoCo's id of every geom in the numbering of contacts (nslot); -1: it has none there.
    """

    # of all geoms and pairs, as in MuJoCo's models
    geom_bodyid: np.ndarray
    geom_priority: np.ndarray
    geom_friction: np.ndarray
    geom_condim: np.ndarray
    pair_geom1: np.ndarray
    pair_geom2: np.ndarray
    pair_dim: np.ndarray
    pair_friction: np.ndarray

    def __init__(self, models: Sequence[Any], of_env: np.ndarray, geom_ids: Sequence[np.ndarray]):
        self.models, self.of_env = list(models), np.asarray(of_env)
        first = np.cumsum([0, *(model.ngeom for model in models)])[:-1]
        for name in ("geom_bodyid", "geom_priority", "geom_friction", "geom_condim", "pair_dim", "pair_friction"):
            setattr(self, name, np.concatenate([getattr(model, name) for model in models]))
        for name in ("pair_geom1", "pair_geom2"):
            setattr(self, name, np.concatenate([getattr(model, name) + start for model, start in zip(models, first)]))
        self.npair = len(self.pair_dim)
        counted = [np.where(ids < 0, -1, ids + start) for ids, start in zip(geom_ids, first)]
        self.source_geom = np.array(counted)[self.of_env]  # (E, nslot)

    @classmethod
    def alike(cls, model: Any, num_envs: int, geom_names: Sequence[str]) -> "DrawnModels":
        """One model for all."""
        return cls([model], np.zeros(num_envs, dtype=int), [source_geoms(model, list(geom_names))])

    @property
    def first(self) -> Any:
        """A mujoco.MjModel with the bodies of all."""
        return self.models[0]

    def envs_with(self, model: int) -> np.ndarray:
        """Environments that have a model."""
        return np.flatnonzero(self.of_env == model)

    def sliding_friction(self, geom_friction: np.ndarray) -> np.ndarray:
        """Sliding friction of all geoms (E, ngeom), from that in the numbering of contacts (E, nslot, 3)."""
        friction = np.tile(self.geom_friction[:, 0], (len(geom_friction), 1))
        env, slot = np.nonzero(self.source_geom >= 0)
        friction[env, self.source_geom[env, slot]] = geom_friction[env, slot, 0]
        return friction
