// Whether two texts wrote the same contact problem, matrix by matrix and row by row.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "host/reference/dense_problem.hpp"
#include "tests/reference/tolerances.hpp"

namespace stiction::reference {

/// Largest difference over the largest entry of b; 1 for another shape.
inline double relative(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return 1.0;
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(b.cwiseAbs().maxCoeff(), 1e-300);
}

/// A row as one vector, to be looked for among the other side's rows.
inline Eigen::VectorXd row_vector(const DenseProblem& p, int r) {
  const auto finite = [](double x) { return std::isfinite(x) ? x : (x > 0.0 ? 1e3 : -1e3); };
  Eigen::VectorXd all(p.nv() + 5);
  all << p.row_J.row(r).transpose(), p.row_offset[r], finite(p.row_lower[r]), finite(p.row_upper[r]),
      p.row_compliance[r], p.row_radius[r];
  return all;
}

/// Every row of the reference is a row of the kernels; the kernels' other rows cannot act (equal bounds or no rate).
inline void expect_same_rows(const DenseProblem& ours, const DenseProblem& reference) {
  for (int r = 0; r < reference.num_rows(); ++r) {
    const Eigen::VectorXd wanted = row_vector(reference, r);
    double nearest = 1e300;
    for (int k = 0; k < ours.num_rows(); ++k)
      nearest = std::min(nearest, (row_vector(ours, k) - wanted).cwiseAbs().maxCoeff());
    EXPECT_LE(nearest, tolerance::kKinematics * std::max(1.0, wanted.cwiseAbs().maxCoeff()))
        << "row " << r << ": " << wanted.transpose();
  }
  EXPECT_EQ(ours.num_rows(), reference.num_rows());
}

inline void expect_same_problem(const DenseProblem& ours, const DenseProblem& reference) {
  EXPECT_LE(relative(ours.H, reference.H), tolerance::kKinematics);
  EXPECT_LE(relative(ours.g, reference.g), tolerance::kKinematics);
  EXPECT_LE(relative(ours.M, reference.M), tolerance::kKinematics);
  EXPECT_LE(relative(ours.dof_radius, reference.dof_radius), tolerance::kKinematics);
  EXPECT_LE(relative(ours.J, reference.J), tolerance::kKinematics);
  if (reference.num_contacts() > 0) {  // gaps of a millimetre and more to ten digits, smaller ones as well as that
    const double size = std::max(reference.gap_rate.cwiseAbs().maxCoeff(), 1e-3 / reference.step_size);
    EXPECT_LE((ours.gap_rate - reference.gap_rate).cwiseAbs().maxCoeff(), tolerance::kKinematics * size);
  }
  EXPECT_LE(relative(ours.offset, reference.offset), tolerance::kKinematics);
  EXPECT_LE(relative(ours.mu, reference.mu), tolerance::kKinematics);
  EXPECT_LE(relative(ours.radius, reference.radius), tolerance::kKinematics);
  expect_same_rows(ours, reference);
}

/// The fastest that a scripted body passes a contact [m/s].
inline double fastest_offset(const DenseProblem& p) {
  return p.offset.size() > 0 ? p.offset.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace stiction::reference
