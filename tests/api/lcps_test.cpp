// Claims about solve_lcp and solve_mlcp: hand numbers, random problems judged by the test, the reasons why there is no
// solution, singular equations.
#include <gtest/gtest.h>

#include "tests/api/problems.hpp"
#include "tests/api/tolerances.hpp"
#include "tests/solver/generated_lcps.hpp"
#include "tests/solver/samples.hpp"

namespace stiction::test {
namespace {

/// The natural map's largest entry relative to ‖q‖∞.
double judge(const LcpBatch& p, const Vector& z) {
  const Eigen::Map<const Vector> q(p.q.data(), z.size());
  return natural_map(p, z).cwiseAbs().maxCoeff() / std::max(1.0, q.cwiseAbs().maxCoeff());
}

void expect_certificate(const Matrix& M, const Vector& q, const std::vector<int>& equations, const Vector& y) {
  const Vector product = M.transpose() * y;
  const double unit = tolerance::kCertificate * M.cwiseAbs().maxCoeff() * y.cwiseAbs().sum();
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const bool equation = !equations.empty() && equations[static_cast<std::size_t>(i)];
    EXPECT_LE(equation ? std::fabs(product[i]) : product[i], unit) << i;
    if (!equation) {
      EXPECT_GE(y[i], 0.0) << i;
    }
  }
  EXPECT_LT(q.dot(y), 0.0);
}

TEST(Lcp, IsSolvedByHand) {
  const LcpBatch p(Eigen::Matrix2d{{2, 1}, {1, 2}}, Eigen::Vector2d(-5, -6));
  const LcpAnswers a = solve_lcp(p.view);
  ASSERT_EQ(a.status[0], status::kConverged);
  EXPECT_NEAR(a.z[0], 4.0 / 3, tolerance::kHand);
  EXPECT_NEAR(a.z[1], 7.0 / 3, tolerance::kHand);
  EXPECT_TRUE(std::isnan(a.farkas[0]));
}

TEST(Lcp, AtRandomIsSolved) {
  Rng rng(45);
  for (int i = 0; i < samples(30); ++i) {
    const Eigen::Index n = 2 + i % 20;
    Matrix A(n, n), S(n, n);
    for (auto& x : A.reshaped()) x = uniform(rng, -1, 1);
    for (auto& x : S.reshaped()) x = uniform(rng, -1, 1);
    Vector q(n);
    for (auto& x : q) x = uniform(rng, -1, 1);
    const LcpBatch p(A.transpose() * A + S - S.transpose(), q);
    const LcpAnswers a = solve_lcp(p.view);
    EXPECT_EQ(a.status[0], status::kConverged) << i;
    EXPECT_LE(judge(p, part_of(a.z, 1, 0)), tolerance::kComplementarity) << i;
    EXPECT_LE(a.residual[0], SolveOptions{}.tolerance) << i;
  }
}

TEST(Lcp, BetweenClosingWallsHasACertificate) {
  const Matrix M = Eigen::Matrix2d{{1, -1}, {-1, 1}};
  const Vector q = Eigen::Vector2d(-1, -1);
  const LcpAnswers a = solve_lcp(LcpBatch(M, q).view);
  ASSERT_EQ(a.status[0], status::kInfeasible);
  expect_certificate(M, q, {}, part_of(a.farkas, 1, 0));
}

TEST(Lcp, OfAnyMatrixWhoseInequalitiesContradictHasACertificate) {
  Rng rng(46);
  for (int i = 0; i < samples(20); ++i) {
    const Eigen::Index n = 3 + i % 5;
    Matrix M(n, n);  // all z >= 0 make the first row smaller
    for (auto& x : M.reshaped()) x = uniform(rng, -1, 1);
    M.row(0) = -M.row(0).cwiseAbs();
    Vector q = Vector::Random(n);
    q[0] = -1;
    const LcpAnswers a = solve_lcp(LcpBatch(M, q).view);
    ASSERT_EQ(a.status[0], status::kInfeasible) << i;
    expect_certificate(M, q, {}, part_of(a.farkas, 1, 0));
  }
}

TEST(Lcp, WithRoomButWithoutSolutionSaysNoSolutionFound) {
  // w_1 = z_2 − 1, w_2 = 1 − z_1 ... no complementary pair, though z = (0, 1) has w >= 0
  const Matrix M = Eigen::Matrix2d{{0, 1}, {0, 0}};
  const Vector q = Eigen::Vector2d(-1, 1);
  const LcpAnswers a = solve_lcp(LcpBatch(M, q).view);
  EXPECT_EQ(a.status[0], status::kNoSolutionFound);
  EXPECT_TRUE(std::isnan(a.farkas[0]));
}

TEST(Lcp, OfAnySmallMatrixIsSolvedWhereverASolutionExists) {
  Rng rng(49);
  int solved = 0, unsolvable = 0;
  for (int i = 0; i < samples(100); ++i) {
    const Eigen::Index n = 2 + i % 6;
    RawLcp p{Matrix(n, n), Vector(n), {}};
    for (auto& x : p.M.reshaped()) x = uniform(rng, -1, 1);
    for (auto& x : p.q) x = uniform(rng, -1, 1);
    const bool solvable = !enumerate_solutions(p, tolerance::kRoundings).empty();
    const LcpBatch batch(p.M, p.q);
    const LcpAnswers a = solve_lcp(batch.view);
    EXPECT_EQ(a.status[0] == status::kConverged, solvable) << i;
    (solvable ? solved : unsolvable) += 1;
    if (solvable) {
      EXPECT_LE(judge(batch, part_of(a.z, 1, 0)), tolerance::kComplementarity) << i;
    } else if (a.status[0] == status::kInfeasible) {
      expect_certificate(p.M, p.q, {}, part_of(a.farkas, 1, 0));
    } else {
      EXPECT_EQ(a.status[0], status::kNoSolutionFound) << i;
    }
  }
  EXPECT_GT(solved, 0);
  EXPECT_GT(unsolvable, 0);
}

TEST(Lcp, KeepsTheTotalOfPivotsOfAllCovers) {
  Rng rng(50);
  int limited = 0;
  for (int i = 0; i < samples(30); ++i) {
    RawLcp p{Matrix(6, 6), Vector(6), {}};
    for (auto& x : p.M.reshaped()) x = uniform(rng, -1, 1);
    for (auto& x : p.q) x = uniform(rng, -1, 1);
    const LcpBatch batch(p.M, p.q);
    for (const int total : {1, 3, 8}) {
      SolveOptions o;
      o.max_total_iterations = total;
      const LcpAnswers a = solve_lcp(batch.view, o);
      EXPECT_LE(a.iterations[0], total) << i;
      if (a.status[0] == status::kConverged || a.status[0] == status::kInfeasible) continue;
      EXPECT_EQ(a.status[0], status::kIterationLimit) << i;
      ++limited;
    }
  }
  EXPECT_GT(limited, samples(10));
}

TEST(Mlcp, IsSolvedByHand) {
  // min ½ (x − 3)² + ½ y² with x + y = 1, x <= 0.5: multiplier of the equation free
  Matrix M = Matrix::Zero(4, 4);
  M.row(0) << 1, 0, 1, 1;
  M.row(1) << 0, 1, 1, 0;
  M.row(2) << 1, 1, 0, 0;
  M.row(3) << -1, 0, 0, 0;
  const LcpBatch p(M, Eigen::Vector4d(-3, 0, -1, 0.5), {1, 1, 1, 0});
  const LcpAnswers a = solve_mlcp(p.view);
  ASSERT_EQ(a.status[0], status::kConverged);
  EXPECT_LE((part_of(a.z, 1, 0) - Eigen::Vector4d(0.5, 0.5, -0.5, 3)).cwiseAbs().maxCoeff(), tolerance::kHand);
}

TEST(Mlcp, WithSingularEquationsIsSolvedOrHasACertificate) {
  Matrix M = Matrix::Zero(3, 3);
  M.row(0) << 1, 1, 0;
  M.row(1) << 2, 2, 0;  // twice the first
  M.row(2) << 0, 0, 1;
  const std::vector<int> equations{1, 1, 0};
  const LcpBatch consistent(M, Eigen::Vector3d(-1, -2, -1), equations);
  const LcpAnswers a = solve_mlcp(consistent.view);
  EXPECT_EQ(a.status[0], status::kConverged);
  EXPECT_LE(judge(consistent, part_of(a.z, 1, 0)), tolerance::kComplementarity);
  const Vector q = Eigen::Vector3d(-1, -3, -1);
  const LcpAnswers b = solve_mlcp(LcpBatch(M, q, equations).view);
  ASSERT_EQ(b.status[0], status::kInfeasible);
  expect_certificate(M, q, equations, part_of(b.farkas, 1, 0));
}

TEST(Mlcp, HasEquationsOfItsOwnInEveryProblem) {
  LcpBatch p(Eigen::Matrix2d{{1, 0}, {0, 1}}, Eigen::Vector2d(1, 1));
  p.M.insert(p.M.end(), {1, 0, 0, 1}), p.q.insert(p.q.end(), {1, 1});
  p.equations = {1, 0, 0, 1};
  p.view = {2, 2, p.M, p.q, p.equations};
  const LcpAnswers a = solve_mlcp(p.view);
  const std::vector<double> expected{-1, 0, 0, -1};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a.z[k], expected[k], tolerance::kHand) << k;
}

}  // namespace
}  // namespace stiction::test
