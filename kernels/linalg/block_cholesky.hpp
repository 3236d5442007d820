// Block Cholesky factor S = UᵀU over the levels of a BlockPattern, and its triangular solves.
//
//   S_pq −= Σ_k U_kpᵀ U_kq,  k before p and q                 (gather: every slot is written by one item)
//   S_pp = U_ppᵀ U_pp,  U_pq = U_pp⁻ᵀ S_pq
//
// A dense pattern is factored as one block in one lane: the fallback and the baseline, not the fast path.
#pragma once

#include "kernels/linalg/block_pattern.hpp"
#include "kernels/linalg/small_blocks.hpp"

namespace stiction {

/// A block-sparse symmetric matrix, then its factor.
template <class F>
struct BlockMatrix {
  F* entries;           // (pattern.num_entries) upper slots
  F* inverse_diagonal;  // (nv) the unreduced diagonal before the factorisation, 1/U_ii after it
};

namespace cholesky_detail {

template <class F>
ST_FN void reduce_slot(const BlockPattern& s, const BlockMatrix<F>& S, int slot) {
  const int n = s.num_blocks, p = s.slot_p[slot], q = s.slot_q[slot];
  const int rows = s.size_at(p), columns = s.size_at(q);
  for (std::uint64_t m = s.before[p] & s.before[q]; m; m &= m - 1) {
    const int k = lowest_bit(m);
    const int kp = s.slot_of[k * n + p], kq = s.slot_of[k * n + q];
    subtract_product(S.entries + s.slot_adr[kp], s.slot_ld[kp], S.entries + s.slot_adr[kq], s.slot_ld[kq],
                     S.entries + s.slot_adr[slot], s.slot_ld[slot], rows, columns, s.size_at(k));
  }
}

template <class F>
ST_FN void finish_slot(const BlockPattern& s, const BlockMatrix<F>& S, int slot) {
  const int p = s.slot_p[slot], q = s.slot_q[slot];
  if (p == q) return;
  const int diagonal = s.row_start[p];
  solve_rows(S.entries + s.slot_adr[diagonal], s.slot_ld[diagonal], S.inverse_diagonal + s.adr_at(p), s.size_at(p),
             S.entries + s.slot_adr[slot], s.slot_ld[slot], s.size_at(q));
}

/// x_p ← U_pp⁻ᵀ (x_p − Σ_k U_kpᵀ x_k)
template <class F, class Real>
ST_FN void forward_block(const BlockPattern& s, const BlockMatrix<F>& S, int p, Real* x) {
  const int n = s.size_at(p), adr = s.adr_at(p);
  for (std::uint64_t m = s.before[p]; m; m &= m - 1) {
    const int k = lowest_bit(m), slot = s.slot_of[k * s.num_blocks + p];
    const F* u = S.entries + s.slot_adr[slot];
    const Real* xk = x + s.adr_at(k);
    for (int i = 0; i < s.size_at(k); ++i)
      for (int j = 0; j < n; ++j) x[adr + j] -= u[i * n + j] * xk[i];
  }
  const F* d = S.entries + s.slot_adr[s.row_start[p]];
  for (int i = 0; i < n; ++i) {
    x[adr + i] *= S.inverse_diagonal[adr + i];
    for (int j = i + 1; j < n; ++j) x[adr + j] -= d[i * n + j] * x[adr + i];
  }
}

/// x_p ← U_pp⁻¹ (x_p − Σ_q U_pq x_q)
template <class F, class Real>
ST_FN void backward_block(const BlockPattern& s, const BlockMatrix<F>& S, int p, Real* x) {
  const int n = s.size_at(p), adr = s.adr_at(p);
  for (int slot = s.row_start[p] + 1; slot < s.row_start[p + 1]; ++slot) {
    const int q = s.slot_q[slot], columns = s.slot_ld[slot];
    const F* u = S.entries + s.slot_adr[slot];
    const Real* xq = x + s.adr_at(q);
    for (int i = 0; i < n; ++i) {
      Real sum = Real(0);
      for (int j = 0; j < columns; ++j) sum += u[i * columns + j] * xq[j];
      x[adr + i] -= sum;
    }
  }
  const F* d = S.entries + s.slot_adr[s.row_start[p]];
  for (int i = n - 1; i >= 0; --i) {
    Real sum = x[adr + i];
    for (int j = i + 1; j < n; ++j) sum -= d[i * n + j] * x[adr + j];
    x[adr + i] = sum * S.inverse_diagonal[adr + i];
  }
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

/// S becomes its factor.
template <class Team, class F>
ST_FN void factor_blocks(const Team& team, const BlockPattern& s, int nv, const BlockMatrix<F>& S) {
  using namespace cholesky_detail;
  if (s.dense) {
    team.once([&] { factor_diagonal(S.entries, nv, nv, S.inverse_diagonal); });
    return;
  }
  for (int level = 0; level < s.num_levels; ++level) {
    const int first = s.level_slot_begin(level), count = s.level_slot_end(level) - first;
    const int first_row = s.level_start[level], rows = s.level_start[level + 1] - first_row;
    if (level > 0) team.each(count, [&](int i) { reduce_slot(s, S, first + i); });
    team.each(rows, [&](int i) {
      const int p = first_row + i, slot = s.row_start[p];
      factor_diagonal(S.entries + s.slot_adr[slot], s.slot_ld[slot], s.size_at(p), S.inverse_diagonal + s.adr_at(p));
    });
    if (count > rows) team.each(count, [&](int i) { finish_slot(s, S, first + i); });
  }
}

/// x ← S⁻¹ x with the factor of S.
template <class Team, class F, class Real>
ST_PHASE void solve_blocks(const Team& team, const BlockPattern& s, int nv, const BlockMatrix<F>& S, Real* x) {
  using namespace cholesky_detail;
  if (s.dense) {
    team.once([&] { solve_dense(S, nv, x); });
    return;
  }
  for (int level = 0; level < s.num_levels; ++level) {
    const int first = s.level_start[level];
    team.each(s.level_start[level + 1] - first, [&](int i) { forward_block(s, S, first + i, x); });
  }
  for (int level = s.num_levels - 1; level >= 0; --level) {
    const int first = s.level_start[level];
    team.each(s.level_start[level + 1] - first, [&](int i) { backward_block(s, S, first + i, x); });
  }
}

}  // namespace stiction
