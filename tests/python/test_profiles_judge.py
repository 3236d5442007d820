"""The judge of bench/profiles and the program measure the same residual, near to a solution and far from it."""

import sys
from pathlib import Path

import numpy as np
import pytest
import stiction as st

PROFILES = Path(__file__).parents[2] / "bench/profiles"
SAME = 1e-9         # relative, where a residual is no rounding
ROUNDING = 1e-13


@pytest.fixture(scope="module", autouse=True)
def folder():
    sys.path.insert(0, str(PROFILES))
    yield
    sys.path.remove(str(PROFILES))


@pytest.mark.parametrize("law, cone", [("anitescu", "pyramid"), ("coulomb", "quadratic")])
@pytest.mark.parametrize("kind", ["well", "ratio_1e4"])
@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("tolerance, most", [(1e-1, 1), (1e-3, 1), (1e-6, 50)])
def test_the_judge_agrees_with_the_program(law, cone, kind, apart, tolerance, most):
    import judge
    import random_sets

    p = random_sets.make(kind, 16, 0)
    p.radius = np.ones(len(p.g))  # of problems given as arrays
    if not apart:
        p.blocks = np.array([len(p.g)])
    for solver in ("interior_point", "pgs"):
        found = st.solve_contact(p.H, p.g, p.J, p.gap_rate * p.h, p.mu, p.h, law=law, cone=cone, solver=solver,
                                 blocks=p.blocks,
                                 tolerance=tolerance, max_iterations=most, threads=1)  # fmt: skip
        residual = judge.residual(p, law, found.v, found.lambda_, np.zeros(0))
        assert residual == pytest.approx(float(found.residual), rel=SAME, abs=ROUNDING)
