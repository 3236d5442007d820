// Problems for the functions on plain arrays: single ones in Eigen, and batches that own their arrays.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "host/api/solve_problems.hpp"
#include "host/reference/dense_problem.hpp"
#include "tests/solver/generated_problems.hpp"

namespace stiction::test {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

inline void append(const Matrix& from, std::vector<double>& to) {  // row-major
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    for (Eigen::Index j = 0; j < from.cols(); ++j) to.push_back(from(i, j));
}

/// Part i of an array (batch, ...) as a vector.
inline Vector part_of(const std::vector<double>& all, std::size_t batch, std::size_t i) {
  const std::size_t size = all.size() / batch;
  return Eigen::Map<const Vector>(all.data() + size * i, static_cast<Eigen::Index>(size));
}

struct OneContactProblem {
  Matrix H, J;
  Vector g, phi, mu;
};

/// A random problem with H of this rank, of 0.01 to 10^most_exponent in size; gaps 0, μ 0.5.
inline OneContactProblem dense_singular(Rng& rng, Eigen::Index nv, Eigen::Index nc, Eigen::Index rank,
                                        double most_exponent) {
  Matrix F(rank, nv);
  OneContactProblem p{Matrix(), Matrix(3 * nc, nv), Vector(nv), Vector::Zero(nc), Vector::Constant(nc, 0.5)};
  for (auto& x : F.reshaped()) x = uniform(rng, -1, 1);
  for (auto& x : p.J.reshaped()) x = uniform(rng, -1, 1);
  for (auto& x : p.g) x = uniform(rng, -1, 1);
  p.H = std::pow(10, uniform(rng, -2, most_exponent)) * F.transpose() * F;
  return p;
}

struct ContactBatch {
  std::vector<double> H, g, J, phi, mu;
  std::vector<int> count;
  ContactProblems view;

  /// Problems of one size.
  explicit ContactBatch(const std::vector<OneContactProblem>& problems, double h) {
    for (const auto& p : problems) append(p.H, H), append(p.g, g), append(p.J, J), append(p.phi, phi), append(p.mu, mu);
    const auto& first = problems.front();
    view.batch = static_cast<int>(problems.size());
    view.nv = static_cast<int>(first.g.size()), view.contacts = static_cast<int>(first.phi.size());
    view.step_size = h;
    refresh();
  }
  void refresh() { view.H = H, view.g = g, view.J = J, view.phi = phi, view.mu = mu, view.count = count; }
};

struct DelassusBatch {
  std::vector<double> W, q, mu;
  DelassusProblems view;

  DelassusBatch(const Matrix& one_W, const Vector& one_q, const Vector& one_mu) {
    append(one_W, W), append(one_q, q), append(one_mu, mu);
    view = {1, static_cast<int>(one_mu.size()), W, q, mu};
  }
};

struct QpBatch {
  std::vector<double> H, g, A, b;
  QpProblems view;

  QpBatch(const Matrix& one_H, const Vector& one_g, const Matrix& one_A, const Vector& one_b) {
    append(one_H, H), append(one_g, g), append(one_A, A), append(one_b, b);
    view = {1, static_cast<int>(one_g.size()), static_cast<int>(one_b.size()), H, g, A, b};
  }
};

struct LcpBatch {
  std::vector<double> M, q;
  std::vector<int> equations;
  LcpProblems view;

  LcpBatch(const Matrix& one_M, const Vector& one_q, std::vector<int> which = {}) : equations(std::move(which)) {
    append(one_M, M), append(one_q, q);
    view = {1, static_cast<int>(one_q.size()), M, q, equations};
  }
};

/// min(z, w) of every entry, w = M z + q; of an equation w itself.
inline Vector natural_map(const LcpBatch& p, const Vector& z) {
  const Eigen::Index n = z.size();
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> M(p.M.data(), n, n);
  Vector r = M * z + Eigen::Map<const Vector>(p.q.data(), n);
  for (Eigen::Index i = 0; i < n; ++i)
    if (p.equations.empty() || !p.equations[static_cast<std::size_t>(i)]) r[i] = std::min(z[i], r[i]);
  return r;
}

/// A point mass on a floor, its velocity before, gravity 10 m/s².
inline OneContactProblem point_on_floor(double h, const Eigen::Vector3d& velocity, double mu) {
  OneContactProblem p;
  p.H = Matrix::Identity(3, 3), p.J = Matrix::Zero(3, 3);
  p.J(0, 2) = p.J(1, 0) = p.J(2, 1) = 1;
  p.g = velocity - 10 * h * Eigen::Vector3d::UnitZ();
  p.phi = Vector::Zero(1), p.mu = Vector::Constant(1, mu);
  return p;
}

/// A random stack as one dense problem, without blocks, radii and masses.
struct RandomProblem {
  OneContactProblem problem;
  reference::DenseProblem dense;
};

inline RandomProblem random_problem(Rng& rng, const SolveOptions& o, double h, int boxes) {
  StackOptions stack;
  stack.step_size = h, stack.boxes = boxes, stack.facets = o.facets;
  stack.mass_in_H = uniform(rng, 0, 1) < 0.5 ? 1 : 0;
  RawProblem<double> raw = random_stack(rng, stack);
  raw.law = o.law, raw.cone = o.cone;
  RandomProblem r;
  r.dense = reference::expand(raw.view());
  r.dense.dof_radius.setOnes(), r.dense.M.setIdentity(), r.dense.trees.clear();
  r.problem = {r.dense.H, r.dense.J, r.dense.g, h * r.dense.gap_rate, r.dense.mu.col(0)};
  return r;
}

}  // namespace stiction::test
