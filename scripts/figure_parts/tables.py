"""The plotted numbers as CSV files: a table is a dict of columns."""

import csv

import numpy as np


def file_of(folder, name):
    return folder / f"figures_{name}.csv"


def cell(value):
    return f"{float(value):.12g}" if isinstance(value, (float, np.floating)) else value


def write(folder, name, rows):
    """Rows are dicts with the same keys."""
    with file_of(folder, name).open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)


def read(folder, name):
    """{column: array}; an array of numbers if every cell is a number."""
    with file_of(folder, name).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: column([row[key] for row in rows]) for key in rows[0]}


def column(cells):
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return np.array(cells)


def where(table, **values):
    """The rows in which these columns have these values."""
    kept = np.ones(len(next(iter(table.values()))), dtype=bool)
    for key, value in values.items():
        kept &= table[key] == value
    return {key: column[kept] for key, column in table.items()}


def records(columns):
    """Rows of a dict of equally long columns."""
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
