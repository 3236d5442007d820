// Where the answer takes the environment, and how that becomes its state.
#pragma once

#include "kernels/step/carry_velocity.hpp"
#include "kernels/step/follow_carriers.hpp"
#include "kernels/step/integrate.hpp"
#include "kernels/step/parameters.hpp"
#include "kernels/step/scripted_bodies.hpp"

namespace stiction {

/// v, or v + w where something was parted -> q⁺, v⁺ and the poses there; scripted bodies are put where they then are.
template <class Team, class Real, class Solve>
ST_FN void move_on(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                   const StepScratch<Real, Solve>& s, const EnvView<Real, Solve>& env) {
  const Real h = config.step_size;
  const NextState<Real>& next = s.next;
  const bool follows = config.dynamics == Dynamics::kDynamicFitted;
  place_scripted_bodies(team, config.mocap, *env.time + static_cast<double>(h), env);
  team.each(model.nq, [&](int i) { next.qpos[i] = env.qpos[i]; });
  team.each(model.nv, [&](int k) { next.qvel[k] = static_cast<Real>(s.taken[k]); });
  if (follows) mark_carriers(team, model, h, s);
  integrate_positions(team, model, next.qvel, config.dynamics, h, next.qpos);
  if (s.taken == s.solution.v) {
    carry_velocity(team, model, next.qpos, config.dynamics, h, next.qvel);
  } else {
    team.each(model.nv, [&](int k) { next.qvel[k] = static_cast<Real>(s.solution.v[k]); });
    carry_parted_velocity(team, model, env.qpos, next.qpos, next.qvel);
  }
  carry_free_motion(team, model, s.inertia, s.motion, next.qpos, next.qvel);
  update_poses(team, model, next.qpos, env.mocap_pose, next.poses);
  if (follows) follow_carriers(team, model, env, s);
}

/// The bits of a step with what only its end tells: a state that is no number.
template <class Team, class Real, class Solve>
ST_FN std::uint32_t judge_end(Team team, const ModelView<Real>& model, std::uint32_t bits,
                              const StepScratch<Real, Solve>& s) {
  const bool finite =
      detail::all_finite(team, s.next.qpos, model.nq) && detail::all_finite(team, s.next.qvel, model.nv);
  return finite ? bits : (bits & ~status::kConverged) | status::kNotFinite;
}

/// The answer becomes the state: also where the next solve starts, and what the step leaves to be read.
template <class Team, class Real, class Solve>
ST_FN void take_answer(Team team, const ModelView<Real>& model, const Capacity& capacity,
                       const StepConfig<Real>& config, const SolverReport<Solve>& report, int rounds,
                       double position_residual, const StepScratch<Real, Solve>& s, const EnvView<Real, Solve>& env) {
  keep_warm_start(team, model, capacity, report, s, env);
  write_contacts(team, model, config.step_size, s, env);
  team.each(model.nq, [&](int i) { env.qpos[i] = s.next.qpos[i]; });
  team.each(model.nv, [&](int k) { env.qvel[k] = s.next.qvel[k]; });
  if (config.dynamics == Dynamics::kDynamicFitted) team.each(model.nu, [&](int a) { env.last_ctrl[a] = env.ctrl[a]; });
  write_body_poses(team, model, s.next.poses, env);
  write_report(team, capacity, config, report, rounds, position_residual, deepest_overlap(team, s), s, env);
}

}  // namespace stiction
