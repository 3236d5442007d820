"""Unit quaternions w x y z of a batch, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError


def conjugate(quat: NDArray[Any]) -> NDArray[Any]:
    """The inverse rotations of (batch, 4)."""
    return quat * np.array([1, -1, -1, -1], quat.dtype)


def rotate(quat: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """R(q) v for quaternions (batch, 4) of any length but 0, and vectors (batch, 3) or (3,): (batch, 3)."""
    unit = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    turned = 2 * _cross(unit[:, 1:], vector)
    return vector + unit[:, :1] * turned + _cross(unit[:, 1:], turned)


def _cross(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """a × b (batch, 3), for a (batch, 3) and b of the same shape or (3,); for few vectors several times as fast as NumPy's."""
    x, y, z = a[:, 0], a[:, 1], a[:, 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The unit quaternions a b, for a (batch, 4) and b (4,)."""
    w = a[:, :1] * b[0] - a[:, 1:] @ b[1:, None]
    xyz = a[:, :1] * b[1:] + b[0] * a[:, 1:] + _cross(a[:, 1:], b[1:])
    both = np.concatenate([w, xyz], axis=1)
    return both / np.linalg.norm(both, axis=1, keepdims=True)


def multiply(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quaternions a b (batch, 4)."""
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    xyz = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + _cross(a[:, 1:], b[:, 1:])
    return np.concatenate([w, xyz], axis=1)


def rotation_vector(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation of at most π that unit quaternions (batch, 4) stand for, axis times angle [rad] (batch, 3)."""
    short = np.where(quat[:, :1] < 0, -quat, quat)
    sine = np.linalg.norm(short[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, short[:, :1])
    return np.where(sine > 0, angle / np.where(sine > 0, sine, 1), 2.0) * short[:, 1:]


def turn(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unit quaternions (batch, 4) of rotation vectors (batch, 3)."""
    angle = np.linalg.norm(vector, axis=1, keepdims=True)
    share = 0.5 * np.sinc(angle / (2 * np.pi))
    return np.concatenate([np.cos(angle / 2), share * vector], axis=1)


def matrix_of(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation matrices (batch, 3, 3) of unit quaternions (batch, 4)."""
    return np.stack([rotate(quat, axis) for axis in np.eye(3)], axis=2)


def of_matrix(R: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """The unit quaternions (batch, 4), w >= 0, of rotation matrices (batch, 3, 3): q maximises q·K q, where q·K q is the
    trace of R(q)ᵀ R (Bar-Itzhack), so that rounded matrices have the nearest rotation.

    Raises:
        InputError: a matrix is no rotation; `name` says of what.
    """
    if not np.isfinite(R).all():
        raise InputError(f"{name}: not finite")
    wrong = np.flatnonzero((np.abs(np.einsum("bki,bkj->bij", R, R) - np.eye(3)) > 1e-3).any(axis=(1, 2)) | (np.linalg.det(R) < 0))
    if len(wrong):
        raise InputError(f"{name}: the matrix of number {wrong[0]} is no rotation")
    K = np.empty((len(R), 4, 4))
    K[:, 0, 0] = R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[:, 0, 1 + i] = K[:, 1 + i, 0] = R[:, k, j] - R[:, j, k]
        K[:, 1 + i, 1 + i] = R[:, i, i] - R[:, j, j] - R[:, k, k]
        K[:, 1 + i, 1 + j] = K[:, 1 + j, 1 + i] = R[:, i, j] + R[:, j, i]
    quat = np.linalg.eigh(K)[1][:, :, -1]
    return np.where(quat[:, :1] < 0, -quat, quat)
