// Claims: where the start says that few of many contacts carry, these are solved alone, and the answer is one of the
// whole: every contact that it would violate has joined. A start that names the wrong ones costs passes, no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"

namespace stiction::test {
namespace {

constexpr double kTolerance = 1e-4;
constexpr int kIdle = 60;  // contacts that are far apart

/// Boxes on each other, with mass, and contacts of the same bodies that are `gap_rate` apart.
RawProblem<double> stack_among_idle_contacts(std::uint64_t seed, double gap_rate) {
  Rng rng(seed);
  StackOptions options;
  options.boxes = 4, options.columns = 2, options.robot_dofs = 0, options.mass_in_H = 1.0;
  RawProblem<double> p = random_stack(rng, options);
  const std::size_t carrying = p.contacts.size();
  for (std::size_t i = 0; i < kIdle; ++i) {
    p.contacts.push_back(p.contacts[i % carrying]);
    p.contacts.back().gap_rate = gap_rate;
  }
  return p;
}

/// The answer of working sets alone; none where they gave up.
template <class Solver>
std::optional<Answer<double>> solve_sets(RawProblem<double>& raw, Answer<double> start, int total = 0) {
  const ContactProblem<double> p = raw.view();
  SolverConfig config;
  config.tolerance = kTolerance, config.max_total_iterations = total;
  Scratch memory(explained_scratch<Solver::kName, double, double>(capacity_of(p)));
  Arena arena(memory.base());
  Islands<double> islands = take_islands<double>(capacity_of(p), arena);
  const WarmStart<double> warm{start.v.data(), start.lambda.data(), start.row_lambda.data()};
  Answer<double> a = start;
  ContactSolution<double> out{a.v.data(), a.lambda.data(), a.row_lambda.data()};
  if (!solve_working_set<Solver, double>(HostTeam<>{}, p, config, warm, arena, islands, out, &a.report)) return {};
  a.residual = certify(p, a.v, a.lambda, a.row_lambda);
  return a;
}

template <class Solver>
class WorkingSetOf : public testing::Test {};
TYPED_TEST_SUITE(WorkingSetOf, AllSolvers);

TYPED_TEST(WorkingSetOf, IsSolvedAlone) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = stack_among_idle_contacts(seed, 5.0);
    const Answer<double> cold = solve_with<TypeParam>(p, kTolerance);
    if (!cold.has(status::kConverged)) continue;
    ++solved;
    EXPECT_FALSE(solve_sets<TypeParam>(p, cold));  // an answer already
    Answer<double> near = cold;
    for (double& v : near.v) v += 1e-3;
    const auto a = solve_sets<TypeParam>(p, near);
    ASSERT_TRUE(a);
    EXPECT_EQ(a->report.status, status::kConverged);
    EXPECT_LE(a->residual.total, kTolerance);
    EXPECT_EQ(a->report.residual, a->residual.total);
    EXPECT_TRUE(std::all_of(a->lambda.end() - 3 * kIdle, a->lambda.end(), [](double x) { return x == 0.0; }));
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
}

TYPED_TEST(WorkingSetOf, GrowsUntilNothingIsViolated) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RawProblem<double> p = stack_among_idle_contacts(seed, 5.0);
    const auto a = solve_sets<TypeParam>(p, rest(p));  // carries nothing at rest, and falls
    if (!a) continue;
    ++solved;
    EXPECT_EQ(a->report.status, status::kConverged);
    EXPECT_LE(a->residual.total, kTolerance);
    EXPECT_GT(*std::max_element(a->lambda.begin(), a->lambda.end()), 0.0);
  }
  EXPECT_GE(solved, kSolvedOfSix<TypeParam>);
}

TYPED_TEST(WorkingSetOf, KeepsTheTotalOfAllPasses) {
  int limited = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const int total : {1, 2, 5, 12}) {
      RawProblem<double> p = stack_among_idle_contacts(seed, 5.0);
      const Answer<double> start = rest(p), a = solve_with<TypeParam>(p, kTolerance, &start, 50, total);
      EXPECT_LE(a.report.iterations, total);
      EXPECT_EQ(a.report.residual, a.residual.total);
      if (a.has(status::kConverged)) continue;
      EXPECT_EQ(a.report.status, status::kIterationLimit) << seed << " " << total;
      ++limited;
    }
  EXPECT_GT(limited, 6);
}

TYPED_TEST(WorkingSetOf, WithoutASolutionLeavesTheWholeWithout) {
  RawProblem<double> p = stack_among_idle_contacts(1, 5.0);
  const int squeezed = p.add_block({0}, {0}, {1}, {1});
  for (const double side : {1.0, -1.0}) {
    RawContact<double> wall;
    wall.block = {squeezed, -1}, wall.J[0] = {side, 0, 0}, wall.gap_rate = -1;
    p.contacts.push_back(wall);
  }
  const Answer<double> start = rest(p), a = solve_with<TypeParam>(p, 1e-6, &start);
  EXPECT_TRUE(a.has(status::kInfeasible));
}

TYPED_TEST(WorkingSetOf, IsNotSoughtWhereMostCarry) {
  RawProblem<double> p = stack_among_idle_contacts(1, -1.0);  // all of them in overlap
  EXPECT_FALSE(solve_sets<TypeParam>(p, rest(p)));
}

}  // namespace
}  // namespace stiction::test
