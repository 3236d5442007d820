// Of several impulses that cause the same motion the default solver gives those of least norm, as far as cones allow.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/solver/active_set_run.hpp"
#include "tests/solver/generated_problems.hpp"
#include "tests/solver/samples.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

constexpr double kWeight = 2.0;  // m g h [N s]
constexpr double kHalf = 0.05;   // [m]

/// A box on its four lower corners, pushed along x.
RawProblem<double> box_on_corners(double push, const FlatCone& cone) {
  RawProblem<double> p;
  p.cone = cone.cone, p.facets = cone.facets;
  p.law = cone.facets == 1 ? ContactLaw::kFrictionless : ContactLaw::kAnitescu;
  p.add_block({1, 1, 1, 1e-3, 1e-3, 1e-3}, {push, 0, -kWeight, 0, -push * kHalf, 0}, {1, 1, 1, kHalf, kHalf, kHalf},
              {1, 1, 1, 1e-3, 1e-3, 1e-3});
  for (const double x : {-kHalf, kHalf})
    for (const double y : {-kHalf, kHalf}) {
      const double z = -kHalf;
      RawContact<double> c;
      c.block = {-1, 0};
      c.J[1] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x};
      c.mu_t = c.mu_o = 0.5;
      p.contacts.push_back(c);
    }
  return p;
}

TEST(LeastImpulses, AreAQuarterOfTheWeightOnEachCorner) {
  for (const FlatCone& cone : kFlatCones) {
    if (cone.facets == 2) continue;  // keeps the corner of the active set: no friction along o
    RawProblem<double> p = box_on_corners(0, cone);
    const auto a = solve(p, kAsked);
    ASSERT_TRUE(a.has(status::kConverged)) << cone.facets;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(a.lambda[3 * i], kWeight / 4, kHandNumber) << cone.facets;
      EXPECT_NEAR(a.lambda[3 * i + 1], 0, kHandNumber) << cone.facets;
      EXPECT_NEAR(a.lambda[3 * i + 2], 0, kHandNumber) << cone.facets;
    }
  }
}

TEST(LeastImpulses, ShareAPushThatSticks) {
  const double push = 0.4;  // of at most 1
  RawProblem<double> p = box_on_corners(push, {ConeType::kPyramid, 4});
  const auto a = solve(p, kAsked);
  ASSERT_TRUE(a.has(status::kConverged));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.lambda[3 * i + 1], -push / 4, kHandNumber);
}

double norm_squared_of(const std::vector<double>& a) { return std::inner_product(a.begin(), a.end(), a.begin(), 0.0); }

TEST(LeastImpulses, AreNoLongerThanTheActiveSetsAndCauseItsMotion) {
  Rng rng(61);
  int shorter = 0;
  for (int sample = 0; sample < samples(60); ++sample) {
    StackOptions o;
    o.boxes = 1 + sample % 4, o.robot_dofs = sample % 5, o.finger_contacts = sample % 3, o.mass_in_H = 1;
    auto p = random_stack(rng, o);
    const auto corner = ActiveSetRun<double>(p).run(kTight);
    const auto least = solve(p, kTight);
    ASSERT_TRUE(corner.has(status::kConverged) && least.has(status::kConverged)) << sample;
    for (std::size_t j = 0; j < least.v.size(); ++j)
      EXPECT_NEAR(least.v[j] * p.step_size, corner.v[j] * p.step_size, kSameMotion) << sample;
    const double before = norm_squared_of(corner.lambda), after = norm_squared_of(least.lambda);
    EXPECT_LE(after, before * (1 + kHandNumber)) << sample;
    shorter += after < before * (1 - kHandNumber);
  }
  EXPECT_GT(shorter, 0);
}

}  // namespace
}  // namespace stiction::test
