// Rows that no dof can move: J = 0 up to rounding, as of a puck on two slides over its table, whatever their gap.
//
// No impulse along such a row moves anything, so that it is not determined and nothing asks for one; where its bodies
// overlap no motion would part them, and the others need not wait for it. The row forbids nothing and carries nothing.
// What prescribed dofs move is moved: this comes before they leave the rows (prescribed_motion.hpp).
#pragma once

#include "kernels/contact/prescribed_motion.hpp"

namespace stiction {

/// A dof that moves a row by less than this is no lever: rounding of directions and of positions of the size of a metre
/// [m/s per m/s, or per rad/s].
template <class Real>
ST_FN Real least_lever() {
  return sizeof(Real) == 8 ? Real(1e-9) : Real(1e-6);
}

namespace contact_detail {

/// True if an entry of the first row of J (rows, n) is a lever.
template <class Real, class Solve>
ST_FN bool has_lever(const ModelView<Real>& model, const BlockJacobian<Solve>& side) {
  if (side.block < 0) return false;
  bool found = false;
  for (int k = 0; k < model.tree_dof_num[side.block]; ++k)
    found = found || std::fabs(side.J[k]) > static_cast<Solve>(least_lever<Real>());
  return found;
}

}  // namespace contact_detail

/// True if no dof moves the row, of a contact the normal one.
template <class Real, class Solve, class Row>
ST_FN bool is_unmoved(const ModelView<Real>& model, const Row& row) {
  return !contact_detail::has_lever<Real, Solve>(model, row.side[0]) &&
         !contact_detail::has_lever<Real, Solve>(model, row.side[1]);
}

/// The contact stays in its place, apart by what rounding could be.
template <class Real, class Solve>
ST_FN void release_contact(Real h, ContactRow<Solve>& row) {
  const Solve apart = static_cast<Solve>(prescribed_slack<Real>() / h) - row.offset[0];
  row.gap_rate = row.gap_rate > apart ? row.gap_rate : apart;
  row.mu_t = row.mu_o = row.mu_r = Solve(0);
}

/// A limit, coupling or box that nothing moves; l = u = 0 takes it out.
template <class Solve>
ST_FN void release_row(GeneralRow<Solve>& row) {
  row.offset = row.lower = row.upper = Solve(0);
}

}  // namespace stiction
