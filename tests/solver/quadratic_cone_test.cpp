// Contact problems with quadratic cones: random ones, bracketed by pyramids, and independence of the tangent frame.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/solver/float_share.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/oracle.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

int samples(int few) {
  const char* full = std::getenv("ST_FULL");
  return full ? few * std::max(1, std::atoi(full)) : few;
}

/// A random stack with μ 0.1 ... 3, circular, elliptic or flat.
RawProblem<double> random_cones(Rng& rng, const StackOptions& options) {
  auto p = random_stack(rng, options);
  p.cone = ConeType::kQuadratic;
  for (auto& c : p.contacts) {
    const double kind = uniform(rng, 0, 1);
    c.mu_t = 0.1 * std::pow(30, uniform(rng, 0, 1));
    c.mu_o = kind < 0.5 ? c.mu_t : (kind < 0.6 ? 0.0 : 0.1 * std::pow(30, uniform(rng, 0, 1)));
  }
  return p;
}

TEST(QuadraticCones, RandomProblemsConvergeToThePolishedResidual) {
  Rng rng(40);
  const int count = samples(200);
  int good = 0;
  for (int i = 0; i < count; ++i) {
    auto p = random_cones(rng, random_options(rng));
    const auto a = solve(p, kAsked);
    good += a.has(status::kConverged);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= kAsked) << i;
    for (double v : a.v) ASSERT_TRUE(std::isfinite(v)) << i;
  }
  EXPECT_GE(good, kShareOfCones * count);
}

TEST(QuadraticCones, ObjectiveLiesBetweenThoseOfInnerAndOuterPyramids) {
  Rng rng(41);
  constexpr int kFacets = 24;
  for (int i = 0; i < samples(6); ++i) {
    StackOptions o;
    o.boxes = 2, o.finger_contacts = 4, o.mass_in_H = i % 2;
    auto p = random_cones(rng, o);
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged));
    auto pyramid = p;
    pyramid.cone = ConeType::kPyramid, pyramid.facets = kFacets;
    const double inner = oracle_objective(pyramid);
    for (auto& c : pyramid.contacts) c.mu_t /= std::cos(M_PI / kFacets), c.mu_o /= std::cos(M_PI / kFacets);
    const double outer = oracle_objective(pyramid);
    const double scale = std::fabs(inner) + 1e-3;
    EXPECT_GE(a.residual.objective, inner - kObjective * scale) << i;
    EXPECT_LE(a.residual.objective, outer + kObjective * scale) << i;
  }
}

/// The same contacts, the tangents turned by an angle of its own each.
RawProblem<double> turn_tangents(RawProblem<double> p, Rng& rng) {
  for (auto& c : p.contacts) {
    const double angle = uniform(rng, -M_PI, M_PI), cosine = std::cos(angle), sine = std::sin(angle);
    for (auto& J : c.J) {
      const std::size_t n = J.size() / 3;
      for (std::size_t j = 0; j < n; ++j) {
        const double t = J[n + j], o = J[2 * n + j];
        J[n + j] = cosine * t + sine * o, J[2 * n + j] = cosine * o - sine * t;
      }
    }
  }
  return p;
}

TEST(QuadraticCones, MotionDoesNotDependOnTheTangents) {
  Rng rng(42);
  for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kFrictionless})
    for (int i = 0; i < samples(20); ++i) {
      StackOptions o;
      o.boxes = 4, o.columns = 2, o.finger_contacts = 6, o.mass_in_H = 1;  // H > 0: the motion is unique
      auto p = random_stack(rng, o);
      p.cone = ConeType::kQuadratic, p.law = law;
      auto turned = turn_tangents(p, rng);
      const auto a = solve(p, kTight), b = solve(turned, kTight);
      for (std::size_t j = 0; j < a.v.size(); ++j)
        EXPECT_NEAR(p.step_size * a.v[j] * p.dof_radius[j], p.step_size * b.v[j] * p.dof_radius[j], kFrame) << i;
    }
}

TEST(QuadraticCones, SlideInEveryDirectionWithTheSameLayer) {
  // along the slide v = (1 − μ g h)/(1 + μ²), across it nothing
  const double mu = 0.5, gh = 0.1, speed = (1 - mu * gh) / (1 + mu * mu);
  for (const double angle : {0.0, 0.3, 0.7854, 2.0, -1.0}) {
    RawProblem<double> p;
    p.cone = ConeType::kQuadratic;
    p.add_block({1, 1, 1}, {std::cos(angle), std::sin(angle), -gh}, {1, 1, 1}, {1, 1, 1});
    RawContact<double> c;
    c.block = {-1, 0}, c.J[1] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, c.mu_t = c.mu_o = mu;
    p.contacts.push_back(c);
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged));
    EXPECT_NEAR(a.v[0], speed * std::cos(angle), kHandNumber);
    EXPECT_NEAR(a.v[1], speed * std::sin(angle), kHandNumber);
    EXPECT_NEAR(a.v[2], mu * speed, kHandNumber);
  }
}

TEST(QuadraticCones, FloatReachesWhatFloatCan) {
  EXPECT_GE(share_of_floats<InteriorPoint>(43, samples(40), random_cones), kShareOfFloats);
}

}  // namespace
}  // namespace stiction::test
