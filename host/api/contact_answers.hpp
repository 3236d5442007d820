// The arrays of a batch's answers, and the part of them that belongs to one problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/api/one_block_problem.hpp"
#include "host/api/symmetric_matrix.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Part i of an array (batch, ...).
template <class T>
std::span<const T> part(std::span<const T> all, int batch, int i) {
  const std::size_t size = all.size() / static_cast<std::size_t>(batch);
  return all.subspan(size * static_cast<std::size_t>(i), size);
}

template <class T>
std::span<T> part(std::vector<T>& all, int batch, int i) {
  const std::size_t size = all.size() / static_cast<std::size_t>(batch);
  return std::span<T>(all).subspan(size * static_cast<std::size_t>(i), size);
}

/// Allocates v (batch, v_size), λ and y (batch, lambda_size), d (batch, d_size); impulses are 0, the others NaN.
inline ContactAnswers make_contact_answers(int batch, int v_size, int lambda_size, int d_size) {
  const auto count = [&](int size) { return static_cast<std::size_t>(batch) * static_cast<std::size_t>(size); };
  ContactAnswers a;
  a.v.assign(count(v_size), kNoNumber);
  a.lambda.assign(count(lambda_size), 0.0);
  a.farkas.assign(count(lambda_size), kNoNumber);
  a.direction.assign(count(d_size), kNoNumber);
  a.status.assign(count(1), 0), a.iterations.assign(count(1), 0);
  a.residual.assign(count(1), kNoNumber), a.violation.assign(count(1), 0.0), a.asymmetry.assign(count(1), 0.0);
  return a;
}

/// Writes S = ½(A + Aᵀ) of problem i's (n, n) matrix A and returns the asymmetry of A. Throws InputError if A is not
/// symmetric or S is not positive semidefinite.
inline double take_semidefinite(const std::string& name, int i, std::span<const double> A, int n, std::span<double> S) {
  const double asymmetry = take_symmetric_part(A, n, S);
  expect_symmetric(name, i, asymmetry);
  expect_semidefinite(name, i, S, n);
  return asymmetry;
}

/// Stores that problem i has numbers that are not finite.
inline void store_not_finite(int i, ContactAnswers& a) {
  const int batch = static_cast<int>(a.status.size());
  for (double& x : part(a.lambda, batch, i)) x = kNoNumber;
  for (double& x : part(a.row_lambda, batch, i)) x = kNoNumber;
  a.status[static_cast<std::size_t>(i)] = status::kNotFinite;
}

/// The status of a report, checked independently of the solver: success counts only if the residual confirms it, and
/// that there is no solution only if there is a certificate.
inline std::uint32_t judge(const SolverReport<double>& report, double residual, double tolerance) {
  constexpr std::uint32_t kUnsolvable = status::kInfeasible | status::kUnbounded;
  const std::uint32_t unproved = kUnsolvable | status::kConverged;
  if (report.certificate && (report.status & kUnsolvable)) return report.status;
  if (residual <= tolerance) return status::kConverged;
  return report.status & unproved ? status::kStalled : report.status;
}

/// Stores what the solver reports of problem i. In the certificate, y has `impulses` entries; those of the rows follow.
inline void store_report(int i, const SolverReport<double>& report, double residual, double tolerance, int impulses,
                         ContactAnswers& a) {
  const int batch = static_cast<int>(a.status.size());
  const std::size_t k = static_cast<std::size_t>(i);
  a.status[k] = judge(report, residual, tolerance);
  a.residual[k] = residual;
  a.iterations[k] = report.iterations;
  a.violation[k] = report.violation;
  if (!report.certificate) return;
  const std::span<double> y = part(a.farkas, batch, i), d = part(a.direction, batch, i);
  if (report.status & status::kInfeasible) {
    std::fill(y.begin(), y.end(), 0.0);
    std::copy_n(report.certificate, impulses, y.begin());
    const std::span<double> rows = part(a.row_farkas, batch, i);
    std::copy_n(report.certificate + impulses, rows.size(), rows.begin());
  } else if (report.status & status::kUnbounded) {
    std::copy_n(report.certificate, d.size(), d.begin());
  }
}

}  // namespace stiction
