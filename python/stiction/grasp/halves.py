"""Grasps in two halves at the same time: while Python looks at what a step did in one half, the other half steps."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[int, int], None]
Found = TypeVar("Found")
_PAUSE = 0.1  # between calls of `progress` while the first half waits for the second [s]
Judge = Callable[[NDArray[np.intp], int, Any, Progress | None], Found]  # of (grasps, environments, threads, progress)


def _cores(threads: Any) -> Any:
    """How many threads are meant."""
    return os.cpu_count() or 1 if threads is None else threads


def count_halves(grasps: int, environments: int, device: str, threads: Any) -> int:
    """Two where each half has a thread of its own and something to do."""
    cores = _cores(threads)
    return 2 if device == "cpu" and isinstance(cores, int) and min(cores, environments, grasps) > 1 else 1


class _Stopped(Exception):
    """The other half failed, or was interrupted."""


class _Course:
    """How far each half is, and whether something has ended both."""

    def __init__(self, grasps: int, progress: Progress | None) -> None:
        self.done, self.total = [0, 0], [(grasps + 1) // 2, grasps // 2]
        self.progress, self.stopped = progress, False

    def note(self, half: int, done: int, total: int) -> None:
        if self.stopped:
            raise _Stopped
        self.done[half], self.total[half] = done, total
        if half == 0:
            self.report()

    def report(self) -> None:
        if self.progress is not None:
            self.progress(sum(self.done), sum(self.total))


def in_halves(judge: Judge[Found], grasps: int, environments: int, threads: Any, progress: Progress | None) -> tuple[Found, Found]:
    """What `judge` finds of the grasps with even and with odd numbers. The first half runs on the caller's thread, which alone calls
    `progress` and gets Ctrl-C; what either raises ends both."""
    course, cores = _Course(grasps, progress), _cores(threads)

    def half(number: int) -> Found:
        ids, own = np.arange(number, grasps, 2), [(cores + 1) // 2, cores // 2][number]
        try:
            return judge(ids, (environments + 1 - number) // 2, own, lambda done, total: course.note(number, done, total))
        except BaseException:
            course.stopped = True
            raise

    with ThreadPoolExecutor(1, "grasps") as helper:
        other: Future[Found] = helper.submit(half, 1)
        try:
            first = half(0)
            while wait([other], _PAUSE).not_done:
                course.report()
            second = other.result()
            course.report()
        except _Stopped:
            other.result()  # raises what ended it
            raise
        except BaseException:
            course.stopped = True
            raise
    return first, second
