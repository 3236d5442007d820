// Claims about solve_qp: hand numbers, the reference's objective, certificates, no units.
#include <gtest/gtest.h>

#include "host/reference/qp.hpp"
#include "tests/api/problems.hpp"
#include "tests/api/tolerances.hpp"
#include "tests/solver/samples.hpp"
#include "tests/support/solver_names.hpp"

namespace stiction::test {
namespace {

class EveryQpSolver : public testing::TestWithParam<SolverName> {
 protected:
  SolveOptions options() const {
    SolveOptions o;
    o.solver = GetParam();
    o.cone = ConeType::kQuadratic;  // of no interest to a QP
    o.tolerance = is_iterative(GetParam()) ? tolerance::kAskedIterative : tolerance::kAsked;
    return o;
  }
  double hand() const { return is_iterative(GetParam()) ? tolerance::kHandIterative : tolerance::kHand; }
};

TEST_P(EveryQpSolver, IsRightByHandWhateverTheUnits) {
  // min ½ 2 x² + ½ y² − 4 x − y with x <= 1.5, y >= 2
  const Matrix H = Eigen::Vector2d(2, 1).asDiagonal(), A = Eigen::Vector2d(-1, 1).asDiagonal();
  const Vector g = Eigen::Vector2d(4, 1), b = Eigen::Vector2d(1.5, -2);
  for (const double length : {1e-8, 1.0, 1e8})
    for (const double force : {1e-8, 1.0, 1e8}) {
      const QpBatch p(H * (force / length), g * force, A, b * length);
      const ContactAnswers a = solve_qp(p.view, options());
      ASSERT_EQ(a.status[0], status::kConverged) << length << " " << force << " " << a.residual[0];
      EXPECT_LE((part_of(a.v, 1, 0) / length - Eigen::Vector2d(1.5, 2)).norm(), hand()) << length << " " << force;
      EXPECT_LE((part_of(a.lambda, 1, 0) / force - Eigen::Vector2d(1, 1)).norm(), hand()) << length << " " << force;
    }
}

TEST_P(EveryQpSolver, WithContradictingRowsHasACertificate) {
  const Matrix H = Matrix::Identity(2, 2), A{{1, 1}, {-2, -2}};
  const Vector b = Eigen::Vector2d(-1, 1);  // x + y >= 1, x + y <= 0.5
  const ContactAnswers a = solve_qp(QpBatch(H, Eigen::Vector2d(1, 0), A, b).view, options());
  ASSERT_EQ(a.status[0], status::kInfeasible);
  const Vector y = part_of(a.farkas, 1, 0);
  EXPECT_GE(y.minCoeff(), 0.0);
  EXPECT_LE((A.transpose() * y).cwiseAbs().maxCoeff(), tolerance::kCertificate * y.maxCoeff());
  EXPECT_LT(b.dot(y), 0.0);
}

TEST_P(EveryQpSolver, WithoutEndHasADirection) {
  const Matrix H = Eigen::Vector2d(1, 0).asDiagonal(), A{{1, 1}};
  const Vector g = Eigen::Vector2d(0, 1);
  const ContactAnswers a = solve_qp(QpBatch(H, g, A, Vector::Zero(1)).view, options());
  ASSERT_EQ(a.status[0], status::kUnbounded);
  const Vector d = part_of(a.direction, 1, 0);
  EXPECT_GT(g.dot(d), 0.0);
  EXPECT_LE((H * d).norm(), tolerance::kCertificate * d.norm());
  EXPECT_GE((A * d)[0], -tolerance::kCertificate * d.norm());
}

TEST_P(EveryQpSolver, WithoutRowsIsALinearSystem) {
  const ContactAnswers a = solve_qp(
      QpBatch(Eigen::Matrix2d{{2, 1}, {1, 2}}, Eigen::Vector2d(3, 3), Matrix(0, 2), Vector(0)).view, options());
  ASSERT_EQ(a.status[0], status::kConverged);
  EXPECT_LE((part_of(a.v, 1, 0) - Eigen::Vector2d(1, 1)).norm(), hand());
}

INSTANTIATE_TEST_SUITE_P(Everyone, EveryQpSolver, testing::ValuesIn(kEverySolver), solver_name);

TEST(Qp, AtRandomHasTheReferencesObjective) {
  Rng rng(47);
  int solved = 0;
  const int count = samples(30);
  for (int i = 0; i < count; ++i) {
    const Eigen::Index n = 2 + i % 12, m = 1 + (i * 7) % 25, rank = 1 + i % 9;
    Matrix F(rank, n), A(m, n);
    for (auto& x : F.reshaped()) x = uniform(rng, -1, 1);
    for (auto& x : A.reshaped()) x = uniform(rng, -1, 1);
    Vector force(rank), b(m);
    for (auto& x : force) x = uniform(rng, -1, 1);
    for (auto& x : b) x = uniform(rng, 0, 1);
    const Matrix H = F.transpose() * F;
    const Vector g = F.transpose() * force;
    SolveOptions o;
    o.tolerance = tolerance::kAsked;
    const ContactAnswers a = solve_qp(QpBatch(H, g, A, b).view, o);
    const auto expected = reference::solve_qp({H, g, Matrix(0, n), Vector(0), A, b, Matrix(), 0.0});
    ASSERT_EQ(expected.status, reference::QpStatus::kSolved) << i;
    if (a.status[0] != status::kConverged) continue;
    ++solved;
    const auto objective = [&](const Vector& v) { return 0.5 * v.dot(H * v) - g.dot(v); };
    const double best = objective(expected.x);
    EXPECT_NEAR(objective(part_of(a.v, 1, 0)), best, tolerance::kObjective * (1e-3 + std::fabs(best))) << i;
  }
  EXPECT_GE(solved, tolerance::kShareConverged * count);
}

}  // namespace
}  // namespace stiction::test
