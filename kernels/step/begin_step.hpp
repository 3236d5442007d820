// How a step begins: it samples the scene's scripts, checks that the environment can be stepped, and computes H and g.
#pragma once

#include "kernels/dynamics/activation.hpp"
#include "kernels/dynamics/linear_spin.hpp"
#include "kernels/dynamics/prescribed_dofs.hpp"
#include "kernels/kinematics/paths.hpp"
#include "kernels/step/command.hpp"
#include "kernels/step/parameters.hpp"
#include "kernels/step/scratch.hpp"
#include "kernels/step/scripted_bodies.hpp"

namespace stiction {

namespace step_detail {

/// True if qpos, ctrl, activations, mocap poses and velocities, wrenches and, with momentum, qvel are finite.
template <class Team, class Real>
ST_FN bool state_is_finite(Team team, const ModelView<Real>& model, Dynamics dynamics, const EnvView<Real>& env) {
  const int velocities = has_momentum(dynamics) ? model.nv : 0;
  return all_finite(team, env.qpos, model.nq) && all_finite(team, env.ctrl, model.nu) &&
         all_finite(team, env.act, model.na) && all_finite(team, env.qvel, velocities) &&
         all_finite(team, env.mocap_pose, 7 * model.nmocap) && all_finite(team, env.mocap_velocity, 6 * model.nmocap) &&
         all_finite(team, env.applied_wrench, 6 * model.nbody);
}

}  // namespace step_detail

/// The status bit of a state that is not finite, else 0.
template <class Team, class Real>
ST_FN std::uint32_t check_state(Team team, const ModelView<Real>& model, Dynamics dynamics, const EnvView<Real>& env) {
  return step_detail::state_is_finite(team, model, dynamics, env) ? 0u : status::kNotFinite;
}

/// Status bits that say why the environment cannot be stepped; 0 if it can.
template <class Team, class Real>
ST_FN std::uint32_t check_environment(Team team, const ModelView<Real>& model, Dynamics dynamics,
                                      const EnvView<Real>& env) {
  const std::uint32_t state = check_state(team, model, dynamics, env);
  return state || parameters_are_valid(team, model, env) ? state : status::kBadParameter;
}

/// Samples the scene's tables: the control at the end of the step, the poses of scripted bodies at its start and their
/// velocities during it.
template <class Team, class Real>
ST_FN void sample_script(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, EnvView<Real>& env) {
  const double h = static_cast<double>(config.step_size);
  follow_command(team, model, config.command, *env.time, h, fits_springs(config.dynamics), env);
  place_scripted_bodies(team, config.mocap, *env.time, env);
  move_scripted_bodies(team, config.mocap, *env.time, h, env);
}

template <class Real>
ST_FN MotionInputs<Real> motion_inputs(const EnvView<Real>& env, const StepConfig<Real>& config, Real h, int step) {
  const bool known = *env.warm_count >= 0 || (config.command.num_knots > 0 && !*env.holds_ctrl);
  const Real* last_ctrl = known ? env.last_ctrl : env.drive;
  return {env.qpos,          env.qvel,        env.drive, last_ctrl,       env.applied_wrench, h,
          config.mass_ratio, config.impulses, step,      config.rotation, config.order};
}

/// What follows from the parameters: bounds of geoms, the largest friction, and what is frozen, which loses its
/// velocity.
template <class Team, class Real>
ST_FN void apply_parameters(Team team, const ModelView<Real>& model, Dynamics dynamics, EnvView<Real>& env,
                            StepScratch<Real>& s) {
  update_geom_bounds(team, model, env);
  find_steepest(team, model, s.reach);
  PrescribedDofs& prescribed = s.motion.prescribed;
  choose_prescribed(team, model, dynamics, prescribed);
  team.each(prescribed.frozen ? model.nv : 0, [&](int k) {
    if (is_frozen(prescribed, k)) env.qvel[k] = Real(0);
  });
}

/// Makes the poses where the last answer arrived those where the step begins.
template <class Team, class Real>
ST_FN void adopt_poses(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  team.once([&] {
    const Poses<Real> last = s.poses;
    s.poses = s.next.poses, s.next.poses = last;
  });
  if (!s.next.geoms_placed) update_geoms(team, model, s.poses);
}

/// q, v, ctrl -> X_WB, M, w, H, g. The velocity terms of freely moving trees are not in g yet; drift() adds them.
/// `placed`: X_WB is known.
template <class Team, class Real>
ST_BODY void update_motion(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, bool placed,
                           EnvView<Real>& env, StepScratch<Real>& s) {
  if (!placed) update_poses(team, model, env.qpos, env.mocap_pose, s.poses);
  update_scripted_velocities(team, model, env.mocap_velocity, s.poses);
  update_paths(team, model, s.poses, env);
  drive_actuators(team, model, s.h, env);
  update_mass_and_weight(team, model, s.poses, s.inertia);
  assemble_motion(team, model, s.poses, motion_inputs(env, config, s.h, s.impulse_step), config.dynamics, s.inertia,
                  s.motion);
}

/// H, g -> the motion without contact; adds its velocity terms to g.
template <class Team, class Real>
ST_BODY void drift(Team team, const ModelView<Real>& model, const EnvView<Real>& env, const StepConfig<Real>& config,
                   StepScratch<Real>& s) {
  predict_motion(team, model, s.poses, motion_inputs(env, config, s.h, s.impulse_step), config.dynamics, s.inertia,
                 s.motion);
  if (!s.end.force) return;
  team.each(model.nv, [&](int k) { s.end.force[k] = s.motion.g[k]; });
  const Real* qvel = env.qvel;
  add_linear_spin(team, model, s.inertia, qvel, config.step_size, s.end.force, s.motion.g);
}

}  // namespace stiction
