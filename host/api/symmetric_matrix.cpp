#include "host/api/symmetric_matrix.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "host/api/check_problems.hpp"

namespace stiction {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What rounding makes of a zero eigenvalue, relative to the largest entry; matrices come printed to 7 digits.
constexpr double kRounding = 1e-6;

std::string in_three_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

}  // namespace

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

double take_symmetric_part(std::span<const double> A, int n, std::span<double> S) {
  const Eigen::Map<const RowMatrix> given(A.data(), n, n);
  Eigen::Map<RowMatrix> out(S.data(), n, n);
  out = 0.5 * given + 0.5 * given.transpose();
  const double largest = given.cwiseAbs().maxCoeff();
  return largest > 0 ? (given - given.transpose()).cwiseAbs().maxCoeff() / largest : 0.0;
}

void expect_symmetric(const std::string& name, int problem, double asymmetry) {
  if (asymmetry > kMostAsymmetry)
    refuse(name, problem,
           "expected a symmetric matrix, given one with an asymmetry of " + in_three_digits(asymmetry) +
               " of its largest entry (up to " + in_three_digits(kMostAsymmetry) + " is taken for rounding)");
}

void expect_semidefinite(const std::string& name, int problem, std::span<const double> S, int n) {
  const Eigen::Map<const RowMatrix> given(S.data(), n, n);
  const double largest = given.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return;
  RowMatrix lifted = given;
  lifted.diagonal().array() += kRounding * largest;
  if (Eigen::LLT<RowMatrix>(lifted).info() == Eigen::Success) return;
  const double least = Eigen::SelfAdjointEigenSolver<RowMatrix>(given, Eigen::EigenvaluesOnly).eigenvalues()[0];
  refuse(name, problem,
         "expected a positive semidefinite matrix, given one with the eigenvalue " + in_three_digits(least));
}

}  // namespace stiction
