// Fills S (reduced_system.hpp) from its weights, and factors it.
//
//   weighted = W J of every group;  S_pq = (H + Q)_pq + Σ_sources J_pᵀ (W J)_q
//
// One lane fills slot by slot; of several lanes each fills tiles of kTileRows by kTileColumns entries. Every entry adds
// the same terms in the same order.
#pragma once

#include "kernels/solver/ground/reduced_system.hpp"
#include "kernels/team/wide_load.hpp"

namespace stiction {

namespace reduced_detail {

/// out = W J in kN columns from `first` on, with J (3, n); kEven: n and `first` are even
template <bool kEven, int kN, class Real, class Factor>
ST_FN void weigh_columns(const Sym3<Real>& w, const Real* J, int n, int first, Factor* out) {
  Real a[kN], b[kN], c[kN];
  load_row<kEven>(J + first, a);
  load_row<kEven>(J + n + first, b);
  load_row<kEven>(J + 2 * n + first, c);
  Factor nn[kN], tt[kN], oo[kN];
  for (int j = 0; j < kN; ++j) {
    nn[j] = static_cast<Factor>(w.nn * a[j] + w.nt * b[j] + w.no * c[j]);
    tt[j] = static_cast<Factor>(w.nt * a[j] + w.tt * b[j] + w.to * c[j]);
    oo[j] = static_cast<Factor>(w.no * a[j] + w.to * b[j] + w.oo * c[j]);
  }
  for (int j = 0; j < kN; ++j) out[first + j] = nn[j], out[n + first + j] = tt[j], out[2 * n + first + j] = oo[j];
}

template <bool kEven, class Real, class Factor>
ST_FN void weigh_side(const Sym3<Real>& w, const Real* J, int n, Factor* out) {
  int j = 0;
  for (; j + 4 <= n; j += 4) weigh_columns<kEven, 4>(w, J, n, j, out);
  for (; j + 2 <= n; j += 2) weigh_columns<kEven, 2>(w, J, n, j, out);
  if constexpr (!kEven)
    for (; j < n; ++j) weigh_columns<false, 1>(w, J, n, j, out);
}

/// Adds the terms of column r of W to out = W J and writes row r of out; J and out are (4, n)
template <class Real, class Factor>
ST_APART void weigh_torsion(ContactVector<Real> w, const Real* J, int n, Factor* out) {
  for (int j = 0; j < n; ++j) {
    const Real turn = J[3 * n + j];
    out[j] += static_cast<Factor>(w.n * turn);
    out[n + j] += static_cast<Factor>(w.t * turn);
    out[2 * n + j] += static_cast<Factor>(w.o * turn);
    out[3 * n + j] = static_cast<Factor>(w.n * J[j] + w.t * J[n + j] + w.o * J[2 * n + j] + w.r * turn);
  }
}

/// False where the group's weight is zero, because nothing presses there: it adds nothing to S.
template <class Real, class Factor>
ST_FN bool has_weight(const ReducedSystem<Real, Factor>& system, int i) {
  const Sym3<Real>& w = system.weight[i];
  return w.nn != Real(0) || w.tt != Real(0) || w.oo != Real(0) || (system.torsion && system.torsion[i].r != Real(0));
}

/// W J of one side of a contact in its runs
template <class Real, class Factor>
ST_FN void weigh_runs(const Sym3<Real>& w, const ColumnRuns& runs, const Real* J, int n, Factor* out) {
  visit_runs(runs, [&](int first, int last) {
    for (int j = first; j < last; ++j) weigh_columns<false, 1>(w, J, n, j, out);
  });
}

template <bool kSingleLane, class Real, class Factor>
ST_FN void weigh_group(const ScaledProblem<Real>& s, int i, ReducedSystem<Real, Factor>& system) {
  const bool bears = has_weight(system, i);
  system.bears[i] = bears;
  if (!bears) return;
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const int n = s.block_size[block];
    const Real* J = s.jacobian(i, side);
    Factor* out = system.weighted + static_cast<std::ptrdiff_t>(i) * s.stride + side * s.second;
    if (i >= s.num_contacts) {
      for (int j = 0; j < n; ++j) out[j] = static_cast<Factor>(system.weight[i].nn * J[j]);
      continue;
    }
    if (keeps_to_runs<kSingleLane>(n))
      weigh_runs(system.weight[i], s.runs[2 * i + side], J, n, out);
    else
      n % 2 == 0 ? weigh_side<true>(system.weight[i], J, n, out) : weigh_side<false>(system.weight[i], J, n, out);
    if (s.dim == 4) weigh_torsion(system.torsion[i], J, n, out);
  }
}

template <class Real, class Factor>
ST_FN void start_slot(const ScaledProblem<Real>& s, int slot, ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const auto [p, q, adr, ld] = pattern.slot(slot);
  const int m = pattern.size_at(p), n = pattern.size_at(q), block = pattern.order[p];
  Factor* c = system.matrix.entries + adr;
  if (p != q) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) c[i * ld + j] = Factor(0);
    return;
  }
  const Real* H = s.H + s.H_adr[block];
  const Real* Q = system.proximal + s.H_adr[block];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) c[i * ld + j] = static_cast<Factor>(H[i * n + j] + Q[i * n + j]);
}

/// Lists the sources of a slot that have a weight. Returns the end of the list.
template <class Real, class Factor>
ST_FN int list_loaded(int slot, ReducedSystem<Real, Factor>& system) {
  const int *source = system.source, begin = system.source_start[slot], end = system.source_start[slot + 1];
  const bool* bears = system.bears;
  int* loaded = system.loaded;
  int next = begin;
  for (int k = begin; k < end; ++k) {
    const int code = source[k];
    if (bears[code >> 2]) loaded[next++] = code;
  }
  return next;
}

/// Adds the loaded sources from `begin` to `end` to the kM x kN tile at (i, j) of a slot of size (m, n), in registers;
/// kEven: i, j and n are even, and so is m where kM is.
template <int kM, int kN, bool kEven = false, class Real, class Factor>
ST_FN void gather_tile(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int begin, int end,
                       int i, int j, int m, int n, Factor* c, int ld) {
  Factor sum[kM][kN];
  const int *loaded = system.loaded, contacts = s.num_contacts, stride = s.stride, second = s.second;
  const Real* jacobians = s.J + i;
  const Factor* weighted = system.weighted + j;
  const bool twists = s.dim == 4;
  for (int k = 0; k < kM; ++k)
    for (int l = 0; l < kN; ++l) sum[k][l] = c[k * ld + l];
  for (int source = begin; source < end; ++source) {
    const int code = loaded[source], group = code >> 2;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(group) * stride;
    const Real* a = jacobians + first + ((code >> 1) & 1) * second;
    const Factor* b = weighted + first + (code & 1) * second;
    const bool contact = group < contacts;
    const auto add_row = [&] {
      Factor row[kN];
      Real left[kM];
      load_row<kEven>(b, row);
      load_row<kEven && kM % 2 == 0>(a, left);
      for (int k = 0; k < kM; ++k)
        for (int l = 0; l < kN; ++l) sum[k][l] += static_cast<Factor>(left[k]) * row[l];
    };
    const int depth = contact ? 3 : 1;
    for (int d = 0; d < depth; ++d, a += m, b += n) add_row();
    if (twists && contact) add_row();
  }
  for (int k = 0; k < kM; ++k)
    for (int l = 0; l < kN; ++l) c[k * ld + l] = sum[k][l];
}

/// Gathers kM rows of a slot from row i on, in the columns from `first` to `last`; kEven as in gather_tile.
template <int kM, bool kEven = false, class Real, class Factor>
ST_FN void gather_rows(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int begin, int end,
                       int i, int first, int last, int m, int n, Factor* c, int ld) {
  int j = first;
  if constexpr (kM == kTileRows)
    for (; j + 6 <= last; j += 6) gather_tile<kM, 6, kEven>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
  for (; j + 4 <= last; j += 4) gather_tile<kM, 4, kEven>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
  for (; j + 2 <= last; j += 2) gather_tile<kM, 2, kEven>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
  if constexpr (!kEven)
    for (; j < last; ++j) gather_tile<kM, 1>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
}

/// The runs of a side with n columns; of a small block, all columns.
template <class Real>
ST_FN ColumnRuns runs_of_side(const ScaledProblem<Real>& s, int group, int side, int n) {
  return keeps_to_runs<true>(n) ? s.runs[2 * group + side] : ColumnRuns{1, {0}, {static_cast<short>(n)}};
}

/// Adds the loaded sources of a slot of size (m, n) to it, each in the columns where it is not zero; in a diagonal slot
/// to the upper triangle only.
template <class Real, class Factor>
ST_FN void gather_runs(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int begin, int end,
                       bool diagonal, int m, int n, Factor* c, int ld) {
  for (int source = begin; source < end; ++source) {
    const int code = system.loaded[source], group = code >> 2, of_a = (code >> 1) & 1, of_b = code & 1;
    const Real* a = s.jacobian(group, of_a);
    const Factor* b = system.weighted + static_cast<std::ptrdiff_t>(group) * s.stride + of_b * s.second;
    const ColumnRuns rows = runs_of_side(s, group, of_a, m), columns = runs_of_side(s, group, of_b, n);
    const int depth = group < s.num_contacts ? s.dim : 1;
    const auto add_to_row = [&](int i) {
      Factor* out = c + i * ld;
      visit_runs(columns, [&](int first, int last) {
        int d = 0;
        for (; d + 3 <= depth; d += 3) {
          const Factor of_n = static_cast<Factor>(a[d * m + i]), of_t = static_cast<Factor>(a[(d + 1) * m + i]),
                       of_o = static_cast<Factor>(a[(d + 2) * m + i]);
          const Factor *along_n = b + d * n, *along_t = along_n + n, *along_o = along_t + n;
          for (int j = diagonal ? larger(first, i) : first; j < last; ++j)
            out[j] = out[j] + of_n * along_n[j] + of_t * along_t[j] + of_o * along_o[j];
        }
        for (; d < depth; ++d) {
          const Factor left = static_cast<Factor>(a[d * m + i]);
          for (int j = diagonal ? larger(first, i) : first; j < last; ++j) out[j] += left * b[d * n + j];
        }
      });
    };
    visit_runs(rows, [&](int first, int last) {
      for (int i = first; i < last; ++i) add_to_row(i);
    });
  }
}

/// Gathers all sources of a slot by one lane; in a diagonal slot only what reaches the upper triangle.
template <class Real, class Factor>
ST_PHASE void gather_slot(const ScaledProblem<Real>& s, int slot, bool diagonal, int m, int n, int ld,
                          ReducedSystem<Real, Factor>& system, Factor* c) {
  const int start = system.source_start[slot], end = list_loaded(slot, system);
  if (end == start) return;
  if (m == 6 && n == 6 && ld == 6) {
    diagonal ? gather_tile<4, 4>(s, system, start, end, 0, 0, 6, 6, c, 6)
             : gather_tile<6, 4>(s, system, start, end, 0, 0, 6, 6, c, 6);
    return gather_tile<6, 2>(s, system, start, end, 0, 4, 6, 6, c + 4, 6);
  }
  if (keeps_to_runs<true>(larger(m, n))) return gather_runs(s, system, start, end, diagonal, m, n, c, ld);
  int i = 0;
  for (; i + 3 <= m; i += 3) gather_rows<3>(s, system, start, end, i, diagonal ? i / 2 * 2 : 0, n, m, n, c, ld);
  for (; i < m; ++i) gather_rows<1>(s, system, start, end, i, diagonal ? i / 2 * 2 : 0, n, m, n, c, ld);
}

template <class Real, class Factor>
ST_FN void fill_slot(const ScaledProblem<Real>& s, int slot, ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const auto [p, q, adr, ld] = pattern.slot(slot);
  const int m = pattern.size_at(p), n = pattern.size_at(q);
  Factor* c = system.matrix.entries + adr;
  start_slot(s, slot, system);
  gather_slot(s, slot, p == q, m, n, ld, system, c);
  if (p == q)
    for (int i = 0; i < m; ++i) system.matrix.inverse_diagonal[pattern.adr_at(p) + i] = c[i * ld + i];
}

/// Fills the entries of a slot in kM rows from row i on and in the columns from `first` to `last`, by one of several
/// lanes.
template <int kM, class Real, class Factor>
ST_PHASE void fill_tile(const ScaledProblem<Real>& s, int slot, int i, int first, int last,
                        ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const auto [p, q, adr, ld] = pattern.slot(slot);
  const int block = pattern.order[p], m = s.block_size[block], n = pattern.size_at(q);
  const int begin = system.source_start[slot], end = system.loaded_end[slot];
  Factor* c = system.matrix.entries + adr;
  const Real* H = s.H + s.H_adr[block] + i * n;
  const Real* Q = system.proximal + s.H_adr[block] + i * n;
  for (int k = 0; k < kM; ++k)
    for (int j = first; j < last; ++j)
      c[(i + k) * ld + j] = p == q ? static_cast<Factor>(H[k * n + j] + Q[k * n + j]) : Factor(0);
  if (n % 2 == 0 && (kM == 1 || m % 2 == 0))
    gather_rows<kM, true>(s, system, begin, end, i, first, last, m, n, c, ld);
  else
    gather_rows<kM>(s, system, begin, end, i, first, last, m, n, c, ld);
  for (int k = i; p == q && k < i + kM; ++k)
    if (first <= k && k < last) system.matrix.inverse_diagonal[s.block_adr[block] + k] = c[k * ld + k];
}

/// Fills a tile of its slot; in a diagonal slot only the columns from the tile's first row on.
template <class Real, class Factor>
ST_FN void fill_numbered_tile(const ScaledProblem<Real>& s, int tile, ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const int slot = system.tile_slot[tile];
  const BlockSlot at = pattern.slot(slot);
  const int m = pattern.size_at(at.p), n = pattern.size_at(at.q), across = (n + kTileColumns - 1) / kTileColumns;
  const int index = tile - system.tile_start[slot], i = index / across * kTileRows, j = index % across * kTileColumns;
  const int first = at.p == at.q && i > j ? i : j, last = smaller(j + kTileColumns, n);
  if (first >= last) return;
  if (m - i >= kTileRows)
    fill_tile<kTileRows>(s, slot, i, first, last, system);
  else
    fill_tile<1>(s, slot, i, first, last, system);
}

}  // namespace reduced_detail

/// Assembles S from r.weight and r.proximal, and factors it.
template <class Team, class Real, class Factor>
ST_PHASE void factor_reduced_system(const Team& team, const ScaledProblem<Real>& s,
                                    ReducedSystem<Real, Factor>& system) {
  team.each(s.num_groups, [&](int i) { reduced_detail::weigh_group<Team::kLanes == 1>(s, i, system); });
  if constexpr (Team::kLanes == 1) {
    for (int slot = 0; slot < system.pattern.num_slots; ++slot) reduced_detail::fill_slot(s, slot, system);
  } else {
    team.each(system.pattern.num_slots,
              [&](int slot) { system.loaded_end[slot] = reduced_detail::list_loaded(slot, system); });
    team.each(system.tile_start[system.pattern.num_slots],
              [&](int tile) { reduced_detail::fill_numbered_tile(s, tile, system); });
  }
  factor_blocks(team, system.pattern, s.nv, system.matrix);
}

}  // namespace stiction
