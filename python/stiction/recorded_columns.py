"""The arrays of a recording, read when they are indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction import _core

if TYPE_CHECKING:
    from stiction.recording import Recording


class Column:
    """A dataset of the file, clipped to the rows that are complete. Indexing reads; nothing is kept in memory.

    Attributes:
        shape: (S, ...).
        dtype: of the values.
    """

    def __init__(self, dataset, rows: int):
        self._dataset = dataset
        self.shape: tuple[int, ...] = (min(rows, dataset.shape[0]), *dataset.shape[1:])
        self.dtype: np.dtype = dataset.dtype

    @property
    def unit(self) -> str:
        """SI unit, "" for none."""
        unit = self._dataset.attrs.get("unit", "")
        return unit.decode() if isinstance(unit, bytes) else str(unit)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key) -> np.ndarray:
        first, *others = key if isinstance(key, tuple) else (key,)
        return self._dataset[(self._rows(first), *others)]

    def _rows(self, key):
        rows = self.shape[0]
        if isinstance(key, slice):
            start, stop, stride = key.indices(rows)
            return slice(start, max(stop, start), stride)
        if key is Ellipsis:
            return slice(0, rows)
        index = np.asarray(key)
        if index.dtype == bool:
            return np.flatnonzero(index)
        if np.any((index < -rows) | (index >= rows)):
            raise IndexError(f"row {key} is out of {self._dataset.name}, which has {rows} rows")
        return int(index % rows) if index.ndim == 0 else index % rows

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self[:], dtype=dtype)

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        return f"<{self._dataset.name} {self.shape} {self.dtype}{unit}>"


class _GroupColumns:
    """The columns of a group of the file."""

    _group: str
    _plural: str
    _arrays: tuple[str, ...]

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.count = recording._column(f"{self._group}/count")

    def __getattr__(self, name: str) -> Column:
        if name not in self._arrays:
            raise AttributeError(f"{self._plural} have no array {name}; there are {', '.join(self._arrays)}")
        return self._recording._column(f"{self._group}/{name}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._arrays]


class ContactColumns(_GroupColumns):
    """Contacts of the step that ended in each row: `count` (S, B) of them, and the arrays of `sim.contacts` as (S, B, C, ...).

    Slots from `count` on are padding: NaN, and -1 for geoms, which index `geom_names`. An array that an older stiction did not
    record is an `InputError` when it is asked for.
    """

    _group, _plural, _arrays = "contact", "contacts", tuple(name for name, *_ in _core.contact_fields())


class PatchColumns(_GroupColumns):
    """Patches of the step that ended in each row: `count` (S, B) of them, and the arrays of `sim.patches` as (S, B, P, ...).

    Slots from `count` on are padding: NaN, and -1 for geoms and faces.
    """

    _group, _plural, _arrays = "patch", "patches", tuple(name for name, *_ in _core.patch_fields())
