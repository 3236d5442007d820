// Shows the contact problem of a step: runs the step up to its velocity and then discards it. The problem that parts
// overlaps in position (kernels/step/part_overlaps.hpp) is not shown.
#pragma once

#include "host/backend/step_problem.hpp"
#include "kernels/step/step.hpp"

namespace stiction {

/// Solves the next step of an environment without changing its state. An environment whose state can not be stepped is
/// skipped.
template <class Team, class Real>
void visit_problem(const Team& team, const BatchView<Real>& batch, int id, const StepConfig<Real>& config, Arena arena,
                   const ProblemVisitor& visit) {
  const ModelView<Real> model = batch.env_model(id);
  EnvView<Real> env = batch.env(id);
  StepProgress<Real> progress;
  SolveTask task;
  StepSite<Real> site{model, &env, batch.capacity, config, &progress, &task};
  walk_velocity_rounds(site, [&](auto stage) { run_stage<decltype(stage)::kValue>(team, arena, Entry::kCall, site); });
  if (progress.refused) return;
  // solved again, because the step has overwritten the velocities of prescribed dofs by their exact values
  task.report = solve_problem<Team, double>(team, task.problem, config.solver, task.warm, task.arena, task.solution);
  visit({id, task.problem, config.solver, task.warm, task.solution, task.report, task.arena});
}

}  // namespace stiction
