"""Claims: two halves at the same time change no bit; what either raises ends both; progress counts all and comes on the caller's thread."""

import threading

import numpy as np
import pytest
from jaws import jaws, many, same_bits
from stiction import grasp
from stiction.errors import InputError
from stiction.grasp.halves import count_halves, in_halves


def test_threads_change_no_bit():
    alone = grasp.evaluate(jaws(), many(), quality=True, threads=1)
    for threads, batch in ((2, None), (3, 7), (None, 2)):
        same_bits(alone, grasp.evaluate(jaws(), many(), quality=True, threads=threads, batch=batch))


@pytest.mark.parametrize(("grasps", "environments", "threads"), [(2, 2, 2), (7, 5, 3), (1000, 3, 16)])
def test_halves_share_everything_out(grasps, environments, threads):
    seen = []
    in_halves(lambda *of: seen.append(of[:3]), grasps, environments, threads, None)
    ids, own, cores = zip(*seen, strict=True)
    assert sorted(np.concatenate(ids).tolist()) == list(range(grasps)) and sum(own) == environments and sum(cores) == threads
    assert min(own) > 0 and min(cores) > 0 and abs(own[0] - own[1]) <= 1


def test_one_half_where_two_have_no_use():
    assert count_halves(100, 16, "cpu", 2) == 2
    for grasps, environments, device, threads in ((1, 16, "cpu", 2), (100, 1, "cpu", 2), (100, 16, "cpu", 1), (100, 16, "cuda", 2), (100, 16, "cpu", "two")):
        assert count_halves(grasps, environments, device, threads) == 1
    with pytest.raises(InputError, match="threads"):
        grasp.evaluate(jaws(), many(), threads=-1)


def test_progress_counts_all_on_the_callers_thread():
    threads, steps = set(), []

    def note(done, total):
        threads.add(threading.current_thread())
        steps.append((done, total))

    found = grasp.evaluate(jaws(), many(), threads=2, progress=note)
    begun = int((found.why & grasp.Why.START_OVERLAP == 0).sum())
    assert threads == {threading.current_thread()}
    done = [one for one, _ in steps]
    assert done == sorted(done) and done[-1] == begun == steps[-1][1]


class _Wrong(Exception):
    pass


@pytest.mark.parametrize("half", [0, 1])
def test_what_a_half_raises_ends_the_other(half):
    other_runs, ended = threading.Event(), []

    def judge(ids, environments, threads, progress):
        if ids[0] == half:
            assert other_runs.wait(10)
            raise _Wrong
        try:
            for _ in range(10**9):
                progress(0, len(ids))
                other_runs.set()
        finally:
            ended.append(ids[0])

    with pytest.raises(_Wrong):
        in_halves(judge, 10, 4, 2, None)
    assert ended == [1 - half]


def test_a_caller_that_waits_for_the_second_half_can_be_interrupted():
    """The first half has nothing to do; progress is called while it waits, and raises."""
    steps, ended = [], threading.Event()

    def judge(ids, environments, threads, progress):
        progress(0, len(ids))
        if ids[0] == 1:
            try:
                while True:
                    progress(1, len(ids))
            finally:
                ended.set()

    def note(done, total):
        steps.append((done, total))
        if len(steps) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_halves(judge, 9, 4, 2, note)
    assert ended.is_set() and steps[-1] == (1, 9)


def test_what_progress_raises_comes_out():
    def note(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grasp.evaluate(jaws(), many(), threads=2, progress=note)
