// How the contact problem of a step is shown: the step as far as its velocity, which is then not taken. That overlaps
// are parted in position (kernels/step/part_overlaps.hpp) is no part of it.
#pragma once

#include "host/backend/step_problem.hpp"
#include "kernels/step/step.hpp"

namespace stiction {

/// Solves an environment's next step and leaves the environment where it is; one whose state can not be stepped is
/// passed over.
template <class Team, class Real>
void visit_problem(const Team& team, const BatchView<Real, double>& batch, int id, const StepConfig<Real>& config,
                   Arena arena, const ProblemVisitor& visit) {
  const ModelView<Real> model = batch.env_model(id);
  EnvView<Real, double> env = batch.env(id);
  StepProgress<Real> progress;
  SolveTask task;
  StepSite<Real> site{model, &env, batch.capacity, config, &progress, &task};
  walk_velocity_rounds(site, [&](auto stage) { run_stage<decltype(stage)::kValue>(team, arena, true, site); });
  if (progress.refused) return;
  // once more: prescribed dofs were set to their exact velocity
  task.report = solve_problem<Team, double>(team, task.problem, config.solver, task.warm, task.arena, task.solution);
  visit({id, task.problem, config.solver, task.warm, task.solution, task.report, task.arena});
}

}  // namespace stiction
