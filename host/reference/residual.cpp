#include "host/reference/residual.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

double max_abs(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// The columns named by `set`, solved for p in the least-squares sense; zero elsewhere.
VectorXd solve_on(const Eigen::Matrix3Xd& generators, const std::vector<int>& set, const Vector3d& p) {
  Eigen::Matrix3Xd columns(3, set.size());
  for (std::size_t k = 0; k < set.size(); ++k) columns.col(k) = generators.col(set[k]);
  const VectorXd some = columns.colPivHouseholderQr().solve(p);
  VectorXd all = VectorXd::Zero(generators.cols());
  for (std::size_t k = 0; k < set.size(); ++k) all[set[k]] = some[k];
  return all;
}

/// Walks from x towards `target` until the first entry of `set` reaches zero, and takes such entries out of the set.
void walk_to_boundary(const VectorXd& target, VectorXd& x, std::vector<int>& set) {
  double step = 1.0;
  for (int k : set)
    if (target[k] <= 0.0) step = std::min(step, x[k] / (x[k] - target[k]));
  x += step * (target - x);
  std::erase_if(set, [&](int k) {
    if (target[k] > 0.0 || x[k] > 1e-14 * x.maxCoeff()) return false;
    x[k] = 0.0;
    return true;
  });
}

}  // namespace

Vector3d project_to_cone(const Eigen::Matrix3Xd& generators, const Vector3d& p) {
  VectorXd x = VectorXd::Zero(generators.cols());
  std::vector<int> set;
  for (int round = 0; round < 100; ++round) {
    const VectorXd gradient = generators.transpose() * (p - generators * x);
    int entering = -1;
    double steepest = 4e-16 * p.norm() * generators.norm();
    for (int k = 0; k < gradient.size(); ++k)
      if (std::find(set.begin(), set.end(), k) == set.end() && gradient[k] > steepest)
        steepest = gradient[k], entering = k;
    if (entering < 0) break;
    set.push_back(entering);
    VectorXd target = solve_on(generators, set, p);
    if (target[entering] <= 0.0) break;  // the new column depends on the set up to rounding
    while (!set.empty() && std::any_of(set.begin(), set.end(), [&](int k) { return target[k] <= 0.0; })) {
      walk_to_boundary(target, x, set);
      target = solve_on(generators, set, p);
    }
    x = target;
  }
  return generators * x;
}

namespace {

/// Everything of a problem in forces and speeds: torques over a radius, rates of angles times it.
struct Scaled {
  VectorXd unbalanced, pull, drive;  // D⁻¹ (Hv − g − Jᵀλ), D⁻¹ Jᵀλ, D⁻¹ g [N s]
  VectorXd speed;                    // J v + b (3 nc) [m/s]
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
  Vector3d u = scaled.speed.segment<3>(3 * i);
  u[0] += problem.gap_rate[i];
  const Vector3d lambda = s.lambda.segment<3>(3 * i);
  const auto generators = pyramid_generators(problem.mu(i, 0), problem.mu(i, 1), problem.facets);
  return (lambda - project_to_cone(generators, lambda - rho * u)).norm();
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
  for (int i = 0; i < problem.num_contacts(); ++i) u0 = std::max(u0, scaled.speed.segment<3>(3 * i).norm());
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
    const auto generators = pyramid_generators(problem.mu(i, 0), problem.mu(i, 1), problem.facets);
    const double least = (generators.transpose() * speed.segment<3>(3 * i)).minCoeff() + problem.gap_rate[i];
    deepest = std::max(deepest, -least * problem.step_size);
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
