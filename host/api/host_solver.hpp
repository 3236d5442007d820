// The memory in which one host thread makes runs of solvers.
#pragma once

#include "host/api/problem_solver.hpp"
#include "host/backend/batch_buffers.hpp"

namespace stiction {

class HostSolver {
 public:
  /// Certificates in the reports are valid until the next call.
  void solve(SolverRun& run);
  void solve(LcpRun& run);

  /// Makes all runs of a problem that has begun.
  const SolverReport<double>& finish(ProblemSolver& begun);

 private:
  Arena scratch(std::size_t bytes);

  AlignedVector<char> scratch_;
};

}  // namespace stiction
