// J v of one contact or one general row, from the blocks it touches.
#pragma once

#include "kernels/linalg/vec3.hpp"
#include "kernels/problem/contact_problem.hpp"

namespace stiction {

/// J_i v + b_i, n t o [m/s]
template <class Real>
ST_FN Vec3<Real> contact_velocity(const ContactProblem<Real>& p, const ContactRow<Real>& c, const Real* v) {
  Vec3<Real> u = load3(c.offset);
  for (int side = 0; side < 2; ++side) {
    const int block = c.side[side].block;
    if (block < 0) continue;
    const int adr = p.block_adr[block], n = p.block_size[block];
    const Real* J = c.side[side].J;
    ST_ROLLED
    for (int j = 0; j < n; ++j) {
      u.x += J[j] * v[adr + j];
      u.y += J[n + j] * v[adr + j];
      u.z += J[2 * n + j] * v[adr + j];
    }
  }
  return u;
}

/// J_r v [m/s or rad/s], without the offset
template <class Real>
ST_FN Real row_velocity(const ContactProblem<Real>& p, const GeneralRow<Real>& row, const Real* v) {
  Real u = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int block = row.side[side].block;
    if (block < 0) continue;
    const int adr = p.block_adr[block], n = p.block_size[block];
    ST_ROLLED
    for (int j = 0; j < n; ++j) u += row.side[side].J[j] * v[adr + j];
  }
  return u;
}

}  // namespace stiction
