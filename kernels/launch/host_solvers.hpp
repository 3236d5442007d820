// Every solver on the host, compiled once per phase order. Code that includes this header must link
// host_solvers_forward.cpp, and for the other two orders the translation units of tests/solver.
#pragma once

#include "kernels/solver/solve_problem.hpp"
#include "kernels/team/team.hpp"

#define ST_HOST_SOLVER_IN(which, solver, order, Factor)                                                        \
  which SolverReport<double> solve_explained<SolverName::solver, HostTeam<PhaseOrder::order>, double, Factor>( \
      const HostTeam<PhaseOrder::order>&, const ContactProblem<double>&, const SolverConfig&,                  \
      const WarmStart<double>&, Arena, ContactSolution<double>&);
#define ST_HOST_SOLVER_true(which, solver, order) \
  ST_HOST_SOLVER_IN(which, solver, order, double) ST_HOST_SOLVER_IN(which, solver, order, float)
#define ST_HOST_SOLVER_false(which, solver, order) ST_HOST_SOLVER_IN(which, solver, order, double)
#define ST_HOST_SOLVER(which, solver, order, factors) ST_HOST_SOLVER_##factors(which, solver, order)

namespace stiction {

#define ST_SOLVER(enumerator, name, function, scratch_of, factors) \
  ST_HOST_SOLVER(extern template, enumerator, kForward, factors)   \
  ST_HOST_SOLVER(extern template, enumerator, kBackward, factors)  \
  ST_HOST_SOLVER(extern template, enumerator, kStrided, factors)
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

}  // namespace stiction
