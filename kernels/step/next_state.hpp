// Where the answer takes the environment, and how that becomes its state.
#pragma once

#include "kernels/dynamics/activation.hpp"
#include "kernels/dynamics/end_of_turn.hpp"
#include "kernels/step/carry_velocity.hpp"
#include "kernels/step/follow_carriers.hpp"
#include "kernels/step/integrate.hpp"
#include "kernels/step/parameters.hpp"
#include "kernels/step/patch_readout.hpp"
#include "kernels/step/scripted_bodies.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Leaves frozen joints where they are, to the last bit: a quaternion is else brought to unit length.
template <class Team, class Real>
ST_FN void keep_frozen(Team team, const ModelView<Real>& model, Pointer<const Real> from,
                       const PrescribedDofs& prescribed, Pointer<Real> qpos) {
  team.each(model.njoint, [&](int j) {
    if (!is_frozen(prescribed, model.joint_dof_adr[j])) return;
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    const int values = type == JointType::kFree ? 7 : (type == JointType::kBall ? 4 : 1);
    const int at = model.joint_qpos_adr[j];
    for (int i = at; i < at + values; ++i) qpos[i] = from[i];
  });
}

/// v, or v + w if overlaps were pushed apart -> q⁺, v⁺ and the poses there; scripted bodies get their poses at the
/// step's end.
template <class Team, class Real>
ST_FN void move_on(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, StepScratch<Real>& s,
                   EnvView<Real>& env) {
  const Real h = config.step_size;
  NextState<Real>& next = s.next;
  const bool follows = fits_springs(config.dynamics);
  place_scripted_bodies(team, config.mocap, *env.time + static_cast<double>(h), env);
  team.each(model.nq, [&](int i) { next.qpos[i] = env.qpos[i]; });
  team.each(model.nv, [&](int k) { next.qvel[k] = static_cast<Real>(s.taken[k]); });
  if (follows) mark_carriers(team, model, h, s);
  integrate_positions(team, model, next.qvel, config.dynamics, config.rotation, h, next.qpos);
  if (s.motion.prescribed.frozen) keep_frozen(team, model, env.qpos, s.motion.prescribed, next.qpos);
  if (s.taken == s.solution.v) {
    carry_velocity(team, model, next.qpos, config.dynamics, config.rotation, h, next.qvel);
  } else {
    team.each(model.nv, [&](int k) { next.qvel[k] = static_cast<Real>(s.solution.v[k]); });
    carry_parted_velocity(team, model, env.qpos, next.qpos, next.qvel);
  }
  carry_free_motion(team, model, s.inertia, s.motion, next.qpos, next.qvel);
  update_bodies(team, model, next.qpos, env.mocap_pose, next.poses);
  end_turns(team, model, next.poses, env.qvel, s.solution.v, h, s.inertia, s.motion, next.qvel);
  const bool places = *s.slots.count > 0;
  if (places) update_geoms(team, model, next.poses);
  team.once([&] { next.geoms_placed = places; });
  if (follows) follow_carriers(team, model, env, s);
}

/// How far a joint may move in a first-order step, whose contacts are linearised at its beginning: a rotation [rad],
/// and the distance that a free body covers, relative to its size [-].
template <class Real>
constexpr Real kLargestTurn = Real(1);
template <class Real>
constexpr Real kLargestWay = Real(100);

namespace step_detail {

/// True if joint j moves no further than that in a step of h.
template <class Real>
ST_FN bool stays_near(const ModelView<Real>& model, Real h, Pointer<const Real> qvel, int j) {
  const int dof = model.joint_dof_adr[j];
  const Real* v = qvel + dof;
  const Real turn = kLargestTurn<Real> / h;
  switch (static_cast<JointType>(model.joint_type[j])) {
    case JointType::kHinge:
      return std::fabs(v[0]) <= turn;
    case JointType::kBall:
      return norm(load3(v)) <= turn;
    case JointType::kFree:
      return norm(load3(v + 3)) <= turn && norm(load3(v)) <= kLargestWay<Real> / h * model.dof_radius[dof + 3];
    case JointType::kSlide:
      break;
  }
  return true;
}

/// True if all contact forces λ/h are finite.
template <class Team, class Real>
ST_FN bool forces_are_finite(Team team, const StepConfig<Real>& config, const StepScratch<Real>& s) {
  return team.sum(config.dimension * *s.contacts.count, 0, [&](int i) {
    return is_finite(static_cast<Real>(s.solution.lambda[i]) / config.step_size) ? 0 : 1;
  }) == 0;
}

}  // namespace step_detail

/// Adds to a step's bits what only its end shows: values that are not finite, or joints that move too far for a step of
/// first order.
template <class Team, class Real>
ST_FN std::uint32_t judge_end(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                              std::uint32_t bits, const StepScratch<Real>& s) {
  const bool finite = step_detail::all_finite(team, s.next.qpos, model.nq) &&
                      step_detail::all_finite(team, s.next.qvel, model.nv) &&
                      step_detail::forces_are_finite(team, config, s);
  if (!finite) return (bits & ~status::kConverged) | status::kNotFinite;
  if (has_momentum(config.dynamics)) return bits;
  const int far = team.sum(
      model.njoint, 0, [&](int j) { return step_detail::stays_near(model, config.step_size, s.next.qvel, j) ? 0 : 1; });
  return far > 0 ? bits | status::kBeyondOrder : bits;
}

/// Makes the answer the new state and the start of the next solve, and writes the readout of the step.
template <class Team, class Real>
ST_FN void accept_answer(Team team, const ModelView<Real>& model, const Capacity& capacity,
                         const StepConfig<Real>& config, const SolverReport<double>& report, int rounds,
                         double position_residual, StepScratch<Real>& s, EnvView<Real>& env) {
  keep_warm_start(team, model, capacity, report, s, env);
  write_contacts(team, model, s.h, s, env);
  write_patches(team, model, config, s, env);
  team.each(model.nq, [&](int i) { env.qpos[i] = s.next.qpos[i]; });
  team.each(model.nqacc, [&](int k) { env.qacc[k] = (s.next.qvel[k] - env.qvel[k]) / s.h; });
  team.each(model.nv, [&](int k) { env.qvel[k] = s.next.qvel[k]; });
  if (fits_springs(config.dynamics)) team.each(model.nu, [&](int a) { env.last_ctrl[a] = env.drive[a]; });
  advance_activations(team, model, s.h, env);
  write_body_poses(team, model, s.next.poses, env);
  write_report(team, capacity, config, report, rounds, position_residual, deepest_overlap(team, s), s, env);
}

}  // namespace stiction
