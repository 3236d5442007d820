// Claims: the multiply-adds of a step are those of its sizes, fill included.
#include "host/backend/step_work.hpp"

#include <gtest/gtest.h>

namespace stiction {
namespace {

constexpr int kBox = 6;

TEST(StepWork, OfABoxOnTheFloorIsWhatAHandCounts) {
  const StepWork work = count_problem({{kBox}, 3, {{-1, 0}}});
  EXPECT_EQ(work.product, 3 * 6);
  EXPECT_EQ(work.assembly, 9 * 6 + 3 * 21);
  EXPECT_EQ(work.factor, 36);
  EXPECT_EQ(work.solve, 36);
}

TEST(StepWork, OfAContactBetweenTwoBoxesCouplesThemOnce) {
  const StepWork one = count_problem({{kBox, kBox}, 3, {{0, 1}}}),
                 two = count_problem({{kBox, kBox}, 3, {{0, 1}, {1, 0}}});
  EXPECT_EQ(one.factor, 2 * 36 + 36 * 6 / 2 + 6 * 36 / 2);
  EXPECT_EQ(one.solve, 2 * 36 + 2 * 36);
  EXPECT_EQ(two.factor, one.factor);
  EXPECT_EQ(two.product, 2 * one.product);
  EXPECT_EQ(two.assembly, 2 * one.assembly);
}

TEST(StepWork, CountsTheFillOfARing) {
  const int n = 6;
  ContactGraph chain{std::vector<int>(n, kBox), 3, {}};
  for (int i = 0; i + 1 < n; ++i) chain.blocks.emplace_back(i, i + 1);
  ContactGraph ring = chain;
  ring.blocks.emplace_back(n - 1, 0);
  // a chain has n - 1 couplings, a ring of n and n - 3 of fill
  EXPECT_EQ(count_problem(chain).solve, n * 36 + (n - 1) * 72);
  EXPECT_EQ(count_problem(ring).solve, n * 36 + (2 * n - 3) * 72);
}

TEST(StepWork, GrowsWithIterationsAsTheSolverDoes) {
  const StepWork work{10.0, 100.0, 1000.0, 50.0};
  EXPECT_EQ(step_multiply_adds(work, SolverName::kInteriorPoint, SolveLanes::kMany, 2.0, 8.0), 2 * 1170.0);
  EXPECT_EQ(step_multiply_adds(work, SolverName::kInteriorPoint, SolveLanes::kOne, 2.0, 8.0), 2 * 10.0);
  EXPECT_EQ(step_multiply_adds(work, SolverName::kNewton, SolveLanes::kMany, 2.0, 8.0), 2 * 1170.0);
  EXPECT_EQ(step_multiply_adds(work, SolverName::kAdmm, SolveLanes::kMany, 2.0, 8.0), 1100.0 + 2 * 70.0);
  EXPECT_EQ(step_multiply_adds(work, SolverName::kPgs, SolveLanes::kMany, 2.0, 8.0), 2 * 20.0);
  EXPECT_EQ(step_multiply_adds(work, SolverName::kLemke, SolveLanes::kMany, 2.0, 8.0), 2 * 64.0);
}

}  // namespace
}  // namespace stiction
