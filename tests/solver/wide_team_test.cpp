// Claim: several lanes, which share the rows of blocks and of slots, give the bits of one lane, which takes them whole:
// in two orders of the items, for blocks of one dof to 20, trees that touch and that do not, every kind of cone and
// row.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/phase_orders.hpp"

namespace stiction::test {
namespace {

using One = HostTeam<PhaseOrder::kForward>;
template <PhaseOrder kOrder>
using Wide = HostTeam<kOrder, 32>;

std::vector<double> random_vector(Rng& rng, std::size_t n) {
  std::vector<double> x(n);
  for (double& entry : x) entry = uniform(rng, -1, 1);
  return x;
}

/// A block of n dofs with a full matrix.
void add_full_block(Rng& rng, int n, RawProblem<double>& p) {
  const auto size = static_cast<std::size_t>(n);
  const std::vector<double> ones(size, 1.0);
  const int b = p.add_block(ones, random_vector(rng, size), ones, ones);
  const std::vector<double> a = random_vector(rng, size * size);
  auto& H = p.H[static_cast<std::size_t>(b)];
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) H[i * size + j] += a[k * size + i] * a[k * size + j] / double(n);
}

template <class Row>
void touch(Rng& rng, const RawProblem<double>& p, int a, int b, int rows, Row& row) {
  row.block = {a, b};
  for (std::size_t side = 0; side < 2; ++side)
    if (row.block[side] >= 0)
      row.J[side] =
          random_vector(rng, static_cast<std::size_t>(rows * p.block_size[static_cast<std::size_t>(row.block[side])]));
}

struct Shape {
  const char* name;
  std::vector<int> block_size;
  int contacts, rows;
};

const Shape kShapes[] = {
    {"one body", {6}, 4, 0},
    {"tower", {6, 6, 6, 6, 6, 6, 6, 6, 9}, 40, 9},
    {"two arms and bodies", {9, 6, 16, 6, 3, 1}, 24, 20},
    {"small blocks", {1, 2, 3, 4, 5, 7, 8}, 15, 6},
    {"many slots", {6, 2, 6, 2, 6, 2, 6, 2, 6, 2, 6, 2, 20}, 70, 3},
};

RawProblem<double> random_problem(Rng& rng, const Shape& shape) {
  RawProblem<double> p;
  for (const int n : shape.block_size) add_full_block(rng, n, p);
  const int blocks = static_cast<int>(shape.block_size.size());
  const auto other = [&](int a) {
    const int b = static_cast<int>(uniform(rng, -1, blocks));
    return b == a ? -1 : b;
  };
  for (int i = 0; i < shape.contacts; ++i) {
    RawContact<double> c;
    const int a = i % blocks, b = i < blocks - 1 ? a + 1 : other(a);
    touch(rng, p, a, b, 3, c);
    c.mu_t = uniform(rng, 0, 1), c.mu_o = uniform(rng, 0, 1), c.gap_rate = uniform(rng, -0.2, 0.5);
    p.contacts.push_back(c);
  }
  for (int r = 0; r < shape.rows; ++r) {
    RawRow<double> row;
    const int a = r % blocks;
    touch(rng, p, a, other(a), 1, row);
    row.offset = uniform(rng, -0.5, 0.5);
    row.compliance = r % 3 == 0 ? 0.1 : 0.0;
    p.rows.push_back(row);
  }
  return p;
}

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
  for (int sample = 0; sample < 8; ++sample) {
    auto p = random_problem(rng, GetParam());
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
