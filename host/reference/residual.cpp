#include "host/reference/residual.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::reference {
namespace {

using Eigen::VectorXd;

double max_abs(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// Everything of a problem in forces and speeds: torques over a radius, rates of angles times it.
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
  const double epsilon = std::max(max_abs(scaled.drive), problem.step_size * 1e-3);
  double u0 = 1e-3 / problem.step_size;
  const int d = problem.dimension;
  for (int i = 0; i < problem.num_contacts(); ++i) u0 = std::max(u0, scaled.speed.segment(d * i, d).norm());
  u0 = std::max(u0, max_abs((problem.row_J * s.v).cwiseProduct(problem.row_radius)));
  const double rho = std::max({max_abs(s.lambda), max_abs(scaled.row_lambda), epsilon}) / u0;
  double largest = max_abs(scaled.unbalanced) / std::max(max_abs(scaled.pull), epsilon);
  for (int i = 0; i < problem.num_contacts(); ++i)
    largest = std::max(largest, contact_map(problem, s, scaled, i, rho) / (rho * u0));
  for (int r = 0; r < problem.num_rows(); ++r)
    largest = std::max(largest, row_map(problem, scaled, r, rho) / (rho * u0));
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
