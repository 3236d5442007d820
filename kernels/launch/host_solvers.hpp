// Every solver on the host, compiled once a phase order: whoever includes this links host_solvers_forward.cpp, and for
// the other two orders the units of tests/solver.
#pragma once

#include "kernels/solver/solve_problem.hpp"
#include "kernels/team/team.hpp"

#define ST_HOST_SOLVER(which, solver, order)                                                                   \
  which SolverReport<double> solve_explained<SolverName::solver, HostTeam<PhaseOrder::order>, double, double>( \
      const HostTeam<PhaseOrder::order>&, const ContactProblem<double>&, const SolverConfig&,                  \
      const WarmStart<double>&, Arena, ContactSolution<double>&);

namespace stiction {

#define ST_SOLVER(enumerator, name, function, scratch_of) \
  ST_HOST_SOLVER(extern template, enumerator, kForward)   \
  ST_HOST_SOLVER(extern template, enumerator, kBackward)  \
  ST_HOST_SOLVER(extern template, enumerator, kStrided)
#include "kernels/solver/solvers.inc"
#undef ST_SOLVER

}  // namespace stiction
