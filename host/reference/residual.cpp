#include "host/reference/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::VectorXd;

/// Velocities of one kinematic tree.
struct Part {
  int first, size;
};

std::vector<Part> trees_of(const DenseProblem& problem) {
  if (problem.trees.empty()) return {{0, problem.nv()}};
  std::vector<Part> parts;
  for (int size : problem.trees) parts.push_back({parts.empty() ? 0 : parts.back().first + parts.back().size, size});
  return parts;
}

double max_abs(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// All terms of a problem as forces and speeds: torques are divided by a radius, angular rates multiplied by it.
struct Scaled {
  VectorXd unbalanced, pull, drive;  // D⁻¹ (Hv − g − Jᵀλ), D⁻¹ Jᵀλ, D⁻¹ g [N s]
  VectorXd speed;                    // J v + b (d nc) [m/s]
  VectorXd row_lambda, row_rate;     // λ'_r [N s], û'_r [m/s]
};

Scaled scale(const DenseProblem& problem, const DenseSolution& s) {
  const VectorXd inverse = problem.dof_radius.cwiseInverse();
  const VectorXd pull = problem.J.transpose() * s.lambda + problem.row_J.transpose() * s.row_lambda;
  Scaled out;
  out.unbalanced = inverse.cwiseProduct(problem.H * s.v - problem.g - pull);
  out.pull = inverse.cwiseProduct(pull);
  out.drive = inverse.cwiseProduct(problem.g);
  out.speed = problem.J * s.v + problem.offset;
  out.row_lambda = s.row_lambda.cwiseQuotient(problem.row_radius);
  const VectorXd rate = problem.row_J * s.v + problem.row_offset + problem.row_compliance.cwiseProduct(s.row_lambda);
  out.row_rate = rate.cwiseProduct(problem.row_radius);
  return out;
}

/// max(‖g_B‖, ‖(Jᵀλ)_B‖, ‖λ on B‖/1000, h · 1 mN) of every tree B.
VectorXd scales_of_trees(const DenseProblem& problem, const DenseSolution& s, const Scaled& scaled) {
  const double least = 1e-3 * problem.step_size;
  const std::vector<Part> trees = trees_of(problem);
  VectorXd out(trees.size());
  for (std::size_t b = 0; b < trees.size(); ++b) {
    const auto [first, size] = trees[b];
    double squeeze = 0.0;
    const int d = problem.dimension;
    for (int i = 0; i < problem.num_contacts(); ++i)
      if (!problem.J.block(d * i, first, d, size).isZero(0.0))
        squeeze = std::max(squeeze, max_abs(s.lambda.segment(d * i, d)));
    for (int r = 0; r < problem.num_rows(); ++r)
      if (!problem.row_J.block(r, first, 1, size).isZero(0.0))
        squeeze = std::max(squeeze, std::abs(scaled.row_lambda[r]));
    out[b] = std::max(
        {max_abs(scaled.drive.segment(first, size)), max_abs(scaled.pull.segment(first, size)), 1e-3 * squeeze, least});
  }
  return out;
}

/// The least scale of the trees on which these rows of a Jacobian act; if they act on none, the larger of `own` and the
/// floor.
double scale_of(const DenseProblem& problem, const VectorXd& scales, const Eigen::MatrixXd& rows, double own) {
  const std::vector<Part> trees = trees_of(problem);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < trees.size(); ++b)
    if (!rows.middleCols(trees[b].first, trees[b].size).isZero(0.0)) least = std::min(least, scales[b]);
  return std::isinf(least) ? std::max(own, 1e-3 * problem.step_size) : least;
}

/// ‖J_i v + b_i‖; without friction its normal component alone [m/s].
double contact_speed(const DenseProblem& problem, const Scaled& scaled, int i) {
  const VectorXd u = scaled.speed.segment(problem.dimension * i, problem.dimension);
  return cone_of(problem, i).mu.isZero(0.0) ? std::abs(u[0]) : u.norm();
}

double contact_map(const DenseProblem& problem, const DenseSolution& s, const Scaled& scaled, int i, double rho) {
  const FrictionCone cone = cone_of(problem, i);
  const int d = problem.dimension;
  VectorXd u = scaled.speed.segment(d * i, d);
  u[0] += problem.gap_rate[i] + shift(problem, i, u);
  const VectorXd lambda = s.lambda.segment(d * i, d);
  return (lambda - project(cone, lambda - rho * u)).norm();
}

double row_map(const DenseProblem& problem, const Scaled& scaled, int r, double rho) {
  const double lambda = scaled.row_lambda[r], radius = problem.row_radius[r];
  const double moved = lambda - rho * scaled.row_rate[r];
  const double nearest = std::clamp(moved, problem.row_lower[r] / radius, problem.row_upper[r] / radius);
  return std::abs(lambda - nearest);
}

}  // namespace

double residual(const DenseProblem& problem, const DenseSolution& s) {
  const Scaled scaled = scale(problem, s);
  const VectorXd scales = scales_of_trees(problem, s, scaled);
  double u0 = 1e-3 / problem.step_size;
  const int d = problem.dimension;
  for (int i = 0; i < problem.num_contacts(); ++i) u0 = std::max(u0, contact_speed(problem, scaled, i));
  u0 = std::max(u0, max_abs((problem.row_J * s.v).cwiseProduct(problem.row_radius)));
  const std::vector<Part> trees = trees_of(problem);
  double largest = 0.0;
  for (std::size_t b = 0; b < trees.size(); ++b)
    largest = std::max(largest, max_abs(scaled.unbalanced.segment(trees[b].first, trees[b].size)) / scales[b]);
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const double own = max_abs(s.lambda.segment(d * i, d));
    const double S = scale_of(problem, scales, problem.J.middleRows(d * i, d), own);
    largest = std::max(largest, contact_map(problem, s, scaled, i, S / u0) / S);
  }
  for (int r = 0; r < problem.num_rows(); ++r) {
    const double S = scale_of(problem, scales, problem.row_J.middleRows(r, 1), std::abs(scaled.row_lambda[r]));
    largest = std::max(largest, row_map(problem, scaled, r, S / u0) / S);
  }
  return largest;
}

double primal_violation(const DenseProblem& problem, const VectorXd& v) {
  const VectorXd speed = problem.J * v + problem.offset;
  double deepest = 0.0;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const VectorXd u = speed.segment(problem.dimension * i, problem.dimension);
    const double next = u[0] + problem.gap_rate[i] + shift(problem, i, u);
    deepest = std::max(deepest, (support(cone_of(problem, i), u) - next) * problem.step_size);
  }
  const VectorXd rate = problem.row_J * v + problem.row_offset;
  for (int r = 0; r < problem.num_rows(); ++r) {
    if (problem.row_compliance[r] > 0.0) continue;
    const double depth = problem.row_radius[r] * rate[r] * problem.step_size;
    if (std::isinf(problem.row_upper[r])) deepest = std::max(deepest, -depth);
    if (std::isinf(problem.row_lower[r])) deepest = std::max(deepest, depth);
  }
  return deepest;
}

double objective(const DenseProblem& problem, const VectorXd& v) {
  return 0.5 * v.dot(problem.H * v) - problem.g.dot(v);
}

}  // namespace stiction::reference
