// Claims: what nothing touches is solved without an iteration, by H v = g, and what lies still by the impulses that it
// has; where something has to push, where H is singular or where something changes, the other attempts follow and solve
// the problem as before.
#include <gtest/gtest.h>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

/// Boxes with mass above each other, `gap_rate` [m/s] apart.
RawProblem<double> boxes_apart(std::uint64_t seed, double gap_rate, double mass_in_H = 1.0) {
  Rng rng(seed);
  StackOptions options;
  options.boxes = 4, options.columns = 2, options.robot_dofs = 0, options.mass_in_H = mass_in_H;
  RawProblem<double> p = random_stack(rng, options);
  for (auto& contact : p.contacts) contact.gap_rate = gap_rate;
  return p;
}

void expect_solved(RawProblem<double>& p, Answer<double>& a) {
  EXPECT_EQ(a.report.status, status::kConverged);
  EXPECT_LE(certify(p.view(), a.v, a.lambda, a.row_lambda).total, kAsked);
  EXPECT_EQ(certify(p.view(), a.v, a.lambda, a.row_lambda).total, a.report.residual);
}

TEST(StartAnswer, WhatNothingTouchesTakesNoIteration) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb, ContactLaw::kFrictionless})
    for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        RawProblem<double> p = boxes_apart(seed, 50.0);
        p.law = law, p.cone = cone;
        const Answer<double> start = rest(p);
        Answer<double> a = solve(p, kAsked, &start);
        expect_solved(p, a);
        EXPECT_EQ(a.report.iterations, 0);
        for (const double lambda : a.lambda) EXPECT_EQ(lambda, 0.0);
        for (std::size_t b = 0; b < p.H.size(); ++b)  // the blocks are diagonal
          for (std::size_t j = 0; j < 6; ++j)
            EXPECT_NEAR(a.v[6 * b + j], p.g[6 * b + j] / p.H[b][7 * j], kExact * std::fabs(a.v[6 * b + j]));
      }
}

TEST(StartAnswer, WhatHasToPushIsSolvedByTheOthers) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RawProblem<double> p = boxes_apart(seed, 0.0);
    const Answer<double> start = rest(p);
    Answer<double> a = solve(p, kAsked, &start);
    expect_solved(p, a);
    EXPECT_GT(a.report.iterations, 0);
    EXPECT_GT(*std::max_element(a.lambda.begin(), a.lambda.end()), 0.0);
  }
}

TEST(StartAnswer, AStartThatCarriesIsNotForgotten) {
  RawProblem<double> p = boxes_apart(1, 0.0);
  Answer<double> carries = solve(p, kAsked), a = solve(p, kAsked, &carries);
  expect_solved(p, a);
  for (std::size_t i = 0; i < a.lambda.size(); ++i) EXPECT_NEAR(a.lambda[i], carries.lambda[i], kHandNumber);
}

TEST(StartAnswer, ASingularMatrixHasNone) {
  RawProblem<double> p = boxes_apart(1, 50.0, 0.0);  // no inertia: without contact the boxes fall without end
  const Answer<double> start = rest(p);
  const Answer<double> a = solve(p, kAsked, &start);
  EXPECT_FALSE(a.has(status::kConverged) && a.report.iterations == 0);
  for (double& g : p.g) g = 0.0;  // nothing pulls: every v solves the motion, and the least is 0
  Answer<double> still = solve(p, kAsked, &start);
  expect_solved(p, still);
  for (const double v : still.v) EXPECT_EQ(v, 0.0);
}

/// Boxes that lie still on impulses inside of their cones, and these impulses.
RawProblem<double> boxes_at_rest(std::uint64_t seed, ContactLaw law, ConeType cone, Answer<double>& answer) {
  RawProblem<double> p = boxes_apart(seed, 0.0);
  p.law = law, p.cone = cone;
  answer = rest(p);
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    auto& contact = p.contacts[i];
    for (double& offset : contact.offset) offset = 0.0;
    contact.mu_t = contact.mu_o = 0.5;
    answer.lambda[3 * i] = 0.1 + 0.01 * static_cast<double>(i), answer.lambda[3 * i + 1] = 0.02;
  }
  for (double& g : p.g) g = 0.0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i)
    for (std::size_t side = 0; side < 2; ++side) {
      const int block = p.contacts[i].block[side];
      for (std::size_t j = 0; block >= 0 && j < 6; ++j)
        for (std::size_t a = 0; a < 3; ++a)
          p.g[6 * static_cast<std::size_t>(block) + j] -= p.contacts[i].J[side][6 * a + j] * answer.lambda[3 * i + a];
    }
  return p;
}

TEST(StartAnswer, WhatLiesStillKeepsItsImpulses) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Answer<double> start;
        RawProblem<double> p = boxes_at_rest(seed, law, cone, start);
        Answer<double> a = solve(p, kAsked, &start);
        expect_solved(p, a);
        EXPECT_EQ(a.report.iterations, 0);
        EXPECT_EQ(a.v, std::vector<double>(p.g.size(), 0.0));
        EXPECT_EQ(a.lambda, start.lambda);
      }
}

TEST(StartAnswer, WhatIsPushedOrMovesIsSolved) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Answer<double> start;
      RawProblem<double> p = boxes_at_rest(seed, law, ConeType::kPyramid, start);
      p.g.back() += 1e-6;  // a push that the tolerance can tell
      Answer<double> pushed = solve(p, kAsked, &start);
      expect_solved(p, pushed);
      EXPECT_TRUE(pushed.v != start.v || pushed.lambda != start.lambda);
      p = boxes_at_rest(seed, law, ConeType::kPyramid, start);
      for (auto& contact : p.contacts) contact.gap_rate = -0.1;  // an overlap that has to go
      Answer<double> parted = solve(p, kAsked, &start);
      expect_solved(p, parted);
      EXPECT_GT(*std::max_element(parted.v.begin(), parted.v.end()), 0.0);
    }
}

TEST(StartAnswer, NumbersThatAreNoneAreRefused) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RawProblem<double> p = boxes_apart(1, 50.0);
    const Answer<double> start = rest(p);
    p.contacts[0].J[1][0] = bad;
    EXPECT_EQ(solve(p, kAsked, &start).report.status, status::kNotFinite);
    p = boxes_apart(1, 50.0);
    p.H[0][0] = bad;
    EXPECT_EQ(solve(p, kAsked, &start).report.status, status::kNotFinite);
  }
}

}  // namespace
}  // namespace stiction::test
