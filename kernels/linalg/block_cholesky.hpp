// Block Cholesky factor S = UᵀU over the levels of a BlockPattern, and its triangular solves.
//
//   S_pq −= Σ_k U_kpᵀ U_kq,  k before p and q                 (a gather: only one item writes each slot)
//   S_pp = U_ppᵀ U_pp,  U_pq = U_pp⁻ᵀ S_pq
//
// A dense pattern is factored as one block by one lane. That is the fallback and the baseline, not the fast path.
#pragma once

#include "kernels/linalg/block_pattern.hpp"
#include "kernels/linalg/small_blocks.hpp"
#include "kernels/linalg/tiles.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// A block-sparse symmetric matrix; factor_blocks overwrites it by its factor.
template <class F>
struct BlockMatrix {
  Array<F> entries;           // (pattern.num_entries) upper slots
  Array<F> inverse_diagonal;  // (nv) the unreduced diagonal before the factorisation, 1/U_ii after it
};

/// x ← U⁻¹ x
template <int kSize, class F, class Real>
ST_FN void solve_upper_triangle(const F* u, const F* inverse_diagonal, int size, Real* x) {
  const int n = kSize > 0 ? kSize : size;
  for (int i = n - 1; i >= 0; --i) {
    Real sum = x[i];
    for (int j = i + 1; j < n; ++j) sum -= u[i * n + j] * x[j];
    x[i] = sum * inverse_diagonal[i];
  }
}

namespace cholesky_detail {

template <class F>
ST_FN void reduce_slot(const BlockPattern& pattern, int slot, BlockMatrix<F>& S) {
  const int p = pattern.slot_p[slot], q = pattern.slot_q[slot];
  const int rows = pattern.size_at(p), columns = pattern.size_at(q);
  pattern.before.each_common(p, q, [&](int k) {
    const int kp = pattern.slot_at(k, p), kq = pattern.slot_at(k, q);
    update_block<TileSign::kSubtract>(
        S.entries + pattern.slot_adr[kp], pattern.slot_ld[kp], S.entries + pattern.slot_adr[kq], pattern.slot_ld[kq],
        S.entries + pattern.slot_adr[slot], pattern.slot_ld[slot], rows, columns, pattern.size_at(k), p == q);
  });
}

template <class F>
ST_FN void finish_slot(const BlockPattern& pattern, int slot, BlockMatrix<F>& S) {
  const int p = pattern.slot_p[slot], q = pattern.slot_q[slot];
  if (p == q) return;
  const int diagonal = pattern.row_start[p];
  solve_rows(S.entries + pattern.slot_adr[diagonal], pattern.slot_ld[diagonal], S.inverse_diagonal + pattern.adr_at(p),
             pattern.size_at(p), S.entries + pattern.slot_adr[slot], pattern.slot_ld[slot], pattern.size_at(q));
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

/// x ← U⁻ᵀ x
template <int kSize, class F, class Real>
ST_FN void solve_transposed_triangle(const F* u, const F* inverse_diagonal, int size, Real* x) {
  const int n = kSize > 0 ? kSize : size;
  for (int i = 0; i < n; ++i) {
    x[i] *= inverse_diagonal[i];
    for (int j = i + 1; j < n; ++j) x[j] -= u[i * n + j] * x[i];
  }
}

/// x_p ← U_pp⁻ᵀ (x_p − Σ_k U_kpᵀ x_k)
template <class F, class Real>
ST_FN void forward_block(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, Real* x) {
  const int n = pattern.size_at(p), adr = pattern.adr_at(p);
  pattern.before.each(p, [&](int k) {
    const int slot = pattern.slot_at(k, p), rows = pattern.size_at(k);
    const F* u = S.entries + pattern.slot_adr[slot];
    const Real* y = x + pattern.adr_at(k);
    n == 6 && rows == 6 ? subtract_transposed<6>(u, rows, n, y, x + adr)
                        : subtract_transposed<0>(u, rows, n, y, x + adr);
  });
  const F* d = S.entries + pattern.slot_adr[pattern.row_start[p]];
  const F* inverse = S.inverse_diagonal + adr;
  n == 6 ? solve_transposed_triangle<6>(d, inverse, n, x + adr) : solve_transposed_triangle<0>(d, inverse, n, x + adr);
}

/// x_p ← U_pp⁻¹ (x_p − Σ_q U_pq x_q)
template <class F, class Real>
ST_FN void backward_block(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, Real* x) {
  const int n = pattern.size_at(p), adr = pattern.adr_at(p);
  for (int slot = pattern.row_start[p] + 1; slot < pattern.row_start[p + 1]; ++slot) {
    const int columns = pattern.slot_ld[slot];
    const F* u = S.entries + pattern.slot_adr[slot];
    const Real* y = x + pattern.adr_at(pattern.slot_q[slot]);
    n == 6 && columns == 6 ? subtract_product<6>(u, n, columns, y, x + adr)
                           : subtract_product<0>(u, n, columns, y, x + adr);
  }
  const F* d = S.entries + pattern.slot_adr[pattern.row_start[p]];
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
    for (int j = i + 1; j < nv; ++j) sum -= S.entries[i * nv + j] * x[j];
    x[i] = sum * S.inverse_diagonal[i];
  }
}

}  // namespace cholesky_detail

/// Overwrites S by its factor.
template <class Team, class F>
ST_PHASE void factor_blocks(const Team& team, const BlockPattern& pattern, int nv, BlockMatrix<F>& S) {
  using namespace cholesky_detail;
  if (pattern.dense) {
    team.once([&] { factor_diagonal(S.entries.data(), nv, nv, S.inverse_diagonal.data()); });
    return;
  }
  for (int level = 0; level < pattern.num_levels; ++level) {
    const int first = pattern.level_slot_begin(level), count = pattern.level_slot_end(level) - first;
    const int first_row = pattern.level_start[level], rows = pattern.level_start[level + 1] - first_row;
    if (level > 0) team.each(count, [&](int i) { reduce_slot(pattern, first + i, S); });
    team.each(rows, [&](int i) {
      const int p = first_row + i, slot = pattern.row_start[p];
      factor_diagonal(S.entries + pattern.slot_adr[slot], pattern.slot_ld[slot], pattern.size_at(p),
                      S.inverse_diagonal + pattern.adr_at(p));
    });
    if (count > rows) team.each(count, [&](int i) { finish_slot(pattern, first + i, S); });
  }
}

/// x ← S⁻¹ x with the factor of S.
template <class Team, class F, class Real>
ST_PHASE void solve_blocks(const Team& team, const BlockPattern& pattern, int nv, const BlockMatrix<F>& S, Real* x) {
  using namespace cholesky_detail;
  if (pattern.dense) {
    team.once([&] { solve_dense(S, nv, x); });
    return;
  }
  for (int level = 0; level < pattern.num_levels; ++level) {
    const int first = pattern.level_start[level];
    team.each(pattern.level_start[level + 1] - first, [&](int i) { forward_block(pattern, S, first + i, x); });
  }
  for (int level = pattern.num_levels - 1; level >= 0; --level) {
    const int first = pattern.level_start[level];
    team.each(pattern.level_start[level + 1] - first, [&](int i) { backward_block(pattern, S, first + i, x); });
  }
}

}  // namespace stiction
