// Symbolic elimination of a symmetric block matrix S = UᵀU: which blocks of U are not zero, and where they are stored.
//
// Blocks are eliminated by minimum degree (ties to the smaller id) with the largest block last, and are then renumbered
// by level: a block's level is above that of all blocks that update it, so that the blocks of one level are
// independent. The rows of U are stored as sets of positions. If there are more than kMaxBlocks blocks, S is one dense
// matrix.
//
//   symbol    variable      shape            note
//   p         position      (blocks)         place of a block in the elimination
//   U_pq      slots         (slots)          p <= q; the slots of a row are consecutive, its diagonal first
#pragma once

#include "kernels/model/arena.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/bits.hpp"
#include "kernels/team/wide_load.hpp"

namespace stiction {

/// The time of the plan and the memory of its bit sets grow with the square of the number of blocks.
constexpr int kMaxBlocks = 1024;

/// Number of members of row i that are less than `end`.
ST_FN int count_before(const SetRows& sets, int i, int end) {
  const std::uint64_t* row = sets.row(i);
  int count = count_bits(row[end / 64] & (bit(end % 64) - 1));
  ST_ROLLED
  for (int w = 0; w < end / 64; ++w) count += count_bits(row[w]);
  return count;
}

/// The size of a block, and its first entry in a vector.
struct alignas(8) BlockPlace {
  int size, adr;
};

/// The block (p, q) of U, p <= q.
struct alignas(16) BlockSlot {
  int p, q;
  int adr;  // first entry
  int ld;   // leading dimension
};

/// The blocks of a level and the slots of their rows.
struct alignas(16) BlockLevel {
  int first;              // position
  int first_slot, slots;  // of all blocks
  unsigned counts;        // number of blocks, of 16 bits, and the size of the largest one

  ST_FN int blocks() const { return static_cast<int>(counts >> 16); }
  ST_FN int widest() const { return static_cast<int>(counts & 0xffffu); }
};

struct BlockPattern {
  int num_blocks;
  const int* block_adr;   // (blocks) first entry of a block in a vector
  const int* block_size;  // (blocks)
  bool dense;             // one matrix, positions are blocks, no elimination order
  int max_slots;          // number of slots for which there is memory
  int num_levels;
  int num_slots;            // -1: U needs more than max_slots
  int num_entries;          // entries of the stored matrix
  int widest;               // size of the largest block
  Array<int> order;         // (blocks) block at a position
  Array<int> position;      // (blocks) position of a block
  Array<BlockPlace> place;  // (blocks) of the block at a position
  SetRows before;           // (blocks) positions p' < p with U_p'p != 0
  SetRows after;            // (blocks) positions p' > p with U_pp' != 0
  Array<int> level_start;   // (blocks + 1) first position of a level
  Array<BlockLevel> level;  // (blocks), of which num_levels are used; for several lanes only
  Array<int> row_start;     // (blocks + 1) first slot of a row
  Array<int> column_start;  // (blocks + 1) first of a column's slots in column_slot
  Array<int> column_slot;   // (slots) the slots (k, q), k < q, of a column, in the order of k
  Array<BlockSlot> slots;   // (slots)

  ST_FN int size_at(int p) const { return place[p].size; }
  ST_FN int adr_at(int p) const { return place[p].adr; }
  ST_FN BlockPlace place_at(int p) const { return load_whole(place + p); }
  ST_FN BlockSlot slot(int index) const { return load_whole(slots + index); }
  ST_FN BlockLevel level_at(int l) const { return load_whole(level + l); }
  /// Slot of (p, q) with U_pq != 0, p <= q.
  ST_FN int slot_at(int p, int q) const {
    if (dense || p == q) return row_start[p] + q - p;
    return row_start[p] + 1 + count_before(after, p, q);
  }
  ST_FN int level_slot_begin(int level) const { return row_start[level_start[level]]; }
  ST_FN int level_slot_end(int level) const { return row_start[level_start[level + 1]]; }
};

/// A set of blocks for every block; empty memory if the pattern is dense.
ST_FN SetRows take_block_sets(int num_blocks, Arena& arena) {
  const int words = num_blocks > kMaxBlocks ? 0 : words_for(num_blocks);
  return {arena.take<std::uint64_t>(static_cast<std::size_t>(num_blocks) * static_cast<std::size_t>(words)), words};
}

/// Most slots that U may have: those of all pairs of blocks, or if it is less, one per block plus `max_couplings`
/// between blocks, fill-in included.
ST_FN std::size_t bound_slots(int num_blocks, int max_couplings) {
  const std::size_t n = static_cast<std::size_t>(num_blocks), all = n * (n + 1) / 2;
  const std::size_t some = n + static_cast<std::size_t>(max_couplings);
  return num_blocks > kMaxBlocks || all < some ? all : some;
}

/// True if there is memory for the slots of all pairs of blocks, whichever of them are coupled.
ST_FN bool has_room_for_all(const BlockPattern& pattern) {
  return pattern.dense || pattern.max_slots == pattern.num_blocks * (pattern.num_blocks + 1) / 2;
}

ST_FN BlockPattern take_pattern(int num_blocks, int max_couplings, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(num_blocks), slots = bound_slots(num_blocks, max_couplings);
  BlockPattern p{};
  p.num_blocks = num_blocks;
  p.dense = num_blocks > kMaxBlocks;
  p.max_slots = static_cast<int>(slots);
  p.order = arena.take<int>(n);
  p.position = arena.take<int>(n);
  p.place = arena.take<BlockPlace>(n);
  p.before = take_block_sets(num_blocks, arena);
  p.after = take_block_sets(num_blocks, arena);
  p.level_start = arena.take<int>(n + 1);
  p.level = arena.take<BlockLevel>(n);
  p.row_start = arena.take<int>(n + 1);
  p.column_start = arena.take<int>(n + 1);
  p.column_slot = arena.take<int>(slots);
  p.slots = arena.take<BlockSlot>(slots);
  return p;
}

/// Eliminates by minimum degree, the largest block last; `graph` (blocks) becomes the rows of U by block id. `degree`
/// (blocks) is scratch: the number of remaining neighbours, -1 for a block that has been eliminated.
ST_FN void order_by_degree(int n, const int* block_size, SetRows& graph, int* order, int* degree) {
  int last = 0;
  ST_ROLLED
  for (int b = 0; b < n; ++b) {
    degree[b] = graph.size(b);
    if (block_size[b] > block_size[last]) last = b;
  }
  ST_ROLLED
  for (int step = 0; step < n; ++step) {
    int best = -1;
    ST_ROLLED
    for (int b = 0; b < n; ++b)
      if (degree[b] >= 0 && (b != last || step + 1 == n) && (best < 0 || degree[b] < degree[best])) best = b;
    graph.each(best, [&](int b) {
      ST_ROLLED
      for (int w = 0; w < graph.words; ++w) graph.row(b)[w] |= graph.row(best)[w];
      graph.remove(b, b);
      graph.remove(b, best);
      degree[b] = graph.size(b);
    });
    degree[best] = -1;
    order[step] = best;
  }
}

namespace pattern_detail {

/// Stable sort of the elimination order by level; returns the number of levels. `level` (blocks) is scratch.
ST_FN int order_by_level(int n, const SetRows& graph, int* order, int* position, int* level, int* level_start) {
  int levels = 0;
  ST_ROLLED
  for (int b = 0; b < n; ++b) level[b] = 0;
  ST_ROLLED
  for (int step = 0; step < n; ++step) {
    const int b = order[step];
    if (level[b] >= levels) levels = level[b] + 1;
    graph.each(b, [&](int later) {
      if (level[later] <= level[b]) level[later] = level[b] + 1;
    });
  }
  int p = 0;
  ST_ROLLED
  for (int l = 0; l < levels; ++l) {
    level_start[l] = p;
    ST_ROLLED
    for (int step = 0; step < n; ++step)
      if (level[order[step]] == l) position[order[step]] = p++;
  }
  level_start[levels] = n;
  ST_ROLLED
  for (int b = 0; b < n; ++b) order[position[b]] = b;
  return levels;
}

ST_FN void place_blocks(BlockPattern& pattern) {
  ST_ROLLED
  for (int p = 0; p < pattern.num_blocks; ++p) {
    const int b = pattern.order[p];
    pattern.place[p] = {pattern.block_size[b], pattern.block_adr[b]};
  }
}

/// Numbers the slots of U; leaves num_slots at -1 if there are more than max_slots.
ST_FN void number_slots(const SetRows& graph, BlockPattern& pattern) {
  const int n = pattern.num_blocks;
  int slot = n, entries = 0;
  ST_ROLLED
  for (int p = 0; p < n; ++p) {
    pattern.before.clear(p), pattern.after.clear(p);
    slot += graph.size(pattern.order[p]);
  }
  place_blocks(pattern);
  pattern.num_slots = -1, pattern.num_entries = 0;
  if (slot > pattern.max_slots) return;
  slot = 0;
  const auto number = [&](int p, int q) {
    pattern.slots[slot] = {p, q, entries, pattern.size_at(q)};
    entries += pattern.size_at(p) * pattern.size_at(q);
    ++slot;
  };
  ST_ROLLED
  for (int p = 0; p < n; ++p) {
    pattern.row_start[p] = slot;
    graph.each(pattern.order[p], [&](int b) { pattern.after.insert(p, pattern.position[b]); });
    number(p, p);
    pattern.after.each(p, [&](int q) {
      pattern.before.insert(q, p);
      number(p, q);
    });
  }
  pattern.row_start[n] = slot;
  pattern.num_slots = slot, pattern.num_entries = entries;
}

/// Lists the slots of every column, and describes the levels; both serve a team of several lanes.
template <class Team>
ST_FN void list_columns(const Team& team, BlockPattern& pattern) {
  team.once([&] {
    ST_ROLLED
    for (int q = 0, sum = 0; q <= pattern.num_blocks; ++q) {
      pattern.column_start[q] = sum;
      if (q < pattern.num_blocks) sum += pattern.before.size(q);
    }
  });
  team.each(pattern.num_blocks, [&](int q) {
    int next = pattern.column_start[q];
    pattern.before.each(q, [&](int k) { pattern.column_slot[next++] = pattern.slot_at(k, q); });
  });
  team.each(pattern.num_levels, [&](int level) {
    const int first = pattern.level_start[level], end = pattern.level_start[level + 1];
    const int first_slot = pattern.row_start[first];
    int widest = 0;
    ST_ROLLED
    for (int p = first; p < end; ++p)
      if (pattern.size_at(p) > widest) widest = pattern.size_at(p);
    pattern.level[level] = {first, first_slot, pattern.row_start[end] - first_slot,
                            static_cast<unsigned>(end - first) << 16 | static_cast<unsigned>(widest)};
  });
}

/// Numbers the slots of all pairs of blocks, stored in one square matrix.
ST_FN void number_dense_slots(int nv, BlockPattern& pattern) {
  const int n = pattern.num_blocks;
  int slot = 0;
  ST_ROLLED
  for (int p = 0; p < n; ++p) {
    pattern.order[p] = pattern.position[p] = p;
    pattern.row_start[p] = slot;
    ST_ROLLED
    for (int q = p; q < n; ++q, ++slot) {
      pattern.slots[slot] = {p, q, pattern.block_adr[p] * nv + pattern.block_adr[q], nv};
    }
  }
  pattern.row_start[n] = slot;
  place_blocks(pattern);
  pattern.num_slots = slot, pattern.num_entries = nv * nv;
}

}  // namespace pattern_detail

/// Fills `pattern`, which the team shares, from the block graph (j is in row i if blocks i and j share a row of the
/// contact problem). `graph` is overwritten; with a dense pattern it is not read. If U does not fit, num_slots is -1.
template <class Team>
ST_PHASE void plan_elimination(const Team& team, int nv, const int* block_adr, const int* block_size, SetRows& graph,
                               BlockPattern& pattern) {
  team.once([&] {
    BlockPattern p = pattern;
    p.block_adr = block_adr;
    p.block_size = block_size;
    p.num_levels = 0;
    if (p.dense) {
      pattern_detail::number_dense_slots(nv, p);
    } else {
      order_by_degree(p.num_blocks, block_size, graph, p.order, p.position);
      p.num_levels =
          pattern_detail::order_by_level(p.num_blocks, graph, p.order, p.position, p.row_start, p.level_start);
      pattern_detail::number_slots(graph, p);
    }
    p.widest = 0;
    ST_ROLLED
    for (int b = 0; b < p.num_blocks; ++b)
      if (block_size[b] > p.widest) p.widest = block_size[b];
    pattern = p;
  });
  if constexpr (Team::kLanes > 1)
    if (!pattern.dense && pattern.num_slots >= 0) pattern_detail::list_columns(team, pattern);
}

}  // namespace stiction
