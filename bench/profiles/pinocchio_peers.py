"""Pinocchio's contact solvers on u = W r + q: Coulomb's law, quadratic cones, de Saxcé's correction (solve_ncp).

Theirs is the order of rows t, o, n; here n, t, o. The time is their clock of the solve; the making of W, of the contact
models and of the operator is not counted.
"""

import numpy as np
import pinocchio

MICROSECOND = 1e-6   # [s]
MOST = 100_000       # iterations


def normal_last(n):
    """Places of t, o, n of every contact."""
    return (3 * np.arange(n)[:, None] + np.array([1, 2, 0])).ravel()


def contact_models(mu):
    """Point contacts of one free body: the solvers look at their friction only."""
    model = pinocchio.Model()
    body = model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "body")
    model.appendBodyToJoint(body, pinocchio.Inertia(1.0, np.zeros(3), np.eye(3)), pinocchio.SE3.Identity())
    models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for friction in mu:
        contact = pinocchio.PointContactConstraintModel(model, 0, body)
        contact.setFriction(float(friction))
        models.append(contact)
        datas.append(contact.createData())
    return models, datas


def solve(p, tolerance, solver, settings, result):
    order = normal_last(len(p["mu"]))
    W, q = np.asfortranarray(p["W"][np.ix_(order, order)]), p["q"][order]
    models, datas = contact_models(p["mu"])
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    settings.max_iterations, settings.measure_timings, settings.solve_ncp = MOST, True, True
    claimed = solver.solve(pinocchio.DelassusOperatorDense(W), q, models, datas, settings, result)
    r = np.empty(len(q))
    r[order] = result.retrieveConstraintImpulses()
    return {"v": np.zeros(0), "dual": r, "seconds": solver.getElapsedTime() * MICROSECOND, "claimed": bool(claimed),
            "iterations": result.iterations}


def solve_admm(p, tolerance):
    return solve(p, tolerance, pinocchio.ADMMConstraintSolver(), pinocchio.ADMMSolverSettings(), pinocchio.ADMMSolverResult())


def solve_pgs(p, tolerance):
    return solve(p, tolerance, pinocchio.PGSConstraintSolver(), pinocchio.PGSSolverSettings(), pinocchio.PGSSolverResult())


SOLVERS = {"Pinocchio ADMM": solve_admm, "Pinocchio PGS": solve_pgs}
