// Rows that no dof can move: J = 0 up to rounding. An example is the contact of a table with a puck that two slide
// joints move over it, whatever the gap.
//
// An impulse along such a row moves nothing, so that its value is not determined, and none is needed. If the bodies
// overlap, no motion can part them, and the other rows must not become infeasible because of it. The row therefore
// forbids nothing and carries nothing. A row that prescribed dofs move counts as moved: this check comes before
// prescribed dofs are taken out of the rows (prescribed_motion.hpp).
#pragma once

#include "kernels/contact/prescribed_motion.hpp"

namespace stiction {

/// A dof that moves a row by less than this does not move it: the rounding error of directions, and of positions of
/// about a metre [m/s per m/s, or per rad/s].
template <class Real>
ST_FN Real least_lever() {
  return sizeof(Real) == 8 ? Real(1e-9) : Real(1e-6);
}

namespace contact_detail {

/// True if an entry of the first row of J (rows, n) is at least least_lever().
template <class Real>
ST_FN bool has_lever(const ModelView<Real>& model, const BlockJacobian<double>& side) {
  if (side.block < 0) return false;
  for (int k = 0; k < model.tree_dof_num[side.block]; ++k)
    if (std::fabs(side.J[k]) > static_cast<double>(least_lever<Real>())) return true;
  return false;
}

}  // namespace contact_detail

/// True if no dof moves the row; for a contact, its normal row.
template <class Real, class Row>
ST_FN bool is_unmoved(const ModelView<Real>& model, const Row& row) {
  return !contact_detail::has_lever<Real>(model, row.side[0]) && !contact_detail::has_lever<Real>(model, row.side[1]);
}

/// Keeps the contact in its place without effect: its gap becomes at least what rounding could be, its friction 0.
template <class Real>
ST_FN void release_contact(Real h, ContactRow<double>& row) {
  const double apart = static_cast<double>(prescribed_slack<Real>() / h) - row.offset[0];
  row.gap_rate = row.gap_rate > apart ? row.gap_rate : apart;
  row.mu_t = row.mu_o = row.mu_r = 0.0;
}

/// A limit, coupling or box row that nothing moves. The bounds l = u = 0 take it out of the problem.
ST_FN void release_row(GeneralRow<double>& row) { row.offset = row.lower = row.upper = 0.0; }

}  // namespace stiction
