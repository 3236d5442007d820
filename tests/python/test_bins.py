"""Claims about mixed convex bodies that fall into a bin (bench/bins.py): every step is solved, in few Newton steps, and bodies
hardly overlap."""

import numpy as np
import pytest
from load_script import load_script

bins = load_script("bench/bins.py")

SEEDS = (0, 1)
STEP, SECONDS = 0.01, 1.5  # [s]
ITERATIONS = {"interior_point": 30, "newton": 25}  # of a step, in the mean
FALLING, AT_REST = 2e-3, 1e-4  # overlap at the end of a step, of 99 % and of all [m]


@pytest.mark.parametrize("solver", ITERATIONS)
def test_a_bin_of_twelve_is_solved_in_few_steps(solver):
    course = bins.Course()
    for seed in SEEDS:
        bins.fall(course, 12, seed, STEP, SECONDS, solver=solver)
    assert all(course.converged)
    assert np.mean(course.iterations) <= ITERATIONS[solver]
    assert np.quantile(course.falling, 0.99) <= FALLING
    assert max(course.resting) <= AT_REST
