"""Objects whose attributes are those that their class declares, so that a slip of the pen is not a new attribute."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'friction'?", or what there is if no known name is near."""
    names = sorted(known)
    if close := difflib.get_close_matches(word, names, 1):
        return f"; did you mean '{close[0]}'?"
    return f"; there are {', '.join(names)}"


class Strict:
    """Reading or setting an attribute that the class does not declare raises AttributeError with the nearest name.

    Names that begin with an underscore are free. A subclass declares its own attributes, such as `steps: int`.
    """

    if not TYPE_CHECKING:  # type checkers know the attributes from their declarations

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            raise AttributeError(f"{_spoken(self)} has no '{name}'{nearest(name, declared(type(self)))}")

        def __setattr__(self, name: str, value: Any) -> None:
            if name.startswith("_") or name in declared(type(self)):
                return super().__setattr__(name, value)
            raise AttributeError(f"{_spoken(self)} has no '{name}' to set{nearest(name, declared(type(self)))}")


@functools.cache
def declared(owner: type) -> set[str]:
    """Public names of attributes that a class and its bases declare, functions included."""
    names = {name for base in owner.__mro__[:-1] for name in (*vars(base), *vars(base).get("__annotations__", ()))}
    return {name for name in names if not name.startswith("_")}


def _spoken(instance: Any) -> str:
    return getattr(type(instance), "_spoken", type(instance).__name__)
