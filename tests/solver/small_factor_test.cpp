// Factors of small dense matrices by one lane: LU with two columns at once, and Cholesky along rows.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/linalg/small_lu.hpp"

namespace stiction::test {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kRounding = 1e-9;  // of the answer, for matrices of up to 40 rows

/// Entries between −1 and 1, of which this share is 0.
RowMatrix random_matrix(std::mt19937& random, int n, double zeros) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0), share(0.0, 1.0);
  return RowMatrix::NullaryExpr(n, n, [&](auto, auto) { return share(random) < zeros ? 0.0 : entry(random); });
}

TEST(SmallFactors, LuSolvesMatricesOfEverySize) {
  std::mt19937 random(11);
  for (int n = 1; n <= 40; ++n)
    for (const double zeros : {0.0, 0.6}) {
      RowMatrix A = random_matrix(random, n, zeros);
      A.diagonal().array() += zeros;  // with so many zeros it would often be singular
      const Eigen::VectorXd x = random_matrix(random, n, 0.0).col(0);
      Eigen::VectorXd b = A * x;
      if (A.fullPivLu().rcond() < 1e-5) continue;
      std::vector<int> row(n);
      ASSERT_TRUE(factor_rows(A.data(), n, row.data())) << n;
      solve_rows(A.data(), n, row.data(), b.data());
      EXPECT_LT((b - x).lpNorm<Eigen::Infinity>(), kRounding) << n << " rows, zeros " << zeros;
    }
}

TEST(SmallFactors, LuFindsZerosOnTheDiagonalNoObstacle) {
  double A[] = {0, 2, 0, 3, 0, 0, 0, 0, 4}, b[] = {2, 6, 4};
  int row[3];
  ASSERT_TRUE(factor_rows(A, 3, row));
  solve_rows(A, 3, row, b);
  EXPECT_EQ(b[0], 2.0);
  EXPECT_EQ(b[1], 1.0);
  EXPECT_EQ(b[2], 1.0);
}

TEST(SmallFactors, LuRefusesSingularMatricesAndNaN) {
  for (int n = 2; n <= 9; ++n)
    for (int at = 0; at < n; ++at) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<int> row(n);
      RowMatrix A = random_matrix(random, n, 0.0);
      RowMatrix zero = A, nan = A;
      zero.col(at).setZero();
      EXPECT_FALSE(factor_rows(zero.data(), n, row.data())) << n << " " << at;
      nan(n - 1, at) = std::nan("");
      EXPECT_FALSE(factor_rows(nan.data(), n, row.data())) << n << " " << at;
    }
}

TEST(SmallFactors, CholeskySolvesMatricesOfEverySize) {
  std::mt19937 random(12);
  for (int n = 1; n <= 40; ++n) {
    const RowMatrix half = random_matrix(random, n, 0.3);
    RowMatrix A = half * half.transpose();
    A.diagonal().array() += 0.1;
    const Eigen::VectorXd x = random_matrix(random, n, 0.0).col(0);
    Eigen::VectorXd b = A * x;
    ASSERT_TRUE(factor_upper(A.data(), n)) << n;
    solve_upper(A.data(), n, b.data());
    EXPECT_LT((b - x).lpNorm<Eigen::Infinity>(), kRounding) << n;
  }
}

TEST(SmallFactors, CholeskyRefusesWhatIsNotPositive) {
  for (const double last : {0.25, 0.2, std::nan("")}) {
    double A[] = {4, 1, 1, last};
    EXPECT_FALSE(factor_upper(A, 2)) << last;
  }
}

}  // namespace
}  // namespace stiction::test
