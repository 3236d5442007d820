// Claim: several lanes, which share the rows of blocks and of slots, give the bits of one lane, which takes them whole:
// in two orders of the items, for blocks of one dof to 20, trees that touch and that do not, Jacobians with and without
// columns of zeros, every kind of cone and row.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/solver/full_blocks.hpp"
#include "tests/solver/phase_orders.hpp"

namespace stiction::test {
namespace {

using One = HostTeam<PhaseOrder::kForward>;
template <PhaseOrder kOrder>
using Wide = HostTeam<kOrder, 32>;

const Shape kShapes[] = {
    {"one body", {6}, 4, 0},
    {"tower", {6, 6, 6, 6, 6, 6, 6, 6, 9}, 40, 9},
    {"ten bodies", {6, 6, 6, 6, 6, 6, 6, 6, 6, 6}, 30, 4},
    {"two arms and bodies", {9, 6, 16, 6, 3, 1}, 24, 20},
    {"small blocks", {1, 2, 3, 4, 5, 7, 8}, 15, 6},
    {"many slots", {6, 2, 6, 2, 6, 2, 6, 2, 6, 2, 6, 2, 20}, 70, 3},
};

template <class Team>
Answer<double> solve_as_a_team(RawProblem<double>& raw) {
  const ContactProblem<double> p = raw.view();
  Answer<double> a = room_for_answer(p);
  ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  SolverConfig config;
  config.route = SolveRoute::kTeam;
  Scratch memory(explained_scratch<SolverName::kInteriorPoint, double, double>(capacity_of(p)));
  a.report = solve_explained<SolverName::kInteriorPoint, Team, double, double>(Team{}, p, config, {},
                                                                               Arena(memory.base()), out);
  a.report.certificate = nullptr;
  return a;
}

class WideTeamOf : public testing::TestWithParam<Shape> {};

TEST_P(WideTeamOf, GivesTheBitsOfOneLane) {
  Rng rng(31);
  int solved = 0;
  for (int sample = 0; sample < 16; ++sample) {
    auto p = random_blocks(rng, GetParam());
    if (sample >= 8) clear_columns(rng, p);
    if (sample % 3 == 1) p.law = ContactLaw::kCoulomb;
    if (sample % 4 >= 2) p.cone = ConeType::kQuadratic;
    const auto one = solve_as_a_team<One>(p);
    expect_same_bits(one, solve_as_a_team<Wide<PhaseOrder::kStrided>>(p));
    expect_same_bits(one, solve_as_a_team<Wide<PhaseOrder::kBackward>>(p));
    solved += one.has(status::kConverged) ? 1 : 0;
  }
  EXPECT_GE(solved, 3);
}

std::string name_of(const testing::TestParamInfo<Shape>& shape) {
  std::string name = shape.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shapes, WideTeamOf, testing::ValuesIn(kShapes), name_of);

}  // namespace
}  // namespace stiction::test
