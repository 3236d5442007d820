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

/// Rows and columns of a slot that a lane gathers at once, where several lanes share the slots.
constexpr int kTileRows = 2, kTileColumns = 6;

/// Tiles of a slot of size (m, n), those below the diagonal included.
ST_FN int count_tiles(int m, int n) {
  return (m + kTileRows - 1) / kTileRows * ((n + kTileColumns - 1) / kTileColumns);
}

template <class Real, class Factor>
struct ReducedSystem {
  BlockPattern pattern;
  BlockMatrix<Factor> matrix;  // has room for every pattern until the plan moves it to near memory
  Array<PlanInputs> inputs;
  Array<Real> proximal;     // blocks as H: Q; set by the phase
  Array<int> block_slot;    // (num_blocks) its diagonal slot; set by the plan
  Array<int> source_start;  // (slots + 1) index of a slot's first source; set by the plan
  Array<int> source;        // (3 num_groups) group * 4 + side of p * 2 + side of q; set by the plan
  // (3 num_groups) those of a slot's sources that have a weight, from source_start on; set by every factorisation
  Array<int> loaded;
  Array<int> loaded_end;               // (slots) where that list ends; of several lanes
  Array<int> tile_start;               // (slots + 1) a slot's first tile, of which a lane takes one; of several lanes
  Array<int> tile_slot;                // (tiles) its slot
  Array<Real> impulse;                 // (num_groups) ‖λ‖∞, where it is measured (impulse_scales.hpp)
  Array<Real> share;                   // (nv) what a dof adds to the scale of its block; of several lanes
  Array<bool> bears;                   // (num_groups) whether its weight is not zero; set by every factorisation
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

/// Upper bound of the number of tiles of `max_slots` slots: the diagonal ones, and others between the two largest
/// blocks.
ST_FN std::size_t bound_tiles(const SolverCapacity& capacity, int max_slots) {
  int first, second;
  scaled_detail::two_largest(capacity, &first, &second);
  std::size_t tiles = 0;
  ST_ROLLED
  for (int b = 0; b < capacity.num_blocks; ++b)
    tiles += static_cast<std::size_t>(count_tiles(capacity.block_size[b], capacity.block_size[b]));
  const int across = count_tiles(first, second), back = count_tiles(second, first);
  return tiles + static_cast<std::size_t>(max_slots - capacity.num_blocks) *
                     static_cast<std::size_t>(across > back ? across : back);
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
  r.block_slot = arena.take<int>(static_cast<std::size_t>(capacity.num_blocks));
  r.source_start = arena.take<int>(static_cast<std::size_t>(r.pattern.max_slots) + 1);
  r.source = arena.take<int>(3 * groups);
  r.loaded = arena.take<int>(3 * groups);
  r.loaded_end = arena.take<int>(static_cast<std::size_t>(r.pattern.max_slots));
  r.tile_start = arena.take<int>(static_cast<std::size_t>(r.pattern.max_slots) + 1);
  r.tile_slot = arena.take<int>(bound_tiles(capacity, r.pattern.max_slots));
  r.impulse = arena.take<Real>(groups);
  r.share = arena.take<Real>(nv);
  r.bears = arena.take<bool>(groups);
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

/// Q_jj = weight(block of j), where Q is zero so far
template <class Team, class Real, class Factor, class Weight>
ST_FN void set_proximal_diagonal(const Team& team, const ScaledProblem<Real>& s, Weight weight,
                                 ReducedSystem<Real, Factor>& system) {
  each_dofs(team, s, [&](const DofRange& dofs) {
    const Real w = weight(dofs.block);
    for (int j = dofs.begin; j < dofs.end; ++j) system.proximal[diagonal_entry(s, dofs.block, j)] = w;
  });
}

/// Q = εP
template <class Team, class Real, class Factor>
ST_FN void set_least_motion_proximal(const Team& team, const ScaledProblem<Real>& s, Real epsilon,
                                     ReducedSystem<Real, Factor>& system) {
  team.each(s.H_entries, [&](int ij) { system.proximal[ij] = epsilon * s.P[ij]; });
}

/// x ← S⁻¹ x with the factor of S.
template <class Team, class Real, class Factor>
ST_FN void solve_reduced_system(const Team& team, const ScaledProblem<Real>& s,
                                const ReducedSystem<Real, Factor>& system, Pointer<Real> x) {
  solve_blocks(team, system.pattern, s.nv, system.matrix, x);
}

}  // namespace stiction
