// Block Cholesky factor S = UᵀU over the levels of a BlockPattern, and its triangular solves.
//
//   S_pq −= Σ_k U_kpᵀ U_kq,  k before p and q                 (a gather: only one item writes each slot)
//   S_pp = U_ppᵀ U_pp,  U_pq = U_pp⁻ᵀ S_pq
//
// A single lane takes block by block, several lanes share the rows of the blocks (block_rows.hpp). A dense pattern is
// factored as one block by one lane. That is the fallback and the baseline, not the fast path.
#pragma once

#include "kernels/linalg/block_pattern.hpp"
#include "kernels/linalg/block_rows.hpp"
#include "kernels/linalg/small_blocks.hpp"
#include "kernels/linalg/tiles.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace cholesky_detail {

template <class F>
ST_FN void reduce_slot(const BlockPattern& pattern, int slot, BlockMatrix<F>& S) {
  const BlockSlot to = pattern.slot(slot);
  const int p = to.p, q = to.q, rows = pattern.size_at(p), columns = pattern.size_at(q);
  pattern.before.each_common(p, q, [&](int k) {
    const BlockSlot kp = pattern.slot(pattern.slot_at(k, p)), kq = pattern.slot(pattern.slot_at(k, q));
    update_block<TileSign::kSubtract>(S.entries + kp.adr, kp.ld, S.entries + kq.adr, kq.ld, S.entries + to.adr, to.ld,
                                      rows, columns, pattern.size_at(k), p == q);
  });
}

template <class F>
ST_FN void finish_slot(const BlockPattern& pattern, int slot, BlockMatrix<F>& S) {
  const BlockSlot to = pattern.slot(slot);
  if (to.p == to.q) return;
  const BlockSlot diagonal = pattern.slot(pattern.row_start[to.p]);
  solve_rows(S.entries + diagonal.adr, diagonal.ld, S.inverse_diagonal + pattern.adr_at(to.p), pattern.size_at(to.p),
             S.entries + to.adr, to.ld, pattern.size_at(to.q));
}

/// x −= Uᵀ y, U (m, n). kSize 6: both blocks are free bodies, and loops are unrolled; 0: any sizes
template <int kSize, class F, class Real>
ST_FN void subtract_transposed(const F* u, int rows, int columns, const Real* y, Real* x) {
  const int m = kSize > 0 ? kSize : rows, n = kSize > 0 ? kSize : columns;
  if constexpr (kSize > 0) {
    Real sum[kSize];
    for (int j = 0; j < n; ++j) sum[j] = x[j];
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) sum[j] -= u[i * n + j] * y[i];
    for (int j = 0; j < n; ++j) x[j] = sum[j];
  } else {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) x[j] -= u[i * n + j] * y[i];
  }
}

/// x −= U y, U (m, n)
template <int kSize, class F, class Real>
ST_FN void subtract_product(const F* u, int rows, int columns, const Real* y, Real* x) {
  const int m = kSize > 0 ? kSize : rows, n = kSize > 0 ? kSize : columns;
  for (int i = 0; i < m; ++i) {
    Real sum = Real(0);
    for (int j = 0; j < n; ++j) sum += u[i * n + j] * y[j];
    x[i] -= sum;
  }
}

/// x_p ← U_pp⁻ᵀ (x_p − Σ_k U_kpᵀ x_k)
template <class F, class Real>
ST_FN void forward_block(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, Real* x) {
  const int n = pattern.size_at(p), adr = pattern.adr_at(p);
  pattern.before.each(p, [&](int k) {
    const int rows = pattern.size_at(k);
    const F* u = S.entries + pattern.slot(pattern.slot_at(k, p)).adr;
    const Real* y = x + pattern.adr_at(k);
    n == 6 && rows == 6 ? subtract_transposed<6>(u, rows, n, y, x + adr)
                        : subtract_transposed<0>(u, rows, n, y, x + adr);
  });
  const F* d = S.entries + pattern.slot(pattern.row_start[p]).adr;
  const F* inverse = S.inverse_diagonal + adr;
  n == 6 ? solve_transposed_triangle<6>(d, inverse, n, x + adr) : solve_transposed_triangle<0>(d, inverse, n, x + adr);
}

/// x_p ← U_pp⁻¹ (x_p − Σ_q U_pq x_q)
template <class F, class Real>
ST_FN void backward_block(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, Real* x) {
  const int n = pattern.size_at(p), adr = pattern.adr_at(p);
  for (int slot = pattern.row_start[p] + 1; slot < pattern.row_start[p + 1]; ++slot) {
    const BlockSlot from = pattern.slot(slot);
    const F* u = S.entries + from.adr;
    const Real* y = x + pattern.adr_at(from.q);
    n == 6 && from.ld == 6 ? subtract_product<6>(u, n, from.ld, y, x + adr)
                           : subtract_product<0>(u, n, from.ld, y, x + adr);
  }
  const F* d = S.entries + pattern.slot(pattern.row_start[p]).adr;
  const F* inverse = S.inverse_diagonal + adr;
  n == 6 ? solve_upper_triangle<6>(d, inverse, n, x + adr) : solve_upper_triangle<0>(d, inverse, n, x + adr);
}

template <class F, class Real>
ST_FN void solve_dense(const BlockMatrix<F>& S, int nv, Real* x) {
  for (int i = 0; i < nv; ++i) {
    x[i] *= S.inverse_diagonal[i];
    for (int j = i + 1; j < nv; ++j) x[j] -= S.entries[i * nv + j] * x[i];
  }
  for (int i = nv - 1; i >= 0; --i) {
    Real sum = x[i];
    for (int j = nv - 1; j > i; --j) sum -= S.entries[i * nv + j] * x[j];
    x[i] = sum * S.inverse_diagonal[i];
  }
}

template <class F>
ST_FN void factor_level(const BlockPattern& pattern, int level, BlockMatrix<F>& S) {
  const int first = pattern.level_slot_begin(level), end = pattern.level_slot_end(level);
  if (level > 0)
    for (int slot = first; slot < end; ++slot) reduce_slot(pattern, slot, S);
  for (int p = pattern.level_start[level]; p < pattern.level_start[level + 1]; ++p) {
    const BlockSlot diagonal = pattern.slot(pattern.row_start[p]);
    factor_diagonal(S.entries + diagonal.adr, diagonal.ld, pattern.size_at(p), S.inverse_diagonal + pattern.adr_at(p));
  }
  for (int slot = first; slot < end; ++slot) finish_slot(pattern, slot, S);
}

}  // namespace cholesky_detail

/// Overwrites S by its factor.
template <class Team, class F>
ST_PHASE void factor_blocks(const Team& team, const BlockPattern& pattern, int nv, BlockMatrix<F>& S) {
  if (pattern.dense)
    team.once([&] { factor_diagonal(S.entries.data(), nv, nv, S.inverse_diagonal.data()); });
  else if constexpr (Team::kLanes > 1)
    block_rows::factor(team, pattern, S);
  else
    for (int level = 0; level < pattern.num_levels; ++level) cholesky_detail::factor_level(pattern, level, S);
}

/// x ← S⁻¹ x with the factor of S.
template <class Team, class F, class Real>
ST_PHASE void solve_blocks(const Team& team, const BlockPattern& pattern, int nv, const BlockMatrix<F>& S, Real* x) {
  if (pattern.dense) {
    team.once([&] { cholesky_detail::solve_dense(S, nv, x); });
  } else if constexpr (Team::kLanes > 1) {
    block_rows::solve(team, pattern, S, x);
  } else {
    for (int p = 0; p < pattern.num_blocks; ++p) cholesky_detail::forward_block(pattern, S, p, x);
    for (int p = pattern.num_blocks - 1; p >= 0; --p) cholesky_detail::backward_block(pattern, S, p, x);
  }
}

}  // namespace stiction
