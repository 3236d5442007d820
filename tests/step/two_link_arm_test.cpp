// Claims: an arm's joint limits hold to 0.1 degrees, its coupled joint keeps its ratio, dry joint friction holds and
// slows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180.0;

Scene arm_scene() {
  return load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "two_link_arm").string());
}

SimulatorOptions on(const char* device) {
  SimulatorOptions options;
  options.device = device;
  return options;
}

/// How far the joints of an arm strayed over a run [deg].
struct Strays {
  double limit = 0.0, ratio = 0.0;
  bool reached[4] = {};  // shoulder's lower and upper limit, elbow's
};

Strays run(const Scene& scene, const char* device) {
  const double low[] = {-60.0, -5.0}, high[] = {75.0, 110.0};
  Simulator sim(scene, on(device));
  Strays strays;
  const int steps = static_cast<int>(std::lround(scene.duration / scene.step_size));
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << k << ": " << status_names(sim.status()[0]);
    const std::vector<double> q = sim.qpos();
    for (std::size_t j = 0; j < 2; ++j) {
      const double angle = q[j] / kDegree;
      strays.limit = std::max({strays.limit, low[j] - angle, angle - high[j]});
      strays.reached[2 * j] = strays.reached[2 * j] || angle <= low[j] + tolerance::kLimitAngle;
      strays.reached[2 * j + 1] = strays.reached[2 * j + 1] || angle >= high[j] - tolerance::kLimitAngle;
    }
    strays.ratio = std::max(strays.ratio, std::fabs(q[2] - q[1] / 3.0) / kDegree);
  }
  return strays;
}

TEST(TwoLinkArm, ReachesEveryLimitAndExceedsNone) {
  for (const char* device : {"cpu", "reference"}) {
    const Strays strays = run(arm_scene(), device);
    EXPECT_LE(strays.limit, tolerance::kLimitAngle) << device;
    EXPECT_LE(strays.ratio, tolerance::kCoupledAngle) << device;
    for (const bool reached : strays.reached) EXPECT_TRUE(reached) << device;
  }
}

TEST(TwoLinkArm, KeepsItsLimitsAtLargeSteps) {
  Scene scene = arm_scene();
  scene.step_size = 0.05;
  const Strays strays = run(scene, "cpu");
  EXPECT_LE(strays.limit, tolerance::kLimitAngle);
  EXPECT_LE(strays.ratio, tolerance::kCoupledAngle);
}

// without weight and torque: I v⁺ = I v − h (dry sgn v + viscous v⁺), then rest
TEST(TwoLinkArm, DryAndViscousFrictionSlowASingleJoint) {
  Scene scene = arm_scene();
  auto model = std::make_shared<Model>(*scene.model);
  model->gravity[2] = 0.0;
  std::fill(model->actuator_gain.begin(), model->actuator_gain.end(), 0.0);
  std::fill(model->actuator_bias.begin(), model->actuator_bias.end(), 0.0);
  std::fill(model->actuator_kind.begin(), model->actuator_kind.end(), static_cast<int>(ActuatorKind::kMotor));
  model->dof_frictionloss[1] = 1e3;  // the elbow is stuck: one rigid body turns about the shoulder
  scene.model = model;
  scene.qvel = {1.0, 0.0, 0.0};
  Simulator sim(scene, on("cpu"));
  const double h = scene.step_size;
  ASSERT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
  double v = sim.qvel()[0];
  const double inertia = h * (0.4 + 0.05 * v) / (1.0 - v);  // from the first step; the others must follow from it
  for (int k = 1; k < 800; ++k) {
    ASSERT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
    v = std::fmax((inertia * v - h * 0.4) / (inertia + h * 0.05), 0.0);
    EXPECT_NEAR(sim.qvel()[0], v, tolerance::kFrictionRate) << "step " << k;
  }
  EXPECT_EQ(v, 0.0);
}

TEST(TwoLinkArm, DryFrictionHoldsALightArm) {
  Scene scene = arm_scene();
  auto model = std::make_shared<Model>(*scene.model);
  model->gravity[2] = -0.4;  // 0.25 N m at the shoulder, 0.08 at the elbow
  std::fill(model->actuator_gain.begin(), model->actuator_gain.end(), 0.0);
  std::fill(model->actuator_bias.begin(), model->actuator_bias.end(), 0.0);
  std::fill(model->actuator_kind.begin(), model->actuator_kind.end(), static_cast<int>(ActuatorKind::kMotor));
  scene.model = model;
  Simulator sim(scene, on("cpu"));
  for (int k = 0; k < 200; ++k) ASSERT_EQ(sim.step()[0], status::kConverged) << status_names(sim.status()[0]);
  for (const double q : sim.qpos()) EXPECT_NEAR(q, 0.0, tolerance::kRest);
}

}  // namespace
}  // namespace stiction
