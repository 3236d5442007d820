// One step of one environment, as a table of contents.
#pragma once

#include "kernels/step/carry_velocity.hpp"
#include "kernels/step/command.hpp"
#include "kernels/step/follow_carriers.hpp"
#include "kernels/step/integrate.hpp"
#include "kernels/step/parameters.hpp"
#include "kernels/step/readout.hpp"
#include "kernels/step/scripted_bodies.hpp"

namespace stiction {

namespace detail {

/// True if all of qpos, ctrl, mocap poses and velocities and, with momentum, qvel are numbers.
template <class Team, class Real, class Solve>
ST_FN bool state_is_finite(Team team, const ModelView<Real>& model, Dynamics dynamics,
                           const EnvView<Real, Solve>& env) {
  const int velocities = has_momentum(dynamics) ? model.nv : 0;
  const int bad = team.sum(model.nq, 0, [&](int i) { return is_finite(env.qpos[i]) ? 0 : 1; }) +
                  team.sum(model.nu, 0, [&](int i) { return is_finite(env.ctrl[i]) ? 0 : 1; }) +
                  team.sum(velocities, 0, [&](int i) { return is_finite(env.qvel[i]) ? 0 : 1; }) +
                  team.sum(7 * model.nmocap, 0, [&](int i) { return is_finite(env.mocap_pose[i]) ? 0 : 1; }) +
                  team.sum(6 * model.nmocap, 0, [&](int i) { return is_finite(env.mocap_velocity[i]) ? 0 : 1; });
  return bad == 0;
}

}  // namespace detail

/// Why the environment can not be stepped, as bits; 0 if it can.
template <class Team, class Real, class Solve>
ST_FN std::uint32_t check_environment(Team team, const ModelView<Real>& model, Dynamics dynamics,
                                      const EnvView<Real, Solve>& env) {
  if (!detail::state_is_finite(team, model, dynamics, env)) return status::kNotFinite;
  return parameters_are_valid(team, model) ? 0 : status::kBadParameter;
}

/// What the scene's tables give: the control at the end of the step, poses and velocities of scripted bodies now.
template <class Team, class Real, class Solve>
ST_FN void sample_script(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                         const EnvView<Real, Solve>& env) {
  const double h = static_cast<double>(config.step_size);
  follow_command(team, model, config.command, *env.time, h, config.dynamics == Dynamics::kDynamicFitted, env);
  place_scripted_bodies(team, config.mocap, *env.time, env);
  move_scripted_bodies(team, config.mocap, *env.time, h, env);
}

template <class Real, class Solve>
ST_FN MotionInputs<Real> motion_inputs(const EnvView<Real, Solve>& env, const StepConfig<Real>& config) {
  const int step = step_at(*env.time, static_cast<double>(config.step_size));
  const bool known = *env.warm_count >= 0 || (config.command.num_knots > 0 && !*env.holds_ctrl);
  const Real* last_ctrl = known ? env.last_ctrl : env.ctrl;
  return {env.qpos, env.qvel, env.ctrl, last_ctrl, config.step_size, config.mass_ratio, config.impulses, step};
}

/// q, v, ctrl -> X_WB, M, w, H, g.
template <class Team, class Real, class Solve>
ST_BODY void update_motion(Team team, const ModelView<Real>& model, const EnvView<Real, Solve>& env,
                           const StepConfig<Real>& config, const StepScratch<Real, Solve>& s) {
  update_geom_bounds(team, model, env);
  update_poses(team, model, env.qpos, env.mocap_pose, s.poses);
  update_scripted_velocities(team, model, env.mocap_velocity, s.poses);
  update_mass_and_weight(team, model, s.poses, s.inertia);
  assemble_motion(team, model, s.poses, motion_inputs(env, config), config.dynamics, s.inertia, s.motion);
}

/// The solution becomes the new state; contacts are written before the poses move on.
template <class Team, class Real, class Solve>
ST_FN void take_solution(Team team, const ModelView<Real>& model, const Capacity& capacity,
                         const StepConfig<Real>& config, const SolverReport<Solve>& report,
                         const StepScratch<Real, Solve>& s, const EnvView<Real, Solve>& env) {
  keep_warm_start(team, model, capacity, report, s, env);
  write_contacts(team, model, config.step_size, s, env);
  team.each(model.nv, [&](int k) { env.qvel[k] = static_cast<Real>(s.solution.v[k]); });
  const bool follows = config.dynamics == Dynamics::kDynamicFitted;
  if (follows) team.each(model.nu, [&](int a) { env.last_ctrl[a] = env.ctrl[a]; });
  if (follows) mark_carriers(team, model, config.step_size, s);
  integrate_positions(team, model, env.qvel, config.dynamics, config.step_size, env.qpos);
  carry_velocity(team, model, env.qpos, config.dynamics, config.step_size, env.qvel);
  carry_free_motion(team, model, s.inertia, s.motion, env.qpos, env.qvel);
  update_poses(team, model, env.qpos, env.mocap_pose, s.poses);
  if (follows) follow_carriers(team, model, env, s);
  write_body_poses(team, model, s.poses, env);
}

/// Takes the answer over, or keeps the state where there is none; time goes on. True if it was taken.
template <class Team, class Real, class Solve>
ST_FN bool advance_state(Team team, const ModelView<Real>& model, const Capacity& capacity,
                         const StepConfig<Real>& config, std::uint32_t refused, const SolverReport<Solve>& report,
                         const StepScratch<Real, Solve>& s, const EnvView<Real, Solve>& env) {
  const bool taken = !refused && !(report.status & status::kStateKept);
  place_scripted_bodies(team, config.mocap, *env.time + static_cast<double>(config.step_size), env);
  if (taken)
    take_solution(team, model, capacity, config, report, s, env);
  else
    keep_state(team, refused ? refused : report.status & ~status::kConverged, env);
  team.once([&] { *env.time += static_cast<double>(config.step_size); });
  return taken;
}

/// Advances one environment by one step.
template <class Team, class Real, class Solve>
ST_FN void step_environment(Team team, const ModelView<Real>& model, const Capacity& capacity,
                            const EnvView<Real, Solve>& env, const StepConfig<Real>& config, Arena arena) {
  team.fence();
  StepScratch<Real, Solve> s;
  take_step_scratch(team, model, capacity, config, arena, s);
  sample_script(team, model, config, env);
  const std::uint32_t refused = check_environment(team, model, config.dynamics, env);
  SolverReport<Solve> report{};
  if (!refused) {
    update_motion(team, model, env, config, s);
    report = solve_contacts(team, model, capacity, env, config, s);
  }
  if (!advance_state(team, model, capacity, config, refused, report, s, env)) return;
  collide_slots(team, model, s.poses, NarrowRange::kOverlap, s.slots);
  write_report(team, capacity, config, report, deepest_overlap(team, model, s.slots), s, env);
}

}  // namespace stiction
