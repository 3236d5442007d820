// The contact problem of a step, for other code to see: the problem, where the solver starts and what it answers.
#pragma once

#include <functional>

#include "kernels/model/arena.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// The problem of the step that an environment would take next. Its arrays are valid during the visit only.
struct StepProblem {
  int env;  // index in the batch
  const ContactProblem<double>& problem;
  const SolverConfig& config;
  const WarmStart<double>& warm;
  const ContactSolution<double>& solution;
  const SolverReport<double>& report;
  Arena scratch;  // working memory for another solve, as large as that of the solver
};

using ProblemVisitor = std::function<void(const StepProblem&)>;

}  // namespace stiction
