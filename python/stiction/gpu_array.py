"""Arrays in the memory of a GPU that can also be used like NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction import _core


class GpuArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of a simulator on a GPU, or a part of one.

    `torch.from_dlpack` and `jax.dlpack.from_dlpack` take a whole array without a copy; use them in loops that must be
    fast. Everything else goes through the host and waits for the GPU: `np.asarray`, arithmetic and methods (`a.max()`,
    `a.copy()`) work on a copy; `a[i]` is a part; `a[i] = values`, `a[i][j] = values` and `a += values` write to the
    GPU, unless the array is what a step leaves: then a write raises ValueError. Results of methods that share the copy's memory (`a.T`, `a.reshape(..)`) can not be written.
    """

    __slots__ = ("_memory", "_path", "_writable")

    def __init__(self, memory: Any, path: tuple[Any, ...] = (), writable: bool = True) -> None:
        self._memory = memory  # of the whole array; of the array API: shape, type and DLPack
        self._path = path  # indices, one after the other, that lead to the part
        self._writable = writable

    def __dlpack__(self, **options: Any) -> Any:
        if self._path:
            raise BufferError("a part of an array on a GPU has no DLPack; take that of the whole array and its part there")
        return self._memory.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._memory.__dlpack_device__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a GPU cannot be NumPy's without a copy; use DLPack")
        _, values = self._read()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        if out:
            options["out"] = tuple(_on_host(array) for array in out)
        result = getattr(ufunc, method)(*map(_on_host, inputs), **options)
        if not out:
            return result
        for array, values in zip(out, options["out"], strict=True):
            if isinstance(array, GpuArray):
                array[...] = values
        return out if len(out) > 1 else out[0]

    def __getitem__(self, index: Any) -> Any:
        whole, values = self._read()
        part = values[index]
        if isinstance(part, np.ndarray) and np.may_share_memory(part, whole):
            return GpuArray(self._memory, (*self._path, index), self._writable)
        return part  # a number, or what NumPy copies too

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self._writable:
            raise ValueError("assignment destination is read-only: it is what a step leaves")
        whole, values = self._read()
        values[index] = _on_host(value)
        _core.write_gpu(self._memory, whole)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # protocols of arrays in host memory
            raise AttributeError(f"'GpuArray' object has no attribute '{name}'")
        _, values = self._read()
        values.flags.writeable = False
        return getattr(values, name)

    def __len__(self) -> int:
        return len(np.asarray(self))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return value in np.asarray(self)

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __int__(self) -> int:
        return int(np.asarray(self))

    def __float__(self) -> float:
        return float(np.asarray(self))

    def __repr__(self) -> str:
        return f"GpuArray({np.asarray(self)!r})"

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        """A copy of the whole array, and this part of the copy."""
        whole: Any = _core.read_gpu(self._memory)
        values = whole
        for index in self._path:
            values = values[index]
        return whole, values


def _on_host(array: Any) -> Any:
    return np.asarray(array) if isinstance(array, GpuArray) else array
