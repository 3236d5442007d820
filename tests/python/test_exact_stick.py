"""Claims about what should stick: it does, to the last digits, and what should just slide does so by what friction lets it."""

import pytest
from load_script import load_script

exact = load_script("bench/exact_stick.py")


@pytest.mark.parametrize("step_size", exact.STEPS)
def test_a_box_slides_below_the_friction_that_holds_it_and_stays_above(step_size):
    below, above = exact.SHARES
    slid, converged = exact.ours(exact.slope(below), step_size, exact.SECONDS)
    assert converged == 1 and slid[0] == pytest.approx(exact.slide_of(below), rel=2 * step_size / exact.SECONDS + 1e-4)
    stayed, converged = exact.ours(exact.slope(above), step_size, exact.SECONDS)
    assert converged == 1 and abs(stayed[0]) <= 1e-9  # [m], in ten seconds


@pytest.mark.parametrize("step_size", exact.STEPS)
def test_a_pinched_capsule_does_not_creep(step_size):
    held, converged = exact.ours(exact.pinch(), step_size, exact.PINCHED, (exact.PRESS,) * 2)
    assert converged == 1 and abs(held[4]) <= 1e-9  # [m], in a minute
