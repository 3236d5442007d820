// Colours of the groups (contacts, then general rows). Groups of one colour move no tree in common, so a sweep takes
// them at once, and goes through the colours one after the other.
//
//   colour of g = the least one that no earlier group on a tree of g has                    (greedy, first fit)     (1)
//
// A tree that d groups move needs d colours. A group finds at most d_a + d_b − 2 colours taken on its trees a and b, so
// that there are never twice as many; as the contacts between two bodies follow each other, there are hardly ever more
// than d (docs/adr/0219-gauss-seidel-by-colours.md). A side that does not move, such as a floor, is in nobody's way.
// Within a colour the groups keep their order. (1) runs in one lane, some twenty loads for each group, once per solve.
//
// Many colours have fewer groups than a team has lanes. So that lanes can share the work of a group, what groups of a
// colour read and write is listed by colour as well:
//
//   side      2 g, 2 g + 1: the two sides of group g
//   entry     a row of J v of one moving side
//   motion    a dof of one moving side; groups of one colour have no dof in common
//   source    4 g + (0 or 1): a side, listed by the tree that it moves, for the residual
#pragma once

#include "kernels/linalg/counts.hpp"
#include "kernels/solver/ground/scaled_problem.hpp"
#include "kernels/team/array.hpp"
#include "kernels/team/bits.hpp"

namespace stiction {

/// Numbers of groups, entries and motions, or places in the lists of them.
struct ColourSize {
  int groups, entries, motions;
};

struct SideEntry {
  int side, row;
};

struct SideMotion {
  int side, dof;
};

struct Colours {
  Array<int> count;          // (1) number of colours
  SetRows taken;             // (blocks) the colours of the groups that move a tree
  Array<int> of_group;       // (groups)
  Array<ColourSize> before;  // (groups) what earlier groups of the same colour have
  Array<ColourSize> start;   // (groups + 1) where a colour begins in the lists; count + 1 are used
  Array<int> group;          // (groups) by colour
  Array<SideEntry> entry;    // (2 groups dim) by colour; for several lanes only
  Array<SideMotion> motion;  // (groups, stride / dim) by colour; for several lanes only
  Array<int> place;          // (2 groups) how many earlier sides move the same tree
  Array<int> tree;           // (blocks) 0, 1, ..
  Array<int> tree_start;     // (blocks + 1) where a tree begins in `source`
  Array<int> source;         // (2 groups) by tree; for several lanes only

  /// The sides that move every tree, once the colours are found by several lanes.
  ST_FN TouchingGroups touching(const int* dof_block) const { return {dof_block, tree, tree_start, source}; }
};

/// `stride`: entries of J per group, as in ScaledProblem.
ST_FN Colours take_colours(const SolverCapacity& capacity, int stride, Arena& arena) {
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  const int groups = capacity.max_contacts + capacity.max_rows, words = words_for(groups);
  Colours colours{};
  colours.count = arena.take<int>(1);
  colours.taken = {arena.take<std::uint64_t>(count(capacity.num_blocks) * count(words)), words};
  colours.of_group = arena.take<int>(count(groups));
  colours.before = arena.take<ColourSize>(count(groups));
  colours.start = arena.take<ColourSize>(count(groups + 1));
  colours.group = arena.take<int>(count(groups));
  colours.entry = arena.take<SideEntry>(count(2 * groups) * count(capacity.shape.dimension));
  colours.motion = arena.take<SideMotion>(count(groups) * count(stride / capacity.shape.dimension));
  colours.place = arena.take<int>(count(2 * groups)), colours.source = arena.take<int>(count(2 * groups));
  colours.tree = arena.take<int>(count(capacity.num_blocks));
  colours.tree_start = arena.take<int>(count(capacity.num_blocks) + 1);
  return colours;
}

/// Number of rows of a group.
template <class Real>
ST_FN int group_rows(const ScaledProblem<Real>& s, int group) {
  return group < s.num_contacts ? s.dim : 1;
}

namespace colour_detail {

ST_FN ColourSize add(const ColourSize& sum, const ColourSize& more) {
  return {sum.groups + more.groups, sum.entries + more.entries, sum.motions + more.motions};
}

/// The least colour that is taken on neither tree; -1 is a side that does not move.
ST_FN int least_free(const SetRows& taken, int a, int b) {
  for (int w = 0;; ++w) {
    const std::uint64_t either = (a >= 0 ? taken.row(a)[w] : 0) | (b >= 0 ? taken.row(b)[w] : 0);
    if (~either) return 64 * w + lowest_bit(~either);
  }
}

/// Gives colour k to a side of a group with `rows` rows; adds what it has to `size`.
template <class Real>
ST_FN void colour_side(const ScaledProblem<Real>& s, int side, int k, int rows, ColourSize& size, Colours& colours) {
  const int block = s.group_block[side];
  if (block < 0) return;
  colours.taken.insert(block, k);
  colours.place[side] = colours.tree_start[block]++;
  size.entries += rows, size.motions += s.block_size[block];
}

/// Colours the groups by (1). start[k] becomes the size of colour k, tree_start[b] the number of sides that move b.
template <class Real>
ST_FN int colour_groups(const ScaledProblem<Real>& s, Colours& colours) {
  int count = 0;
  for (int g = 0; g < s.num_groups; ++g) {
    const int k = least_free(colours.taken, s.group_block[2 * g], s.group_block[2 * g + 1]), rows = group_rows(s, g);
    if (k == count) colours.start[count++] = {0, 0, 0};
    ColourSize size{1, 0, 0};
    colour_side(s, 2 * g, k, rows, size, colours), colour_side(s, 2 * g + 1, k, rows, size, colours);
    colours.of_group[g] = k, colours.before[g] = colours.start[k];
    colours.start[k] = add(colours.start[k], size);
  }
  return count;
}

/// Replaces the sizes of `count` colours by their starts.
ST_FN void sizes_to_starts(int count, Array<ColourSize>& start) {
  ColourSize sum{0, 0, 0};
  for (int k = 0; k < count; ++k) {
    const ColourSize size = start[k];
    start[k] = sum;
    sum = add(sum, size);
  }
  start[count] = sum;
}

/// Lists the sides of group g: its entries and motions from `at` on.
template <class Real>
ST_FN void list_sides(const ScaledProblem<Real>& s, int g, ColourSize at, Colours& colours) {
  for (int side = 2 * g; side < 2 * g + 2; ++side) {
    const int block = s.group_block[side];
    if (block < 0) continue;
    for (int row = 0; row < group_rows(s, g); ++row) colours.entry[at.entries++] = {side, row};
    const DofRange dofs = dofs_of_block(s, block);
    for (int j = dofs.begin; j < dofs.end; ++j) colours.motion[at.motions++] = {side, j};
    colours.source[colours.tree_start[block] + colours.place[side]] = 4 * g + side % 2;
  }
}

}  // namespace colour_detail

/// Colours the groups of a problem and lists them by colour.
template <class Team, class Real>
ST_PHASE void find_colours(const Team& team, const ScaledProblem<Real>& s, Colours& colours) {
  using namespace colour_detail;
  team.each(s.num_blocks, [&](int b) {
    colours.taken.clear(b);
    colours.tree[b] = b, colours.tree_start[b] = 0;
  });
  team.once([&] {
    *colours.count = colour_groups(s, colours);
    sizes_to_starts(*colours.count, colours.start);
    counts_to_starts(s.num_blocks, colours.tree_start.data());
  });
  team.each(s.num_groups, [&](int g) {
    const ColourSize at = add(colours.start[colours.of_group[g]], colours.before[g]);
    colours.group[at.groups] = g;
    if constexpr (Team::kLanes > 1) list_sides(s, g, at, colours);
  });
}

}  // namespace stiction
