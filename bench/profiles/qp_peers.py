"""QP solvers: min ½ vᵀHv − gᵀv with A v + c >= 0, multipliers z >= 0 with H v = g + Aᵀz.

Times are the libraries' own clocks, set-up included. H may be singular: DAQP then iterates on a proximal term that it
adds where it notices (eps_prox < 0), OSQP, PIQP and ProxQP always have one, Clarabel regularises its factor.
Of a library with a dense and a sparse solver both are tried.
"""

import clarabel
import daqp
import numpy as np
import osqp
import piqp
import proxsuite
from scipy import sparse

TIME_LIMIT = 1.0     # [s]
MICROSECOND = 1e-6   # [s]


def found(v, dual, seconds, claimed, iterations):
    return {"v": np.array(v, dtype=float), "dual": np.array(dual, dtype=float), "seconds": float(seconds),
            "claimed": bool(claimed), "iterations": int(iterations)}


def solve_daqp(p, tolerance):
    rows = len(p["c"])
    x, _, flag, info = daqp.solve(p["H"].copy(), -p["g"], p["A"].copy(), np.full(rows, 1e30), -p["c"],
                                  np.zeros(rows, dtype=np.int32), primal_tol=tolerance, eps_prox=-1e-6,
                                  iter_limit=100_000, time_limit=TIME_LIMIT)
    return found(x, -info["lam"], info["solve_time"] + info["setup_time"], flag == 1, info["iterations"])


def solve_clarabel(p, tolerance):
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads, settings.max_iter, settings.time_limit = False, 1, 500, TIME_LIMIT
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    answer = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(p["H"])), -p["g"], sparse.csc_matrix(-p["A"]), p["c"],
                                    [clarabel.NonnegativeConeT(len(p["c"]))], settings).solve()
    return found(answer.x, answer.z, answer.solve_time, answer.status == clarabel.SolverStatus.Solved, answer.iterations)


def solve_piqp(p, tolerance, solver, as_given):
    solver.settings.eps_abs, solver.settings.eps_rel, solver.settings.max_iter = tolerance, 0.0, 500
    solver.settings.eps_duality_gap_abs, solver.settings.eps_duality_gap_rel = tolerance, 0.0
    solver.settings.compute_timings = True
    solver.setup(as_given(p["H"]), -p["g"], None, None, as_given(p["A"]), -p["c"], np.full(len(p["c"]), 1e30))
    status = solver.solve()
    result = solver.result
    return found(result.x, result.z_l, result.info.run_time, status == piqp.PIQP_SOLVED, result.info.iter)


def solve_osqp(p, tolerance):
    solver = osqp.OSQP()
    solver.setup(sparse.csc_matrix(np.triu(p["H"])), -p["g"], sparse.csc_matrix(p["A"]), -p["c"],
                 np.full(len(p["c"]), np.inf), eps_abs=tolerance, eps_rel=0.0, max_iter=1_000_000, polishing=True,
                 time_limit=TIME_LIMIT, verbose=False)
    answer = solver.solve(raise_error=False)
    return found(answer.x, -answer.y, answer.info.run_time, answer.info.status == "solved", answer.info.iter)


def solve_proxqp(p, tolerance, backend, as_given):
    rows = len(p["c"])
    solver = backend.QP(len(p["g"]), 0, rows)
    solver.settings.eps_abs, solver.settings.eps_rel, solver.settings.max_iter = tolerance, 0.0, 10_000
    solver.settings.compute_timings = True
    solver.init(as_given(p["H"]), -p["g"], None, None, as_given(p["A"]), -p["c"], np.full(rows, 1e20))
    solver.solve()
    info = solver.results.info
    solved = info.status == proxsuite.proxqp.PROXQP_SOLVED
    return found(solver.results.x, -solver.results.z, info.run_time * MICROSECOND, solved, info.iter)


SOLVERS = {
    "DAQP": solve_daqp, "Clarabel": solve_clarabel, "OSQP": solve_osqp,
    "PIQP (dense)": lambda p, t: solve_piqp(p, t, piqp.DenseSolver(), np.asarray),
    "PIQP (sparse)": lambda p, t: solve_piqp(p, t, piqp.SparseSolver(), sparse.csc_matrix),
    "ProxQP (dense)": lambda p, t: solve_proxqp(p, t, proxsuite.proxqp.dense, np.asarray),
    "ProxQP (sparse)": lambda p, t: solve_proxqp(p, t, proxsuite.proxqp.sparse, sparse.csc_matrix),
}
