"""Siconos on u = W r + q (Coulomb's law, quadratic cones, the normal first, as here) and on LCPs. Needs Debian's Python.

Siconos has no clock of its own: the time is that of the driver's call, a few microseconds of binding included. Its
tolerance is on ‖natural map‖ relative to ‖q‖ and ‖r‖ together. Large W are given sparse, which is up to ten times faster.
"""

import time

import numpy as np
import siconos.numerics as sn
from scipy import sparse

LARGE = 32           # contacts from which on W is given as a sparse matrix
MOST = 1_000_000     # iterations of the fixed-point methods
MOST_NEWTON = 1000   # of Newton's and the proximal method
CONTACT_SOLVERS = {"Siconos NSGS": ("NSGS", MOST), "Siconos Newton (Alart-Curnier)": ("NSN_AC", MOST_NEWTON),
                   "Siconos Newton (Fischer-Burmeister)": ("NSN_FB", MOST_NEWTON),
                   "Siconos proximal point": ("PROX", MOST_NEWTON), "Siconos ADMM": ("ADMM", 100_000)}
LCP_SOLVERS = {"Siconos Lemke": "LEMKE", "Siconos pivot": "PIVOT", "Siconos Newton (Fischer-Burmeister)": "NEWTON_FB_FBLSA"}


def options(name, tolerance, most):
    out = sn.SolverOptions(getattr(sn, name))
    out.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    out.iparam[sn.SICONOS_IPARAM_MAX_ITER] = most
    return out


def found(dual, seconds, failed, chosen):
    return {"v": np.zeros(0), "dual": dual, "seconds": seconds, "claimed": not failed,
            "iterations": int(chosen.iparam[sn.SICONOS_IPARAM_ITER_DONE])}


def as_given(W, contacts):
    if contacts < LARGE:
        return W
    out = sparse.csc_matrix(W)
    out.indices, out.indptr = out.indices.astype(np.int64), out.indptr.astype(np.int64)
    return out


def solve_contacts(p, tolerance, name, most):
    mu = p["mu"]
    W = as_given(p["W"], len(mu))
    problem = sn.FrictionContactProblem(3, len(mu), W, p["q"], mu)
    r, u, chosen = np.zeros(len(p["q"])), np.zeros(len(p["q"])), options("SICONOS_FRICTION_3D_" + name, tolerance, most)
    begin = time.perf_counter()
    failed = sn.fc3d_driver(problem, r, u, chosen)
    return found(r, time.perf_counter() - begin, failed, chosen)


def solve_lcp(p, tolerance, name):
    problem = sn.LCP(p["W"], p["q"])
    z, w, chosen = np.zeros(len(p["q"])), np.zeros(len(p["q"])), options("SICONOS_LCP_" + name, tolerance, 100_000)
    begin = time.perf_counter()
    failed = sn.linearComplementarity_driver(problem, z, w, chosen)
    return found(z, time.perf_counter() - begin, failed, chosen)


SOLVERS = {label: lambda p, t, n=name, m=most: solve_contacts(p, t, n, m) for label, (name, most) in CONTACT_SOLVERS.items()}
SOLVERS |= {f"{label}, LCP": lambda p, t, n=name: solve_lcp(p, t, n) for label, name in LCP_SOLVERS.items()}
