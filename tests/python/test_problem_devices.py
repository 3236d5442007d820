"""Claims: every function on arrays has on a GPU the answers of a CPU that solves as a GPU does, says where they come
from, and refuses a device that is not there."""

import numpy as np
import pytest
import stiction as st

RNG = np.random.default_rng(5)
BATCH = 3
LIBRARY = 1e-6  # of the largest entry: what the rounding of library functions makes of answers to a residual of 1e-8


def matrices(n, rank):
    F = RNG.normal(size=(BATCH, rank, n))
    return np.swapaxes(F, 1, 2) @ F


def vectors(*shape):
    return RNG.normal(size=(BATCH, *shape))


W = matrices(6, 4)
CALLS = {
    "contact": (st.solve_contact, (matrices(4, 4), vectors(4), vectors(6, 4), np.zeros((BATCH, 2)),
                                   np.full((BATCH, 2), 0.5), 0.01)),
    "delassus": (st.solve_delassus, (W, (W @ vectors(6, 1))[..., 0], np.full((BATCH, 2), 0.5))),
    "qp": (st.solve_qp, (matrices(4, 4), vectors(4), vectors(5, 4), np.abs(vectors(5)))),
    "lcp": (st.solve_lcp, (matrices(4, 4), vectors(4))),
    "mlcp": (st.solve_mlcp, (matrices(4, 4), vectors(4), [1, 0, 0, 1])),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
def test_a_gpu_has_the_answers_of_a_cpu_that_solves_as_it_does(kind):
    solve, arrays = CALLS[kind]
    cpu = solve(*arrays, solve_threads=32)
    try:
        gpu = solve(*arrays, device="cuda", solve_threads=8)
    except st.InputError as why:
        pytest.skip(str(why))
    assert cpu.device == "cpu" and gpu.device.startswith("cuda:0 (")
    assert np.all(gpu.status == st.Status.CONVERGED) and np.all(cpu.status == st.Status.CONVERGED)
    for name in {"v", "lambda_", "z"} & set(dir(gpu)):
        one, other = getattr(gpu, name), getattr(cpu, name)
        assert one.shape == other.shape and np.abs(one - other).max() <= LIBRARY * np.abs(other).max(), name


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"device": "reference"}, 'device: "reference" is not one of auto, cpu, cuda, cuda:<i>'),
        ({"device": "cuda:x"}, 'device: "cuda:x" is not one of auto, cpu, cuda, cuda:<i>'),
        ({"device": None}, "device: expected str, got NoneType"),
        ({"device": "cuda:99"}, r"device: cuda:99(: no usable GPU| does not exist)"),
        ({"solve_threads": 5}, "solve_threads: expected 8, 32, 64 or 0"),
        ({"solve_threads": 8.0}, "solve_threads: expected int, got float"),
    ],
)
def test_what_is_no_device_is_refused(kind, given, message):
    solve, arrays = CALLS[kind]
    with pytest.raises(st.InputError, match=message):
        solve(*arrays, **given)


def test_auto_is_a_device():
    solve, arrays = CALLS["contact"]
    device = solve(*arrays, device="auto").device
    assert device == "cpu" or device.startswith("cuda:0 (")
