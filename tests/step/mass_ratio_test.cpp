// Claims: a light body on a heavy one that is free on ice slides as far as friction lets it, whatever the heavy one
// weighs.
//
//   Δ = v²/(2 μ g (1 + m/M))                             relative slide
//   Δ_h = h Σ_k (v − k h a),  a = μ g (1 + m/M)          that of implicit steps of length h, while they are not
//   negative
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/inline_scene.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction {
namespace {

constexpr double kLight = 1e-3, kSpeed = 0.5, kFriction = 0.3, kGravity = 9.81;  // [kg], [m/s]

/// Under a gram: beyond it pivots on a dense matrix leave a step in twenty above the tolerance, and flag it [kg].
constexpr double kHeaviestOfLemke = 1e8;

Scene slider_on(double heavy, double step_size) {
  const std::string bodies =
      "<geom type='plane' size='20 20 .1' friction='0 0 0'/>"
      "<body pos='0 0 .5'><freejoint/><geom type='box' size='.5 .5 .5' friction='0 0 0' mass='" +
      std::to_string(heavy) +
      "'/></body>"
      "<body pos='0 0 1.01'><freejoint/><geom type='box' size='.01 .01 .01' priority='1' friction='" +
      std::to_string(kFriction) + " 0 0' mass='" + std::to_string(kLight) + "'/></body>";
  Scene scene = test::inline_scene({"slider_on_free_body", bodies, "", "0 0 -9.81"}, Dynamics::kDynamic, 1e-6);
  scene.physics.law = ContactLaw::kCoulomb, scene.physics.cone = ConeType::kQuadratic;
  scene.step_size = step_size;
  return scene;
}

double deceleration(double heavy) { return kFriction * kGravity * (1 + kLight / heavy); }

double slide_of_steps(double heavy, double h) {
  double sum = 0.0;
  for (double v = kSpeed - h * deceleration(heavy); v > 0.0; v -= h * deceleration(heavy)) sum += h * v;
  return sum;
}

/// Relative slide until the light body has stopped; every step converges, or `flagged` counts it.
double slide(const Scene& scene, int* flagged) {
  Simulator sim(scene, {.device = "cpu"});
  std::vector<double> qvel(12);
  qvel[6] = kSpeed;
  sim.set_qvel(qvel);
  const int steps = static_cast<int>(std::lround(0.2 / scene.step_size));
  for (int k = 0; k < steps; ++k) *flagged += sim.step(1)[0] == status::kConverged ? 0 : 1;
  const std::vector<double> q = sim.qpos();
  return q[7] - q[0];
}

class MassRatio : public testing::TestWithParam<SolverName> {};

TEST_P(MassRatio, AGramSlidesAsFarOnAKilogramAsOnAMillionTons) {
  for (const double heavy : {1.0, 1e2, 1e4, 1e6, 1e8, 1e9}) {
    if (GetParam() == SolverName::kLemke && heavy > kHeaviestOfLemke) continue;
    Scene scene = slider_on(heavy, 0.01);
    scene.solver.name = GetParam();
    if (GetParam() == SolverName::kLemke) scene.physics.cone = ConeType::kPyramid;
    int flagged = 0;
    const double expected = slide_of_steps(heavy, scene.step_size), found = slide(scene, &flagged);
    EXPECT_EQ(flagged, 0) << heavy << " kg";
    EXPECT_NEAR(found, expected, tolerance::kSlideOfSteps * expected) << heavy << " kg";
  }
}

TEST_P(MassRatio, ShortStepsSlideByTheClosedForm) {
  for (const double heavy : {1.0, 1e4, 1e9}) {
    if (GetParam() == SolverName::kLemke && heavy > kHeaviestOfLemke) continue;
    Scene scene = slider_on(heavy, 1e-3);
    scene.solver.name = GetParam();
    if (GetParam() == SolverName::kLemke) scene.physics.cone = ConeType::kPyramid;
    int flagged = 0;
    const double expected = kSpeed * kSpeed / (2 * deceleration(heavy)), found = slide(scene, &flagged);
    EXPECT_EQ(flagged, 0) << heavy << " kg";
    EXPECT_NEAR(found, expected, tolerance::kSlide * expected) << heavy << " kg";
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, MassRatio, testing::ValuesIn(test::kEverySolver), test::solver_name);

}  // namespace
}  // namespace stiction
