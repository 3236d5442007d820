// J v of one contact or one general row, from the blocks it touches.
#pragma once

#include "kernels/problem/contact_vector.hpp"
#include "kernels/problem/facets.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Row r of J_i v + b_i: the angular velocity about the normal [rad/s]
template <class Real>
ST_APART Real spin_velocity(const ContactProblem<Real>& p, const ContactRow<Real>& row, const Real* v) {
  Real u = row.offset[3];
  ST_ROLLED
  for (int side = 0; side < 2; ++side) {
    const int block = row.side[side].block;
    if (block < 0) continue;
    const int adr = p.block_adr[block], n = p.block_size[block];
    ST_ROLLED
    for (int j = 0; j < n; ++j) u += row.side[side].J[3 * n + j] * v[adr + j];
  }
  return u;
}

/// J_i v + b_i: the rows n, t, o, and a times the row r, or 0 without torsional friction [m/s]
template <class Real>
ST_PHASE ContactVector<Real> contact_velocity(const ContactProblem<Real>& p, const ContactRow<Real>& row,
                                              Pointer<const Real> v) {
  Vec3<Real> u = load3(row.offset);
  ST_ROLLED
  for (int side = 0; side < 2; ++side) {
    const int block = row.side[side].block;
    if (block < 0) continue;
    const int adr = p.block_adr[block], n = p.block_size[block];
    const Real* J = row.side[side].J;
    ST_ROLLED
    for (int j = 0; j < n; ++j) {
      u.x += J[j] * v[adr + j];
      u.y += J[n + j] * v[adr + j];
      u.z += J[2 * n + j] * v[adr + j];
    }
  }
  return {u.x, u.y, u.z, twists(p, row) ? row.radius * spin_velocity(p, row, v) : Real(0)};
}

/// λ_i, with its entry r divided by a [N s]
template <class Real>
ST_FN ContactVector<Real> contact_impulse(const ContactProblem<Real>& p, Pointer<const Real> lambda, int i) {
  ContactVector<Real> out = load_contact(lambda, p.dimension, i);
  if (p.dimension == 4) out.r /= p.contacts[i].radius;
  return out;
}

/// J_r v [m/s or rad/s], without the offset
template <class Real>
ST_FN Real row_velocity(const ContactProblem<Real>& p, const GeneralRow<Real>& row, Pointer<const Real> v) {
  Real u = Real(0);
  ST_ROLLED
  for (int side = 0; side < 2; ++side) {
    const int block = row.side[side].block;
    if (block < 0) continue;
    const int adr = p.block_adr[block], n = p.block_size[block];
    ST_ROLLED
    for (int j = 0; j < n; ++j) u += row.side[side].J[j] * v[adr + j];
  }
  return u;
}

/// The same by a single lane, which keeps to the column that the row names. Kernels have no registers left for it.
template <class Real>
ST_FN Real row_velocity_alone(const ContactProblem<Real>& p, const GeneralRow<Real>& row, Pointer<const Real> v) {
  if (row.column < 0) return row_velocity(p, row, v);
  const BlockJacobian<Real>& side = row.side[row.side[0].block < 0 ? 1 : 0];
  return side.block < 0 ? Real(0) : side.J[row.column] * v[p.block_adr[side.block] + row.column];
}

}  // namespace stiction
