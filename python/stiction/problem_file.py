"""Files of raw problems, such as `stiction run SCENE --record-problems FILE.h5` writes, read lazily.

    problems = load_problems("out/problems.h5")
    problems.step[17], problems.env[17]               # its place in the run
    answers = problems.solve([17])                    # solved again, as in the run: answers.v, answers["lambda"]
    answers.v - problems.recorded([17])["v"]          # all zero: the bits are the same
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import numpy as np

from stiction.errors import InputError, optional
from stiction.problems import Answers, solve_contact, solve_delassus, solve_lcp, solve_mlcp, solve_qp

SOLVERS = {"contact": solve_contact, "delassus": solve_delassus, "lcp": solve_lcp, "mlcp": solve_mlcp, "qp": solve_qp}
CHOICES = {"law": str, "cone": str, "facets": int, "solver": str, "factor": str, "tolerance": float, "max_iterations": int,
           "max_total_iterations": int}
COMMON = ("blocks",)  # the same for all problems


def load_problems(path: Any, kind: str | None = None) -> Problems:
    """Opens a file of problems, in the layout of `stiction solve` (docs/command_line.md).

    Args:
        path: path of the HDF5 file.
        kind: "contact", "delassus", "lcp", "mlcp" or "qp"; None: the kind that the file holds.

    Raises:
        InputError: the file can not be read, holds no problems of this kind, or without `kind`, holds several kinds.
        MissingPackage: h5py is not installed.
    """
    return Problems(path, kind)


class Problems:
    """Problems of one kind in a file. `close()` closes the file; it is also a context manager.

    Attributes:
        kind: "contact", "delassus", "lcp", "mlcp" or "qp".
        choices: law, cone, facets, solver, factor, tolerance, max_iterations, max_total_iterations, as far as they
            are recorded in the file.
    """

    def __init__(self, path: Any, kind: str | None = None) -> None:
        h5py = optional("h5py", "a file of problems")
        try:
            self._file = h5py.File(path, "r", locking=False)
        except OSError as error:
            raise InputError(f"{path}: cannot be read as HDF5: {error}") from None
        held = [name for name in SOLVERS if name in self._file]
        chosen = [name for name in held if kind in (None, name)]
        if len(chosen) != 1:
            self._file.close()
            wanted = kind or "one of " + ", ".join(SOLVERS)
            raise InputError(f"{path}: expected problems of kind {wanted}, found {', '.join(held) or 'none'}")
        self.kind: str = chosen[0]
        self._group = self._file[self.kind]
        given = self._group.attrs
        self.choices: dict[str, Any] = {name: cast(given[name]) for name, cast in CHOICES.items() if name in given}

    def __len__(self) -> int:
        return self._group["M" if self.kind in ("lcp", "mlcp") else "W" if self.kind == "delassus" else "H"].shape[0]

    @property
    def step(self) -> np.ndarray:
        """The step of the run in which each problem arose (B,); 1 is the first step."""
        return self._group["step"][()]

    @property
    def env(self) -> np.ndarray:
        """The environment of the run in which each problem arose (B,)."""
        return self._group["env"][()]

    def arrays(self, ids: Any = None) -> dict[str, Any]:
        """The arrays of some problems, as the arguments of `solve_contact` and the like.

        Args:
            ids: numbers of problems; None: all.
        """
        out: dict[str, Any] = {name: self._read(name, ids) for name in self._group if not self._is_of_the_run(name)}
        if self.kind == "contact":
            out["h"] = float(self._group.attrs["step_size"])
            if "max_couplings" in self._group.attrs:
                out["max_couplings"] = int(self._group.attrs["max_couplings"])
        return out

    def recorded(self, ids: Any = None) -> dict[str, np.ndarray]:
        """The answers of the run: v, lambda, row_lambda, status, residual, iterations; empty if the file has none.

        Args:
            ids: numbers of problems; None: all.
        """
        names = [name for name in self._group if name.startswith("answer_")]
        return {name.removeprefix("answer_"): self._read(name, ids) for name in names}

    def solve(self, ids: Any = None, **options: Any) -> Answers:
        """Solves some problems, with the choices recorded in the file unless `options` change them.

        Args:
            ids: numbers of problems; None: all.
            **options: law, cone, facets, solver, factor, tolerance, max_iterations, max_total_iterations, device,
                threads, solve_threads, as far as the kind has them.

        Raises:
            InputError: as for `solve_contact` and the like.
        """
        choices = self.choices
        if "solver" in options:  # the file's factor may not be for this one
            choices = {name: value for name, value in choices.items() if name != "factor"}
        return SOLVERS[self.kind](**self.arrays(ids), **choices | options)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _is_of_the_run(self, name: str) -> bool:
        return name.startswith("answer_") or name in ("step", "env")

    def _read(self, name: str, ids: Any) -> np.ndarray:
        dataset = self._group[name]
        if ids is None or name in COMMON or (name == "equations" and dataset.ndim == 1):
            return dataset[()]
        wanted = np.asarray(ids, dtype=int).reshape(-1)
        if wanted.size and not (0 <= wanted.min() and wanted.max() < len(self)):
            raise InputError(f"problem {wanted.max() if wanted.max() >= len(self) else wanted.min()}: "
                             f"the file has 0 to {len(self) - 1}")  # fmt: skip
        return np.stack([dataset[i] for i in wanted]) if wanted.size else dataset[:0]
