// Bodies of very different mass: "converged" says as much about the lightest as about the heaviest.
#include <gtest/gtest.h>

#include "tests/solver/all_solvers.hpp"
#include "tests/solver/mass_ratios.hpp"
#include "tests/solver/solve.hpp"
#include "tests/solver/tolerances.hpp"

namespace stiction::test {
namespace {

template <class Solver>
class MassRatios : public testing::Test {};
TYPED_TEST_SUITE(MassRatios, AllSolvers);

/// Velocity of the light box relative to the heavy one.
template <class Real>
double slide(const Answer<Real>& a) {
  return static_cast<double>(a.v[6] - a.v[0]);
}

constexpr double kMasses[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};  // under 1 g [kg]

TYPED_TEST(MassRatios, AGramSlidesOnAFreeBodyOfAnyMass) {
  for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox})
    for (const double heavy : kMasses) {
      if (!can_solve(TypeParam::kName, cone)) continue;
      SlideOnFreeBox o;
      o.heavy = heavy;
      auto p = slide_on_free_box(o, ContactLaw::kCoulomb, cone);
      const auto a = solve_with<TypeParam>(p, kAskedIterative);
      ASSERT_TRUE(a.has(status::kConverged)) << heavy << " kg, residual " << a.report.residual;
      const double slowed = o.mu * o.gravity * o.step_size * (1 + o.light / heavy);
      EXPECT_NEAR(slide(a), o.speed - slowed, kSlideShare * slowed) << heavy << " kg";
    }
}

/// Under Anitescu's law the gram leaves at once with its boundary layer, whatever it is on.
TYPED_TEST(MassRatios, AConvexStepDoesNotDependOnTheMassBelow) {
  for (const auto cone : {ConeType::kPyramid, ConeType::kQuadratic}) {
    if (!can_solve(TypeParam::kName, cone)) continue;
    SlideOnFreeBox o;
    const double mu = o.mu, gh = o.gravity * o.step_size, layer = (o.speed - mu * gh) / (1 + mu * mu);
    for (const double heavy : kMasses) {
      o.heavy = heavy;
      auto p = slide_on_free_box(o, ContactLaw::kAnitescu, cone);
      const auto a = solve_with<TypeParam>(p, kAskedIterative);
      ASSERT_TRUE(a.has(status::kConverged)) << heavy << " kg, residual " << a.report.residual;
      EXPECT_NEAR(slide(a), layer, kSlideShare * o.speed + o.light / heavy) << heavy << " kg";
    }
  }
}

TYPED_TEST(MassRatios, AGramSticksOnAFreeBodyOfAnyMass) {
  for (const double heavy : kMasses) {
    SlideOnFreeBox o;
    o.heavy = heavy, o.speed = 0.02;
    auto p = slide_on_free_box(o, ContactLaw::kCoulomb, ConeType::kPyramid);
    const auto a = solve_with<TypeParam>(p, kAskedIterative);
    ASSERT_TRUE(a.has(status::kConverged)) << heavy << " kg, residual " << a.report.residual;
    EXPECT_NEAR(slide(a), 0, kIterativeNumber) << heavy << " kg";
    EXPECT_NEAR(a.lambda[13] + a.lambda[16] + a.lambda[19] + a.lambda[22], -o.light * o.speed / (1 + o.light / heavy),
                kSlideShare * o.light * o.speed);
  }
}

/// The gram is below: it carries the heavy body, and its own balance is a small difference of large impulses.
TYPED_TEST(MassRatios, AGramCarriesOrSaysThatItWasNotSolved) {
  for (const double heavy : kMasses) {
    RawProblem<double> p;
    p.law = ContactLaw::kCoulomb, p.step_size = 0.01;
    const BoxBlock plate{1e-3, 0.5}, body{heavy, 0.5};
    const int below = add_box(p, plate, 0, 9.81), above = add_box(p, body, 0, 9.81);
    add_corners(p, -1, 0, below, plate.half, 0.3);
    add_corners(p, below, plate.half, above, body.half, 0.3);
    const auto a = solve_with<TypeParam>(p, kAskedIterative);
    EXPECT_EQ(a.has(status::kConverged), a.residual.total <= kAskedIterative) << heavy << " kg";
    if (!a.has(status::kConverged)) continue;
    for (const double v : a.v) EXPECT_NEAR(v, 0, kIterativeNumber) << heavy << " kg";
  }
}

TEST(MassRatiosInFloat, ReachAGramOnAHundredKilograms) {
  for (const auto law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (const double heavy : {1.0, 1e1, 1e2}) {
      SlideOnFreeBox o;
      o.heavy = heavy;
      const auto of_double = slide_on_free_box(o, law, ConeType::kQuadratic);
      auto p = convert<float>(of_double);
      const auto a = solve<float>(p, kAskedOfFloats);
      ASSERT_TRUE(a.has(status::kConverged)) << heavy << " kg, residual " << a.report.residual;
      auto exact = of_double;
      EXPECT_NEAR(slide(a), slide(solve<double>(exact, kAskedIterative)), kFloatResidual) << heavy << " kg";
    }
}

}  // namespace
}  // namespace stiction::test
