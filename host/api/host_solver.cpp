#include "host/api/host_solver.hpp"

#include "kernels/launch/host_solvers.hpp"

namespace stiction {

using Team = HostTeam<PhaseOrder::kForward>;

Arena HostSolver::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) scratch_ = AlignedVector<char>(bytes);
  return Arena(scratch_.data());
}

void HostSolver::solve(SolverRun& run) {
  const std::size_t bytes = solver_scratch<double>(run.config, capacity_of(run.problem));
  run.report = solve_problem<Team, double>(Team{}, run.problem, run.config, run.warm, scratch(bytes), run.out);
}

void HostSolver::solve(LcpRun& run) {
  run.report = solve_lcp(Team{}, run.problem, run.options, scratch(lcp_scratch<double>(run.problem.size)), run.z);
}

const SolverReport<double>& HostSolver::finish(ProblemSolver& begun) {
  do solve(begun.run());
  while (begun.go_on());
  return begun.report();
}

}  // namespace stiction
