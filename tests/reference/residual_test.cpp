#include "host/reference/residual.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/reference/random_programs.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {
namespace {

TEST(Projection, KeepsPointsOfTheConeAndSendsThePolarConeToItsApex) {
  const auto G = pyramid_generators(0.5, 0.5, 4);
  EXPECT_NEAR((project_to_cone(G, {1, 0.2, 0.1}) - Eigen::Vector3d(1, 0.2, 0.1)).norm(), 0.0, tolerance::kExact);
  EXPECT_EQ(project_to_cone(G, {-1, 0.2, 0.1}).norm(), 0.0);
}

TEST(Projection, FallsOnAnEdgeAndOnAFaceWhereTheHandSays) {
  const auto G = pyramid_generators(1.0, 1.0, 4);
  // nearest to (0, 2, 0) on the edge (1, 1, 0)
  EXPECT_NEAR((project_to_cone(G, {0, 2, 0}) - Eigen::Vector3d(1, 1, 0)).norm(), 0.0, tolerance::kExact);
  // nearest to (0, 3, 3) on the face n = t + o: (0, 3, 3) + 2 (1, −1, −1)
  EXPECT_NEAR((project_to_cone(G, {0, 3, 3}) - Eigen::Vector3d(2, 1, 1)).norm(), 0.0, tolerance::kExact);
}

TEST(Projection, TreatsAConeWithoutFrictionAsAHalfLine) {
  const auto G = pyramid_generators(0.0, 0.0, 5);
  EXPECT_NEAR((project_to_cone(G, {2, 3, -4}) - Eigen::Vector3d(2, 0, 0)).norm(), 0.0, tolerance::kExact);
  EXPECT_EQ(project_to_cone(G, {-2, 3, -4}).norm(), 0.0);
}

TEST(Projection, TreatsAConeWithoutFrictionAlongOneAxisAsAFan) {
  const auto G = pyramid_generators(1.0, 0.0, 4);
  EXPECT_NEAR((project_to_cone(G, {0, 2, 7}) - Eigen::Vector3d(1, 1, 0)).norm(), 0.0, tolerance::kExact);
}

TEST(Projection, MeetsMoreausConditionsAtRandomPoints) {
  Dice dice(5);
  for (int k = 0; k < 2000; ++k) {
    const auto G = pyramid_generators(dice.uniform(0, 2), dice.uniform(0, 2), dice.integer(3, 8));
    const Eigen::Vector3d p = dice.vector(3), q = project_to_cone(G, p);
    EXPECT_NEAR(q.dot(p - q), 0.0, tolerance::kExact);
    EXPECT_LE((G.transpose() * (p - q)).maxCoeff(), tolerance::kExact);
  }
}

/// A particle of weight 1 N s on a floor, v and λ given by hand.
DenseProblem resting() {
  DenseProblem p;
  p.step_size = 0.1;
  p.H = Eigen::Matrix3d::Identity();
  p.M = Eigen::Matrix3d::Identity();
  p.g = Eigen::VectorXd{{0, 0, -1}};
  p.dof_radius = Eigen::VectorXd::Ones(3);
  p.J = Eigen::Matrix3d{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};
  p.gap_rate = Eigen::VectorXd::Zero(1);
  p.offset = Eigen::VectorXd::Zero(3);
  p.mu.resize(1, 2);
  p.mu << 0.5, 0.5;
  p.row_J.resize(0, 3);
  return p;
}

TEST(Residual, IsZeroAtTheSolution) {
  EXPECT_NEAR(residual(resting(), {Eigen::VectorXd::Zero(3), Eigen::VectorXd{{1, 0, 0}}, {}}), 0.0, tolerance::kExact);
}

TEST(Residual, MeasuresAnUnbalancedForceAgainstTheLargest) {
  // λ_n = 0.75: a quarter of the weight is not carried; the contact map is exact at u = 0
  EXPECT_NEAR(residual(resting(), {Eigen::VectorXd::Zero(3), Eigen::VectorXd{{0.75, 0, 0}}, {}}), 0.25,
              tolerance::kExact);
}

TEST(Residual, MeasuresPenetrationAgainstTheFastestContact) {
  // v = (3, 0, −4): without friction 4 m/s along the normal, whatever is along the surface; H = 0, so that forces
  // balance
  DenseProblem p = resting();
  p.H.setZero();
  p.mu.setZero();
  // ρ = 1/4; λ − ρ u = 1 + 4/4, so the map is 1 off at the scale ρ u₀ = 1
  EXPECT_NEAR(residual(p, {Eigen::VectorXd{{3, 0, -4}}, Eigen::VectorXd{{1, 0, 0}}, {}}), 1.0, tolerance::kExact);
  EXPECT_NEAR(residual(p, {Eigen::VectorXd{{3e6, 0, -4}}, Eigen::VectorXd{{1, 0, 0}}, {}}), 1.0, tolerance::kExact);
}

TEST(Residual, LeavesTheGapOutOfTheSpeedScale) {
  // λ_n = 1 across a gap of 0.2 m: û = 2 m/s, u₀ = 1 mm/h = 0.01 m/s, ρ = 100: the map takes λ to 0
  DenseProblem p = resting();
  p.gap_rate[0] = 2.0;
  EXPECT_NEAR(residual(p, {Eigen::VectorXd::Zero(3), Eigen::VectorXd{{1, 0, 0}}, {}}), 1.0, tolerance::kExact);
}

TEST(Residual, CountsTorquesAsForcesOnTheBodysSurface) {
  DenseProblem p = resting();
  p.H.setZero();
  p.J.setZero();
  p.g << 1, 0, 0.5;  // 1 N s unbalanced and 0.5 N m s at 0.1 m: 5 N s
  p.dof_radius[2] = 0.1;
  EXPECT_NEAR(residual(p, {Eigen::VectorXd::Zero(3), Eigen::VectorXd::Zero(3), {}}), 1.0, tolerance::kExact);
  p.g[2] = 0.0, p.dof_radius[2] = 1.0;
  p.H(1, 1) = 1.0;  // 0.5 N s of unbalanced motion against the 1 N s of g, carried by H itself
  p.H(0, 0) = 1.0;
  EXPECT_NEAR(residual(p, {Eigen::VectorXd{{1, 0.5, 0}}, Eigen::VectorXd::Zero(3), {}}), 0.5, tolerance::kExact);
}

TEST(Residual, MapsABoundedRowOntoItsInterval) {
  DenseProblem p = resting();
  p.H.setZero();
  p.J.setZero();
  p.g << 0.5, 0, 0;
  p.row_J = Eigen::RowVector3d(1, 0, 0);
  p.row_offset = p.row_compliance = Eigen::VectorXd::Zero(1);
  p.row_lower = Eigen::VectorXd::Constant(1, -1.0);
  p.row_upper = Eigen::VectorXd::Constant(1, 1.0);
  p.row_radius = Eigen::VectorXd::Ones(1);
  const Eigen::VectorXd held = Eigen::VectorXd::Constant(1, -0.5);
  EXPECT_EQ(residual(p, {Eigen::VectorXd::Zero(3), Eigen::VectorXd::Zero(3), held}), 0.0);
  // sliding at 2 m/s asks for −1: ρ = 0.5/2, λ − ρ u = −0.5 − 0.5 = −1, half a newton second off at the scale 0.5
  EXPECT_NEAR(residual(p, {Eigen::VectorXd{{2, 0, 0}}, Eigen::VectorXd::Zero(3), held}), 1.0, tolerance::kExact);
}

TEST(Residual, TakesTheSpeedScaleFromRowsToo) {
  // the row moves at 2 rad/s · 0.5 m = 1 m/s, the contact not at all; λ_n = 1 across û = 0.25 m/s: ρ = 1, map 0.25 off
  DenseProblem p = resting();
  p.H.setZero();
  p.gap_rate[0] = 0.25;
  p.J.col(1).setZero();
  p.row_J = Eigen::RowVector3d(0, 2, 0);
  p.row_offset = p.row_lower = p.row_compliance = Eigen::VectorXd::Zero(1);
  p.row_upper = Eigen::VectorXd::Constant(1, std::numeric_limits<double>::infinity());
  p.row_radius = Eigen::VectorXd::Constant(1, 0.5);
  const DenseSolution s{Eigen::VectorXd{{0, 1, 0}}, Eigen::VectorXd{{1, 0, 0}}, Eigen::VectorXd::Zero(1)};
  EXPECT_NEAR(residual(p, s), 0.25, tolerance::kExact);
}

/// Bodies of one dof without inertia: 1,000 N s drive the first down, 1 mN s the second, which is on it by a contact.
DenseProblem gram_on_ton() {
  DenseProblem p;
  p.step_size = 0.01;
  p.trees = {1, 1};
  p.H = p.M = Eigen::MatrixXd::Zero(2, 2);
  p.g = Eigen::VectorXd{{-1000, -1e-3}};
  p.dof_radius = Eigen::VectorXd::Ones(2);
  p.J = Eigen::MatrixXd::Zero(6, 2);
  p.J(0, 0) = 1, p.J(3, 0) = -1, p.J(3, 1) = 1;
  p.gap_rate = Eigen::VectorXd::Zero(2);
  p.offset = Eigen::VectorXd::Zero(6);
  p.mu = Eigen::MatrixXd::Zero(2, 2);
  p.row_J.resize(0, 2);
  return p;
}

DenseSolution pressed_by(double below, double above) {
  return {Eigen::VectorXd::Zero(2), Eigen::VectorXd{{below, 0, 0, above, 0, 0}}, {}};
}

TEST(Residual, JudgesEveryTreeByItsOwnImpulses) {
  EXPECT_NEAR(residual(gram_on_ton(), pressed_by(1000.001, 1e-3)), 0.0, tolerance::kExact);
  EXPECT_NEAR(residual(gram_on_ton(), pressed_by(1000.00075, 0.75e-3)), 0.25, tolerance::kExact);
  EXPECT_NEAR(residual(gram_on_ton(), pressed_by(750.001, 1e-3)), 0.25, tolerance::kExact);
}

TEST(Residual, TakesAllForOneTreeWhereNoneAreNamed) {
  DenseProblem p = gram_on_ton();
  p.trees.clear();
  EXPECT_NEAR(residual(p, pressed_by(1000, 0)), 1e-6, tolerance::kExact);
}

TEST(Residual, JudgesAContactByItsLighterTree) {
  DenseProblem p = gram_on_ton();
  p.gap_rate[1] = -0.05;  // half of u₀ = 1 mm/h = 0.1 m/s: ρ û is half of the gram's impulse
  EXPECT_NEAR(residual(p, pressed_by(1000.001, 1e-3)), 0.5, tolerance::kExact);
}

TEST(Residual, JudgesARowByItsLighterTree) {
  DenseProblem p = gram_on_ton();
  p.row_J = Eigen::RowVector2d(-1, 1);
  p.row_offset = Eigen::VectorXd::Constant(1, 1.0);
  p.row_lower = p.row_compliance = Eigen::VectorXd::Zero(1);
  p.row_upper = Eigen::VectorXd::Constant(1, std::numeric_limits<double>::infinity());
  p.row_radius = Eigen::VectorXd::Constant(1, 0.5);
  // an open row presses with λ/radius of twice and of half the gram's impulse, which should be none
  DenseSolution s = pressed_by(1000.001, 0.0);
  s.row_lambda = Eigen::VectorXd::Constant(1, 1e-3);
  EXPECT_NEAR(residual(p, s), 2.0, tolerance::kExact);
  s.row_lambda[0] = 0.25e-3, s.lambda[3] = 0.75e-3;
  EXPECT_NEAR(residual(p, s), 0.5, tolerance::kExact);
}

TEST(Residual, JudgesWhatNothingDrivesByAMillinewtonAndWhatIsSqueezedByAThousandth) {
  DenseProblem p = gram_on_ton();
  p.g.setZero();
  EXPECT_NEAR(residual(p, pressed_by(0.0, 0.25e-5)), 0.25, tolerance::kExact);
  p.J(0, 0) = 0, p.J(0, 1) = -1, p.J(3, 0) = 0;  // both press the second
  EXPECT_NEAR(residual(p, pressed_by(2.0, 2.001)), 1e-3 / 2.001e-3, 1e3 * tolerance::kExact);
}

TEST(Residual, JudgesWhatActsOnNothingByItself) {
  DenseProblem p = gram_on_ton();
  p.J.row(3).setZero();
  p.gap_rate[1] = 1.0, p.g[1] = 0.0;
  EXPECT_NEAR(residual(p, pressed_by(1000, 0.25e-5)), 0.25, tolerance::kExact);
  EXPECT_NEAR(residual(p, pressed_by(1000, 3)), 1.0, tolerance::kExact);
}

}  // namespace
}  // namespace stiction::reference
