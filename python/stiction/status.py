"""Bits of an environment's status."""

from enum import IntFlag
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from stiction import _core
from stiction._core import InputError

Status: Any = IntFlag("Status", [(name.upper(), bit) for name, bit in _core.status_bits()], module=__name__)
Status.__doc__ = """What happened to an environment, OR-ed over the steps of a call.

`CONVERGED` alone is a good step. Every other bit but the warning `BEYOND_ORDER` is a failure; `STATE_KEPT` are those that leave the environment where
it was. What to do about each: the page "Status and errors" of the documentation, and what `stiction run` prints.
"""


@overload
def status_names(status: NDArray[np.integer[Any]]) -> list[str]: ...
@overload
def status_names(status: int | np.integer[Any]) -> str: ...
def status_names(status: Any) -> Any:
    """The bits of a status by name, such as "converged" or "iteration limit, not finite"; "none" for zero.

    Args:
        status: bits of one environment, or of many (batch,) as `Simulator.step` returns them.

    Returns:
        A text, or for an array a list of texts with one for every environment.

    Raises:
        InputError: these are no bits.
    """
    bits = np.asarray(status.cpu() if hasattr(status, "cpu") else status)
    if bits.dtype.kind not in "iu" or ((bits < 0) | (bits >= 2**32)).any():
        raise InputError(f"status: expected bits of 32, an integer or an array of them, got {_given(status, bits)}")
    return _named(bits.tolist())


def _named(bits: Any) -> Any:
    return [_named(one) for one in bits] if isinstance(bits, list) else _core.status_names(bits)


def _given(status: Any, bits: NDArray[Any]) -> str:
    return repr(status) if bits.dtype.kind in "iu" and bits.ndim == 0 else f"{type(status).__name__} of {bits.dtype}"
