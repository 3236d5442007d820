// Claims: of several motions that solve a step, every solver returns one at its start; the direct ones the nearest in
// the mass of what is not actuated.
#include <gtest/gtest.h>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// What is asked of a solver, and the motion that it then has [m/s].
template <class Solver>
constexpr bool kDirect = Solver::kName != SolverName::kAdmm&& Solver::kName != SolverName::kPgs;
template <class Solver>
constexpr double kTolerance = kDirect<Solver> ? kAsked : kAskedIterative;
template <class Solver>
constexpr double kMotion = kDirect<Solver> ? kHandNumber : kIterativeNumber;

template <class Solver>
class SolverStart : public testing::Test {};
TYPED_TEST_SUITE(SolverStart, AllSolvers);

constexpr double kFence = -1.0, kWall = 2.0;  // velocities that reach them [m/s]

/// A heavy point on the floor between a fence at x = −h and a wall at x = 2h: no H, no friction unless given.
RawProblem<double> point_between_walls(ContactLaw law, double mu) {
  RawProblem<double> p;
  p.law = law;
  p.add_block({0, 0, 0}, {0, 0, -0.1}, {1, 1, 1}, {1, 1, 1});
  const auto touch = [&](std::vector<double> J, double gap_rate) {
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = std::move(J), c.gap_rate = gap_rate, c.mu_t = c.mu_o = mu;
    p.contacts.push_back(c);
  };
  touch({0, 0, 1, 1, 0, 0, 0, 1, 0}, 0.0);
  touch({1, 0, 0, 0, 1, 0, 0, 0, 1}, -kFence);
  touch({-1, 0, 0, 0, 1, 0, 0, 0, -1}, kWall);
  return p;
}

TYPED_TEST(SolverStart, IsTheAnswerWhereItSolvesTheStep) {
  for (const double x : {0.0, -0.7, 1.9})
    for (const double y : {0.0, 3.0, -40.0}) {
      auto p = point_between_walls(ContactLaw::kFrictionless, 0.0);
      p.start = {x, y, 0};
      const auto a = solve_with<TypeParam>(p, kTolerance<TypeParam>);
      ASSERT_TRUE(a.has(status::kConverged)) << x << " " << y << " residual " << a.report.residual;
      EXPECT_NEAR(a.v[0], x, kMotion<TypeParam>) << y;
      EXPECT_NEAR(a.v[1], y, kMotion<TypeParam> * std::max(1.0, std::abs(y))) << x;
      EXPECT_NEAR(a.v[2], 0.0, kMotion<TypeParam>);
    }
}

TYPED_TEST(SolverStart, IsTakenToTheNearestMotionThatSolvesTheStep) {
  for (const double x : {-5.0, 7.0, -60.0, 90.0}) {
    if (!kDirect<TypeParam> && std::abs(x) > 10) continue;  // from further away some motion that solves it
    auto p = point_between_walls(ContactLaw::kFrictionless, 0.0);
    p.start = {x, 0.25, 2.0};
    const auto a = solve_with<TypeParam>(p, kTolerance<TypeParam>);
    ASSERT_TRUE(a.has(status::kConverged)) << x << " residual " << a.report.residual;
    EXPECT_NEAR(a.v[0], x < 0 ? kFence : kWall, kMotion<TypeParam>);
    EXPECT_NEAR(a.v[1], 0.25, kMotion<TypeParam>);
    EXPECT_NEAR(a.v[2], 0.0, kMotion<TypeParam>);
  }
}

TYPED_TEST(SolverStart, DoesNotMatterWhereFrictionHolds) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (const double x : {-0.5, 1.5}) {
      auto p = point_between_walls(law, 0.5);
      p.start = {x, 1.0, 0.0};
      const auto a = solve_with<TypeParam>(p, kTolerance<TypeParam>);
      ASSERT_TRUE(a.has(status::kConverged)) << x << " residual " << a.report.residual;
      for (const double v : a.v) EXPECT_NEAR(v, 0.0, kMotion<TypeParam>);
    }
}

/// Two points on a line without anything else: 1 kg runs into 3 kg and both go on with their common momentum.
TEST(NearestMotion, IsWeighedWithTheMass) {
  RawProblem<double> p;
  p.law = ContactLaw::kFrictionless;
  p.add_block({0}, {0}, {1}, {1});
  p.add_block({0}, {0}, {1}, {3});
  RawContact<double> c;
  c.block = {0, 1}, c.J = {std::vector<double>{-1, 0, 0}, std::vector<double>{1, 0, 0}};
  p.contacts.push_back(c);
  p.start = {1, 0};
  for (const auto& a : {solve_with<SolverOf<SolverName::kInteriorPoint>>(p, kAsked),
                        solve_with<SolverOf<SolverName::kLemke>>(p, kAsked)}) {
    ASSERT_TRUE(a.has(status::kConverged));
    for (const double v : a.v) EXPECT_NEAR(v, 0.25, kFloorOfTheMass);
  }
}

}  // namespace
}  // namespace stiction::test
