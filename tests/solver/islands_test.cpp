// Claims: what no contact or row joins is found apart, solved to the bits of its own problem, and judged together.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"

namespace stiction::test {
namespace {

struct Place {
  std::size_t part, item;
};

/// Several problems as one: blocks, contacts and rows are dealt in turn, so that none of a part's lie side by side.
struct Together {
  RawProblem<double> whole;
  std::vector<Place> blocks, contacts;
};

template <class Count, class Take>
void deal(const std::vector<RawProblem<double>>& parts, Count count, Take take) {
  for (std::size_t item = 0, most = 1; item < most; ++item)
    for (std::size_t k = 0; k < parts.size(); ++k) {
      most = std::max(most, count(parts[k]));
      if (item < count(parts[k])) take(k, item);
    }
}

Together put_together(const std::vector<RawProblem<double>>& parts) {
  Together t;
  t.whole.step_size = parts[0].step_size, t.whole.law = parts[0].law, t.whole.cone = parts[0].cone;
  std::vector<std::vector<int>> block(parts.size());
  deal(
      parts, [](const auto& p) { return p.block_size.size(); },
      [&](std::size_t k, std::size_t b) {
        const RawProblem<double>& p = parts[k];
        std::ptrdiff_t adr = 0;
        for (std::size_t a = 0; a < b; ++a) adr += p.block_size[a];
        const std::ptrdiff_t end = adr + p.block_size[b];
        block[k].push_back(static_cast<int>(t.whole.block_size.size()));
        t.whole.block_size.push_back(p.block_size[b]);
        t.whole.H.push_back(p.H[b]), t.whole.M.push_back(p.M[b]);
        t.whole.g.insert(t.whole.g.end(), p.g.begin() + adr, p.g.begin() + end);
        t.whole.dof_radius.insert(t.whole.dof_radius.end(), p.dof_radius.begin() + adr, p.dof_radius.begin() + end);
        t.blocks.push_back({k, b});
      });
  const auto renumber = [&](std::size_t k, auto row) {
    for (int& b : row.block) b = b >= 0 ? block[k][static_cast<std::size_t>(b)] : -1;
    return row;
  };
  deal(
      parts, [](const auto& p) { return p.contacts.size(); },
      [&](std::size_t k, std::size_t i) {
        t.whole.contacts.push_back(renumber(k, parts[k].contacts[i]));
        t.contacts.push_back({k, i});
      });
  deal(
      parts, [](const auto& p) { return p.rows.size(); },
      [&](std::size_t k, std::size_t r) { t.whole.rows.push_back(renumber(k, parts[k].rows[r])); });
  return t;
}

RawProblem<double> stack(Rng& rng, int boxes, int robot_dofs) {
  StackOptions options;
  options.boxes = boxes, options.robot_dofs = robot_dofs, options.mass_in_H = 1.0;
  return random_stack(rng, options);
}

RawProblem<double> falling_box() {
  RawProblem<double> p;
  p.step_size = StackOptions{}.step_size;
  p.add_block({1, 1, 1}, {0, 0, -0.981}, {1, 1, 1}, {1, 1, 1});
  return p;
}

/// First velocity of every block.
std::vector<std::size_t> first_velocities(const std::vector<int>& block_size) {
  std::vector<std::size_t> adr{0};
  for (const int n : block_size) adr.push_back(adr.back() + static_cast<std::size_t>(n));
  return adr;
}

template <class Solver>
class IslandsOf : public testing::Test {};
TYPED_TEST_SUITE(IslandsOf, AllSolvers);

TYPED_TEST(IslandsOf, HaveTheBitsOfTheirOwnProblems) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    std::vector<RawProblem<double>> parts{stack(rng, 2, 0), stack(rng, 3, 3), falling_box(), stack(rng, 1, 0)};
    Together t = put_together(parts);
    const double tolerance = 1e-4;  // within reach of every solver
    const auto whole = solve_with<TypeParam>(t.whole, tolerance);
    std::vector<Answer<double>> alone;
    std::vector<std::vector<std::size_t>> adr;
    int most = 0;
    for (auto& part : parts) {
      alone.push_back(solve_with<TypeParam>(part, tolerance));
      adr.push_back(first_velocities(part.block_size));
      most = std::max(most, alone.back().report.iterations);
    }
    EXPECT_EQ(whole.report.iterations, most);
    EXPECT_EQ(whole.report.residual, whole.residual.total);
    EXPECT_EQ(whole.has(status::kConverged), whole.residual.total <= tolerance);
    std::size_t j = 0;
    for (const auto& [k, b] : t.blocks)
      for (int i = 0; i < parts[k].block_size[b]; ++i)
        EXPECT_EQ(whole.v[j++], alone[k].v[adr[k][b] + static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < t.contacts.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a)
        EXPECT_EQ(whole.lambda[3 * i + a], alone[t.contacts[i].part].lambda[3 * t.contacts[i].item + a]);
  }
}

TYPED_TEST(IslandsOf, ThatHaveNoSolutionLeaveTheWholeWithout) {
  RawProblem<double> p = falling_box();
  const int squeezed = p.add_block({0}, {0}, {1}, {1});
  for (const double side : {1.0, -1.0}) {
    RawContact<double> wall;
    wall.block = {squeezed, -1}, wall.J[0] = {side, 0, 0}, wall.gap_rate = -1;
    p.contacts.push_back(wall);
  }
  const auto answer = solve_with<TypeParam>(p, 1e-6);
  EXPECT_TRUE(answer.has(status::kInfeasible));
  ASSERT_EQ(answer.certificate.size(), 6u);
  EXPECT_GT(answer.certificate[0], 0.0);
  EXPECT_NEAR(answer.certificate[0], answer.certificate[3], 1e-6 * answer.certificate[0]);
}

TYPED_TEST(IslandsOf, ThatAreNotNumbersAreNamed) {
  Rng rng(7);
  std::vector<RawProblem<double>> parts{stack(rng, 2, 0), falling_box()};
  parts[1].g[0] = std::numeric_limits<double>::quiet_NaN();
  Together t = put_together(parts);
  const auto answer = solve_with<TypeParam>(t.whole, 1e-6);
  EXPECT_TRUE(answer.has(status::kNotFinite));
  for (const double v : answer.v) EXPECT_TRUE(std::isfinite(v));
}

TEST(Islands, AreWhatContactsAndRowsJoin) {
  RawProblem<double> p;
  for (int b = 0; b < 6; ++b) p.add_block({1}, {0}, {1}, {1});
  const auto touch = [&](int a, int b) {
    RawContact<double> c;
    c.block = {a, b}, c.J = {std::vector<double>(3, 0.0), std::vector<double>(3, 0.0)};
    p.contacts.push_back(c);
  };
  touch(4, 1), touch(3, -1), touch(-1, -1), touch(3, 0);
  RawRow<double> coupling;
  coupling.block = {5, 1}, coupling.J = {std::vector<double>{1}, std::vector<double>{1}};
  p.rows.push_back(coupling);
  const ContactProblem<double> view = p.view();
  Arena measure;
  take_islands<double>(capacity_of(view), measure);
  Scratch memory(measure.used());
  Arena arena(memory.base());
  Islands<double> m = take_islands<double>(capacity_of(view), arena);
  choose_all_contacts(view, m);
  ASSERT_EQ(island_detail::find_islands(view, m), 3);
  island_detail::list_islands(view, 3, m);
  const auto items = [](const IslandItems& x, int k) {
    return std::vector<int>(x.item + x.start[k], x.item + x.start[k + 1]);
  };
  EXPECT_EQ(items(m.blocks, 0), (std::vector<int>{0, 3}));
  EXPECT_EQ(items(m.blocks, 1), (std::vector<int>{1, 4, 5}));
  EXPECT_EQ(items(m.blocks, 2), (std::vector<int>{2}));
  EXPECT_EQ(items(m.contacts, 0), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(items(m.contacts, 1), (std::vector<int>{0}));
  EXPECT_EQ(items(m.contacts, 2), std::vector<int>{});
  EXPECT_EQ(items(m.rows, 1), (std::vector<int>{0}));
}

}  // namespace
}  // namespace stiction::test
