// Coulomb's law with every cone: slides without a layer, slopes, moved tangents, random stacks.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/solver/generated_problems.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr ConeType kCones[] = {
#define ST_CONE(enumerator, name, ...) ConeType::enumerator,
#include "kernels/problem/cones.inc"
#undef ST_CONE
};

int samples(int few) {
  const char* full = std::getenv("ST_FULL");
  return full ? few * std::max(1, std::atoi(full)) : few;
}

/// A cube on a plane, its corners in contact; `impulse` = M v + h f at its centre, H = M.
RawProblem<double> cube_on_plane(const std::array<double, 3>& impulse, double h, double mu) {
  RawProblem<double> p;
  const double half = 0.05, I = 4 * half * half / 6;
  p.step_size = h, p.law = ContactLaw::kCoulomb;
  p.add_block({1, 1, 1, I, I, I}, {impulse[0], impulse[1], impulse[2], 0, 0, 0}, {1, 1, 1, half, half, half},
              {1, 1, 1, I, I, I});
  for (int corner = 0; corner < 4; ++corner) {
    RawContact<double> c;
    c.block = {-1, 0};
    c.J[1] = free_body_rows(upright_frame(), {corner % 2 ? half : -half, corner / 2 ? half : -half, -half}, 1);
    c.mu_t = c.mu_o = mu;
    p.contacts.push_back(c);
  }
  return p;
}

/// Largest |n·v| h over the contacts.
double largest_lift(const RawProblem<double>& p, const Answer<double>& a) {
  double largest = 0;
  for (const auto& c : p.contacts) {
    double rate = 0;
    for (std::size_t j = 0; j < 6; ++j) rate += c.J[1][j] * a.v[j];
    largest = std::fmax(largest, std::fabs(rate) * p.step_size);
  }
  return largest;
}

TEST(Coulomb, AnObliqueSlideNeitherSinksNorHovers) {
  for (const ConeType cone : kCones)
    for (const int facets : {3, 4, 6, 8})
      for (const double angle : {0.0, 0.2, 0.5, 0.7854, 1.1, 2.5, -0.9})
        for (const double mu : {0.1, 0.5, 1.0}) {
          // friction below 1 tips no cube
          auto p = cube_on_plane({3 * std::cos(angle), 3 * std::sin(angle), -0.05 * 9.81}, 0.05, mu * 0.9);
          p.cone = cone, p.facets = facets;
          const auto a = solve(p, kTight);
          ASSERT_TRUE(a.has(status::kConverged)) << facets << " " << angle << " " << mu << " " << a.report.residual;
          EXPECT_LE(largest_lift(p, a), kNoOverlap) << facets << " " << angle << " " << mu;
          EXPECT_LE(a.residual.violation, kNoOverlap);
        }
}

TEST(Coulomb, FrictionOfASlideIsOppositeAndAtItsLimit) {
  const double gh = 0.1, mu = 0.5;
  for (const double angle : {0.0, 0.4, 2.0}) {
    RawProblem<double> p;
    p.law = ContactLaw::kCoulomb, p.cone = ConeType::kQuadratic;
    p.add_block({1, 1, 1}, {std::cos(angle), std::sin(angle), -gh}, {1, 1, 1}, {1, 1, 1});
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, c.mu_t = c.mu_o = mu;
    p.contacts.push_back(c);
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged));
    EXPECT_NEAR(a.v[0], (1 - mu * gh) * std::cos(angle), kHandNumber);
    EXPECT_NEAR(a.v[1], (1 - mu * gh) * std::sin(angle), kHandNumber);
    EXPECT_NEAR(a.v[2], 0.0, kHandNumber);
    EXPECT_NEAR(a.lambda[0], gh, kHandNumber);
    EXPECT_NEAR(std::hypot(a.lambda[1], a.lambda[2]), mu * gh, kHandNumber);
  }
}

/// One step from rest under gravity tilted by `slope` towards `direction`: true if the block moves.
bool slides_on_slope(ConeType cone, int facets, double mu, double slope, double direction) {
  const double h = 0.1, weight = 9.81 * h, down = weight * std::sin(slope);
  RawProblem<double> p;
  p.step_size = h, p.law = ContactLaw::kCoulomb, p.cone = cone, p.facets = facets;
  p.add_block({1, 1, 1}, {down * std::cos(direction), down * std::sin(direction), -weight * std::cos(slope)}, {1, 1, 1},
              {1, 1, 1});
  RawContact<double> c;
  c.block = {-1, 0}, c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, c.mu_t = c.mu_o = mu;
  p.contacts.push_back(c);
  const auto a = solve(p, kTight);
  EXPECT_TRUE(a.has(status::kConverged)) << a.report.residual;
  return std::hypot(a.v[0], a.v[1]) > kAtRest;
}

TEST(Coulomb, ABlockSticksUpToTheAngleOfItsCone) {
  const double degree = M_PI / 180;
  const auto expect_limit = [&](ConeType cone, int facets, double mu, double direction, double limit) {
    EXPECT_FALSE(slides_on_slope(cone, facets, mu, limit - kAngle * degree, direction)) << facets << " " << direction;
    EXPECT_TRUE(slides_on_slope(cone, facets, mu, limit + kAngle * degree, direction)) << facets << " " << direction;
  };
  for (const double mu : {0.2, 0.5, 1.0, 3.0}) {
    for (const int facets : {4, 6, 8}) {
      expect_limit(ConeType::kPyramid, facets, mu, 0, std::atan(mu));
      expect_limit(ConeType::kPyramid, facets, mu, M_PI / facets, std::atan(mu * std::cos(M_PI / facets)));
    }
    for (const double direction : {0.0, 0.3, 1.0}) expect_limit(ConeType::kQuadratic, 0, mu, direction, std::atan(mu));
    expect_limit(ConeType::kBox, 0, mu, 0, std::atan(mu));
    expect_limit(ConeType::kBox, 0, mu, M_PI / 4, std::atan(std::sqrt(2.0) * mu));
  }
  EXPECT_NEAR(std::atan(0.5 * std::cos(M_PI / 4)) / degree, 19.4712, kAngle);  // the figure of problem P6
}

TEST(Coulomb, ABodyFallsBetweenWallsItDoesNotTouch) {
  // under Anitescu's law only as far as the layer of μ |v| lets it
  for (const ConeType cone : kCones) {
    RawProblem<double> p;
    p.law = ContactLaw::kCoulomb, p.cone = cone;
    p.add_block({1, 1, 1}, {0, 0, -0.1}, {1, 1, 1}, {1, 1, 1});
    for (const double side : {1.0, -1.0}) {
      RawContact<double> c;
      c.block = {-1, 0}, c.J[1] = {side, 0, 0, 0, 1, 0, 0, 0, 1}, c.gap_rate = 0.02, c.mu_t = c.mu_o = 0.5;
      p.contacts.push_back(c);
    }
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << a.report.residual;
    EXPECT_NEAR(a.v[2], -0.1, kHandNumber);
    p.law = ContactLaw::kAnitescu;
    EXPECT_NEAR(solve(p, kAsked).v[2], -0.02 / 0.5, kHandNumber);
  }
}

TEST(Coulomb, WhatOnlyTheLayerForbidsIsSolved) {
  // a floor lifts the body between two walls: under Anitescu's law the walls would have to give way
  for (const ConeType cone : kCones) {
    RawProblem<double> p;
    p.cone = cone;
    p.add_block({0, 0, 0}, {0, 0, -0.1}, {1, 1, 1}, {1, 1, 1});
    const auto add = [&](double gap_rate, std::vector<double> J) {
      RawContact<double> c;
      c.block = {-1, 0}, c.J[1] = std::move(J), c.gap_rate = gap_rate, c.mu_t = c.mu_o = 0.5;
      p.contacts.push_back(c);
    };
    add(0, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    add(0, {-1, 0, 0, 0, 1, 0, 0, 0, 1});
    add(-0.2, {0, 0, 1, 1, 0, 0, 0, 1, 0});
    EXPECT_EQ(solve(p, kAsked).report.status, status::kInfeasible);
    p.law = ContactLaw::kCoulomb;
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << a.report.status << " " << a.report.residual;
    EXPECT_NEAR(a.v[2], 0.2, kHandNumber);
    EXPECT_NEAR(a.v[0], 0.0, kHandNumber);
  }
}

/// A cube that its own momentum presses against a wall, with floor and wall off by the rounding of single precision.
RawProblem<double> cube_against_wall(double press, double wall_gap, double tilt) {
  RawProblem<double> p = cube_on_plane({press, 0, -0.1}, 0.1, 0.9);
  p.facets = 8;
  for (std::size_t i = 0; i < 4; ++i) p.contacts[i].gap_rate = (i % 2 ? tilt : -tilt) / p.step_size;
  const double half = 0.05;
  const Frame3 wall{{{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}};
  for (int corner = 0; corner < 4; ++corner) {
    RawContact<double> c;
    c.block = {-1, 0};
    c.J[1] = free_body_rows(wall, {half, corner % 2 ? half : -half, corner / 2 ? half : -half}, 1);
    c.gap_rate = wall_gap / p.step_size, c.mu_t = c.mu_o = 0.9;
    p.contacts.push_back(c);
  }
  return p;
}

TEST(Coulomb, ACubePressedAgainstAWallIsSolvedWhateverRoundingLeavesOfItsGaps) {
  for (const int facets : {4, 8})
    for (const double press : {0.9, 2.47})
      for (const double wall_gap : {-7.5e-9, -2.5e-10, -1e-10})
        for (const double tilt : {0.0, 6e-11, -3e-11}) {
          auto p = cube_against_wall(press, wall_gap, tilt);
          p.facets = facets;
          const auto a = solve(p, 1e-8);
          EXPECT_TRUE(a.has(status::kConverged))
              << facets << " " << press << " " << wall_gap << " " << tilt << " " << a.report.residual;
        }
}

TEST(Coulomb, OpposingOverlapsAreInfeasible) {
  for (const ConeType cone : kCones) {
    RawProblem<double> p;
    p.law = ContactLaw::kCoulomb, p.cone = cone;
    p.add_block({1, 1, 1}, {0, 0, -0.1}, {1, 1, 1}, {1, 1, 1});
    for (const double side : {1.0, -1.0}) {
      RawContact<double> c;
      c.block = {-1, 0}, c.J[1] = {side, 0, 0, 0, 1, 0, 0, 0, 1}, c.gap_rate = -0.1, c.mu_t = c.mu_o = 0.5;
      p.contacts.push_back(c);
    }
    const auto a = solve(p, kAsked);
    ASSERT_EQ(a.report.status, status::kInfeasible);
    EXPECT_NEAR(a.report.violation, 0.2 * p.step_size, kViolation);
    // y normal, Jᵀy = 0, Σ y φ/h < 0
    EXPECT_GT(a.certificate[0], 0.0);
    EXPECT_NEAR(a.certificate[0], a.certificate[3], kCertificate * a.certificate[0]);
    for (const std::size_t k : {1u, 2u, 4u, 5u}) EXPECT_EQ(a.certificate[k], 0.0);
  }
}

TEST(Coulomb, MotionDoesNotDependOnTheTangentsOfQuadraticCones) {
  for (const double angle : {0.1, 0.7854, 2.0})
    for (const double turn : {0.3, 1.0, 2.2}) {
      auto p = cube_on_plane({2 * std::cos(angle), 2 * std::sin(angle), -0.05 * 9.81}, 0.05, 0.4);
      p.cone = ConeType::kQuadratic;
      auto turned = p;
      for (auto& c : turned.contacts)
        for (std::size_t j = 0; j < 6; ++j) {
          const double t = c.J[1][6 + j], o = c.J[1][12 + j];
          c.J[1][6 + j] = std::cos(turn) * t + std::sin(turn) * o;
          c.J[1][12 + j] = std::cos(turn) * o - std::sin(turn) * t;
        }
      const auto a = solve(p, kTight), b = solve(turned, kTight);
      ASSERT_TRUE(a.has(status::kConverged) && b.has(status::kConverged));
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(p.step_size * a.v[j] * p.dof_radius[j], p.step_size * b.v[j] * p.dof_radius[j], kFrame);
    }
}

/// Stacks on a conveyor, μ 0.1 ... 3, h 0.01 ... 0.4; `robot`: pushed by one with a random Jacobian.
RawProblem<double> random_conveyor(Rng& rng, bool robot, ConeType cone) {
  StackOptions o = random_options(rng);
  o.step_size = 0.01 * std::pow(40, uniform(rng, 0, 1));
  if (!robot) o.robot_dofs = 0;
  auto p = random_stack(rng, o);
  p.law = ContactLaw::kCoulomb, p.cone = cone, p.facets = std::max(3, o.facets);
  const double mu = 0.1 * std::pow(30, uniform(rng, 0, 1));
  const double belt[2] = {robot ? 0 : uniform(rng, -0.2, 0.2), robot ? 0 : uniform(rng, -0.2, 0.2)};
  for (auto& c : p.contacts) {
    c.mu_t = mu * uniform(rng, 0.7, 1.4), c.mu_o = uniform(rng, 0, 1) < 0.8 ? c.mu_t : 0.5 * c.mu_t;
    if (c.block[0] < 0) c.offset = {0, belt[0], belt[1]};
  }
  return p;
}

double share_converged(std::uint64_t seed, bool robot) {
  Rng rng(seed);
  const int count = samples(60);
  int good = 0;
  for (int i = 0; i < count; ++i) {
    auto p = random_conveyor(rng, robot, kCones[i % 3]);
    const auto a = solve(p, 1e-8);
    good += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= 1e-8) << i;
    EXPECT_TRUE(a.has(status::kConverged | status::kNoSolutionFound | status::kInfeasible | status::kUnbounded)) << i;
    for (double v : a.v) EXPECT_TRUE(std::isfinite(v)) << i;
  }
  return static_cast<double>(good) / count;
}

TEST(Coulomb, StacksOnAConveyorConverge) { EXPECT_GE(share_converged(50, false), kShareOfStacks); }

TEST(Coulomb, PushedStacksConvergeOrSayThatTheyDoNot) { EXPECT_GE(share_converged(51, true), kShareOfGrasps); }

TEST(Coulomb, AWarmStartSolvesTheSameStepInFewIterations) {
  Rng rng(52);
  for (int i = 0; i < samples(20); ++i) {
    auto p = random_conveyor(rng, false, kCones[i % 3]);
    const auto cold = solve(p, 1e-8);
    if (!cold.has(status::kConverged)) continue;
    const auto warm = solve(p, 1e-8, &cold);
    EXPECT_TRUE(warm.has(status::kConverged)) << i;
    EXPECT_LE(warm.report.iterations, 6) << i;
  }
}

}  // namespace
}  // namespace stiction::test
