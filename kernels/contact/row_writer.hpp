// General rows in memory, and how they are filled one after the other.
#pragma once

#include "kernels/contact/contact_rows.hpp"
#include "kernels/contact/dead_band.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

struct GeneralRows {
  Array<GeneralRow<double>> row;  // (max_rows)
  Array<double> error;            // gap of a limit, error of a coupling, else 0 [m], [rad] (max_rows)
  Array<double> given;            // part of b that is the velocity of scripted bodies [m/s], [rad/s] (max_rows)
  Array<double> jacobian;         // two sides of `stride` each (max_rows, 2, stride)
  int stride;                     // dofs of the largest tree
};

template <class Real>
ST_FN GeneralRows take_general_rows(const ModelView<Real>& model, const Capacity& capacity, Arena& arena) {
  GeneralRows rows;
  rows.stride = largest_tree(model);
  rows.row = arena.take<GeneralRow<double>>(capacity.max_rows);
  rows.error = arena.take<double>(capacity.max_rows);
  rows.given = arena.take<double>(capacity.max_rows);
  rows.jacobian = arena.take<double>(static_cast<std::size_t>(2 * rows.stride) * capacity.max_rows);
  return rows;
}

/// Over which times rows act, and which part of their errors they remove.
template <class Real>
struct RowTimes {
  Real h;              // of the forces' impulses [s]
  Real step;           // in which an error is removed [s]
  double share = 1.0;  // γ of gap_rule.hpp [-]
  DeadBand<Real> dead = {};
};

namespace contact_detail {

/// Fills rows one after the other; the sequence of calls fixes their places.
template <class Real>
struct RowWriter {
  const ModelView<Real>& model;
  GeneralRows& out;
  double h, step;
  GapRule<Real> rule;
  DeadBand<Real> dead;
  const double* motion;  // rows are those of a step's end, where this v leads (nv); null: of its start
  int count;

  /// Adds a row with b and the bounds on λ, but without a Jacobian.
  ST_FN GeneralRow<double>& add(double offset, double lower, double upper) {
    if (!motion) out.error[count] = 0.0;
    out.given[count] = 0.0;
    GeneralRow<double>& row = out.row[count++];
    row.side[0] = {};
    row.side[1] = {};
    row.offset = offset;
    row.lower = lower;
    row.upper = upper;
    row.compliance = 0.0;
    row.radius = double(INFINITY);  // add_entry lowers it to the least of its dofs'
    row.column = -1;
    return row;
  }

  /// Adds a row that keeps `error` >= 0.
  ST_FN void hold(double error) {
    const double slop = static_cast<double>(dead.slop);
    const bool beyond = error < -static_cast<double>(dead.band);
    add(beyond ? 0.0 : rule.of_limit(error - clamped(error, -slop, 0.0)) / step, 0.0, double(INFINITY));
    out.error[count - 1] = error;
  }

  /// Gives the row that was added last, whose Jacobian is there, the b with which `error` ends at 0; `given`: its part
  /// of scripted bodies. At the end of a step it takes away what the step began with only if that was in the dead band.
  ST_FN void tie(double error, double given) {
    GeneralRow<double>& row = out.row[count - 1];
    const double band = static_cast<double>(dead.band), slop = static_cast<double>(dead.slop);
    double& start = out.error[count - 1];
    out.given[count - 1] = given;
    if (motion) {
      const double kept = std::fabs(start) > band ? start : 0.0;
      row.offset = (error - kept) / step - speed(motion);
      return;
    }
    start = error;
    row.offset = given + (std::fabs(error) > band ? 0.0 : rule.of_error(error - clamped(error, -slop, slop)) / step);
  }

  /// J v of the row that was added last.
  template <class Velocity>
  ST_FN double speed(const Velocity* v) const {
    double sum = 0.0;
    for (const BlockJacobian<double>& side : out.row[count - 1].side) {
      if (side.block < 0) continue;
      const int first = model.tree_dof_adr[side.block];
      for (int k = 0; k < model.tree_dof_num[side.block]; ++k) sum += side.J[k] * static_cast<double>(v[first + k]);
    }
    return sum;
  }

  /// Adds `value` to the entry of a dof in the row that was added last, which the dof moves along a distance or an
  /// angle; `turns`: its radius counts for that of the row.
  ST_FN void add_entry(int dof, double value, bool turns = true) {
    GeneralRow<double>& row = out.row[count - 1];
    const int tree = model.dof_tree[dof];
    double* J = out.jacobian + static_cast<std::size_t>(2 * out.stride) * (count - 1);
    const int side = row.side[0].block < 0 || row.side[0].block == tree ? 0 : 1;
    row.column = row.side[0].block < 0 ? dof - model.tree_dof_adr[tree] : -1;
    J += side * out.stride;
    if (row.side[side].block < 0) {
      row.side[side] = {tree, J};
      for (int i = 0; i < model.tree_dof_num[tree]; ++i) J[i] = 0.0;
    }
    J[dof - model.tree_dof_adr[tree]] += value;
    const double radius = static_cast<double>(model.dof_radius[dof]);
    if (turns && radius < row.radius) row.radius = radius;
  }

  ST_FN void add_length(int length, double scale) {
    for_each_term(model, length, [&](int dof, Real coef) { add_entry(dof, scale * static_cast<double>(coef)); });
  }

  /// Adds the two rows of range[0] <= value <= range[1]; entries(sign) writes the Jacobian of sign · value.
  template <class Entries>
  ST_FN void add_limits(Real value, const Real* range, Entries entries) {
    hold(static_cast<double>(value - range[0]));
    entries(1.0);
    hold(static_cast<double>(range[1] - value));
    entries(-1.0);
  }
};

/// A writer whose first row has the place `first`; `motion`: that of RowWriter.
template <class Real>
ST_FN RowWriter<Real> write_rows(const ModelView<Real>& model, const RowTimes<Real>& times, const double* motion,
                                 int first, GeneralRows& out) {
  const double h = static_cast<double>(times.h), step = static_cast<double>(times.step);
  return {model, out, h, step, {Real(0), times.share}, times.dead, motion, first};
}

}  // namespace contact_detail

}  // namespace stiction
