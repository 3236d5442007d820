"""The optional data folder of problems that other programs recorded, read by a text of the tests' own."""

import data_folder
import numpy as np
import pytest

FOLDER = data_folder.FOLDER / "data/contact_problems"


def recorded_files(kind):
    """Files of this kind as parameters; one that is skipped where the folder is missing."""
    files = sorted((FOLDER / kind).glob("*.dat")) if FOLDER.is_dir() else []
    if files:
        return [pytest.param(file, id=file.stem) for file in files]
    return [pytest.param(None, marks=pytest.mark.skip(reason="no data folder: set STICTION_SHARED"))]


class Words:
    def __init__(self, path):
        self.words = iter(path.read_text().split())

    def integers(self, count):
        return [int(next(self.words)) for _ in range(count)]

    def numbers(self, count):
        return np.array([float(next(self.words)) for _ in range(count)])

    def columns(self, rows, columns):
        return self.numbers(rows * columns).reshape(columns, rows).T

    def blocks(self, size):
        _, block_rows, block_columns = self.integers(3)
        row_ends, column_ends = [0, *self.integers(block_rows)], [0, *self.integers(block_columns)]
        pointers, indices = self.integers(2)
        first, column = self.integers(pointers), self.integers(indices)
        matrix = np.zeros((size, size))
        for row in range(pointers - 1):
            for k in range(first[row], first[row + 1]):
                self.integers(1)
                rows = slice(row_ends[row], row_ends[row + 1])
                columns = slice(column_ends[column[k]], column_ends[column[k] + 1])
                matrix[rows, columns] = self.columns(rows.stop - rows.start, columns.stop - columns.start)
        return matrix

    def matrix(self):
        storage, size, _ = self.integers(3)
        if storage == 1:
            return self.blocks(size)
        assert storage == 0
        return self.columns(*self.integers(2))


def read_lcp(path):
    words = Words(path)
    (size,) = words.integers(1)
    return words.matrix(), words.numbers(size)


def read_mlcp(path):
    words = Words(path)
    has_matrix, _, n, m = words.integers(4)
    assert has_matrix == 1
    ends = words.integers(1)
    while ends[-1] < n + m:
        ends += words.integers(1)
    types = words.integers(len(ends) - 1)
    equations = np.repeat([t == 0 for t in types], np.diff(ends))
    return words.matrix(), words.numbers(n + m), equations


def read_contacts(path):
    words = Words(path)
    dimension, contacts = words.integers(2)
    return words.matrix(), words.numbers(dimension * contacts), words.numbers(contacts)
