// Limits, couplings, dry friction and force limits against answers by hand.
#include <gtest/gtest.h>

#include "tests/solver/hand_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

TEST(GeneralRows, ALimitStopsTheJointWithTheMissingImpulse) {
  for (const double radius : {1.0, 0.05}) {
    auto p = joints({2}, {-1}, radius);
    p.rows.push_back(row({1}, 0.1, 0, kInfinity, 0, radius));  // v >= -0.1
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged));
    EXPECT_NEAR(a.v[0], -0.1, kHandNumber);
    EXPECT_NEAR(a.row_lambda[0], 0.8, kHandNumber);
  }
}

TEST(GeneralRows, AFarLimitDoesNothing) {
  auto p = joints({2}, {-1}, 1);
  p.rows.push_back(row({1}, 100, 0, kInfinity, 0, 1));
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], -0.5, kHandNumber);
  EXPECT_NEAR(a.row_lambda[0], 0.0, kHandNumber);
}

TEST(GeneralRows, ACouplingKeepsTheRatioExactly) {
  auto p = joints({1, 3}, {1, 0}, 0.1);
  p.rows.push_back(row({-0.5, 1}, 0.02, -kInfinity, kInfinity, 0, 0.1));  // v1 = 0.5 v0 − 0.02
  const auto a = solve(p, 1e-11);
  const double v0 = (1 + 0.5 * 3 * 0.02) / (1 + 0.25 * 3);
  ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
  EXPECT_NEAR(a.v[0], v0, kHandNumber);
  EXPECT_NEAR(a.v[1], 0.5 * v0 - 0.02, kHandNumber);
}

TEST(GeneralRows, ACompliantCouplingIsASpring) {
  auto p = joints({1}, {1}, 1);
  p.rows.push_back(row({1}, 0, -kInfinity, kInfinity, 0.5, 1));  // λ = −v/R
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 1.0 / 3, kHandNumber);
  EXPECT_NEAR(a.row_lambda[0], -2.0 / 3, kHandNumber);
}

TEST(GeneralRows, DryFrictionSticksBelowItsBoundAndSlidesAbove) {
  for (const double drive : {0.5, 2.0, -2.0}) {
    auto p = joints({1}, {drive}, 1);
    p.rows.push_back(row({1}, 0, -1, 1, 0, 1));
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << drive;
    const double expected = std::fabs(drive) <= 1 ? 0.0 : drive - std::copysign(1.0, drive);
    EXPECT_NEAR(a.v[0], expected, kHandNumber);
    EXPECT_NEAR(a.row_lambda[0], std::fabs(drive) <= 1 ? -drive : -std::copysign(1.0, drive), kHandNumber);
  }
}

TEST(GeneralRows, AForceLimitTurnsTheActuatorsSpringIntoAConstant) {
  // spring K h² = 4, target velocity 1: λ = −4 (v − 1), clipped at ±1; a load of −3 pulls
  for (const double limit : {1.0, 100.0}) {
    RawProblem<double> p = joints({1}, {-3}, 1);
    p.rows.push_back(row({1}, -1, -limit, limit, 0.25, 1));
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged));
    const double v = limit < 50 ? -2.0 : 0.2;
    EXPECT_NEAR(a.v[0], v, kHandNumber);
    EXPECT_NEAR(a.row_lambda[0], limit < 50 ? 1.0 : 3.2, kHandNumber);
  }
}

TEST(GeneralRows, ABoxWithoutWidthIsAGivenImpulse) {
  auto p = joints({2}, {1}, 1);
  p.rows.push_back(row({1}, 5, 0, 0, 0, 1));
  p.rows.push_back(row({1}, 5, 0.5, 0.5, 0, 1));
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
  EXPECT_NEAR(a.v[0], 0.75, kHandNumber);
}

TEST(GeneralRows, AnUpperBoundAloneIsALimitTheOtherWay) {
  auto p = joints({2}, {1}, 1);
  p.rows.push_back(row({1}, -0.1, -kInfinity, 0, 0, 1));  // v <= 0.1
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.1, kHandNumber);
  EXPECT_NEAR(a.row_lambda[0], -0.8, kHandNumber);
}

TEST(GeneralRows, TwoBlocksAreCoupled) {
  RawProblem<double> p;
  p.add_block({1}, {1}, {1}, {0});
  p.add_block({1}, {0}, {1}, {0});
  RawRow<double> r;
  r.block = {0, 1}, r.J = {std::vector<double>{-1}, std::vector<double>{1}}, r.lower = -kInfinity;
  p.rows.push_back(r);
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  EXPECT_NEAR(a.v[0], 0.5, kHandNumber);
  EXPECT_NEAR(a.v[1], 0.5, kHandNumber);
}

}  // namespace
}  // namespace stiction::test
