// How the contact problem of a step is shown: the step as far as its solution, which is then not taken.
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
  const EnvView<Real, double> env = batch.env(id);
  StepScratch<Real, double> s;
  take_step_scratch(team, model, batch.capacity, config, arena, s);
  sample_script(team, model, config, env);
  if (check_environment(team, model, config.dynamics, env)) return;
  update_motion(team, model, env, config, s);
  solve_contacts(team, model, batch.capacity, env, config, s);
  const auto problem = describe_problem(model, batch.capacity, config, s);
  const auto warm = match_warm_start(team, env, config, s);
  // once more: prescribed dofs were set to their exact velocity
  const auto report = solve_problem<Team, double>(team, problem, config.solver, warm, s.solver, s.solution);
  visit({id, problem, config.solver, warm, s.solution, report, s.solver});
}

}  // namespace stiction
