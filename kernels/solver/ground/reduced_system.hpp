// The matrix S of the linear system of every Newton step, and the products around it, in the units of ScaledProblem:
//
//   S = H + Q + Σ_i J_iᵀ W_i J_i + Σ_r D_r J_rᵀ J_r        W_i symmetric, 3 x 3 or with torsion 4 x 4; D_r scalar
//
//   symbol  variable   shape                 note
//   Q       proximal   blocks as H           the phase's proximal weight: εP or one of its own
//   W, D    weight     (num_groups)          entries of n, t, o; a general row uses .nn only
//   W       torsion    (num_contacts)        column r; exists with torsion only
//   S       matrix     block upper           stored and factored in Factor
//
// H alone may be singular and is never factored. Every stored block of S gathers the groups that touch its two
// kinematic trees, in the order of the groups, so that no two work items of a phase write to the same place.
#pragma once

#include "kernels/linalg/block_cholesky.hpp"
#include "kernels/problem/cone.hpp"
#include "kernels/solver/ground/scaled_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// What only `plan_reduced_system` reads.
struct PlanInputs {
  SetRows graph;    // (num_blocks) for every block, the blocks that touch it
  NearMemory near;  // holds the matrix if this problem's pattern fits there
};

template <class Real, class Factor>
struct ReducedSystem {
  BlockPattern pattern;
  BlockMatrix<Factor> matrix;  // has room for every pattern until the plan moves it to near memory
  Array<PlanInputs> inputs;
  Array<Real> proximal;     // blocks as H: Q; set by the phase
  Array<int> source_start;  // (slots + 1) index of a slot's first source; set by the plan
  Array<int> source;        // (3 num_groups) group * 4 + side of p * 2 + side of q; set by the plan
  // (3 num_groups) those of a slot's sources that have a weight, from source_start on; set by every factorisation
  Array<int> loaded;
  Array<Sym3<Real>> weight;            // (num_groups) set by the phase before every factorisation
  Array<ContactVector<Real>> torsion;  // (num_contacts) set with `weight`; null without torsion
  Array<Factor> weighted;              // (num_groups, stride) W J, packed as J; set by every factorisation
};

/// Upper bound of the number of entries in the upper blocks: that of all of them, or that of `max_slots` slots whose
/// off-diagonal ones are as large as the two largest blocks make them, whichever is less.
ST_FN std::size_t bound_entries(const SolverCapacity& capacity, int max_slots, std::size_t square) {
  int first, second;
  scaled_detail::two_largest(capacity, &first, &second);
  const std::size_t nv = static_cast<std::size_t>(capacity.nv), all = (nv * nv + square) / 2;
  const std::size_t couplings = static_cast<std::size_t>(max_slots - capacity.num_blocks);
  const std::size_t some = square + couplings * static_cast<std::size_t>(first) * static_cast<std::size_t>(second);
  return some < all ? some : all;
}

/// Number of entries in the diagonal blocks.
ST_FN std::size_t diagonal_entries(const SolverCapacity& capacity) {
  std::size_t square = 0;
  ST_ROLLED
  for (int b = 0; b < capacity.num_blocks; ++b)
    square += static_cast<std::size_t>(capacity.block_size[b]) * static_cast<std::size_t>(capacity.block_size[b]);
  return square;
}

template <class Factor>
ST_FN BlockMatrix<Factor> take_matrix(std::size_t entries, std::size_t nv, Arena& arena) {
  Factor* first = arena.take<Factor>(entries);
  return {first, arena.take<Factor>(nv)};
}

template <class Real, class Factor>
ST_FN ReducedSystem<Real, Factor> take_reduced_system(const SolverCapacity& capacity, int stride, Arena& arena) {
  const std::size_t nv = static_cast<std::size_t>(capacity.nv);
  const std::size_t groups = static_cast<std::size_t>(capacity.max_contacts + capacity.max_rows);
  const std::size_t square = diagonal_entries(capacity);
  ReducedSystem<Real, Factor> r{};
  r.pattern = take_pattern(capacity.num_blocks, capacity.max_couplings, arena);
  const std::size_t before = arena.used();
  r.matrix =
      take_matrix<Factor>(r.pattern.dense ? nv * nv : bound_entries(capacity, r.pattern.max_slots, square), nv, arena);
  const NearMemory near = arena.take_near(arena.used() - before);
  r.proximal = arena.take<Real>(square);
  const SetRows graph = take_block_sets(capacity.num_blocks, arena);
  r.inputs = arena.take<PlanInputs>(1);
  if (r.inputs) *r.inputs = {graph, near};
  r.source_start = arena.take<int>(static_cast<std::size_t>(r.pattern.max_slots) + 1);
  r.source = arena.take<int>(3 * groups);
  r.loaded = arena.take<int>(3 * groups);
  r.weight = arena.take<Sym3<Real>>(groups);
  r.torsion = nullptr;
  if (capacity.shape.dimension == 4)
    r.torsion = arena.take<ContactVector<Real>>(static_cast<std::size_t>(capacity.max_contacts));
  r.weighted = arena.take<Factor>(groups * static_cast<std::size_t>(stride));
  return r;
}

/// W of contact i.
template <class Real, class Factor>
ST_FN Sym4<Real> load_weight(const ReducedSystem<Real, Factor>& system, int i) {
  return {system.weight[i], system.torsion ? system.torsion[i] : ContactVector<Real>{}};
}
template <class Real, class Factor>
ST_FN void store_weight(int i, const Sym4<Real>& w, ReducedSystem<Real, Factor>& system) {
  system.weight[i] = w.nto;
  if (system.torsion) system.torsion[i] = w.r;
}

namespace reduced_detail {

template <class Real>
ST_FN void connect_blocks(const ScaledProblem<Real>& s, SetRows& graph) {
  for (int b = 0; b < s.num_blocks; ++b) graph.clear(b);
  for (int i = 0; i < s.num_groups; ++i) {
    const int a = s.group_block[2 * i], b = s.group_block[2 * i + 1];
    if (a >= 0 && b >= 0) graph.insert(a, b), graph.insert(b, a);
  }
}

/// Calls f(slot, code) for the slots to which group i adds, at most three.
template <class Real, class F>
ST_FN void visit_slots(const ScaledProblem<Real>& s, const BlockPattern& pattern, int i, F f) {
  const int a = s.group_block[2 * i], b = s.group_block[2 * i + 1];
  const int pa = a >= 0 ? pattern.position[a] : -1, pb = b >= 0 ? pattern.position[b] : -1;
  if (pa >= 0) f(pattern.row_start[pa], 4 * i);
  if (pb >= 0) f(pattern.row_start[pb], 4 * i + 3);
  if (pa >= 0 && pb >= 0) {
    if (pa < pb) f(pattern.slot_at(pa, pb), 4 * i + 1);
    if (pb < pa) f(pattern.slot_at(pb, pa), 4 * i + 2);
  }
}

/// Lists the sources of every slot: count, scan, emit.
template <class Real, class Factor>
ST_FN void list_sources(const ScaledProblem<Real>& s, int num_slots, ReducedSystem<Real, Factor>& system) {
  for (int k = 0; k <= num_slots; ++k) system.source_start[k] = 0;
  for (int i = 0; i < s.num_groups; ++i)
    visit_slots(s, system.pattern, i, [&](int slot, int) { ++system.source_start[slot]; });
  for (int k = 0, sum = 0; k <= num_slots; ++k) {
    sum += system.source_start[k];
    system.source_start[k] = sum;  // end of slot k, counted down to its start by the loop below
  }
  for (int i = s.num_groups - 1; i >= 0; --i)
    visit_slots(s, system.pattern, i, [&](int slot, int code) { system.source[--system.source_start[slot]] = code; });
}

}  // namespace reduced_detail

/// Moves the matrix to near memory if this problem's pattern fits there.
template <class Real, class Factor>
ST_FN void move_near(int nv, ReducedSystem<Real, Factor>& system) {
  Arena near(system.inputs->near.data);
  const auto entries = static_cast<std::size_t>(system.pattern.num_entries);
  const BlockMatrix<Factor> placed = take_matrix<Factor>(entries, static_cast<std::size_t>(nv), near);
  if (near.used() <= system.inputs->near.bytes) system.matrix = placed;
}

/// The symbolic part; call it once for a system that was taken. False where more blocks are coupled than there is room
/// for.
template <class Team, class Real, class Factor>
ST_PHASE bool plan_reduced_system(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system) {
  if (!system.pattern.dense) team.once([&] { reduced_detail::connect_blocks(s, system.inputs->graph); });
  plan_elimination(team, s.nv, s.block_adr, s.block_size, system.inputs->graph, system.pattern);
  if (system.pattern.num_slots < 0) return false;
  team.once([&] {
    reduced_detail::list_sources(s, system.pattern.num_slots, system);
    move_near(s.nv, system);
  });
  return true;
}

namespace reduced_detail {

/// out = W J in kN columns from `first` on, with J (3, n)
template <int kN, class Real, class Factor>
ST_FN void weigh_columns(const Sym3<Real>& w, const Real* J, int n, int first, Factor* out) {
  Real a[kN], b[kN], c[kN];
  for (int j = 0; j < kN; ++j) a[j] = J[first + j], b[j] = J[n + first + j], c[j] = J[2 * n + first + j];
  Factor nn[kN], tt[kN], oo[kN];
  for (int j = 0; j < kN; ++j) {
    nn[j] = static_cast<Factor>(w.nn * a[j] + w.nt * b[j] + w.no * c[j]);
    tt[j] = static_cast<Factor>(w.nt * a[j] + w.tt * b[j] + w.to * c[j]);
    oo[j] = static_cast<Factor>(w.no * a[j] + w.to * b[j] + w.oo * c[j]);
  }
  for (int j = 0; j < kN; ++j) out[first + j] = nn[j], out[n + first + j] = tt[j], out[2 * n + first + j] = oo[j];
}

template <class Real, class Factor>
ST_FN void weigh_side(const Sym3<Real>& w, const Real* J, int n, Factor* out) {
  int j = 0;
  for (; j + 4 <= n; j += 4) weigh_columns<4>(w, J, n, j, out);
  for (; j + 2 <= n; j += 2) weigh_columns<2>(w, J, n, j, out);
  for (; j < n; ++j) weigh_columns<1>(w, J, n, j, out);
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

template <class Real, class Factor>
ST_FN void weigh_group(const ScaledProblem<Real>& s, int i, ReducedSystem<Real, Factor>& system) {
  if (!has_weight(system, i)) return;
  for (int side = 0; side < 2; ++side) {
    const int block = s.group_block[2 * i + side];
    if (block < 0) continue;
    const int n = s.block_size[block];
    const Real* J = s.jacobian(i, side);
    Factor* out = system.weighted + static_cast<std::ptrdiff_t>(i) * s.stride + side * s.second;
    if (i < s.num_contacts) {
      weigh_side(system.weight[i], J, n, out);
      if (s.dim == 4) weigh_torsion(system.torsion[i], J, n, out);
    } else {
      for (int j = 0; j < n; ++j) out[j] = static_cast<Factor>(system.weight[i].nn * J[j]);
    }
  }
}

template <class Real, class Factor>
ST_FN void start_slot(const ScaledProblem<Real>& s, int slot, ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const int p = pattern.slot_p[slot], q = pattern.slot_q[slot], ld = pattern.slot_ld[slot];
  const int m = pattern.size_at(p), n = pattern.size_at(q), block = pattern.order[p];
  Factor* c = system.matrix.entries + pattern.slot_adr[slot];
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
  int end = system.source_start[slot];
  for (int k = system.source_start[slot]; k < system.source_start[slot + 1]; ++k)
    if (has_weight(system, system.source[k] >> 2)) system.loaded[end++] = system.source[k];
  return end;
}

/// Adds the loaded sources from `begin` to `end` to the kM x kN tile at (i, j) of a slot of size (m, n), in registers.
template <int kM, int kN, class Real, class Factor>
ST_FN void gather_tile(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int begin, int end,
                       int i, int j, int m, int n, Factor* c, int ld) {
  Factor sum[kM][kN];
  const bool twists = s.dim == 4;
  for (int k = 0; k < kM; ++k)
    for (int l = 0; l < kN; ++l) sum[k][l] = c[k * ld + l];
  for (int source = begin; source < end; ++source) {
    const int code = system.loaded[source], group = code >> 2;
    const Real* a = s.jacobian(group, (code >> 1) & 1) + i;
    const Factor* b = system.weighted + static_cast<std::ptrdiff_t>(group) * s.stride + (code & 1) * s.second + j;
    const bool contact = group < s.num_contacts;
    const auto add_row = [&] {
      Factor row[kN];
      for (int l = 0; l < kN; ++l) row[l] = b[l];
      for (int k = 0; k < kM; ++k)
        for (int l = 0; l < kN; ++l) sum[k][l] += static_cast<Factor>(a[k]) * row[l];
    };
    const int depth = contact ? 3 : 1;
    for (int d = 0; d < depth; ++d, a += m, b += n) add_row();
    if (twists && contact) add_row();
  }
  for (int k = 0; k < kM; ++k)
    for (int l = 0; l < kN; ++l) c[k * ld + l] = sum[k][l];
}

/// Gathers kM rows of a slot from row i on, in the columns from `first` on.
template <int kM, class Real, class Factor>
ST_FN void gather_rows(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int begin, int end,
                       int i, int first, int m, int n, Factor* c, int ld) {
  int j = first;
  for (; j + 4 <= n; j += 4) gather_tile<kM, 4>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
  for (; j + 2 <= n; j += 2) gather_tile<kM, 2>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
  for (; j < n; ++j) gather_tile<kM, 1>(s, system, begin, end, i, j, m, n, c + i * ld + j, ld);
}

/// Number of sources that are gathered at once. In a wide block their rows of J and W J have to stay in the cache.
ST_FN int sources_at_once(int n) { return n > 64 ? 16 : 1 << 30; }

/// Gathers all sources of a slot; in a diagonal slot only the tiles that reach the upper triangle.
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
  const int most = sources_at_once(n);
  for (int begin = start, next; begin < end; begin = next) {
    next = end - begin > most ? begin + most : end;
    int i = 0;
    for (; i + 3 <= m; i += 3) gather_rows<3>(s, system, begin, next, i, diagonal ? i / 2 * 2 : 0, m, n, c, ld);
    for (; i < m; ++i) gather_rows<1>(s, system, begin, next, i, diagonal ? i / 2 * 2 : 0, m, n, c, ld);
  }
}

template <class Real, class Factor>
ST_FN void fill_slot(const ScaledProblem<Real>& s, int slot, ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const int p = pattern.slot_p[slot], q = pattern.slot_q[slot], ld = pattern.slot_ld[slot];
  const int m = pattern.size_at(p), n = pattern.size_at(q);
  Factor* c = system.matrix.entries + pattern.slot_adr[slot];
  start_slot(s, slot, system);
  gather_slot(s, slot, p == q, m, n, ld, system, c);
  if (p == q)
    for (int i = 0; i < m; ++i) system.matrix.inverse_diagonal[pattern.adr_at(p) + i] = c[i * ld + i];
}

}  // namespace reduced_detail

/// Assembles S from r.weight and r.proximal, and factors it.
template <class Team, class Real, class Factor>
ST_PHASE void factor_reduced_system(const Team& team, const ScaledProblem<Real>& s,
                                    ReducedSystem<Real, Factor>& system) {
  team.each(s.num_groups, [&](int i) { reduced_detail::weigh_group(s, i, system); });
  team.each(system.pattern.num_slots, [&](int slot) { reduced_detail::fill_slot(s, slot, system); });
  factor_blocks(team, system.pattern, s.nv, system.matrix);
}

/// Q = εP
template <class Team, class Real, class Factor>
ST_FN void set_least_motion_proximal(const Team& team, const ScaledProblem<Real>& s, Real epsilon,
                                     ReducedSystem<Real, Factor>& system) {
  team.each(s.num_blocks, [&](int b) {
    const int begin = s.H_adr[b], end = begin + s.block_size[b] * s.block_size[b];
    for (int ij = begin; ij < end; ++ij) system.proximal[ij] = epsilon * s.P[ij];
  });
}

/// x ← S⁻¹ x with the factor of S.
template <class Team, class Real, class Factor>
ST_FN void solve_reduced_system(const Team& team, const ScaledProblem<Real>& s,
                                const ReducedSystem<Real, Factor>& system, Pointer<Real> x) {
  solve_blocks(team, system.pattern, s.nv, system.matrix, x);
}

}  // namespace stiction
