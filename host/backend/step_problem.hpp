// The contact problem of a step, seen from outside: what the solver is given, where it starts and what it answers.
#pragma once

#include <functional>

#include "kernels/model/arena.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// Of the step that an environment would take next; its arrays last as long as the visit.
struct StepProblem {
  int env;  // of the batch
  const ContactProblem<double>& problem;
  const SolverConfig& config;
  const WarmStart<double>& warm;
  const ContactSolution<double>& solution;
  const SolverReport<double>& report;
  Arena scratch;  // of the solver, for those who solve again: as many bytes as it took
};

using ProblemVisitor = std::function<void(const StepProblem&)>;

}  // namespace stiction
