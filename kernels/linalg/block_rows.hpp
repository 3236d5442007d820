// The block Cholesky factor and its triangular solves by several lanes: a lane takes a row or a column of a block, not
// a whole block. Every entry sums what block_cholesky.hpp sums, in the same order, so the bits are the same.
//
//   work item of a level          what it computes
//   row r of slot (p, q)          S_pq[r] −= Σ_k U_kp[:, r]ᵀ U_kq
//   block p of up to 8 dofs       S_pp = U_ppᵀ U_pp, and the triangular solves with U_pp
//   column c of slot (p, q)       U_pq[:, c] = U_pp⁻ᵀ S_pq[:, c]
//   entry r of x_p                x_p[r] −= Σ_k U_kp[:, r]·x_k, and backwards x_p[r] −= Σ_q U_pq[r]·x_q
//
// The items of a level are numbered by (slot or block, row) with as many rows as its largest block has; a smaller block
// leaves some of them empty. In a wide block the lanes eliminate together, one pivot after the other.
#pragma once

#include <type_traits>

#include "kernels/linalg/block_pattern.hpp"
#include "kernels/linalg/small_blocks.hpp"
#include "kernels/linalg/tiles.hpp"

namespace stiction {

/// A block-sparse symmetric matrix; factor_blocks overwrites it by its factor.
template <class F>
struct BlockMatrix {
  Array<F> entries;           // (pattern.num_entries) upper slots
  Array<F> inverse_diagonal;  // (nv) the unreduced diagonal before the factorisation, 1/U_ii after it
};

namespace block_rows {

constexpr int kLargestOfALane = 8;  // dofs of a block that one lane factors

/// Calls f(p, r) for the rows of the blocks of a level; r may be beyond the block.
template <class Team, class F>
ST_FN void each_row(const Team& team, const BlockLevel& level, F f) {
  team.each(level.blocks() * level.widest(), [&](int i) { f(level.first + i / level.widest(), i % level.widest()); });
}

/// Calls f(size, first entry, first dof) for the blocks of a level that are too large for one lane.
template <class F>
ST_FN void each_wide(const BlockPattern& pattern, const BlockLevel& level, F f) {
  if (level.widest() <= kLargestOfALane) return;
  ST_ROLLED
  for (int p = level.first; p < level.first + level.blocks(); ++p)
    if (pattern.size_at(p) > kLargestOfALane)
      f(pattern.size_at(p), pattern.slot(pattern.row_start[p]).adr, pattern.adr_at(p));
}

template <class F>
ST_FN void reduce_row(const BlockPattern& pattern, int slot, int row, BlockMatrix<F>& S) {
  const BlockSlot to = pattern.slot(slot);
  const int p = to.p, q = to.q, rows = pattern.size_at(p), columns = to.ld, first = p == q ? row / 2 * 2 : 0;
  if (row >= rows) return;
  F* c = S.entries + to.adr + row * columns;
  pattern.before.each_common(p, q, [&](int k) {
    const int kp = pattern.slot_at(k, p), kq = pattern.slot_at(k, q);
    const F* a = S.entries + pattern.slot(kp).adr + row;
    const F* b = S.entries + pattern.slot(kq).adr;
    update_rows<TileSign::kSubtract, 1>(a, rows, b, columns, c, columns, first, columns, pattern.size_at(k));
  });
}

/// The block at position p, by one lane; blocks that are too large are left to eliminate_together.
template <class F>
ST_PHASE void factor_block(const BlockPattern& pattern, int p, BlockMatrix<F>& S) {
  const auto [n, adr] = pattern.place_at(p);
  F *u = S.entries + pattern.slot(pattern.row_start[p]).adr, *inverse = S.inverse_diagonal + adr;
  if (n == 6) {
    F copy[36], diagonal[6];  // in registers
    for (int i = 0; i < 6; ++i) {
      diagonal[i] = inverse[i];
      for (int j = i; j < 6; ++j) copy[6 * i + j] = u[6 * i + j];
    }
    factor_sized<6>(copy, 6, 6, diagonal);
    for (int i = 0; i < 6; ++i) {
      inverse[i] = diagonal[i];
      for (int j = i; j < 6; ++j) u[6 * i + j] = copy[6 * i + j];
    }
  } else if (n <= kLargestOfALane) {
    factor_sized<0>(u, n, n, inverse);
  }
}

/// Factors a wide block, row after row, a lane an entry. The diagonal keeps S_ii until all rows are there, because
/// every lane computes the pivot for itself.
template <class Team, class F>
ST_PHASE void eliminate_together(const Team& team, int n, F* u, F* inverse) {
  ST_ROLLED
  for (int i = 0; i + 1 < n; ++i) {
    team.each(n - 1 - i, [&](int right) {
      const int j = i + 1 + right;
      F left = u[i * n + i], entry = u[i * n + j];
      for (int k = 0; k < i; ++k) {
        const F above = u[k * n + i];
        left -= above * above;
        entry -= above * u[k * n + j];
      }
      u[i * n + j] = entry * inverse_pivot(left, inverse[i]);
    });
  }
  team.each(n, [&](int i) {
    F left = u[i * n + i];
    for (int k = 0; k < i; ++k) left -= u[k * n + i] * u[k * n + i];
    inverse[i] = inverse_pivot(left, inverse[i]);
    u[i * n + i] = left * inverse[i];
  });
}

template <class F>
ST_FN void finish_column(const BlockPattern& pattern, int slot, int column, BlockMatrix<F>& S) {
  const BlockSlot to = pattern.slot(slot);
  if (to.p == to.q || column >= to.ld) return;
  const BlockPlace rows = pattern.place_at(to.p);
  const F* u = S.entries + pattern.slot(pattern.row_start[to.p]).adr;
  solve_column(u, S.inverse_diagonal + rows.adr, rows.size, S.entries + to.adr + column, to.ld);
}

/// Overwrites S by its factor.
template <class Team, class F>
ST_FN void factor(const Team& team, const BlockPattern& pattern, BlockMatrix<F>& S) {
  for (int l = 0; l < pattern.num_levels; ++l) {
    const BlockLevel level = pattern.level_at(l);
    if (l > 0)
      team.each(level.slots * level.widest(),
                [&](int i) { reduce_row(pattern, level.first_slot + i / level.widest(), i % level.widest(), S); });
    team.each(level.blocks(), [&](int i) { factor_block(pattern, level.first + i, S); });
    each_wide(pattern, level, [&](int n, int slot, int adr) {
      eliminate_together(team, n, S.entries + slot, S.inverse_diagonal + adr);
    });
    const int columns = level.slots > level.blocks() ? pattern.widest : 0;
    team.each(level.slots * columns,
              [&](int i) { finish_column(pattern, level.first_slot + i / columns, i % columns, S); });
  }
}

/// x_p[r] −= Σ_k U_kp[:, r]·x_k
template <class F, class Real>
ST_FN void subtract_column(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, int r, Real* x) {
  const auto [n, adr] = pattern.place_at(p);
  if (r >= n) return;
  const int end = pattern.column_start[p + 1];
  Real sum = x[adr + r];
  for (int c = pattern.column_start[p]; c < end; ++c) {
    const BlockSlot from = pattern.slot(pattern.column_slot[c]);
    const BlockPlace rows = pattern.place_at(from.p);
    const F* u = S.entries + from.adr + r;
    const Real* y = x + rows.adr;
    for (int i = 0; i < rows.size; ++i) sum -= u[i * n] * y[i];
  }
  x[adr + r] = sum;
}

/// x_p[r] −= Σ_q U_pq[r]·x_q
template <class F, class Real>
ST_FN void subtract_row(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, int r, Real* x) {
  const auto [n, adr] = pattern.place_at(p);
  if (r >= n) return;
  const int end = pattern.row_start[p + 1];
  Real left = x[adr + r];
  for (int slot = pattern.row_start[p] + 1; slot < end; ++slot) {
    const BlockSlot from = pattern.slot(slot);
    const F* u = S.entries + from.adr + r * from.ld;
    const Real* y = x + pattern.adr_at(from.q);
    Real sum = Real(0);
    for (int j = 0; j < from.ld; ++j) sum += u[j] * y[j];
    left -= sum;
  }
  x[adr + r] = left;
}

/// x_p ← U_pp⁻ᵀ x_p, or U_pp⁻¹ x_p if `back`, in a block that one lane solves.
template <class F, class Real>
ST_PHASE void solve_block(const BlockPattern& pattern, const BlockMatrix<F>& S, int p, bool back, Real* x) {
  const BlockPlace place = pattern.place_at(p);
  const int n = place.size, adr = place.adr;
  if (n > kLargestOfALane) return;
  const F* u = S.entries + pattern.slot(pattern.row_start[p]).adr;
  const F* inverse = S.inverse_diagonal + adr;
  const auto solve = [&](auto size, Real* y) {
    constexpr int kSize = decltype(size)::value;
    back ? solve_upper_triangle<kSize>(u, inverse, n, y) : solve_transposed_triangle<kSize>(u, inverse, n, y);
  };
  if (n == 6)
    solve_copy<6>(x + adr, 1, [&](Real* y) { solve(std::integral_constant<int, 6>{}, y); });
  else
    solve(std::integral_constant<int, 0>{}, x + adr);
}

/// The same in a wide block: entry i becomes known, and every lane subtracts it from its own entry. x_i keeps what is
/// left for it until all are known.
template <class Team, class F, class Real>
ST_PHASE void solve_together(const Team& team, int n, bool back, const F* u, const F* inverse, Real* x) {
  ST_ROLLED
  for (int left = n - 1; left > 0; --left) {
    const int i = back ? left : n - 1 - left, first = back ? 0 : i + 1;
    const int step = back ? n : 1;
    const F* of_i = back ? u + i : u + i * n;
    team.each(left, [&](int k) {
      const int r = first + k;
      x[r] -= of_i[r * step] * (x[i] * inverse[i]);
    });
  }
  team.each(n, [&](int i) { x[i] *= inverse[i]; });
}

/// x_p ← U_pp⁻ᵀ x_p, or U_pp⁻¹ x_p if `back`, in all blocks of a level.
template <class Team, class F, class Real>
ST_FN void solve_level(const Team& team, const BlockPattern& pattern, const BlockLevel& level, bool back,
                       const BlockMatrix<F>& S, Real* x) {
  team.each(level.blocks(), [&](int i) { solve_block(pattern, S, level.first + i, back, x); });
  each_wide(pattern, level, [&](int n, int slot, int adr) {
    solve_together(team, n, back, S.entries + slot, S.inverse_diagonal + adr, x + adr);
  });
}

/// x ← S⁻¹ x with the factor of S.
template <class Team, class F, class Real>
ST_FN void solve(const Team& team, const BlockPattern& pattern, const BlockMatrix<F>& S, Real* x) {
  for (int l = 0; l < pattern.num_levels; ++l) {
    const BlockLevel level = pattern.level_at(l);
    if (l > 0) each_row(team, level, [&](int p, int r) { subtract_column(pattern, S, p, r, x); });
    solve_level(team, pattern, level, false, S, x);
  }
  for (int l = pattern.num_levels - 1; l >= 0; --l) {
    const BlockLevel level = pattern.level_at(l);
    if (level.slots > level.blocks()) each_row(team, level, [&](int p, int r) { subtract_row(pattern, S, p, r, x); });
    solve_level(team, pattern, level, true, S, x);
  }
}

}  // namespace block_rows

}  // namespace stiction
