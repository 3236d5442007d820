// J v, Jᵀf and H v of a scaled problem, block by block. The sources of a block's diagonal slot are the groups that
// touch the block, so that one work item per block gathers Jᵀf.
#pragma once

#include "kernels/solver/ground/reduced_system.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// u += J x of one side of a contact; kSize 6 is a free body, whose loop is unrolled; 0 stands for any size
template <int kSize, class Real>
ST_FN void add_side_velocity(const Real* J, int size, const Real* x, Vec3<Real>& u) {
  const int n = kSize > 0 ? kSize : size;
  Real a = Real(0), b = Real(0), c = Real(0);
  for (int j = 0; j < n; ++j) {
    a += J[j] * x[j];
    b += J[n + j] * x[j];
    c += J[2 * n + j] * x[j];
  }
  u += Vec3<Real>{a, b, c};
}

/// u = J v of one contact: n, t, o
template <class Real>
ST_FN Vec3<Real> multiply_contact(const ScaledProblem<Real>& s, int i, const Real* v) {
  Vec3<Real> u{Real(0), Real(0), Real(0)};
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const int n = s.block_size[block];
    const Real* J = s.jacobian(i, side);
    const Real* x = v + s.block_adr[block];
    n == 6 ? add_side_velocity<6>(J, n, x, u) : add_side_velocity<0>(J, n, x, u);
  }
  return u;
}

/// J v of one contact about its normal
template <class Real>
ST_APART Real multiply_torsion(const ScaledProblem<Real>& s, int i, const Real* v) {
  Real u = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const int n = s.block_size[block];
    const Real *J = s.jacobian(i, side) + 3 * n, *x = v + s.block_adr[block];
    for (int j = 0; j < n; ++j) u += J[j] * x[j];
  }
  return u;
}

/// J v of all rows of one contact
template <class Real>
ST_FN ContactVector<Real> multiply_all_rows(const ScaledProblem<Real>& s, int i, Pointer<const Real> v) {
  const Vec3<Real> u = multiply_contact(s, i, v);
  return {u.x, u.y, u.z, s.dim == 4 ? multiply_torsion(s, i, v) : Real(0)};
}

/// J v of one general row
template <class Real>
ST_FN Real multiply_row(const ScaledProblem<Real>& s, int r, Pointer<const Real> v) {
  const int i = s.num_contacts + r;
  Real u = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const Real* J = s.jacobian(i, side);
    for (int j = 0; j < s.block_size[block]; ++j) u += J[j] * v[s.block_adr[block] + j];
  }
  return u;
}

/// u (num_contacts, dim) = J v, u_rows (num_rows) = J_r v
template <class Team, class Real>
ST_PHASE void multiply_J(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> v, Pointer<Real> u,
                         Pointer<Real> u_rows) {
  team.each(s.num_contacts, [&](int i) { s.store(u, i, multiply_all_rows(s, i, v)); });
  team.each(s.num_rows, [&](int r) { u_rows[r] = multiply_row(s, r, v); });
}

/// out += scale A (v − w) of one block, A laid out as H; w may be null
template <class Real>
ST_FN void add_block_product(const ScaledProblem<Real>& s, Pointer<const Real> A, Real scale, int block,
                             Pointer<const Real> v, Pointer<const Real> w, Pointer<Real> out) {
  const int n = s.block_size[block], adr = s.block_adr[block];
  const Real* a = A + s.H_adr[block];
  for (int i = 0; i < n; ++i) {
    Real sum = Real(0);
    for (int j = 0; j < n; ++j) sum += a[i * n + j] * (w ? v[adr + j] - w[adr + j] : v[adr + j]);
    out[adr + i] += scale * sum;
  }
}

/// For one block: pull = Q (v_c − v), out = g − H v + pull
template <class Real, class Factor>
ST_FN void motion_base_block(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int block,
                             Pointer<const Real> v, Pointer<const Real> center, Pointer<Real> pull, Pointer<Real> out) {
  const int begin = s.block_adr[block], end = begin + s.block_size[block];
  for (int j = begin; j < end; ++j) pull[j] = Real(0);
  add_block_product(s, system.proximal, Real(1), block, center, v, pull);
  for (int j = begin; j < end; ++j) out[j] = s.g[j] + pull[j];
  if (!s.H_zero[block]) add_block_product(s, s.H, Real(-1), block, v, static_cast<const Real*>(nullptr), out);
}

/// x += Jᵀ f in kN columns of one block from `first` on, with f (num_contacts, dim) and f_rows (num_rows); `slot` is
/// the block's diagonal slot, whose sources are the groups that touch the block.
template <int kN, class Real, class Factor>
ST_FN void add_JT_columns(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int slot, int n,
                          int first, const Real* f, const Real* f_rows, Real* x) {
  Real sum[kN];
  for (int j = 0; j < kN; ++j) sum[j] = x[first + j];
  for (int k = system.source_start[slot]; k < system.source_start[slot + 1]; ++k) {
    const int group = system.source[k] >> 2;
    const Real* J = s.jacobian(group, system.source[k] & 1) + first;
    if (group < s.num_contacts) {
      const Real* lambda = f + s.dim * group;
      const Real a = lambda[0], b = lambda[1], c = lambda[2];
      if (a == Real(0) && b == Real(0) && c == Real(0) && s.dim == 3) continue;
      for (int j = 0; j < kN; ++j) sum[j] += J[j] * a + J[n + j] * b + J[2 * n + j] * c;
      if (s.dim == 4)
        for (int j = 0; j < kN; ++j) sum[j] += J[3 * n + j] * lambda[3];
    } else {
      const Real a = f_rows[group - s.num_contacts];
      if (a == Real(0)) continue;
      for (int j = 0; j < kN; ++j) sum[j] += J[j] * a;
    }
  }
  for (int j = 0; j < kN; ++j) x[first + j] = sum[j];
}

template <class Real, class Factor>
ST_PHASE void add_JT_block(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int block,
                           Pointer<const Real> f, Pointer<const Real> f_rows, Pointer<Real> out) {
  const int n = s.block_size[block], slot = system.pattern.row_start[system.pattern.position[block]];
  Real* x = out + s.block_adr[block];
  if (n == 6) return add_JT_columns<6>(s, system, slot, n, 0, f, f_rows, x);
  int j = 0;
  for (; j + 4 <= n; j += 4) add_JT_columns<4>(s, system, slot, n, j, f, f_rows, x);
  for (; j < n; ++j) add_JT_columns<1>(s, system, slot, n, j, f, f_rows, x);
}

}  // namespace stiction
