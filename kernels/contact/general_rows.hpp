// Limits, couplings, dry friction and limited actuators -> scalar rows  −(J v + b + R λ) ∈ N_[lower, upper](λ).
//
//   joint or tendon limit   J = ±c, b = gap/h, λ >= 0                           (two rows: lower, upper)
//   ball joint limit        J = −θ/max(|θ|, 0.01), b = (range − |θ|)/h, λ >= 0  θ: rotation vector
//   coupling                J = c1 − p'(x2) c2, b = error/h, λ free             error = ℓ1 − r1 − p(ℓ2 − r2)
//   dry friction            J = c, b = 0, |λ| <= h frictionloss
//   limited actuator        J = gear c, λ in h [f_min, f_max], R = 1/(h² kp + h kv), b = −h f R
//
// In steps with momentum a limit or coupling that is off by more than the dead band has b = 0, and its positions are
// corrected instead (kernels/step/part_overlaps.hpp). A smaller error is brought back to the slop (dead_band.hpp).
//
// f is the actuator's force at the present length; for dynamics with fitted springs, 1/R and −b/R are the slope and the
// impulse of spring_weights.hpp. Actuators that prescribe a motion have no row, and prescribed dofs are taken out of
// all other rows (prescribed_motion.hpp). The rows of a model have fixed places, so that the last step's λ can start
// the next solve.
#pragma once

#include "kernels/contact/contact_rows.hpp"
#include "kernels/contact/dead_band.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/model/spring_fit.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
ST_FN bool has_dry_friction(const ModelView<Real>& model, int dof) {
  return model.dof_frictionloss[dof] > Real(0);
}

/// Number of general rows of a model.
template <class Real>
ST_FN int count_general_rows(const ModelView<Real>& model, Dynamics dynamics) {
  int rows = model.ncoupling;
  for (int j = 0; j < model.njoint; ++j)
    if (model.joint_limited[j]) rows += static_cast<JointType>(model.joint_type[j]) == JointType::kBall ? 1 : 2;
  for (int t = 0; t < model.ntendon; ++t)
    rows += (model.tendon_limited[t] ? 2 : 0) + (model.tendon_frictionloss[t] > Real(0) ? 1 : 0);
  for (int k = 0; k < model.nv; ++k) rows += has_dry_friction(model, k) ? 1 : 0;
  for (int a = 0; a < model.nu; ++a) rows += is_force_row(model, dynamics, a) ? 1 : 0;
  return rows;
}

struct GeneralRows {
  Array<GeneralRow<double>> row;  // (max_rows)
  Array<double> error;            // gap of a limit, error of a coupling, else 0 [m], [rad] (max_rows)
  Array<double> jacobian;         // two sides of `stride` each (max_rows, 2, stride)
  int stride;                     // dofs of the largest tree
};

template <class Real>
ST_FN GeneralRows take_general_rows(const ModelView<Real>& model, const Capacity& capacity, Arena& arena) {
  GeneralRows rows;
  rows.stride = largest_tree(model);
  rows.row = arena.take<GeneralRow<double>>(capacity.max_rows);
  rows.error = arena.take<double>(capacity.max_rows);
  rows.jacobian = arena.take<double>(static_cast<std::size_t>(2 * rows.stride) * capacity.max_rows);
  return rows;
}

namespace contact_detail {

/// Fills rows one after the other; the sequence of calls fixes their places.
template <class Real>
struct RowWriter {
  const ModelView<Real>& model;
  GeneralRows& out;
  double h;
  DeadBand<Real> dead;
  int count = 0;

  /// Adds a row with b and the bounds on λ, but without a Jacobian.
  ST_FN GeneralRow<double>& add(double offset, double lower, double upper) {
    out.error[count] = 0.0;
    GeneralRow<double>& row = out.row[count++];
    row.side[0] = {};
    row.side[1] = {};
    row.offset = offset;
    row.lower = lower;
    row.upper = upper;
    row.compliance = 0.0;
    row.radius = double(INFINITY);  // add_entry lowers it to the least of its dofs'
    return row;
  }

  /// Adds a row that keeps `error` >= 0, or at 0 if lower = −∞.
  ST_FN void hold(double error, double lower) {
    const double band = static_cast<double>(dead.band), slop = static_cast<double>(dead.slop);
    const bool coupling = lower < 0.0, beyond = error < -band || (coupling && error > band);
    const double mended = error - clamped(error, -slop, coupling ? slop : 0.0);
    add(beyond ? 0.0 : mended / h, lower, double(INFINITY));
    out.error[count - 1] = error;
  }

  /// Adds `value` to the entry of a dof in the row that was added last.
  ST_FN void add_entry(int dof, double value) {
    GeneralRow<double>& row = out.row[count - 1];
    const int tree = model.dof_tree[dof];
    double* J = out.jacobian + static_cast<std::size_t>(2 * out.stride) * (count - 1);
    const int side = row.side[0].block < 0 || row.side[0].block == tree ? 0 : 1;
    J += side * out.stride;
    if (row.side[side].block < 0) {
      row.side[side] = {tree, J};
      for (int i = 0; i < model.tree_dof_num[tree]; ++i) J[i] = 0.0;
    }
    J[dof - model.tree_dof_adr[tree]] += value;
    const double radius = static_cast<double>(model.dof_radius[dof]);
    if (radius < row.radius) row.radius = radius;
  }

  ST_FN void add_length(int length, double scale) {
    for_each_term(model, length, [&](int dof, Real coef) { add_entry(dof, scale * static_cast<double>(coef)); });
  }

  /// Adds the two rows of range[0] <= value <= range[1]; entries(sign) writes the Jacobian of sign · value.
  template <class Entries>
  ST_FN void add_limits(Real value, const Real* range, Entries entries) {
    hold(static_cast<double>(value - range[0]), 0.0);
    entries(1.0);
    hold(static_cast<double>(range[1] - value), 0.0);
    entries(-1.0);
  }
};

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
  rows.hold(static_cast<double>(range[1] - angle), 0.0);
  for (int i = 0; i < 3; ++i) rows.add_entry(dof + i, -static_cast<double>(axis[i]));
}

template <class Real>
ST_FN void add_coupling(const Real* qpos, int c, RowWriter<Real>& rows) {
  const ModelView<Real>& model = rows.model;
  const int first = model.coupling_length[2 * c], second = model.coupling_length[2 * c + 1];
  const Real* poly = model.coupling_poly + 5 * c;
  const Real x = second < 0 ? Real(0) : length_value(model, qpos, second) - model.coupling_rest[2 * c + 1];
  const Real value = poly[0] + x * (poly[1] + x * (poly[2] + x * (poly[3] + x * poly[4])));
  const Real slope = poly[1] + x * (Real(2) * poly[2] + x * (Real(3) * poly[3] + x * Real(4) * poly[4]));
  const Real error = length_value(model, qpos, first) - model.coupling_rest[2 * c] - value;
  rows.hold(static_cast<double>(error), double(-INFINITY));
  rows.add_length(first, 1.0);
  if (second >= 0) rows.add_length(second, -static_cast<double>(slope));
}

template <class Real>
ST_FN void add_tendon_rows(const Real* qpos, int t, RowWriter<Real>& rows) {
  const ModelView<Real>& model = rows.model;
  const int length = model.tendon_length[t];
  if (model.tendon_limited[t])
    rows.add_limits(length_value(model, qpos, length), model.tendon_range + 2 * t,
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
  const Real* range = model.actuator_force_range + 2 * a;
  GeneralRow<double>& row =
      rows.add(-force.impulse * compliance, h * static_cast<double>(range[0]), h * static_cast<double>(range[1]));
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

}  // namespace contact_detail

/// Writes all general rows of the model. One lane does it, in the fixed sequence that gives every row its place.
template <class Team, class Real>
ST_FN void build_general_rows(Team team, const ModelView<Real>& model, const ActuatorInputs<Real>& in,
                              const PrescribedDofs& prescribed, Real h, const DeadBand<Real>& dead, GeneralRows& out) {
  team.once([&] {
    contact_detail::RowWriter<Real> rows{model, out, static_cast<double>(h), dead};
    for (int j = 0; j < model.njoint; ++j)
      if (model.joint_limited[j]) contact_detail::add_joint_limits(in.qpos, j, rows);
    for (int c = 0; c < model.ncoupling; ++c) contact_detail::add_coupling(in.qpos, c, rows);
    for (int t = 0; t < model.ntendon; ++t) contact_detail::add_tendon_rows(in.qpos, t, rows);
    for (int k = 0; k < model.nv; ++k) {
      if (!has_dry_friction(model, k)) continue;
      const double most = rows.h * static_cast<double>(model.dof_frictionloss[k]);
      rows.add(0.0, -most, most);
      rows.add_entry(k, 1.0);
    }
    for (int a = 0; a < model.nu; ++a)
      if (is_force_row(model, in.dynamics, a)) contact_detail::add_limited_actuator(in, a, rows);
    for (int r = 0; r < rows.count; ++r)
      if (is_unmoved<Real>(model, out.row[r])) release_row(out.row[r]);
    if (!prescribed.chosen) return;
    for (int r = 0; r < rows.count; ++r) contact_detail::prescribe_row(model, prescribed, h, r, out);
  });
}

}  // namespace stiction
