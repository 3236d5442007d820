// What a step leaves behind: the start of the next solve, contacts with forces, and figures of the environment.
#pragma once

#include "kernels/step/meetings.hpp"

namespace stiction {

/// A contact whose normal force is above this carries load [N].
constexpr double kLoadedForce = 1e-3;

/// Keeps the solution as the start of the next solve.
template <class Team, class Real>
ST_FN void keep_warm_start(Team team, const ModelView<Real>& model, const Capacity& capacity,
                           const SolverReport<double>& report, const StepScratch<Real>& s, EnvView<Real>& env) {
  const int count = *s.contacts.count, rows = s.contact_rows.dimension;
  team.each(count, [&](int i) {
    env.warm_key[i] = s.contacts.key[i];
    for (int r = 0; r < rows; ++r) env.warm_lambda[4 * i + r] = s.solution.lambda[rows * i + r];
  });
  team.each(capacity.max_rows, [&](int r) { env.warm_row_lambda[r] = s.solution.row_lambda[r]; });
  team.each(model.nv, [&](int k) { env.warm_v[k] = s.solution.v[k]; });
  team.once([&] {
    *env.warm_count = count;
    *env.warm_penalty = report.penalty;
  });
}

namespace step_detail {

template <class Real>
ST_FN void write_contact(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int i, EnvView<Real>& env) {
  const int pair = pair_of_key(s.contacts.key[i]);
  env.contact_geom[2 * i] = model.pair_geom[2 * pair];
  env.contact_geom[2 * i + 1] = model.pair_geom[2 * pair + 1];
  env.contact_gap[i] = s.contacts.gap[i];
  env.contact_gap_next[i] = s.contacts.gap[i] + h * static_cast<Real>(axis_velocity(model, s, s.taken, i, 0));
  const int rows = s.contact_rows.dimension;
  const double* lambda = s.solution.lambda + rows * i;
  for (int axis = 0; axis < 3; ++axis) {
    env.contact_position[3 * i + axis] = s.contacts.position[3 * i + axis];
    env.contact_force[3 * i + axis] = static_cast<Real>(lambda[axis]) / h;
  }
  env.contact_torsion[i] = rows == 4 ? static_cast<Real>(lambda[3]) / h : Real(0);
  for (int j = 0; j < 9; ++j) env.contact_frame[9 * i + j] = s.contacts.frame[9 * i + j];
  PairFriction<Real> mu = pair_friction(model, pair);
  const ContactRow<double>& row = s.contact_rows.row[i];
  if (has_kinetic_friction(model, pair)) mu.t = static_cast<Real>(row.mu_t), mu.o = static_cast<Real>(row.mu_o);
  store3(env.contact_friction + 3 * i, {mu.t, mu.o, mu.r});
}

}  // namespace step_detail

/// Sets motion and forces to zero.
template <class Team, class Real>
ST_FN void clear_solution(Team team, const ModelView<Real>& model, const Capacity& capacity,
                          const StepConfig<Real>& config, StepScratch<Real>& s) {
  team.each(model.nv, [&](int k) { s.solution.v[k] = 0.0; });
  team.each(config.dimension * capacity.max_contacts, [&](int i) { s.solution.lambda[i] = 0.0; });
}

/// Writes contacts with forces, and the thickest gap across which one of them carries load.
template <class Team, class Real>
ST_FN void write_contacts(Team team, const ModelView<Real>& model, Real h, const StepScratch<Real>& s,
                          EnvView<Real>& env) {
  const int count = *s.contacts.count;
  team.each(count, [&](int i) { step_detail::write_contact(model, s, h, i, env); });
  const Real hover = team.max(count, Real(0), [&](int i) {
    return env.contact_force[3 * i] > Real(kLoadedForce) ? env.contact_gap_next[i] : Real(0);
  });
  team.once([&] {
    *env.contact_count = count;
    *env.hover = static_cast<double>(hover);
  });
}

/// Writes the poses of all bodies.
template <class Team, class Real>
ST_FN void write_body_poses(Team team, const ModelView<Real>& model, const Poses<Real>& poses, EnvView<Real>& env) {
  team.each(model.nbody, [&](int b) {
    Real* pose = env.body_pose + 7 * b;
    store3(pose, load3(poses.body_pos + 3 * b));
    store_quat(pose + 3, load_quat(poses.body_quat + 4 * b));
  });
}

/// Writes the figures of the step.
template <class Team, class Real>
ST_FN void write_report(Team team, const Capacity& capacity, const StepConfig<Real>& config,
                        const SolverReport<double>& report, int rounds, double position_residual, Real penetration,
                        const StepScratch<Real>& s, EnvView<Real>& env) {
  const ConeShape shape = shape_cone(config.law, config.cone, config.facets, config.dimension);
  const std::uint32_t beyond = free_motion_status(team, s.motion.free);
  team.once([&] {
    *env.status = report.status | beyond;
    *env.iterations = report.iterations;
    *env.rounds = rounds;
    *env.residual = static_cast<double>(report.residual);
    *env.position_residual = position_residual;
    *env.violation = static_cast<double>(report.violation);
    *env.penetration = static_cast<double>(penetration);
    *env.num_rows = *s.contacts.count * shape.facets + capacity.max_rows;
  });
}

/// To be called where the state is not the end of a step.
template <class Team, class Real>
ST_FN void forget_acceleration(Team team, const ModelView<Real>& model, EnvView<Real>& env) {
  team.each(model.nqacc, [&](int k) { env.qacc[k] = Real(NAN); });
}

/// Readout of a step that was not taken: the state stays, and the next solve has no warm start. `violation`: the least
/// overlap of a step without a solution [m].
template <class Team, class Real>
ST_FN void keep_state(Team team, std::uint32_t bits, double violation, EnvView<Real>& env) {
  team.once([&] {
    *env.status = bits;
    *env.iterations = *env.rounds = 0;
    *env.residual = static_cast<double>(INFINITY);
    *env.position_residual = 0.0;
    *env.violation = static_cast<double>(violation);
    *env.penetration = *env.hover = 0.0;
    *env.num_rows = *env.contact_count = *env.patch_count = 0;
    *env.warm_count = -1;
  });
}

}  // namespace stiction
