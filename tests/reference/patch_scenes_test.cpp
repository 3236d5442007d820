// The paper's scenes, step by step: closed forms, energy, when what touches, and exactly one consistent feature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "host/reference/patch_residual.hpp"
#include "tests/reference/patch_scene.hpp"
#include "tests/reference/tolerances.hpp"
#include "tests/support/models.hpp"

namespace stiction::reference {
namespace {

using Eigen::Vector3d;
using Kind = PatchFeatureKind;

/// A step that is solved, by exactly one feature.
PatchSolution certain_step(const PatchProblem& problem, int step) {
  const PatchSolution solution = step_patch(problem);
  EXPECT_EQ(solution.consistent, 1) << "step " << step;
  const double residual = solution.consistent > 0 ? patch_residual(problem, solution).largest() : 0.0;
  EXPECT_LE(residual, tolerance::kPatch) << "step " << step;
  return solution;
}

/// What dE differs by from the work of all impulses, over the mass [J/kg].
double energy_error(const PatchProblem& problem, const PatchSolution& s) {
  const PatchBody& F = problem.F;
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  const Eigen::Matrix3d turn = F.rotation.toRotationMatrix();
  M.topLeftCorner<3, 3>() = F.mass * Eigen::Matrix3d::Identity();
  M.bottomRightCorner<3, 3>() = turn * F.inertia * turn.transpose();
  Vector6d applied = F.applied;
  applied.head<3>() += problem.h * F.mass * problem.gravity;
  const Vector6d change = s.velocity_F - F.velocity;
  const double gain = 0.5 * (s.velocity_F.dot(M * s.velocity_F) - F.velocity.dot(M * F.velocity));
  const double work = s.velocity_F.dot(applied) + s.impulse.dot(contact_velocity(s)) - 0.5 * change.dot(M * change);
  return std::abs(gain - work) / F.mass;
}

double friction_work(const PatchSolution& s) { return s.impulse.tail<3>().dot(contact_velocity(s).tail<3>()); }

/// Every step loses energy to friction, or none, and the account of energy is exact.
void expect_energy_account(const PatchProblem& problem, const PatchSolution& s, int step) {
  EXPECT_LE(energy_error(problem, s), tolerance::kPatchEnergy) << "step " << step;
  EXPECT_LE(friction_work(s), tolerance::kPatchEnergy * problem.F.mass) << "step " << step;
}

TEST(PatchScenes, SlidingCubeFollowsItsClosedForm) {
  PatchProblem problem = sliding_cube(0.0);
  const double h = problem.h;
  for (int k = 1; k <= 400; ++k) {
    const PatchSolution s = certain_step(problem, k);
    const double way = 5 * k * h - 1.176 * h * h * k * (k + 1) / 2;
    EXPECT_LE((s.position_F - Vector3d(0.8 * way, 0.6 * way, 0.5)).norm(), tolerance::kPosition) << "step " << k;
    EXPECT_NEAR(s.velocity_F.head<3>().norm(), 5 - 1.176 * h * k, tolerance::kPosition) << "step " << k;
    EXPECT_LE((s.ecp - s.position_F - Vector3d(0.048, 0.036, -0.5)).norm(), tolerance::kPosition) << "step " << k;
    carry_on(s, problem);
  }
  EXPECT_NEAR(problem.F.position.x(), 8.454784, tolerance::kPosition);
  EXPECT_NEAR(problem.F.position.y(), 6.341088, tolerance::kPosition);
}

TEST(PatchScenes, SpinningCubeKeepsTheAccountOfEnergy) {
  PatchProblem problem = sliding_cube(2.0);
  for (int k = 1; k <= 400; ++k) {
    const PatchSolution s = certain_step(problem, k);
    expect_energy_account(problem, s, k);
    EXPECT_NEAR(s.position_F.z(), 0.5, tolerance::kPatchDepth) << "step " << k;
    carry_on(s, problem);
  }
  EXPECT_LT(problem.F.velocity[5], 2.0);
}

TEST(PatchScenes, TurningCylinderIsPushed89TimesAndKeepsItsLine) {
  PatchProblem problem = turning_cylinder();
  std::vector<int> pulses;
  for (int k = 0; k < 1000; ++k) {
    if (std::abs(problem.F.velocity[5]) <= 1e-8) {
      pulses.push_back(k);
      problem.F.applied[5] = 3.0;
    }
    const PatchSolution s = certain_step(problem, k);
    expect_energy_account(problem, s, k);
    EXPECT_EQ(s.feature.kind, Kind::kLineOnFace) << "step " << k;
    const Vector3d arm = s.ecp - s.position_F, axis = s.rotation_F.toRotationMatrix().col(2);
    EXPECT_LE(std::abs(axis.dot(arm)), 0.0388) << "step " << k;
    EXPECT_LE(std::abs(Vector3d::UnitZ().cross(axis).dot(arm)), tolerance::kPosition) << "step " << k;
    EXPECT_NEAR(s.position_F.z(), 1.0, tolerance::kPatchDepth) << "step " << k;
    carry_on(s, problem);
  }
  ASSERT_EQ(pulses.size(), 89u);
  for (size_t i = 0; i < pulses.size(); ++i) EXPECT_EQ(pulses[i], 27 + 11 * static_cast<int>(i));
}

/// What touches from which step on.
struct Phase {
  int step;  // ends at step · h
  Kind kind;
};

Kind expected_kind(const std::vector<Phase>& phases, int step) {
  Kind kind = phases[0].kind;
  for (const Phase& phase : phases)
    if (step >= phase.step) kind = phase.kind;
  return kind;
}

TEST(PatchScenes, TopplingCubeGoesFromCornerToEdgeToFace) {
  const std::vector<Phase> phases{{1, Kind::kCornerOnFace},
                                  {44, Kind::kEdgeOnFace},
                                  {102, Kind::kNone},
                                  {120, Kind::kEdgeOnFace},
                                  {126, Kind::kFaceOnFace}};
  PatchProblem problem = toppling_cube();
  for (int k = 1; k <= 400; ++k) {
    if (k == 101) problem.F.applied << std::sqrt(0.5), -std::sqrt(0.5), 0, 0.5, 0.5, 0;
    if (k == 181) problem.F.applied << 10, -10, 0, 0, 0, 0;
    const PatchSolution s = certain_step(problem, k);
    expect_energy_account(problem, s, k);
    EXPECT_EQ(s.feature.kind, expected_kind(phases, k)) << "step " << k;
    carry_on(s, problem);
  }
  EXPECT_NEAR(problem.F.position.z(), 0.5, tolerance::kPatchDepth);
}

std::vector<Vector6d> read_impulses(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Vector6d> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    Vector6d row;
    for (double& x : row) words >> x;
    EXPECT_TRUE(words) << line;
    rows.push_back(row);
  }
  return rows;
}

TEST(PatchScenes, StandingCylinderTopplesRollsAndStandsAgain) {
  const auto path = test::shared_folder() / "data" / "ecp_scene4_impulses.csv";
  if (test::shared_folder().empty() || !std::filesystem::exists(path))
    GTEST_SKIP() << "no data/ecp_scene4_impulses.csv in the data folder (STICTION_SHARED)";
  const std::vector<Vector6d> impulses = read_impulses(path);
  ASSERT_EQ(impulses.size(), 500u);
  const std::vector<Phase> phases{{1, Kind::kRimOnFace},    {48, Kind::kLineOnFace}, {154, Kind::kRimOnFace},
                                  {209, Kind::kLineOnFace}, {334, Kind::kRimOnFace}, {457, Kind::kDiskOnFace}};
  PatchProblem problem = standing_cylinder();
  std::vector<double> heights{problem.F.position.z()};
  for (int k = 1; k <= 500; ++k) {
    problem.F.applied = impulses[k - 1];
    const PatchSolution s = certain_step(problem, k);
    expect_energy_account(problem, s, k);
    EXPECT_EQ(s.feature.kind, expected_kind(phases, k)) << "step " << k;
    heights.push_back(s.position_F.z());
    carry_on(s, problem);
  }
  EXPECT_NEAR(heights[100], 0.1, tolerance::kPatchDepth);
  EXPECT_NEAR(heights[300], 0.1, tolerance::kPatchDepth);
  EXPECT_NEAR(heights[500], 0.15, tolerance::kPatchDepth);
}

}  // namespace
}  // namespace stiction::reference
