// Claims: a quasistatic pick and place errs by the gripper's lag, whatever the step; the second-order one is its truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/api/simulator.hpp"
#include "tests/step/tolerances.hpp"

namespace stiction {
namespace {

constexpr double kTruthStep = 1e-4;
using Trajectory = std::vector<std::vector<double>>;

Trajectory run(Dynamics dynamics, double h, const char* device = "cpu") {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "planar_pick").string());
  scene.physics.dynamics = dynamics;
  scene.step_size = h;
  SimulatorOptions options;
  options.device = device;
  Simulator sim(scene, options);
  Trajectory q = {sim.qpos()};
  const int steps = static_cast<int>(std::lround(scene.duration / h));
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(sim.step()[0], status::kConverged) << "h " << h << ", step " << k;
    q.push_back(sim.qpos());
  }
  return q;
}

/// ∫‖q − truth‖ dt, q linear between its steps.
double integral_error(const Trajectory& q, double h, const Trajectory& truth) {
  const std::size_t per_step = static_cast<std::size_t>(std::lround(h / kTruthStep));
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < truth.size(); ++k) {
    const std::size_t i = k / per_step;
    const double share = static_cast<double>(k % per_step) / static_cast<double>(per_step);
    double square = 0.0;
    for (std::size_t j = 0; j < truth[k].size(); ++j) {
      const double difference = q[i][j] + share * (q[i + 1][j] - q[i][j]) - truth[k][j];
      square += difference * difference;
    }
    sum += std::sqrt(square) * kTruthStep;
  }
  return sum;
}

TEST(PlanarPick, TheQuasistaticErrorIsFlatOverTheStepSize) {
  const Trajectory truth = run(Dynamics::kDynamic, kTruthStep);
  double least = 1e300, most = 0.0;
  for (const double h : {0.001, 0.01, 0.05, 0.1, 0.2, 0.4}) {
    const double error = integral_error(run(Dynamics::kQuasistatic, h), h, truth);
    least = std::min(least, error);
    most = std::max(most, error);
  }
  EXPECT_LE(most / least, tolerance::kFlatError);
  const double second_order = integral_error(run(Dynamics::kDynamic, 0.001), 0.001, truth);
  EXPECT_LE(second_order, tolerance::kFineError * least);  // it is not the truth that differs
}

TEST(PlanarPick, CarriesTheBoxAndPutsItDown) {
  for (const double h : {0.01, 0.1, 0.4}) {
    const Trajectory q = run(Dynamics::kQuasistatic, h);
    const auto at = [&](double t) { return q[static_cast<std::size_t>(std::lround(t / h))]; };
    EXPECT_NEAR(at(2.4)[1], 0.2 - 9.81 / 1000.0, tolerance::kCarriedBox) << h;  // gy bends under the weight
    EXPECT_NEAR(at(4.0)[0], 0.3, tolerance::kCarriedBox) << h;
    EXPECT_NEAR(at(4.0)[2], 0.3, tolerance::kCarriedBox) << h;
    EXPECT_NEAR(at(7.2)[0], 0.3, tolerance::kCarriedBox) << h;
    EXPECT_NEAR(at(7.2)[1], 0.05, tolerance::kPutDown) << h;
    EXPECT_NEAR(at(7.2)[2], 0.0, tolerance::kPutDown) << h;
  }
}

TEST(PlanarPick, TheReferenceGoesTheSameWay) {
  const Trajectory host = run(Dynamics::kQuasistatic, 0.1), reference = run(Dynamics::kQuasistatic, 0.1, "reference");
  for (std::size_t k = 0; k < host.size(); ++k)
    for (std::size_t j = 0; j < host[k].size(); ++j)
      EXPECT_NEAR(host[k][j], reference[k][j], tolerance::kSameWay) << "step " << k << ", qpos " << j;
}

}  // namespace
}  // namespace stiction
