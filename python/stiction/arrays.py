"""Arrays of a simulator's memory: their types for type checkers, and those that can only be read."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = np.floating[Any]  # float64 or float32, as the simulator's dtype says
FloatArray: TypeAlias = NDArray[Float]
BitArray: TypeAlias = NDArray[np.uint32]


class GivenArray(Protocol):
    """Any array that can be handed over without a copy: NumPy's, torch's, JAX's, those of a simulator on a GPU."""

    def __dlpack_device__(self) -> tuple[int, int]: ...


class ReadOnlyArray(np.ndarray):
    """A NumPy array of what a step leaves: reads are NumPy's, a write raises ValueError.

    What is computed from it, and every copy, is an ordinary array. `torch.from_dlpack` and `jax.dlpack.from_dlpack` take
    it without a copy; a consumer of a DLPack before 1.0, which has no word for "read-only", could then write there.
    """

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None, **options: Any) -> Any:
        if max_version is not None and max_version[0] >= 1:
            return super().__dlpack__(max_version=max_version, **options)
        array = self.view(np.ndarray)
        array.flags.writeable = True  # the memory's owner allows it, and it is this DLPack's only way to be exported
        return array.__dlpack__(**options)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else array.view(np.ndarray)

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return part.view(np.ndarray) if isinstance(part, ReadOnlyArray) and part.flags.writeable else part

    def copy(self, order: Any = "C") -> NDArray[Any]:
        return np.array(self, order=order)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def read_only(array: NDArray[Any]) -> ReadOnlyArray:
    """The same memory, for reading only."""
    view = array.view(ReadOnlyArray)
    view.flags.writeable = False
    return view
