// Limits, couplings, dry friction and limited actuators -> scalar rows  −(J v + b + R λ) ∈ N_[lower, upper](λ).
//
//   joint or tendon limit   J = ±c, b = gap/h, λ >= 0                           (two rows: lower, upper)
//   ball joint limit        J = −θ/max(|θ|, 0.01), b = (range − |θ|)/h, λ >= 0  θ: rotation vector
//   coupling                J = c1 − p'(x2) c2, b = error/h, λ free             error = ℓ1 − r1 − p(ℓ2 − r2)
//   dry friction            J = c, b = 0, |λ| <= h frictionloss
//   limited actuator        J = gear c, λ in h [f_min, f_max], R = 1/(h² kp + h kv), b = −h f R
//   spring across trees     J = c, λ free, R = 1/(h² k + h d), b = −h f R; slack: λ = 0
//   weld, connect           weld_rows.hpp
//
// In steps with momentum a limit or coupling that is off by more than the dead band has b = 0, and its positions are
// corrected instead (kernels/step/part_overlaps.hpp). A smaller error is brought back to the slop (dead_band.hpp).
//
// f is the actuator's force at the present length; for dynamics with fitted springs, 1/R and −b/R are the slope and the
// impulse of spring_weights.hpp. Actuators that prescribe a motion have no row, and prescribed dofs are taken out of
// all other rows (prescribed_motion.hpp). The rows of a model have fixed places, so that the last step's λ can start
// the next solve.
#pragma once

#include "kernels/contact/weld_rows.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/model/spring_fit.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
ST_FN bool has_dry_friction(const ModelView<Real>& model, int dof) {
  return model.dof_frictionloss[dof] > Real(0);
}

/// Number of rows of joint limits.
template <class Real>
ST_FN int count_limit_rows(const ModelView<Real>& model) {
  int rows = 0;
  for (int j = 0; j < model.njoint; ++j)
    if (model.joint_limited[j]) rows += static_cast<JointType>(model.joint_type[j]) == JointType::kBall ? 1 : 2;
  return rows;
}

/// Number of general rows of a model.
template <class Real>
ST_FN int count_general_rows(const ModelView<Real>& model, Dynamics dynamics) {
  int rows = count_limit_rows(model) + model.ncoupling;
  for (int t = 0; t < model.ntendon; ++t)
    rows += (model.tendon_limited[t] ? 2 : 0) + (model.tendon_frictionloss[t] > Real(0) ? 1 : 0) +
            (is_spring_row(model, t) ? 1 : 0);
  for (int k = 0; k < model.nv; ++k) rows += has_dry_friction(model, k) ? 1 : 0;
  for (int a = 0; a < model.nu; ++a) rows += is_force_row(model, dynamics, a) ? 1 : 0;
  for (int w = 0; w < model.nweld; ++w) rows += count_weld_rows(model, w);
  return rows;
}

namespace contact_detail {

/// Below this angle the Jacobian of a ball joint's limit fades to 0: without a rotation there is no axis to limit
/// [rad].
template <class Real>
constexpr Real kSmallTurn = Real(0.01);

template <class Real>
ST_FN void add_joint_limits(const Real* qpos, int j, RowWriter<Real>& rows) {
  const ModelView<Real>& model = rows.model;
  const Real* range = model.joint_range + 2 * j;
  const int dof = model.joint_dof_adr[j];
  const Real* q = qpos + model.joint_qpos_adr[j];
  if (static_cast<JointType>(model.joint_type[j]) != JointType::kBall) {
    rows.add_limits(q[0], range, [&](double sign) { rows.add_entry(dof, sign); });
    return;
  }
  const Vec3<Real> turned = rotation_vector(normalise(load_quat(q)));
  const Real angle = norm(turned);
  const Vec3<Real> axis = (Real(1) / larger(angle, kSmallTurn<Real>)) * turned;
  rows.hold(static_cast<double>(range[1] - angle));
  for (int i = 0; i < 3; ++i) rows.add_entry(dof + i, -static_cast<double>(axis[i]));
}

template <class Stored, class Real>
ST_FN void add_coupling(const Real* qpos, int c, RowWriter<Stored>& rows) {
  const ModelView<Stored>& model = rows.model;
  const int first = model.coupling_length[2 * c], second = model.coupling_length[2 * c + 1];
  Real poly[5];
  for (int i = 0; i < 5; ++i) poly[i] = Real(model.coupling_poly[5 * c + i]);
  const Real x = second < 0 ? Real(0) : length_value(model, qpos, second) - Real(model.coupling_rest[2 * c + 1]);
  const Real value = poly[0] + x * (poly[1] + x * (poly[2] + x * (poly[3] + x * poly[4])));
  const Real slope = poly[1] + x * (Real(2) * poly[2] + x * (Real(3) * poly[3] + x * Real(4) * poly[4]));
  const Real error = length_value(model, qpos, first) - Real(model.coupling_rest[2 * c]) - value;
  rows.add(0.0, double(-INFINITY), double(INFINITY));
  rows.add_length(first, 1.0);
  if (second >= 0) rows.add_length(second, -static_cast<double>(slope));
  rows.tie(static_cast<double>(error), 0.0);
}

/// Adds the spring and damper of a tendon across trees.
template <class Real>
ST_PHASE void add_spring_row(const ActuatorInputs<Real>& in, int t, RowWriter<Real>& rows) {
  const SpringImpulse force = tendon_impulse(rows.model, in.qpos, in.qvel, rows.h, t, in.fit);
  const bool pulls = force.slope > 0.0;
  const double most = pulls ? double(INFINITY) : 0.0;
  GeneralRow<double>& row = rows.add(pulls ? -force.impulse / force.slope : 0.0, -most, most);
  row.compliance = pulls ? 1.0 / force.slope : 0.0;
  rows.add_length(rows.model.tendon_length[t], 1.0);
}

template <class Real>
ST_FN void add_tendon_rows(const ActuatorInputs<Real>& in, int t, RowWriter<Real>& rows) {
  const ModelView<Real>& model = rows.model;
  const int length = model.tendon_length[t];
  if (is_spring_row(model, t)) add_spring_row(in, t, rows);
  if (model.tendon_limited[t])
    rows.add_limits(length_value(model, in.qpos, length), model.tendon_range + 2 * t,
                    [&](double sign) { rows.add_length(length, sign); });
  const double loss = static_cast<double>(model.tendon_frictionloss[t]);
  if (!(loss > 0.0)) return;
  rows.add(0.0, -rows.h * loss, rows.h * loss);
  rows.add_length(length, 1.0);
}

template <class Real>
ST_FN void add_limited_actuator(const ActuatorInputs<Real>& in, int a, RowWriter<Real>& rows) {
  const ModelView<Real>& model = rows.model;
  const ActuatorLaw<Real> law = actuator_law(model, in.qpos, in.fit.asked(in.ctrl), in.dynamics, a);
  const double h = rows.h;
  const SpringImpulse force = actuator_impulse(model, in.qvel, h, law, a, in.fit);
  const double compliance = 1.0 / force.slope;
  const double most = double(INFINITY);
  const Real* range = model.actuator_force_range + 2 * a;
  const bool limited = model.actuator_force_limited[a];
  GeneralRow<double>& row = rows.add(-force.impulse * compliance, limited ? h * static_cast<double>(range[0]) : -most,
                                     limited ? h * static_cast<double>(range[1]) : most);
  row.compliance = compliance;
  rows.add_length(model.actuator_length[a], static_cast<double>(model.actuator_gear[a]));
}

/// Takes prescribed dofs out of row r. A tree without other dofs then acts like a scripted body.
template <class Real>
ST_FN void prescribe_row(const ModelView<Real>& model, const PrescribedDofs& prescribed, Real h, int r,
                         GeneralRows& out) {
  GeneralRow<double>& row = out.row[r];
  double* J = out.jacobian + static_cast<std::size_t>(2 * out.stride) * r;
  bool acts = false;
  for (int side = 0; side < 2; ++side) {
    int& tree = row.side[side].block;
    const bool this_acts = move_columns_to_offset(model, prescribed, tree, 1, J + side * out.stride, &row.offset);
    if (!this_acts) tree = -1;
    acts = acts || this_acts;
  }
  if (!acts) settle_prescribed_row(h, row);
}

/// Releases those of the rows from `first` to `end` that nothing moves, and takes prescribed dofs out of all.
template <class Real>
ST_FN void settle_rows(const ModelView<Real>& model, const PrescribedDofs& prescribed, Real h, int first, int end,
                       GeneralRows& out) {
  for (int r = first; r < end; ++r) {
    double* J = out.jacobian + static_cast<std::size_t>(2 * out.stride) * r;
    for (int side = 0; side < 2; ++side)
      drop_frozen_columns(model, prescribed, out.row[r].side[side].block, 1, J + side * out.stride);
    if (is_unmoved<Real>(model, out.row[r])) release_row(out.row[r]);
    if (prescribed.chosen) prescribe_row(model, prescribed, h, r, out);
  }
}

}  // namespace contact_detail

/// Writes the couplings and welds again as they are where `motion` (nv) leads: at qpos (nq) and the poses of `welds`.
template <class Team, class Stored, class Real>
ST_FN void build_equalities_at_end(Team team, const ModelView<Stored>& model, const Real* qpos,
                                   const WeldInputs<Stored, Real>& welds, const double* motion,
                                   const PrescribedDofs& prescribed, const RowTimes<Stored>& times, int num_rows,
                                   GeneralRows& out) {
  if (model.ncoupling + model.nweld == 0) return;
  team.once([&] {
    const auto write = [&](int first, auto add) {
      contact_detail::RowWriter<Stored> rows = contact_detail::write_rows(model, times, motion, first, out);
      add(rows);
      contact_detail::settle_rows(model, prescribed, times.step, first, rows.count, out);
    };
    write(count_limit_rows(model), [&](auto& rows) {
      for (int c = 0; c < model.ncoupling; ++c) contact_detail::add_coupling(qpos, c, rows);
    });
    int first = num_rows;
    for (int w = 0; w < model.nweld; ++w) first -= count_weld_rows(model, w);
    write(first, [&](auto& rows) {
      for (int w = 0; w < model.nweld; ++w) contact_detail::add_weld(welds, w, rows);
    });
  });
}

/// Writes all general rows of the model. One lane does it, in the fixed sequence that gives every row its place.
template <class Team, class Real>
ST_FN void build_general_rows(Team team, const ModelView<Real>& model, const ActuatorInputs<Real>& in,
                              const WeldInputs<Real, Real>& welds, const PrescribedDofs& prescribed,
                              const RowTimes<Real>& times, GeneralRows& out) {
  team.once([&] {
    contact_detail::RowWriter<Real> rows = contact_detail::write_rows(model, times, nullptr, 0, out);
    for (int j = 0; j < model.njoint; ++j)
      if (model.joint_limited[j]) contact_detail::add_joint_limits(in.qpos, j, rows);
    for (int c = 0; c < model.ncoupling; ++c) contact_detail::add_coupling(in.qpos, c, rows);
    for (int t = 0; t < model.ntendon; ++t) contact_detail::add_tendon_rows(in, t, rows);
    for (int k = 0; k < model.nv; ++k) {
      if (!has_dry_friction(model, k)) continue;
      const double most = rows.h * static_cast<double>(model.dof_frictionloss[k]);
      rows.add(0.0, -most, most);
      rows.add_entry(k, 1.0);
    }
    for (int a = 0; a < model.nu; ++a)
      if (is_force_row(model, in.dynamics, a)) contact_detail::add_limited_actuator(in, a, rows);
    for (int w = 0; w < model.nweld; ++w) contact_detail::add_weld(welds, w, rows);
    contact_detail::settle_rows(model, prescribed, times.step, 0, rows.count, out);
  });
}

}  // namespace stiction
