// Several steps of one environment: what every launch runs, on the host and on the GPU.
#pragma once

#include "kernels/step/step.hpp"

namespace stiction {

/// Bits over several steps: OR of all, but converged only if every step was.
ST_FN std::uint32_t merge_status(std::uint32_t before, std::uint32_t now) {
  return ((before | now) & ~status::kConverged) | (before & now & status::kConverged);
}

/// Advances environment `i` of the batch by `steps` >= 1 steps; its status then holds the bits of all of them.
template <class Team, class Real, class Solve>
ST_FN void run_steps(Team team, const BatchView<Real, Solve>& batch, int i, const StepConfig<Real>& config, int steps,
                     Arena arena) {
  const ModelView<Real> model = batch.env_model(i);
  const EnvView<Real, Solve> env = batch.env(i);
  std::uint32_t bits = status::kConverged;
  for (int s = 0; s < steps; ++s) {
    step_environment(team, model, batch.capacity, env, config, arena);
    bits = merge_status(bits, *env.status);
    team.fence();
  }
  team.once([&] { *env.status = bits; });
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

/// Bytes of scratch that one environment needs.
template <class Team, class Real, class Solve>
std::size_t step_scratch_bytes(Team team, const ModelView<Real>& model, const Capacity& capacity,
                               const StepConfig<Real>& config) {
  Arena arena;
  StepScratch<Real, Solve> s;
  take_step_scratch(team, model, capacity, config, arena, s);
  SolverCapacity solver = solver_capacity(model, capacity, config);
  solver.one_lane = Team::kLanes == 1;
  return s.solver.used() + solver_scratch<Solve>(config.solver, solver);
}

}  // namespace stiction
