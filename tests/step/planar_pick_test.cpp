// Claims: a quasistatic pick and place errs by the gripper's lag, whatever the step; the second-order one is its truth;
// with the same contacts but explicit springs it blows up from a step of 0.01 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/api/simulator.hpp"
#include "tests/solver/solve.hpp"
#include "tests/step/tolerances.hpp"
#include "tests/support/host_environment.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction {
namespace {

constexpr double kTruthStep = 1e-4;
using Trajectory = std::vector<std::vector<double>>;

Scene planar_pick(Dynamics dynamics, double h) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "planar_pick").string());
  scene.physics.dynamics = dynamics;
  scene.step_size = h;
  return scene;
}

/// qpos after every step; the steps that did not converge are added to *flagged.
Trajectory run(const Scene& scene, const char* device, int* flagged) {
  SimulatorOptions options;
  options.device = device;
  Simulator sim(scene, options);
  Trajectory q = {sim.qpos()};
  const int steps = static_cast<int>(std::lround(scene.duration / scene.step_size));
  for (int k = 0; k < steps; ++k) {
    *flagged += sim.step()[0] != status::kConverged;
    q.push_back(sim.qpos());
  }
  return q;
}

Trajectory run(Dynamics dynamics, double h, const char* device = "cpu") {
  int flagged = 0;
  const Trajectory q = run(planar_pick(dynamics, h), device, &flagged);
  EXPECT_EQ(flagged, 0) << "h " << h;
  return q;
}

const Trajectory& second_order_truth() {
  static const Trajectory truth = run(Dynamics::kDynamic, kTruthStep);
  return truth;
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
  const Trajectory& truth = second_order_truth();
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

class PlanarPickOf : public testing::TestWithParam<SolverName> {};

TEST_P(PlanarPickOf, HasAFlatErrorToo) {
  double least = 1e300, most = 0.0;
  int flagged = 0, steps = 0;
  for (const double h : {0.01, 0.05, 0.1, 0.2, 0.4}) {
    Scene scene = planar_pick(Dynamics::kQuasistatic, h);
    scene.solver.name = GetParam();
    if (test::is_iterative(GetParam())) {
      scene.solver.tolerance = tolerance::kIterative;
      scene.solver.max_iterations *= 20;  // the box is squeezed a thousand times harder than it is moved
    }
    const Trajectory q = run(scene, "cpu", &flagged);
    const double error = integral_error(q, h, second_order_truth());
    least = std::min(least, error);
    most = std::max(most, error);
    steps += static_cast<int>(q.size()) - 1;
  }
  EXPECT_LE(most / least, tolerance::kFlatError);
  EXPECT_LE(flagged, tolerance::kFlaggedPicks * steps);
}

INSTANTIATE_TEST_SUITE_P(EverySolver, PlanarPickOf, testing::ValuesIn(test::kEverySolver), test::solver_name);

/// The second-order step with springs and dampers at the start of the step, written out:
///   M (v⁺ − v) = h (weight + K (q̄⁺ − q) − D v) + Jᵀλ,  q⁺ = q + h v⁺        with the contacts of the scene
class ExplicitPick {
 public:
  explicit ExplicitPick(double h) : scene_(planar_pick(Dynamics::kDynamic, h)), host_(scene_) {}

  /// qpos after every step; ends early where the gripper leaves the room.
  Trajectory run() {
    Trajectory q = {scene_.qpos};
    const int steps = static_cast<int>(std::lround(scene_.duration / scene_.step_size));
    for (int k = 0; k < steps; ++k) {
      step();
      const Eigen::VectorXd at = host_.qpos();
      if (!(at.cwiseAbs().maxCoeff() < kRoom)) return q;
      q.emplace_back(at.begin(), at.end());
    }
    return q;
  }

 private:
  static constexpr SolverName kSolver = SolverName::kInteriorPoint;
  static constexpr int kDofs = 8, kBoxDofs = 3;
  static constexpr double kRoom = 10.0, kGravity = 9.81;  // [m], [m/s²]
  static constexpr double kMass[kDofs] = {1, 1, 1.0 / 600, 0.2, 0.2, 0.005, 0.05, 0.05};
  static constexpr double kStiffness[kDofs] = {0, 0, 0, 1000, 1000, 50, 1000, 1000};

  void step() {
    host_.solve();  // contacts, and the command at the end of the step
    const double h = scene_.step_size;
    const Eigen::VectorXd q = host_.qpos(), v = host_.qvel(), ctrl = host_.ctrl();
    double H[2][25] = {}, g[kDofs];
    for (int j = 0; j < kDofs; ++j) {
      const bool box = j < kBoxDofs;
      const int n = box ? kBoxDofs : kDofs - kBoxDofs, i = box ? j : j - kBoxDofs;
      H[box ? 0 : 1][i * n + i] = kMass[j];
      const double damping = 2.0 * std::sqrt(kStiffness[j] * kMass[j]);
      const double force = box ? (j == 1 ? -kMass[j] * kGravity : 0.0) : kStiffness[j] * (ctrl[i] - q[j]);
      g[j] = kMass[j] * v[j] + h * (force - damping * v[j]);
    }
    const double* blocks[2] = {H[0], H[1]};
    ContactProblem<double> problem = host_.problem();
    problem.H = blocks, problem.g = g;
    test::Scratch memory(explained_scratch<kSolver, double, double>(capacity_of(problem)));
    solve_explained<kSolver, HostTeam<>, double, double>({}, problem, host_.config.solver, {}, Arena(memory.base()),
                                                         host_.scratch.solution);
    host_.finish();
  }

  const Scene scene_;
  reference::HostEnvironment host_;
};

TEST(PlanarPick, BlowsUpWithExplicitSprings) {
  const Trajectory truth = run(Dynamics::kDynamic, kTruthStep);
  for (const double h : {0.001, 0.002, 0.005}) {
    const Trajectory q = ExplicitPick(h).run();
    ASSERT_EQ(q.size(), run(Dynamics::kQuasistatic, h).size()) << h;
    EXPECT_LE(integral_error(q, h, truth), tolerance::kExplicitError * h) << h;
  }
  for (const double h : {0.01, 0.02, 0.05, 0.1}) {
    const Trajectory q = ExplicitPick(h).run();
    EXPECT_LT(static_cast<double>(q.size()) * h, tolerance::kBlownUp) << h;
  }
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
