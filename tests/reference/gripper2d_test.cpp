// The planar gripper of Pang and Tedrake (2021), Figs. 3-6, as the QP (10): q = [x_c, y_c, x_l, x_r, y].
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/reference/contact_solver.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {
namespace {

using Vector5 = Eigen::Matrix<double, 5, 1>;
constexpr double kStep = 0.01, kRadius = 0.1, kStiffness = 1000.0, kWeight = 10.0, kMu = 0.5;
constexpr int kSteps = 35, kFirstSliding = 13, kFirstStopped = 23;

/// Commanded x_l, x_r, y at time t: knots at 0, 0.08 and 0.23 s, then held.
Eigen::Vector3d command(double t) {
  const Eigen::Vector3d apart(-0.106, 0.106, 0), closed(-0.09, 0.09, 0), low(-0.09, 0.09, -0.03);
  if (t <= 0.08) return apart + (closed - apart) * t / 0.08;
  return closed + (low - closed) * std::min(1.0, (t - 0.08) / 0.15);
}

struct GripperStep {
  Vector5 q;                        // after the step
  Eigen::Vector3d phi;              // gaps after the step [m]
  Eigen::Vector3d normal, tangent;  // forces [N]
  double residual;
};

/// The contact problem of one step in two blocks, the ball (x_c, y_c) and the gripper (x_l, x_r, y).
GripperStep advance(const Vector5& q, int step) {
  const double h = kStep, k = h * h * kStiffness;
  const Eigen::Vector3d drive = h * kStiffness * (command((step + 1) * h) - q.tail<3>());
  const double H_ball[4] = {0, 0, 0, 0}, H_gripper[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
  const double M_ball[4] = {1, 0, 0, 1}, M_gripper[9] = {};
  const double* H[2] = {H_ball, H_gripper};
  const double* M[2] = {M_ball, M_gripper};
  const int adr[2] = {0, 2}, size[2] = {2, 3};
  const double g[5] = {0, -h * kWeight, drive[0], drive[1], drive[2]}, radius[5] = {1, 1, 1, 1, 1};
  const double ball[3][6] = {{1, 0, 0, 1, 0, 0}, {-1, 0, 0, 1, 0, 0}, {0, 1, 1, 0, 0, 0}};
  const double finger[2][9] = {{-1, 0, 0, 0, 0, -1, 0, 0, 0}, {0, 1, 0, 0, 0, -1, 0, 0, 0}};
  const double gap[3] = {q[0] - q[2] - kRadius, q[3] - q[0] - kRadius, q[1] - kRadius};
  ContactRow<double> contacts[3] = {};
  for (int i = 0; i < 3; ++i) {
    contacts[i].side[0] = {0, ball[i]};
    contacts[i].side[1] = {i < 2 ? 1 : -1, i < 2 ? finger[i] : nullptr};
    contacts[i].gap_rate = gap[i] / h;
    contacts[i].mu_t = contacts[i].mu_o = kMu;
  }
  const ContactProblem<double> problem{
      h, 5, 2, adr, size, H, g, radius, M, 3, contacts, 0, nullptr, ContactLaw::kAnitescu, ConeType::kPyramid, 4};
  const ContactAnswer answer = solve_contacts(expand(problem));
  EXPECT_EQ(answer.status, QpStatus::kSolved) << "step " << step;
  GripperStep out;
  out.q = q + h * answer.solution.v;
  out.phi << out.q[0] - out.q[2] - kRadius, out.q[3] - out.q[0] - kRadius, out.q[1] - kRadius;
  for (int i = 0; i < 3; ++i) {
    out.normal[i] = answer.solution.lambda[3 * i] / h;
    out.tangent[i] = answer.solution.lambda[3 * i + 1] / h;
  }
  out.residual = answer.residual;
  return out;
}

const std::array<GripperStep, kSteps>& run() {
  static const auto steps = [] {
    std::array<GripperStep, kSteps> all;
    Vector5 q;
    q << 0, 0.1, -0.106, 0.106, 0;
    for (int l = 0; l < kSteps; ++l) all[l] = advance(q, l), q = all[l].q;
    return all;
  }();
  return steps;
}

TEST(Gripper2d, LeavesAResidualOfRounding) {
  for (const auto& step : run()) EXPECT_LE(step.residual, tolerance::kResidual);
}

TEST(Gripper2d, TouchesTheBallAtTheEndOfStepTwo) {
  EXPECT_NEAR(run()[1].phi[0], 0.002, tolerance::kPosition);
  EXPECT_NEAR(run()[2].phi[0], 0.0, tolerance::kPosition);
  EXPECT_NEAR(run()[2].normal[0], 0.0, tolerance::kForce);
}

TEST(Gripper2d, SqueezesWithTwoNewtonMoreInEachStep) {
  for (int l = 3; l <= 7; ++l) {
    EXPECT_NEAR(run()[l].normal[0], 2.0 * (l - 2), tolerance::kForce);
    EXPECT_NEAR(run()[l].phi[0], 0.0, tolerance::kPosition);
  }
}

TEST(Gripper2d, PullsDownByFrictionUntilItSlides) {
  for (int l = 8; l <= 12; ++l) {
    EXPECT_NEAR(run()[l].tangent[0] + run()[l].tangent[1], -2.0 * (l - 7), tolerance::kForce);
    EXPECT_NEAR(run()[l].normal[2], 10.0 + 2.0 * (l - 7), tolerance::kForce);
    EXPECT_NEAR(run()[l].q[4], 0.0, tolerance::kPosition);
  }
}

TEST(Gripper2d, SlidesInABoundaryLayerThatTendsToOneMillimetre) {
  for (int k = 1; k <= 10; ++k) {
    const auto& step = run()[kFirstSliding + k - 1];
    EXPECT_NEAR(step.phi[0], 1e-3 * (1.0 - std::pow(3.0, -k)), tolerance::kPosition) << "k " << k;
  }
  const auto& last = run()[kFirstStopped - 1];  // within 3^-10 of the limit
  EXPECT_NEAR(last.normal[0], 11.0, 1.1 * std::pow(3.0, -10) + tolerance::kForce);
  EXPECT_NEAR(last.tangent[0] + last.tangent[1], -11.0, 2.2 * std::pow(3.0, -10) + tolerance::kForce);
  EXPECT_NEAR(last.normal[2], 21.0, 2.2 * std::pow(3.0, -10) + tolerance::kForce);
}

TEST(Gripper2d, LosesTheLayerByAThirdAStepAfterTheStop) {
  for (int l = kFirstStopped + 1; l < kSteps; ++l)
    EXPECT_NEAR(run()[l].phi[0] / run()[l - 1].phi[0], 1.0 / 3.0, tolerance::kPosition / run()[l].phi[0]);
}

TEST(Gripper2d, KeepsTheBallInPlace) {
  for (const auto& step : run()) {
    EXPECT_NEAR(step.q[0], 0.0, tolerance::kPosition);
    EXPECT_NEAR(step.q[1], 0.1, tolerance::kPosition);
    EXPECT_NEAR(step.tangent[2], 0.0, tolerance::kForce);
  }
}

}  // namespace
}  // namespace stiction::reference
