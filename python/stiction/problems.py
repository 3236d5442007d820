"""Contact problems, quadratic programs and complementarity problems given as arrays.

Every function takes a batch (leading axis), or one problem without that axis, and then the answer has none either.
There are two certificates: `farkas` y proves that an infeasible problem has no solution, `direction` d that the
objective of an unbounded problem falls without bound; they are NaN if there is none. `asymmetry` says how far H or W
was from symmetric; the problem was solved with half the sum of the matrix and its transpose.
"""

# pyright: reportCallIssue=false
# a call's arrays are one list, whose length a type checker does not know

from __future__ import annotations

import difflib
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction import _core
from stiction._core import InputError

# what contact problems may leave out: shapes without the batch, d = 3 rows a contact, 4 with torsion
EXTRAS = {
    "offset": "d*nc", "radius": "nc", "dof_radius": "nv", "M": "nv nv", "start": "nv",
    "row_J": "rows nv", "row_offset": "rows", "row_lower": "rows", "row_upper": "rows", "row_compliance": "rows",
    "row_radius": "rows", "warm_v": "nv", "warm_lambda": "d*nc", "warm_row_lambda": "rows", "warm_penalty": "",
}  # fmt: skip
_MOST_COUNT = 2**31 - 1
INTEGER_EXTRAS = {"sides": "nc 2", "row_sides": "rows 2"}


class Answers:
    """Answers of a batch, as attributes or by name: `answers.v`, `answers["lambda"]` (`lambda_` as an attribute).

    Attributes:
        device: where they were computed, "cpu" or "cuda:0 (name of the GPU)".
    """

    def __init__(self, arrays: dict[str, np.ndarray], device: str) -> None:
        self._arrays = arrays
        self.device = device

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["_arrays"][name.removesuffix("_")]
        except KeyError:
            raise AttributeError(f"no answer '{name}'; there are {', '.join(self._arrays)}") from None

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def __dir__(self) -> list[str]:
        return ["device", *("lambda_" if name == "lambda" else name for name in self._arrays)]

    def __repr__(self) -> str:
        return f"Answers({', '.join(f'{name} {array.shape}' for name, array in self._arrays.items())})"


def solve_contact(
    H: Any, g: Any, J: Any, phi: Any, mu: Any, h: float, count: Any = None, *,
    law: str = "anitescu", cone: str = "pyramid", facets: int = 4, solver: str | None = None,
    factor: str = "float64", tolerance: float = 1e-8, max_iterations: int = 50, max_total_iterations: int = 0,
    device: str = "cpu", threads: int | None = None, solve_threads: int = 0, **extras: Any,
) -> Answers:  # fmt: skip
    """Solves the problem of a step: H v = g + Jᵀλ with K ∋ λ ⊥ J v + b + (φ/h + s) e_n ∈ K*.

    K is the friction cone of every contact and K* its dual. The law sets s: it is 0 for `anitescu` and `frictionless`,
    and for `coulomb` it is the value that makes the velocity tangential, μ ‖v_t‖. A contact has d = 4 rows n, t, o, r
    with torsion, otherwise d = 3.

    Args:
        H: (batch, nv, nv) symmetric, positive semidefinite [kg], [kg m²].
        g: (batch, nv) [N s], [N m s].
        J: (batch, d nc, nv), rows n, t, o of every contact.
        phi: (batch, nc) gap [m].
        mu: (batch, nc) friction, at least 0; (batch, nc, 2) along t and o; (batch, nc, 3) also torsion [m].
        h: step size [s].
        count: (batch,) number of contacts that are used; None: all.
        law: "anitescu", "coulomb" or "frictionless".
        cone: "pyramid" with `facets`, "quadratic" or "box".
        facets: number of facets of a pyramid, 3 to 1024.
        solver: "interior_point", "newton", "admm", "pgs" or "lemke"; None: interior_point, and newton if that does not
            converge.
        factor: precision of the solver's factored matrix, "float64" or "float32" (interior_point, admm, newton).
        tolerance: upper bound of the residual [-].
        max_iterations: most iterations of each phase of the solver.
        max_total_iterations: most iterations of all phases, starts and solvers together (Status.ITERATION_LIMIT); 0: no
            limit beyond those of the phases.
        device: "cpu", "cuda", "cuda:<i>", or "auto" (a usable GPU, else the CPU). A GPU solves many problems at once, in
            double as the CPU does; checks, residuals and some proofs are the host's.
        threads: host threads; None: all cores.
        solve_threads: GPU threads that share a solve: 8, 32 or 64; 0: chosen by the problem's size. The bits are the
            same. On the CPU, 8, 32 or 64 make solves use the algorithms of a GPU; then the two differ only in the
            rounding of library functions.
        **extras: further data of a problem from a run, all optional, named as in the files of `load_problems`: offset b
            (batch, d nc) [m/s, rad/s]; radius (batch, nc) and dof_radius (batch, nv), lengths that make torsion and
            rotations comparable [m]; blocks (k,), sizes of the diagonal blocks of H, one per kinematic tree, each of
            which the residual measures against impulses of its own size (left out: all is one tree); sides (batch, nc,
            2), the blocks that a contact acts on, -1 for none; M (batch, nv, nv) and start (batch, nv): of several v,
            the one with the least (v - start)ᵀM (v - start) is chosen, M is like H; general rows row_J (batch, rows,
            nv), and with it row_offset (0), row_lower (0), row_upper (inf), row_compliance (0), row_radius (1) (batch,
            rows), row_sides (batch, rows, 2): limits [0, inf), couplings (-inf, inf), dry friction [-c, c]; warm_v,
            warm_lambda, warm_row_lambda, warm_penalty (batch,): the start of the solver, which starts from rest if one
            of them is not finite; max_couplings, an int.

    Returns:
        v (batch, nv) [m/s, rad/s], lambda (batch, d nc) [N s], status, residual [-], iterations, violation [m],
            asymmetry [-], and the certificates: farkas y (batch, d nc) in K with Jᵀy = 0 and y·(φ/h + b) < 0
            (infeasible), direction d (batch, nv) with H d = 0, g·d > 0 and J d in K* (unbounded). With general rows
            also row_lambda and row_farkas (batch, rows), and g·d > Σ σ, σ = max of -λ row_J d over λ in [row_lower,
            row_upper].

    Raises:
        InputError: a shape or an option is wrong, friction is negative, or H or M is not symmetric or is indefinite. A
            number that is not finite fails only its own problem (Status.NOT_FINITE). The device is not usable.
        OutOfMemory: the GPU's memory does not hold a single problem and the scratch of its solve.
    """
    frictions = _frictions(H, mu)
    d = 4 if frictions == 3 else 3
    arrays = _Batch(H=(H, "nv nv"), g=(g, "nv"), J=(J, f"{d}*nc nv"), phi=(phi, "nc"),
                    mu=(mu, "nc" if frictions == 1 else f"nc {frictions}"))  # fmt: skip
    if count is not None:
        count = arrays.integers("count", count, ())
    options = _options(tolerance, max_iterations, max_total_iterations, device, threads, solve_threads, solver,
                       law=law, cone=cone, facets=facets, factor=factor)  # fmt: skip
    more = _extras(arrays, d, extras) | {"frictions": frictions}
    n = arrays.sizes
    out = _core.solve_contact(n["batch"], n["nv"], n["nc"], *arrays.values, _number("h", h), count, more, options)
    return arrays.answer(out)


def solve_delassus(
    W: Any, q: Any, mu: Any, *,
    law: str = "anitescu", cone: str = "pyramid", facets: int = 4, solver: str | None = None,
    tolerance: float = 1e-8, max_iterations: int = 50, max_total_iterations: int = 0,
    device: str = "cpu", threads: int | None = None, solve_threads: int = 0,
) -> Answers:  # fmt: skip
    """Solves u = W r + q with K ∋ r ⊥ u + s e_n ∈ K* for impulses r, the normal first in every contact.

    W = J H⁻¹ Jᵀ is the matrix of the problem of `solve_contact` when its velocities v are eliminated.

    Args:
        W: (batch, 3 nc, 3 nc) symmetric, positive semidefinite [1/kg].
        q: (batch, 3 nc) [m/s].
        mu: (batch, nc), at least 0.
        law: as for `solve_contact`, like all arguments that follow.

    Returns:
        v: u (batch, 3 nc) [m/s]; lambda: r (batch, 3 nc) [N s]; status, residual, iterations, violation, asymmetry,
            farkas.

    Raises:
        InputError: as for `solve_contact`.
    """
    arrays = _Batch(W=(W, "3*nc 3*nc"), q=(q, "3*nc"), mu=(mu, "nc"))
    options = _options(tolerance, max_iterations, max_total_iterations, device, threads, solve_threads, solver,
                       law=law, cone=cone, facets=facets)  # fmt: skip
    return arrays.answer(_core.solve_delassus(arrays.sizes["batch"], arrays.sizes["nc"], *arrays.values, options))


def solve_qp(
    H: Any, g: Any, A: Any, b: Any, *, solver: str | None = None, tolerance: float = 1e-8,
    max_iterations: int = 50, max_total_iterations: int = 0,
    device: str = "cpu", threads: int | None = None, solve_threads: int = 0,
) -> Answers:  # fmt: skip
    """Minimises ½ vᵀH v − gᵀv (mind the minus) subject to A v + b >= 0.

    Args:
        H: (batch, nv, nv) symmetric, positive semidefinite.
        g: (batch, nv).
        A: (batch, m, nv).
        b: (batch, m).
        solver: as for `solve_contact`, like all arguments that follow.

    Returns:
        v (batch, nv), lambda (batch, m) >= 0, status, residual, iterations, violation, asymmetry, and the certificates:
            farkas y (batch, m) >= 0 with Aᵀy = 0 and y·b < 0, direction d (batch, nv) with H d = 0, g·d > 0, A d >= 0.

    Raises:
        InputError: a shape or an option is wrong, or H is not symmetric or is indefinite.
    """
    arrays = _Batch(H=(H, "nv nv"), g=(g, "nv"), A=(A, "m nv"), b=(b, "m"))
    n = arrays.sizes
    options = _options(tolerance, max_iterations, max_total_iterations, device, threads, solve_threads, solver)
    return arrays.answer(_core.solve_qp(n["batch"], n["nv"], n["m"], *arrays.values, options))


def solve_lcp(
    M: Any, q: Any, *, solver: str = "lemke", tolerance: float = 1e-8, max_total_iterations: int = 0,
    device: str = "cpu", threads: int | None = None, solve_threads: int = 0,
) -> Answers:  # fmt: skip
    """Finds 0 <= z ⊥ M z + q >= 0, by Lemke's method.

    Args:
        M: (batch, n, n) of any kind.
        q: (batch, n).
        solver: "lemke".
        tolerance: upper bound of the residual [-].
        max_total_iterations: most pivots (Status.ITERATION_LIMIT); 0: no limit.
        device: as for `solve_contact`.
        threads: as for `solve_contact`.
        solve_threads: as for `solve_contact`.

    Returns:
        z (batch, n), status, residual (of min(z, w)), iterations (pivots), and the certificate: farkas y (batch, n)
            >= 0 with Mᵀy <= 0 and q·y < 0, so that no z >= 0 makes M z + q >= 0.

    Raises:
        InputError: a shape or an option is wrong.
    """
    arrays = _Batch(M=(M, "n n"), q=(q, "n"))
    options = _options(tolerance, 50, max_total_iterations, device, threads, solve_threads, solver)
    return arrays.answer(_core.solve_lcp(arrays.sizes["batch"], arrays.sizes["n"], *arrays.values, None, options))


def solve_mlcp(
    M: Any, q: Any, equations: Any, *, solver: str = "lemke", tolerance: float = 1e-8, max_total_iterations: int = 0,
    device: str = "cpu", threads: int | None = None, solve_threads: int = 0,
) -> Answers:  # fmt: skip
    """Finds w = M z + q with w_i = 0 where `equations`, and 0 <= z_i ⊥ w_i >= 0 elsewhere.

    Args:
        M: (batch, n, n) of any kind.
        q: (batch, n).
        equations: (batch, n) or (n,), 1 or True where z_i is free and w_i = 0.
        solver: as for `solve_lcp`, like all arguments that follow.

    Returns:
        The same as `solve_lcp`.

    Raises:
        InputError: a shape or an option is wrong.
    """
    arrays = _Batch(M=(M, "n n"), q=(q, "n"))
    equal = arrays.integers("equations", equations, (arrays.sizes["n"],))
    options = _options(tolerance, 50, max_total_iterations, device, threads, solve_threads, solver)
    return arrays.answer(_core.solve_lcp(arrays.sizes["batch"], arrays.sizes["n"], *arrays.values, equal, options))


def _frictions(H: Any, mu: Any) -> int:
    """How many numbers `mu` has per contact."""
    extra_axes = np.ndim(mu) - (np.ndim(H) - 1)
    return int(np.shape(mu)[-1]) if extra_axes == 1 else 1


def _extras(arrays: _Batch, d: int, given: dict[str, Any]) -> dict[str, Any]:
    """The given arrays of EXTRAS, in the form in which they are solved."""
    out: dict[str, Any] = {}
    known = [*EXTRAS, *INTEGER_EXTRAS, "blocks", "max_couplings"]
    given = _complete_rows(arrays, given)
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise InputError(f"{name}: contact problems have none" + (f"; did you mean {near[0]}?" if near else ""))
        if name == "max_couplings":
            out[name] = int(_number(name, value))
        elif name == "blocks":
            out[name] = np.ascontiguousarray(value, dtype=np.int32)
        elif name in INTEGER_EXTRAS:
            items, two = INTEGER_EXTRAS[name].split()
            out[name] = arrays.integers(name, value, (arrays.sizes.get(items, 0), int(two)))
        else:
            out[name] = arrays.more(name, value, EXTRAS[name].replace("d*", f"{d}*"))
    return out


def _complete_rows(arrays: _Batch, given: dict[str, Any]) -> dict[str, Any]:
    """Fills in missing arrays for the rows of row_J; without them rows are limits: offset 0, impulses in [0, inf)."""
    rows = {name: given[name] for name in (*EXTRAS, *INTEGER_EXTRAS) if name.startswith("row_") and name in given}
    if not rows:
        return given
    if "row_J" not in rows:
        raise InputError(f"row_J: expected with {', '.join(rows)}, but it is missing")
    arrays.more("row_J", rows["row_J"], EXTRAS["row_J"])
    count = arrays.sizes["rows"]
    usual = {"row_offset": 0.0, "row_lower": 0.0, "row_upper": np.inf}
    shape = (count,) if arrays.single else (arrays.sizes["batch"], count)
    return {name: np.full(shape, value) for name, value in usual.items()} | given


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number, got {type(value).__name__}") from None


def _options(
    tolerance: Any, max_iterations: Any, max_total_iterations: Any, device: Any, threads: Any, solve_threads: Any,
    solver: Any, **choices: Any,
) -> dict[str, Any]:  # fmt: skip
    counts = {"max_iterations": max_iterations, "max_total_iterations": max_total_iterations,
              "threads": threads or 0, "solve_threads": solve_threads}  # fmt: skip
    out: dict[str, Any] = {"tolerance": _number("tolerance", tolerance), "device": _text("device", device)}
    for name, value in {**counts, **choices}.items():
        out[name] = _text(name, value) if name in ("law", "cone", "factor") else _count(name, value)
    if solver is not None:
        out["solver"] = str(solver)
    return out


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}: expected str, got {type(value).__name__}")
    return value


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{name}: expected int, got {type(value).__name__}")
    try:
        count = operator.index(value)
    except TypeError:  # an array of several
        raise InputError(f"{name}: expected int, got {type(value).__name__}") from None
    if abs(count) > _MOST_COUNT:
        raise InputError(f"{name}: expected at most {_MOST_COUNT}, given {count}")
    return count


def doubles(name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
        if value is None or array.dtype.kind in "USMm":
            raise TypeError
        real = None if np.iscomplexobj(array) else np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: expected an array of numbers, got {type(value).__name__}") from None
    if real is None:
        raise InputError(f"{name}: expected real numbers, got {array.dtype}")
    return real


def with_tail(name: str, array: np.ndarray, tail: tuple[int, ...]) -> np.ndarray:
    """The array, which must have these last axes."""
    if array.ndim < len(tail) or array.shape[array.ndim - len(tail) :] != tail:
        raise InputError(f"{name}: expected shape ({', '.join(map(str, ('...', *tail)))}), got {array.shape}")
    return array


def together(leading: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The leading axes of all arguments, broadcast."""
    try:
        return np.broadcast_shapes(*leading.values())
    except ValueError:
        shown = ", ".join(f"{name} {axes}" for name, axes in leading.items() if axes)
        raise InputError(f"leading axes that do not fit together: {shown}; expected equal ones, or 1") from None


class _Batch:
    """The arrays of one call, in double, contiguous and with a batch axis, and their sizes by name."""

    def __init__(self, **given: tuple[Any, str]) -> None:
        arrays = {name: doubles(name, value) for name, (value, _) in given.items()}
        first, (_, dims) = next(iter(given.items()))
        self.single = arrays[first].ndim == len(dims.split())
        self.sizes: dict[str, int] = {}
        self.values: Sequence[np.ndarray] = [self._fit(name, arrays[name], dims) for name, (_, dims) in given.items()]

    def _fit(self, name: str, array: np.ndarray, dims: str) -> np.ndarray:
        if self.single:
            array = array[np.newaxis]
        wanted = ["batch", *dims.split()]
        if array.ndim != len(wanted) or not all(map(self._fits, wanted, array.shape)):
            shown = self.sizes | {f"{d}*{k}": d * v for k, v in self.sizes.items() for d in (3, 4)}
            expected = ", ".join(str(shown.get(d, d)) for d in wanted[self.single :])
            raise InputError(f"{name}: expected shape ({expected}), got {array.shape[self.single :]}")
        return array

    def more(self, name: str, value: Any, dims: str) -> np.ndarray:
        """Another array of the same sizes."""
        return self._fit(name, doubles(name, value), dims)

    def _fits(self, dim: str, size: int) -> bool:
        if dim.isdigit():
            return size == int(dim)
        if "*" in dim:
            factor, name = dim.split("*")
            return size % int(factor) == 0 and self._fits(name, size // int(factor))
        return self.sizes.setdefault(dim, size) == size

    def integers(self, name: str, value: Any, tail: tuple[int, ...]) -> np.ndarray:
        array = np.asarray(value)
        if array.dtype != bool and not np.issubdtype(array.dtype, np.integer):
            raise InputError(f"{name}: expected integers, got {array.dtype}")
        shape = (self.sizes["batch"], *tail)
        if self.single and array.shape == tail:
            array = array[np.newaxis]
        if array.shape not in (shape, tail):
            raise InputError(f"{name}: expected shape {shape}, got {array.shape}")
        return np.ascontiguousarray(np.broadcast_to(array, shape), dtype=np.int32)

    def answer(self, out: dict[str, Any]) -> Answers:
        device = out.pop("device")
        return Answers({name: array[0] for name, array in out.items()} if self.single else out, device)
