#include "host/reference/qp.hpp"

#include <gtest/gtest.h>

#include "tests/reference/random_programs.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {
namespace {

QuadraticProgram program(int n, int m, int me) {
  QuadraticProgram p;
  p.H = Eigen::MatrixXd::Zero(n, n);
  p.g = Eigen::VectorXd::Zero(n);
  p.C = Eigen::MatrixXd::Zero(m, n);
  p.c = Eigen::VectorXd::Zero(m);
  p.E = Eigen::MatrixXd::Zero(me, n);
  p.e = Eigen::VectorXd::Zero(me);
  return p;
}

TEST(DualActiveSet, StopsAtTheUnconstrainedMinimumWhenNoRowBinds) {
  const StrictSolution s =
      solve_strict({Eigen::Matrix2d{{2, 0}, {0, 4}}, Eigen::VectorXd{{2, 4}}, Eigen::MatrixXd(0, 2), Eigen::VectorXd(0),
                    Eigen::MatrixXd{{1, 0}}, Eigen::VectorXd::Constant(1, 5.0)});
  ASSERT_EQ(s.status, QpStatus::kSolved);
  EXPECT_NEAR(s.x[0], 1.0, tolerance::kExact);
  EXPECT_NEAR(s.x[1], 1.0, tolerance::kExact);
  EXPECT_EQ(s.y[0], 0.0);
}

TEST(DualActiveSet, DropsARowThatALaterOneReplaces) {
  // nearest point to (3, 0) with x <= 2 and x <= 1: the second row takes the whole force
  const StrictSolution s =
      solve_strict({Eigen::Matrix2d::Identity(), Eigen::VectorXd{{3, 0}}, Eigen::MatrixXd(0, 2), Eigen::VectorXd(0),
                    Eigen::MatrixXd{{-1, 0}, {-1, 0}}, Eigen::VectorXd{{2, 1}}});
  ASSERT_EQ(s.status, QpStatus::kSolved);
  EXPECT_NEAR(s.x[0], 1.0, tolerance::kExact);
  EXPECT_NEAR(s.y.sum(), 2.0, tolerance::kExact);
}

TEST(Qp, SolvesALinearProgramAtItsVertex) {
  QuadraticProgram p = program(2, 3, 0);  // min x + 2y in the triangle x, y >= 0, x + y >= 1
  p.g << -1, -2;
  p.C << 1, 0, 0, 1, 1, 1;
  p.c << 0, 0, -1;
  const QpSolution s = solve_qp(p);
  ASSERT_EQ(s.status, QpStatus::kSolved);
  EXPECT_NEAR(s.x[0], 1.0, tolerance::kExact);
  EXPECT_NEAR(s.x[1], 0.0, tolerance::kExact);
  EXPECT_NEAR(s.y[2], 1.0, tolerance::kExact);
}

TEST(Qp, ReturnsTheSolutionOfLeastWeightedMotion) {
  QuadraticProgram p = program(2, 1, 0);  // any (1, y) with y >= 0.5 solves it
  p.H(0, 0) = 1.0;
  p.g[0] = 1.0;
  p.C(0, 1) = 1.0;
  p.c[0] = -0.5;
  p.weight = Eigen::Vector2d(0, 3).asDiagonal();
  const QpSolution s = solve_qp(p);
  ASSERT_EQ(s.status, QpStatus::kSolved);
  EXPECT_NEAR(s.x[0], 1.0, tolerance::kExact);
  EXPECT_NEAR(s.x[1], 0.5, tolerance::kExact);
}

TEST(Qp, MeetsTheOptimalityConditionsOfRandomSingularPrograms) {
  Dice dice(1);
  for (int k = 0; k < 300; ++k) {
    const int n = dice.integer(1, 40), rank = dice.integer(0, n);
    const QuadraticProgram p = random_program(dice, n, rank, dice.integer(0, 4 * n), dice.integer(0, n / 3));
    const QpSolution s = solve_qp(p);
    ASSERT_EQ(s.status, QpStatus::kSolved) << "program " << k;
    EXPECT_LE(optimality_error(p, s), tolerance::kResidual) << "program " << k;
  }
}

TEST(Qp, ProvesThatRandomContradictionsHaveNoSolution) {
  Dice dice(2);
  for (int k = 0; k < 100; ++k) {
    const int n = dice.integer(2, 20), m = 2 * n;
    QuadraticProgram p = random_program(dice, n, dice.integer(0, n), m, 0);
    const Eigen::VectorXd y = Eigen::VectorXd::Ones(m) + 0.5 * dice.vector(m);
    p.C.row(m - 1) = -(p.C.topRows(m - 1).transpose() * y.head(m - 1)).transpose();  // yᵀC = 0 with y_m = 1
    p.c[m - 1] = -y.head(m - 1).dot(p.c.head(m - 1)) - dice.uniform(0.1, 1.0);       // yᵀc < 0
    const QpSolution s = solve_qp(p);
    ASSERT_EQ(s.status, QpStatus::kInfeasible) << "program " << k;
    EXPECT_GE(s.y.minCoeff(), 0.0);
    EXPECT_LT(s.y.dot(p.c), 0.0);
    EXPECT_LE((p.C.transpose() * s.y).norm(), tolerance::kCertificate * (p.C.cwiseAbs().transpose() * s.y).norm());
  }
}

TEST(Qp, ProvesThatAFreeDirectionIsUnbounded) {
  Dice dice(3);
  for (int k = 0; k < 100; ++k) {
    const int n = dice.integer(2, 20);
    QuadraticProgram p = random_program(dice, n, dice.integer(0, n - 1), dice.integer(0, n), 0);
    const Eigen::VectorXd d = dice.vector(n).normalized();
    p.H -= p.H;  // nothing resists
    for (int i = 0; i < p.C.rows(); ++i)
      if (p.C.row(i).dot(d) < 0.0) p.C.row(i) *= -1.0;  // and no row stops d
    p.g = d;
    const QpSolution s = solve_qp(p);
    ASSERT_EQ(s.status, QpStatus::kUnbounded) << "program " << k;
    EXPECT_GT(p.g.dot(s.direction), 0.0);
    EXPECT_LE((p.H * s.direction).norm(), tolerance::kCertificate);
    if (p.C.rows() > 0) {
      EXPECT_GE((p.C * s.direction).minCoeff(), -tolerance::kCertificate * p.C.norm());
    }
  }
}

TEST(Qp, AnswersAnEmptyProgram) {
  const QpSolution s = solve_qp(program(3, 0, 0));
  ASSERT_EQ(s.status, QpStatus::kSolved);
  EXPECT_EQ(s.x.norm(), 0.0);
}

}  // namespace
}  // namespace stiction::reference
