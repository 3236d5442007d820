// Claims: a block sticks on a slope up to the angle of its friction pyramid, and slides on a steeper one.
//
//   atan(μ cos(π/u) / cos(π/u − φ))      u facets, φ from downhill to the nearest edge of the pyramid
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {
namespace {

constexpr double kPi = 3.14159265358979323846, kGravity = 9.81, kFriction = 0.5;

struct Slope {
  int facets;
  double direction;  // of downhill, from x towards y [deg]
  double to_edge;    // φ [deg]
};

Scene incline_scene(const Slope& slope, double angle) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "incline").string());
  auto model = std::make_shared<Model>(*scene.model);
  const double tilt = angle * kPi / 180.0, turn = slope.direction * kPi / 180.0;
  model->gravity[0] = kGravity * std::sin(tilt) * std::cos(turn);
  model->gravity[1] = kGravity * std::sin(tilt) * std::sin(turn);
  model->gravity[2] = -kGravity * std::cos(tilt);
  scene.model = model;
  scene.physics.facets = slope.facets;
  return scene;
}

/// Speed along the slope after the scene's duration, on the host; every step must converge.
double speed_after(const Slope& slope, double angle) {
  const Scene scene = incline_scene(slope, angle);
  SimulatorOptions options;
  options.device = "cpu";
  Simulator sim(scene, options);
  const int steps = static_cast<int>(std::lround(scene.duration / scene.step_size));
  EXPECT_EQ(sim.step(steps)[0], status::kConverged) << status_names(sim.status()[0]);
  const std::vector<double> v = sim.qvel();
  return std::hypot(v[0], v[1]);
}

class Incline : public testing::TestWithParam<Slope> {};

TEST_P(Incline, SticksUpToTheAngleOfItsPyramidAndSlidesBeyond) {
  const Slope& slope = GetParam();
  const double half = kPi / slope.facets;
  const double limit =
      std::atan(kFriction * std::cos(half) / std::cos(half - slope.to_edge * kPi / 180.0)) * 180.0 / kPi;
  EXPECT_LE(speed_after(slope, limit - tolerance::kSlopeAngle), tolerance::kRest);
  EXPECT_GE(speed_after(slope, limit + tolerance::kSlopeAngle), 100.0 * tolerance::kRest);
}

INSTANTIATE_TEST_SUITE_P(Pyramids, Incline,
                         testing::Values(Slope{4, 0.0, 0.0}, Slope{4, 45.0, 45.0}, Slope{4, 90.0, 0.0},
                                         Slope{6, 0.0, 30.0}, Slope{8, 22.5, 22.5}),
                         [](const auto& info) {
                           return "facets" + std::to_string(info.param.facets) + "_to_" +
                                  std::to_string(static_cast<int>(info.param.direction));
                         });

TEST(InclineScene, HoldsItsBlock) {
  Simulator sim(load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "incline").string()), {});
  EXPECT_EQ(sim.step(100)[0], status::kConverged) << status_names(sim.status()[0]);
  EXPECT_NEAR(sim.qpos()[0], 0.0, tolerance::kRest);
}

}  // namespace
}  // namespace stiction
