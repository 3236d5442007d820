"""Bits of an environment's status."""

from enum import IntFlag
from typing import Any

from stiction import _core

Status: Any = IntFlag("Status", [(name.upper(), bit) for name, bit in _core.status_bits()], module=__name__)
Status.__doc__ = """What happened to an environment, OR-ed over the steps of a call.

`CONVERGED` alone is a good step. Every other bit but the warning `BEYOND_ORDER` is a failure; `STATE_KEPT` are those that leave the environment where
it was. What to do about each: the page "Status and errors" of the documentation, and what `stiction run` prints.
"""
