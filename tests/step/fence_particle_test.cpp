// Claims: the particle of Trinkle, Berard & Pang 2005, section 5, goes the way of Anitescu's law in closed form.
//
// The pyramid's least friction is along its bisector, v_x = v_y = v, and the fence's row is active while it pushes:
//   x + h v = x_f + h ẋ_f + μ₂ h (1 − v),  z⁺ = μ₃ h v          (fence and floor, rate 1 of the fence along y)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {
namespace {

constexpr double kFloorFriction = 0.5;

/// The scene with another friction at the fence.
Scene fence_scene(double friction) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "fence_particle").string());
  auto model = std::make_shared<Model>(*scene.model);
  const int fence = scene.mocap.at(0).body;
  for (int p = 0; p < model->npair; ++p)
    for (int side = 0; side < 2; ++side)
      if (model->geom_body[model->pair_geom[2 * p + side]] == fence) model->pair_friction[5 * p] = friction;
  scene.model = model;
  return scene;
}

struct FenceCase {
  double friction;
  const char* device;
  Dtype dtype;
  double position;  // [m]
};

class FenceParticle : public testing::TestWithParam<FenceCase> {};

TEST_P(FenceParticle, FollowsAnitescusLawAlongTheBisector) {
  const Scene scene = fence_scene(GetParam().friction);
  SimulatorOptions options;
  options.device = GetParam().device;
  options.dtype = GetParam().dtype;
  Simulator sim(scene, options);
  const double h = scene.step_size, mu = GetParam().friction;
  double x = 0.7, y = 0.0;
  int pushed = 0;
  for (int k = 0; k < 600; ++k) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << "step " << k << ": " << status_names(sim.status()[0]);
    const double t = h * k, fence = 0.5 + 0.4 * std::sin(t) + h * 0.4 * std::cos(t);
    const double v = std::max((fence + mu * h - x) / (h * (1.0 + mu)), 0.0);
    x += h * v, y += h * v;
    pushed += v > 0.0 ? 1 : 0;
    const std::vector<double> q = sim.qpos();
    EXPECT_NEAR(q[0], x, GetParam().position) << "step " << k;
    EXPECT_NEAR(q[1], y, GetParam().position) << "step " << k;
    EXPECT_NEAR(q[2], kFloorFriction * h * v, GetParam().position) << "step " << k;
  }
  EXPECT_GT(pushed, 100);
}

INSTANTIATE_TEST_SUITE_P(Frictions, FenceParticle,
                         testing::Values(FenceCase{0.5, "cpu", Dtype::kFloat64, tolerance::kFence},
                                         FenceCase{3.0, "cpu", Dtype::kFloat64, tolerance::kFence},
                                         FenceCase{0.5, "cpu", Dtype::kFloat32, tolerance::kFenceSingle},
                                         FenceCase{0.5, "reference", Dtype::kFloat64, tolerance::kFence}),
                         [](const auto& info) {
                           return std::string(info.param.device) + (info.param.friction > 1.0 ? "_rough" : "") +
                                  (info.param.dtype == Dtype::kFloat32 ? "_single" : "");
                         });

}  // namespace
}  // namespace stiction
