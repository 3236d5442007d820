// Claims about the colours of a sweep: no two groups of a colour share a tree, every group has the least colour that is
// free, and the lists that several lanes take their work from hold every group, entry and dof once, by colour.
#include "kernels/solver/splitting/colours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/solver/ground/scale_problem.hpp"
#include "tests/solver/full_blocks.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/torsion_problems.hpp"

namespace stiction::test {
namespace {

using Team = HostTeam<PhaseOrder::kStrided, 32>;

/// A problem in the solver's units with its colours, in memory of its own.
class Coloured {
 public:
  explicit Coloured(RawProblem<double>& raw) : problem_(raw.view()), memory_(bytes()) {
    Arena arena(memory_.base());
    take(arena);
    scale_problem(Team{}, problem_, s);
    find_colours(Team{}, s, c);
  }

  int colours() const { return *c.count; }
  std::vector<int> trees(int group) const {
    std::vector<int> moved;
    for (int side = 2 * group; side < 2 * group + 2; ++side)
      if (s.group_block[side] >= 0) moved.push_back(s.group_block[side]);
    return moved;
  }

  ScaledProblem<double> s;
  Colours c;

 private:
  void take(Arena& arena) {
    s = take_scaled_problem<double>(capacity_of(problem_), arena);
    c = take_colours(capacity_of(problem_), s.stride, arena);
  }
  std::size_t bytes() {
    Arena measure;
    take(measure);
    return measure.used();
  }

  ContactProblem<double> problem_;
  Scratch memory_;
};

void expect_no_shared_tree(const Coloured& x) {
  for (int k = 0; k < x.colours(); ++k) {
    std::set<int> moved;
    const int begin = x.c.start[k].groups, end = x.c.start[k + 1].groups;
    EXPECT_LT(begin, end) << "colour " << k << " is empty";
    for (int at = begin; at < end; ++at) {
      EXPECT_LT(at > begin ? x.c.group[at - 1] : -1, x.c.group[at]) << "the order of the groups";
      for (const int tree : x.trees(x.c.group[at])) EXPECT_TRUE(moved.insert(tree).second) << "colour " << k;
    }
  }
}

void expect_least_free_colours(const Coloured& x) {
  std::map<int, std::set<int>> taken;
  for (int g = 0; g < x.s.num_groups; ++g) {
    int least = 0;
    const auto is_taken = [&](int tree) { return taken[tree].contains(least); };
    while (std::ranges::any_of(x.trees(g), is_taken)) ++least;
    EXPECT_EQ(x.c.of_group[g], least) << "group " << g;
    for (const int tree : x.trees(g)) taken[tree].insert(least);
  }
}

void expect_complete_lists(const Coloured& x) {
  std::multiset<std::array<int, 3>> entries, motions;  // colour, side, row or dof
  std::multiset<int> groups;
  for (int k = 0; k < x.colours(); ++k) {
    const ColourSize begin = x.c.start[k], end = x.c.start[k + 1];
    for (int at = begin.groups; at < end.groups; ++at) groups.insert(x.c.group[at]);
    for (int at = begin.entries; at < end.entries; ++at) entries.insert({k, x.c.entry[at].side, x.c.entry[at].row});
    for (int at = begin.motions; at < end.motions; ++at) motions.insert({k, x.c.motion[at].side, x.c.motion[at].dof});
  }
  std::multiset<std::array<int, 3>> all_entries, all_motions;
  std::multiset<int> all_groups;
  for (int g = 0; g < x.s.num_groups; ++g) {
    all_groups.insert(g);
    for (int side = 2 * g; side < 2 * g + 2; ++side) {
      const int block = x.s.group_block[side], colour = x.c.of_group[g];
      if (block < 0) continue;
      const int rows = g < x.s.num_contacts ? x.s.dim : 1;
      for (int row = 0; row < rows; ++row) all_entries.insert({colour, side, row});
      for (int j = 0; j < x.s.block_size[block]; ++j) all_motions.insert({colour, side, x.s.block_adr[block] + j});
    }
  }
  EXPECT_EQ(groups, all_groups);
  EXPECT_EQ(entries, all_entries);
  EXPECT_EQ(motions, all_motions);
}

void expect_sources_by_tree(const Coloured& x) {
  const TouchingGroups touching = x.c.touching(x.s.dof_block);
  std::vector<std::vector<int>> all(static_cast<std::size_t>(x.s.num_blocks));
  for (int side = 0; side < 2 * x.s.num_groups; ++side)
    if (x.s.group_block[side] >= 0)
      all[static_cast<std::size_t>(x.s.group_block[side])].push_back(4 * (side / 2) + side % 2);
  for (int b = 0; b < x.s.num_blocks; ++b) {
    const int *first = touching.source + touching.start[touching.slot[b]],
              *last = touching.source + touching.start[touching.slot[b] + 1];
    EXPECT_EQ(std::vector<int>(first, last), all[static_cast<std::size_t>(b)]) << "tree " << b;
  }
}

void expect_right_colours(RawProblem<double>& p) {
  const Coloured x(p);
  expect_no_shared_tree(x);
  expect_least_free_colours(x);
  expect_complete_lists(x);
  expect_sources_by_tree(x);
}

/// A contact and a row that move nothing, and a row that couples the first tree with the last.
void add_special_groups(Rng& rng, RawProblem<double>& p) {
  p.contacts.emplace_back();
  RawRow<double> nothing, coupling;
  p.rows.push_back(nothing);
  const int last = static_cast<int>(p.block_size.size()) - 1;
  touch(rng, p, last > 0 ? 0 : -1, last, 1, coupling);
  p.rows.push_back(coupling);
}

TEST(Colours, AreRightOnRandomProblems) {
  Rng rng(41);
  for (int sample = 0; sample < 60; ++sample) {
    Shape shape{"", {}, static_cast<int>(uniform(rng, 0, 90)), static_cast<int>(uniform(rng, 0, 20))};
    for (int b = 0; b <= sample % 13; ++b) shape.block_size.push_back(1 + static_cast<int>(uniform(rng, 0, 9)));
    auto p = random_blocks(rng, shape);
    if (sample % 2 == 0) add_special_groups(rng, p);
    if (sample % 3 == 0) p = add_torsion(rng, p);
    expect_right_colours(p);
  }
}

TEST(Colours, AreRightOnStacks) {
  Rng rng(42);
  for (int sample = 0; sample < 30; ++sample) {
    auto p = random_stack(rng, random_options(rng));
    add_rows(rng, p);
    expect_right_colours(p);
  }
}

TEST(Colours, AreNoneWithoutGroupsAndOneForOneGroup) {
  Rng rng(43);
  auto none = random_blocks(rng, {"", {6, 3}, 0, 0}), one = random_blocks(rng, {"", {6, 3}, 1, 0});
  expect_right_colours(none);
  expect_right_colours(one);
  EXPECT_EQ(Coloured(none).colours(), 0);
  EXPECT_EQ(Coloured(one).colours(), 1);
}

TEST(Colours, AreAsManyAsGroupsOnOneTreeAndOneForGroupsThatMoveNothing) {
  Rng rng(44);
  auto tree = random_blocks(rng, {"", {7}, 130, 5});  // more than the 128 colours of two words
  expect_right_colours(tree);
  EXPECT_EQ(Coloured(tree).colours(), 135);
  RawProblem<double> still = random_blocks(rng, {"", {6}, 0, 0});
  for (int i = 0; i < 9; ++i) still.contacts.emplace_back();
  expect_right_colours(still);
  EXPECT_EQ(Coloured(still).colours(), 1);
}

TEST(Colours, OfBodiesOnAFloorAreThoseOfOneBody) {
  Rng rng(45);
  StackOptions o;
  o.boxes = o.columns = 40, o.robot_dofs = 0;
  auto p = random_stack(rng, o);
  expect_right_colours(p);
  EXPECT_EQ(Coloured(p).colours(), 4);
}

}  // namespace
}  // namespace stiction::test
