// Velocities that are given, not solved for: those of dofs that follow their command, of dofs that move a frozen body,
// which stand still, and of bodies that a script moves.
//
//   J v + b = J_f v_f + (J_p v̄_p + b)          f free, p prescribed: J_p leaves the row, its motion joins the offset
//
// A row without any free entry can not act: its impulse changes no motion. If the prescribed motion satisfies the row,
// up to rounding, the row is left out. If not, it stays in the problem, can not be satisfied, and the step is
// infeasible. A frozen dof moves no row: what only such dofs could move counts as unmoved (unmoved_rows.hpp).
//
//   symbol  variable   shape  unit
//   v̄_p     velocity   (nv)   [m/s], [rad/s]
#pragma once

#include "kernels/kinematics/poses.hpp"
#include "kernels/problem/contact_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

constexpr int kFrozen = 2;  // a dof that moves a frozen body, in PrescribedDofs::chosen

struct PrescribedDofs {
  const int* chosen;       // not 0: the dof is prescribed; null: no dof is              (nv)
  bool frozen;             // some dofs are kFrozen
  Array<int> with_frozen;  // `chosen` where some are                                    (nv)
  Array<double> velocity;  // v̄ of the prescribed dofs, 0 of frozen ones [m/s], [rad/s]  (nv)
};

/// True if dof k moves a frozen body.
ST_FN bool is_frozen(const PrescribedDofs& prescribed, int k) {
  return prescribed.frozen && prescribed.chosen[k] == kFrozen;
}

/// How far a prescribed motion may violate a row that has no free entry: the rounding error of positions of about a
/// metre [m].
template <class Real>
ST_FN Real prescribed_slack() {
  return sizeof(Real) == 8 ? Real(1e-9) : Real(1e-6);
}

namespace contact_detail {

/// Takes the columns of frozen dofs out of J (rows, n) of one side.
template <class Real>
ST_PHASE void drop_frozen_columns(const ModelView<Real>& model, const PrescribedDofs& prescribed, int tree, int rows,
                                  double* J) {
  if (!prescribed.frozen || tree < 0) return;
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < rows && is_frozen(prescribed, first + k); ++r) J[r * n + k] = 0.0;
}

/// Moves the prescribed columns of J (rows, n) of one side to the offset; true if a free entry is left.
template <class Real>
ST_FN bool move_columns_to_offset(const ModelView<Real>& model, const PrescribedDofs& prescribed, int tree, int rows,
                                  double* J, double* offset) {
  if (tree < 0) return false;
  bool acts = false;
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < n; ++k) {
      double& entry = J[r * n + k];
      if (prescribed.chosen[first + k]) {
        offset[r] += entry * prescribed.velocity[first + k];
        entry = 0.0;
      }
      acts = acts || entry != 0.0;
    }
  return acts;
}

}  // namespace contact_detail

/// A contact whose bodies both have given motions: friction can not act, and the gap decides whether the motion is
/// possible.
template <class Real>
ST_FN void settle_prescribed_contact(Real h, ContactRow<double>& row) {
  const double next = row.gap_rate + row.offset[0], slack = static_cast<double>(prescribed_slack<Real>() / h);
  row.gap_rate = next >= -slack && next < slack ? slack : next;
  row.mu_t = row.mu_o = row.mu_r = 0.0;
  for (double& offset : row.offset) offset = 0.0;
}

/// A limit, coupling or box row whose motions are all given. The bounds l = u = 0 take it out of the problem.
template <class Real>
ST_FN void settle_prescribed_row(Real h, GeneralRow<double>& row) {
  const double slack = static_cast<double>(prescribed_slack<Real>() / h) / row.radius;
  const bool open_above = std::isinf(row.upper), open_below = std::isinf(row.lower);
  const bool broken =
      row.compliance == 0.0 && ((open_above && row.offset < -slack) || (open_below && row.offset > slack));
  if (!broken) row.offset = row.lower = row.upper = 0.0;
}

}  // namespace stiction
