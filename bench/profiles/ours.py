"""Our solvers through bench/profiles/time_solves: the C++ core on one thread, timed inside the process."""

import numpy as np
from contact import record
from worker import Worker

SOLVERS = ("interior_point", "admm", "pgs", "lemke", "newton")  # places of kernels/solver/solvers.inc
LAWS, CONES = ("anitescu", "coulomb", "frictionless"), ("pyramid", "quadratic", "box")  # and of the choices
KINDS = ("contact", "delassus", "lcp", "mlcp")
MOST = 400           # [solver] max_iterations, so that no budget ends a solve that still gains
CONVERGED = 1        # status


def is_legal(solver, cone):
    return solver != "lemke" or cone != "quadratic"


def start(program):
    return Worker([program], greets=False)


def question(kind, law, cone, solver, tolerance, seconds, most, problem):
    head = [KINDS.index(kind), LAWS.index(law), CONES.index(cone), SOLVERS.index(solver), tolerance, MOST, seconds, most]
    return np.concatenate([head, problem]).tobytes()


def contact_question(p, law, solver, tolerance, seconds, most):
    cone = "pyramid" if law == "anitescu" else "quadratic"
    return question("contact", law, cone, solver, tolerance, seconds, most, record(p))


def delassus_question(W, q, mu, solver, tolerance, seconds, most):
    problem = np.concatenate([[len(mu)], W.ravel(), q, mu])
    return question("delassus", "coulomb", "quadratic", solver, tolerance, seconds, most, problem)


def lcp_question(M, q, equations, tolerance, seconds, most):
    parts = [[len(q)], M.ravel(), q] + ([equations.astype(float)] if equations.any() else [])
    kind = "mlcp" if equations.any() else "lcp"
    return question(kind, "frictionless", "pyramid", "lemke", tolerance, seconds, most, np.concatenate(parts))


def unpack(payload, sizes):
    """What service.py answers, from the doubles; `sizes` of v, dual (and limits' impulses)."""
    values = np.frombuffer(payload)
    if len(values) == 1:
        return {"error": "refused"}
    status, iterations, _, seconds, repeats = values[:5]
    parts = np.split(values[5:], np.cumsum(sizes)[:-1])
    return {"v": parts[0], "dual": parts[1] if len(parts) > 1 else parts[0], "limits": parts[2] if len(parts) > 2 else None,
            "seconds": seconds, "claimed": int(status) == CONVERGED, "iterations": int(iterations), "repeats": int(repeats),
            "status": int(status)}
