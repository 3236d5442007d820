"""Unit quaternions w x y z of a batch, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def conjugate(quat: NDArray[Any]) -> NDArray[Any]:
    """The inverse rotations of (batch, 4)."""
    return quat * np.array([1, -1, -1, -1], quat.dtype)


def rotate(quat: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """R(q) v for quaternions (batch, 4) of any length but 0, and vectors (batch, 3) or (3,): (batch, 3)."""
    unit = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    turned = 2 * np.cross(unit[:, 1:], vector)
    return vector + unit[:, :1] * turned + np.cross(unit[:, 1:], turned)


def product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The unit quaternions a b, for a (batch, 4) and b (4,)."""
    w = a[:, :1] * b[0] - a[:, 1:] @ b[1:, None]
    xyz = a[:, :1] * b[1:] + b[0] * a[:, 1:] + np.cross(a[:, 1:], b[1:])
    both = np.concatenate([w, xyz], axis=1)
    return both / np.linalg.norm(both, axis=1, keepdims=True)
