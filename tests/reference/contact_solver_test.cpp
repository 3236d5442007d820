#include "host/reference/contact_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "tests/reference/random_programs.hpp"
#include "tests/reference/settled.hpp"
#include "tests/reference/tolerances.hpp"
#include "tests/support/every_choice.hpp"

namespace stiction::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DenseProblem particle() {  // one body of three translations, no rows
  DenseProblem p;
  p.step_size = 0.1;
  p.H = Eigen::Matrix3d::Zero();
  p.M = Eigen::Matrix3d::Identity();
  p.g = Eigen::VectorXd{{0, 0, -1}};
  p.dof_radius = Eigen::VectorXd::Ones(3);
  p.J.resize(0, 3);
  p.mu.resize(0, 2);
  p.row_J.resize(0, 3);
  return p;
}

void add_contact(DenseProblem& p, const Eigen::MatrixXd& J, double gap_rate, double mu) {
  const int nc = p.num_contacts();
  p.J.conservativeResize(3 * nc + 3, p.nv());
  p.J.bottomRows(3) = J;
  p.gap_rate.conservativeResize(nc + 1);
  p.gap_rate[nc] = gap_rate;
  p.offset.conservativeResize(3 * nc + 3);
  p.offset.tail(3).setZero();
  p.mu.conservativeResize(nc + 1, 2);
  p.mu.row(nc).setConstant(mu);
}

void add_row(DenseProblem& p, const Eigen::VectorXd& J, double offset, double lower, double upper, double compliance) {
  const int r = p.num_rows();
  p.row_J.conservativeResize(r + 1, p.nv());
  p.row_J.row(r) = J.transpose();
  for (auto* field : {&p.row_offset, &p.row_lower, &p.row_upper, &p.row_compliance, &p.row_radius})
    field->conservativeResize(r + 1);
  p.row_offset[r] = offset, p.row_lower[r] = lower, p.row_upper[r] = upper;
  p.row_compliance[r] = compliance, p.row_radius[r] = 1.0;
}

const Eigen::Matrix3d kFloor{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};

TEST(ContactSolver, LetsAParticleFallToTheFloorAndNoFarther) {
  DenseProblem p = particle();
  add_contact(p, kFloor, 0.2, 0.5);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  EXPECT_NEAR((a.solution.v - Eigen::Vector3d(0, 0, -0.2)).norm(), 0.0, tolerance::kExact);
  EXPECT_NEAR(a.solution.lambda[0], 1.0, tolerance::kExact);
  EXPECT_LE(a.residual, tolerance::kResidual);
}

TEST(ContactSolver, HoldsASpringAtALimitACouplingAndADryFriction) {
  DenseProblem p = particle();
  p.g.setZero();
  p.H = Eigen::Vector3d(1, 1, 1).asDiagonal();
  p.g << 2, 2, 2;                                                             // alone: v = (2, 2, 2)
  add_row(p, Eigen::VectorXd{{-1, 0, 0}}, 0.5, 0.0, kInfinity, 0.0);          // limit: v_x <= 0.5
  add_row(p, Eigen::VectorXd{{0, 1, 0}}, 0.0, -0.25, 0.25, 0.0);              // dry friction takes 0.25
  add_row(p, Eigen::VectorXd{{0, 0, 1}}, -0.75, -kInfinity, kInfinity, 0.0);  // coupling: v_z = 0.75
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  EXPECT_NEAR((a.solution.v - Eigen::Vector3d(0.5, 1.75, 0.75)).norm(), 0.0, tolerance::kExact);
  EXPECT_NEAR((a.solution.row_lambda - Eigen::Vector3d(1.5, -0.25, -1.25)).norm(), 0.0, tolerance::kExact);
  EXPECT_LE(a.residual, tolerance::kResidual);
}

TEST(ContactSolver, StopsAMotorAtItsForceRange) {
  DenseProblem p = particle();
  p.g.setZero();
  p.H = Eigen::Vector3d(1, 1, 1).asDiagonal();
  // springs of stiffness 1/R = 4 towards v = 1: free force 4·(1 − v) = v, v = 0.8; the first may give 0.5 only
  add_row(p, Eigen::VectorXd{{1, 0, 0}}, -1.0, -0.5, 0.5, 0.25);
  add_row(p, Eigen::VectorXd{{0, 1, 0}}, -1.0, -5.0, 5.0, 0.25);
  add_row(p, Eigen::VectorXd{{0, 0, 1}}, -1.0, -kInfinity, kInfinity, 0.25);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  EXPECT_NEAR((a.solution.v - Eigen::Vector3d(0.5, 0.8, 0.8)).norm(), 0.0, tolerance::kExact);
  EXPECT_NEAR((a.solution.row_lambda - Eigen::Vector3d(0.5, 0.8, 0.8)).norm(), 0.0, tolerance::kExact);
  EXPECT_LE(a.residual, tolerance::kResidual);
}

TEST(ContactSolver, DoesNotMoveWhatNothingMoves) {
  DenseProblem p = particle();
  add_contact(p, kFloor, 0.0, 0.5);  // friction allows v_x, v_y of no effect on the objective: none is taken
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  EXPECT_NEAR(a.solution.v.norm(), 0.0, tolerance::kExact);
}

TEST(ContactSolver, CallsAnUnsupportedBodyUnboundedAndShowsWhereItFalls) {
  const DenseProblem p = particle();
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kUnbounded);
  EXPECT_NEAR(a.direction[2], -1.0, tolerance::kCertificate);
}

TEST(ContactSolver, LeavesAResidualOfRoundingOnRandomContacts) {
  const bool full = std::getenv("ST_FULL") != nullptr;
  Dice dice(7);
  double worst = 0.0;
  for (int k = 0; k < (full ? 500 : 40); ++k) {
    const int bodies = dice.integer(1, full ? 10 : 5);
    const DenseProblem p = random_contacts(dice, bodies, dice.integer(0, 9), 4 * bodies + dice.integer(0, 6 * bodies));
    const ContactAnswer a = solve_contacts(p);
    ASSERT_EQ(a.status, QpStatus::kSolved) << "problem " << k;
    EXPECT_LE(a.residual, tolerance::kResidual) << "problem " << k;
    EXPECT_LE(primal_violation(p, a.solution.v), tolerance::kExact) << "problem " << k;
    worst = std::max(worst, a.residual);
  }
  RecordProperty("worst_residual", std::to_string(worst));
}

/// The particle slides at an angle of 0.7 to t, or sticks, on a floor 0.05 m below; H = 1 along all axes.
DenseProblem oblique_slide(ContactLaw law, ConeType cone, double push) {
  DenseProblem p = particle();
  p.law = law, p.cone = cone;
  p.H = Eigen::Matrix3d::Identity();
  add_contact(p, kFloor, 0.5, 0.5);
  const Eigen::Vector3d u(-1.5, push * std::cos(0.7), push * std::sin(0.7));  // n, t, o of g: λ_n = 1 if v_n = −0.5
  p.g = p.J.transpose() * u;
  return p;
}

TEST(ContactSolver, SlidesAgainstThePushAndOnTheFloorUnderCoulombsLaw) {
  const DenseProblem p = oblique_slide(ContactLaw::kCoulomb, ConeType::kQuadratic, 2.0);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  const Eigen::Vector3d u = p.J * a.solution.v;
  EXPECT_NEAR((u - Eigen::Vector3d(-0.5, 1.5 * std::cos(0.7), 1.5 * std::sin(0.7))).norm(), 0.0, tolerance::kExact);
  const Eigen::Vector3d lambda(1.0, -0.5 * std::cos(0.7), -0.5 * std::sin(0.7));
  EXPECT_NEAR((a.solution.lambda - lambda).norm(), 0.0, tolerance::kExact);
}

TEST(ContactSolver, HoversAtMuTimesTheSlideUnderAnitescusLaw) {
  const DenseProblem p = oblique_slide(ContactLaw::kAnitescu, ConeType::kQuadratic, 2.0);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  const Eigen::Vector3d u = p.J * a.solution.v;
  // λ_n (1 + μ²) = 1 + 2 μ from u_n + 0.5 = μ |u_t|, u_n = −1.5 + λ_n, |u_t| = 2 − μ λ_n
  EXPECT_NEAR(a.solution.lambda[0], 2.0 / 1.25, tolerance::kExact);
  EXPECT_NEAR(u[0] + 0.5, 0.5 * u.tail<2>().norm(), tolerance::kExact);
}

TEST(ContactSolver, SticksInsideTheConeUnderEveryLawWithFriction) {
  for (const ContactLaw law : {ContactLaw::kAnitescu, ContactLaw::kCoulomb})
    for (const ConeType cone : {ConeType::kPyramid, ConeType::kQuadratic, ConeType::kBox}) {
      const DenseProblem p = oblique_slide(law, cone, 0.3);
      const ContactAnswer a = solve_contacts(p);
      ASSERT_EQ(a.status, QpStatus::kSolved);
      EXPECT_NEAR((p.J * a.solution.v - Eigen::Vector3d(-0.5, 0, 0)).norm(), 0.0, tolerance::kExact);
    }
}

TEST(ContactSolver, GivesTheBoxConeAForceInItsCorner) {
  const DenseProblem p = oblique_slide(ContactLaw::kCoulomb, ConeType::kBox, 2.0);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  EXPECT_NEAR((a.solution.lambda - Eigen::Vector3d(1.0, -0.5, -0.5)).norm(), 0.0, tolerance::kExact);
}

TEST(ContactSolver, LeavesASlideAloneWithoutFriction) {
  const DenseProblem p = oblique_slide(ContactLaw::kFrictionless, ConeType::kQuadratic, 2.0);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kSolved);
  EXPECT_NEAR((a.solution.lambda - Eigen::Vector3d(1.0, 0.0, 0.0)).norm(), 0.0, tolerance::kExact);
  EXPECT_LE(a.residual, tolerance::kResidual);
}

class EveryLawAndCone : public testing::TestWithParam<std::tuple<test::Named<ContactLaw>, test::Named<ConeType>>> {
 protected:
  DenseProblem falling_particle() const {
    DenseProblem p = particle();
    p.law = std::get<0>(GetParam()).value, p.cone = std::get<1>(GetParam()).value;
    return p;
  }
};

TEST_P(EveryLawAndCone, ShowsHowABodyBesideAWallFalls) {
  DenseProblem p = falling_particle();
  const Eigen::Matrix3d wall{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  add_contact(p, wall, 0.1, 0.5);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kUnbounded);
  EXPECT_GT(p.g.dot(a.direction), 0.0);
  const Eigen::Vector3d u = p.J * a.direction;
  EXPECT_GE(u[0], support(cone_of(p, 0), u) - tolerance::kCertificate);
}

TEST_P(EveryLawAndCone, ProvesThatClosingWallsHaveNoSolutionAndSharesTheOverlap) {
  DenseProblem p = falling_particle();
  add_contact(p, kFloor, -0.3, 0.5);
  add_contact(p, -kFloor, -0.1, 0.5);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.status, QpStatus::kInfeasible);
  const Eigen::VectorXd& y = a.farkas.lambda;
  EXPECT_LE((p.J.transpose() * y).norm(), tolerance::kCertificate * y.norm());
  EXPECT_LT(y[0] * p.gap_rate[0] + y[3] * p.gap_rate[1], 0.0);
  for (int i = 0; i < 2; ++i) {
    const Eigen::Vector3d one = y.segment<3>(3 * i);
    EXPECT_LE((project(cone_of(p, i), one) - one).norm(), tolerance::kExact * y.norm());
  }
  EXPECT_NEAR(a.violation, 0.1 * 0.4, tolerance::kExact);  // no motion along z overlaps by less than 0.3 + 0.1 m/s
}

TEST_P(EveryLawAndCone, LeavesAResidualOfRoundingOnRandomContacts) {
  const bool full = std::getenv("ST_FULL") != nullptr;
  Dice dice(11);
  expect_residuals_of_rounding(full ? 200 : 12, [&] {
    const int bodies = dice.integer(1, full ? 6 : 3);
    DenseProblem p = random_contacts(dice, bodies, dice.integer(0, 9), 4 * bodies + dice.integer(0, 3 * bodies));
    p.law = std::get<0>(GetParam()).value, p.cone = std::get<1>(GetParam()).value;
    for (int i = 0; i < p.num_contacts(); ++i) p.mu(i, 1) *= dice.uniform(0.5, 1.5);
    return p;
  });
}

INSTANTIATE_TEST_SUITE_P(ContactSolver, EveryLawAndCone,
                         testing::Combine(testing::ValuesIn(test::kEveryLaw), testing::ValuesIn(test::kEveryCone)));

}  // namespace
}  // namespace stiction::reference
