"""Problems that other programs recorded, where a folder of them is found: Delassus problems, LCPs, MLCPs, references.

The folder is STICTION_SHARED, else ../shared beside the repository, with data/contact_problems. Formats: its README and
docs/command_line.md. A dense matrix is written column after column.
"""

import json
import os
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
DENSE, BLOCKS = 0, 1  # storage of a matrix


def folder():
    """None where there is no data."""
    found = pathlib.Path(os.environ.get("STICTION_SHARED", ROOT.parent / "shared")) / "data/contact_problems"
    return found if found.is_dir() else None


class Tokens:
    """Numbers of a text, one after the other; ends at words."""

    def __init__(self, path):
        words = path.read_text(errors="replace").split()
        self.values = [float(w) if NUMBER.match(w) else np.nan for w in words]
        self.at = 0

    def take(self, *shape):
        count = int(np.prod(shape))
        part = np.array(self.values[self.at : self.at + count])
        if len(part) < count or np.isnan(part).any():
            raise ValueError("the text ends too early")
        self.at += count
        return part.reshape(shape)

    def whole(self):
        return int(self.take(1)[0])

    def matrix(self):
        storage, rows, cols = self.whole(), self.whole(), self.whole()
        if storage == DENSE:
            self.take(2)
            return self.take(cols, rows).T
        if storage == BLOCKS:
            return self.block_matrix(rows, cols)
        raise ValueError("sparse text matrices are not read")

    def block_matrix(self, rows, cols):
        self.whole()
        block_rows, block_cols = self.whole(), self.whole()
        row_ends, col_ends = self.take(block_rows).astype(int), self.take(block_cols).astype(int)
        pointers, columns = self.whole(), self.whole()
        start, column = self.take(pointers).astype(int), self.take(columns).astype(int)
        out = np.zeros((rows, cols))
        for i in range(block_rows):
            for k in range(start[i], start[i + 1]):
                self.whole()
                r, c = slice(row_ends[i - 1] if i else 0, row_ends[i]), column[k]
                s = slice(col_ends[c - 1] if c else 0, col_ends[c])
                out[r, s] = self.take(s.stop - s.start, r.stop - r.start).T
        return out


def read_lcp(path):
    """(M, q, equations: none)."""
    t = Tokens(path)
    n = t.whole()
    M = t.matrix()
    return M, t.take(n), np.zeros(n, dtype=bool)


def read_mlcp(path):
    """(M, q, equations): rows with w = 0."""
    t = Tokens(path)
    has_M, has_parts, n, m = (t.whole() for _ in range(4))
    equations = np.arange(n + m) < n
    if has_M:
        bounds = [t.whole()]
        while bounds[-1] < n + m:
            bounds.append(t.whole())
        kinds = t.take(len(bounds) - 1)
        for first, last, kind in zip(bounds, bounds[1:], kinds):
            equations[first:last] = kind == 0
        return t.matrix(), t.take(n + m), equations
    if not has_parts:
        raise ValueError("neither M nor its parts")
    A, B, C, D = t.take(n, n), t.take(m, m), t.take(n, m), t.take(m, n)
    return np.block([[A, C], [D, B]]), np.concatenate([t.take(n), t.take(m)]), equations


def read_contacts(path):
    """(W, q, mu), the normal first."""
    if path.suffix == ".npz":
        return read_normal_last(path)
    t = Tokens(path)
    if t.whole() != 3:
        raise ValueError("not a problem in space")
    contacts = t.whole()
    W = t.matrix()
    return W, t.take(3 * contacts), t.take(contacts)


def read_normal_last(path):
    """ContactBench: t, o, n of every contact."""
    data = np.load(path)
    mu = np.asarray(data["mus"], dtype=float).ravel()
    order = (3 * np.arange(len(mu))[:, None] + np.array([2, 0, 1])).ravel()
    return np.asarray(data["G"], dtype=float)[np.ix_(order, order)], np.asarray(data["g"], dtype=float).ravel()[order], mu


def contact_files(data):
    """name of reference.json -> file."""
    files = {f"fc3d/{f.stem.removesuffix('.hdf5')}": f for f in sorted(data.glob("fc3d/*.dat"))}
    return files | {f"fc3d/CB_{f.stem}": f for f in sorted(data.glob("contactbench/*.npz"))}


def complementarity_files(data):
    """name of reference.json -> (file, how to read it)."""
    out = {f"lcp/{f.name}": (f, read_lcp) for f in sorted(data.glob("lcp/*.dat"))}
    return out | {f"mlcp/{f.name}": (f, read_mlcp) for f in sorted(data.glob("mlcp/*.dat"))}


def references(data):
    return json.loads((data / "reference.json").read_text())
