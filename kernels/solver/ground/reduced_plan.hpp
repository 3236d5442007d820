// The symbolic part of S (reduced_system.hpp): which blocks are coupled, the elimination, and the sources of every
// slot.
//
//   sources of slot (p, q)    the groups that touch both blocks, in their order; of a diagonal slot those that touch p
//
// One lane lists the sources of all slots at once. Several lanes search the groups for the sources of a slot each,
// while there are few slots.
#pragma once

#include "kernels/linalg/counts.hpp"
#include "kernels/solver/ground/reduced_system.hpp"

namespace stiction {

namespace reduced_detail {

/// Up to so many slots, searching all groups for each of them by several lanes is faster than one lane that lists all.
constexpr int kSearchedSlots = 64;

/// Lists for every block the blocks that share a group with it.
template <class Team, class Real>
ST_FN void connect_blocks(const Team& team, const ScaledProblem<Real>& s, SetRows& graph) {
  if (Team::kLanes == 1 || s.num_blocks > kSearchedSlots) {
    team.once([&] {
      for (int b = 0; b < s.num_blocks; ++b) graph.clear(b);
      ST_ROLLED
      for (int i = 0; i < s.num_groups; ++i) {
        const int a = s.group_block[2 * i], b = s.group_block[2 * i + 1];
        if (a >= 0 && b >= 0) graph.insert(a, b), graph.insert(b, a);
      }
    });
  } else {
    team.each(s.num_blocks, [&](int b) {
      graph.clear(b);
      ST_ROLLED
      for (int i = 0; i < s.num_groups; ++i) {
        const int first = s.group_block[2 * i], second = s.group_block[2 * i + 1];
        if (first == b && second >= 0) graph.insert(b, second);
        if (second == b && first >= 0) graph.insert(b, first);
      }
    });
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
  ST_ROLLED
  for (int i = 0; i < s.num_groups; ++i)
    visit_slots(s, system.pattern, i, [&](int slot, int) { ++system.source_start[slot]; });
  for (int k = 0, sum = 0; k <= num_slots; ++k) {
    sum += system.source_start[k];
    system.source_start[k] = sum;  // end of slot k, counted down to its start by the loop below
  }
  for (int i = s.num_groups - 1; i >= 0; --i)
    visit_slots(s, system.pattern, i, [&](int slot, int code) { system.source[--system.source_start[slot]] = code; });
}

/// Calls f(code) for the sources of a slot.
template <class Real, class F>
ST_FN void visit_sources(const ScaledProblem<Real>& s, const BlockPattern& pattern, int slot, F f) {
  const BlockSlot at = pattern.slot(slot);
  const int a = pattern.order[at.p], b = pattern.order[at.q];
  const int* block = s.group_block;
  ST_ROLLED
  for (int i = 0; i < s.num_groups; ++i) {
    const int first = block[2 * i], second = block[2 * i + 1];
    if (a == b) {
      if (first == a) f(4 * i);
      if (second == a) f(4 * i + 3);
    } else {
      if (first == a && second == b) f(4 * i + 1);
      if (first == b && second == a) f(4 * i + 2);
    }
  }
}

/// The same lists by several lanes, each of which searches the groups for those of its slot.
template <class Team, class Real, class Factor>
ST_PHASE void list_sources_together(const Team& team, const ScaledProblem<Real>& s,
                                    ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  const int slots = pattern.num_slots;
  team.each(slots, [&](int slot) {
    int count = 0;
    visit_sources(s, pattern, slot, [&](int) { ++count; });
    system.source_start[slot] = count;
  });
  team.once([&] { counts_to_starts(slots, system.source_start.data()); });
  team.each(slots, [&](int slot) {
    int* next = system.source + system.source_start[slot];
    visit_sources(s, pattern, slot, [&](int code) { *next++ = code; });
  });
}

/// Numbers the tiles of the slots, for several lanes.
template <class Team, class Real, class Factor>
ST_PHASE void number_tiles(const Team& team, ReducedSystem<Real, Factor>& system) {
  const BlockPattern& pattern = system.pattern;
  team.each(pattern.num_slots, [&](int slot) {
    const BlockSlot at = pattern.slot(slot);
    system.tile_start[slot] = count_tiles(pattern.size_at(at.p), pattern.size_at(at.q));
  });
  team.once([&] { counts_to_starts(pattern.num_slots, system.tile_start.data()); });
  team.each(pattern.num_slots, [&](int slot) {
    ST_ROLLED
    for (int k = system.tile_start[slot]; k < system.tile_start[slot + 1]; ++k) system.tile_slot[k] = slot;
  });
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
ST_BODY bool plan_reduced_system(const Team& team, const ScaledProblem<Real>& s, ReducedSystem<Real, Factor>& system) {
  if (!system.pattern.dense) reduced_detail::connect_blocks(team, s, system.inputs->graph);
  plan_elimination(team, s.nv, s.block_adr, s.block_size, system.inputs->graph, system.pattern);
  if (system.pattern.num_slots < 0) return false;
  team.each(s.num_blocks, [&](int b) { system.block_slot[b] = system.pattern.row_start[system.pattern.position[b]]; });
  if (Team::kLanes > 1 && system.pattern.num_slots <= reduced_detail::kSearchedSlots)
    reduced_detail::list_sources_together(team, s, system);
  else
    team.once([&] { reduced_detail::list_sources(s, system.pattern.num_slots, system); });
  if constexpr (Team::kLanes > 1) reduced_detail::number_tiles(team, system);
  team.once([&] { move_near(s.nv, system); });
  return true;
}

/// The sources of the diagonal slots, for the residual; `system` must be planned by several lanes.
template <class Real, class Factor>
ST_FN TouchingGroups touching_groups(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system) {
  return {s.dof_block, system.block_slot, system.source_start, system.source};
}

}  // namespace stiction
