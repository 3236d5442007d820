// Several steps of one environment on the host, and the scratch that a step needs on the host and on a GPU.
#pragma once

#include "kernels/step/step.hpp"

namespace stiction {

/// Advances environment `i` of the batch by `steps` >= 1 steps. Its status then holds the bits of all these steps.
template <class Team, class Real>
void run_steps(Team team, const BatchView<Real>& batch, int i, const StepConfig<Real>& config, int steps, Arena arena) {
  const ModelView<Real> model = batch.env_model(i);
  EnvView<Real> env = batch.env(i);
  StepProgress<Real> progress;
  SolveTask task;
  StepSite<Real> site{model, &env, batch.capacity, config, &progress, &task};
  for (int s = 0; s < steps; ++s) step_environment(team, arena, s == 0 ? Entry::kCall : Entry::kStep, site);
}

/// Writes the poses of environment `i` and its contacts, without forces; its state does not change.
template <class Team, class Real>
void show_contacts(Team team, const BatchView<Real>& batch, int i, const StepConfig<Real>& config, Arena arena) {
  const ModelView<Real> model = batch.env_model(i);
  EnvView<Real> env = batch.env(i);
  StepProgress<Real> progress;
  SolveTask task;
  StepSite<Real> site{model, &env, batch.capacity, config, &progress, &task};
  prepare_stage(team, arena, Entry::kCall, site);
  drift_stage(team, site);
  collide_stage(team, site);
  merge_stage(team, site);
  task_stage<true>(team, site);
  show_stage(team, site);
}

/// What the layout of the solver's scratch depends on.
template <class Real>
SolverCapacity solver_capacity(const ModelView<Real>& model, const Capacity& capacity, const StepConfig<Real>& config) {
  return {model.nv,
          model.ntree,
          model.tree_dof_num,
          capacity.max_contacts,
          capacity.max_rows,
          shape_cone(config.law, config.cone, config.facets, config.dimension),
          capacity.max_couplings};
}

/// The capacity of the problem that parts overlaps: it has no friction, and no torsion even if the problem of the
/// velocity has any.
template <class Real>
SolverCapacity parting_capacity(const ModelView<Real>& model, const Capacity& capacity,
                                const StepConfig<Real>& config) {
  StepConfig<Real> parting = config;
  parting.law = kNoFriction, parting.dimension = 3;
  return solver_capacity(model, capacity, parting);
}

/// Bytes of scratch that one environment needs besides that of its solves.
template <class Team, class Real>
std::size_t own_scratch_bytes(Team team, const ModelView<Real>& model, const Capacity& capacity,
                              const StepConfig<Real>& config) {
  Arena arena;
  StepScratch<Real> s;
  take_step_scratch(team, model, capacity, config, arena, s);
  return s.solver.used();
}

/// Bytes of scratch that a solve needs.
template <class Team, class Real>
std::size_t solve_scratch_bytes(Team, const ModelView<Real>& model, const Capacity& capacity,
                                const StepConfig<Real>& config) {
  const auto scratch_of = [&](SolverCapacity solver) {
    solver.single_lane = Team::kLanes == 1;
    return solver_scratch<double>(config.solver, solver);
  };
  const std::size_t velocity = scratch_of(solver_capacity(model, capacity, config));
  const std::size_t parting = config.parts_overlaps ? scratch_of(parting_capacity(model, capacity, config)) : 0;
  return velocity > parting ? velocity : parting;
}

/// Bytes of scratch that one environment needs.
template <class Team, class Real>
std::size_t step_scratch_bytes(Team team, const ModelView<Real>& model, const Capacity& capacity,
                               const StepConfig<Real>& config) {
  return own_scratch_bytes(team, model, capacity, config) + solve_scratch_bytes(team, model, capacity, config);
}

}  // namespace stiction
