"""Solves the questions of worker.py with one library, on one thread, until its input ends.

    python service.py MODULE        MODULE: qp_peers, pinocchio_peers or siconos_peers, of this folder

A module has SOLVERS: name -> function(arrays, setting) -> dict of v, dual, seconds, claimed, iterations. What a library
prints goes to standard error, so that the answers have standard output for themselves.
"""

import importlib
import io
import os
import statistics
import struct
import sys

import numpy as np


def read(stream):
    head = stream.read(8)
    if len(head) < 8:
        return None
    return stream.read(struct.unpack("<Q", head)[0])


def write(stream, payload):
    stream.write(struct.pack("<Q", len(payload)) + payload)
    stream.flush()


def pack(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def solve_repeatedly(solve, arrays, setting, seconds, most):
    """The last answer with the median of its times; a library keeps nothing from one repeat to the next."""
    times = []
    while not times or (sum(times) < seconds and len(times) < most):
        found = solve(arrays, setting)
        times.append(found["seconds"])
    return found | {"seconds": statistics.median(times), "repeats": len(times)}


def answer(solvers, question):
    arrays = dict(np.load(io.BytesIO(question)))
    name, setting = str(arrays.pop("solver")), float(arrays.pop("setting"))
    seconds, most = float(arrays.pop("seconds")), int(arrays.pop("most"))
    try:
        return pack(**solve_repeatedly(solvers[name], arrays, setting, seconds, most))
    except Exception as error:  # noqa: BLE001  # a peer's own complaint about a problem is its answer
        return pack(error=np.array(f"{type(error).__name__}: {error}"[:200]))


def main():
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    solvers = importlib.import_module(sys.argv[1]).SOLVERS
    write(answers, pack(solvers=np.array(sorted(solvers))))
    while (question := read(sys.stdin.buffer)) is not None:
        write(answers, answer(solvers, question))


if __name__ == "__main__":
    main()
