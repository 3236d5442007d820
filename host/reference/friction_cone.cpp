#include "host/reference/friction_cone.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Tangents of a curved cone from which the cutting planes start.
constexpr int kFirstTangents = 8;
// A generator belongs to the face of P(p) if it is orthogonal to P(p) − p up to this share of p.
constexpr double kOnFace = 1e-7;

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

Eigen::Matrix3Xd box_generators(double mu_t, double mu_o) {
  Eigen::Matrix3Xd corners(3, 4);
  corners << 1, 1, 1, 1, mu_t, -mu_t, mu_t, -mu_t, mu_o, mu_o, -mu_o, -mu_o;
  return corners;
}

/// Outside of a curved cone and of its polar.
Vector3d project_to_surface(const FrictionCone& cone, const Vector3d& p) {
  const double t = cone.mu_t, o = cone.mu_o, n = p[0], a = std::abs(p[1]), b = std::abs(p[2]);
  double low = 0.0, high = 0.5 * std::numbers::pi;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = 0.5 * (low + high), s = std::sin(middle), c = std::cos(middle);
    const double ahead = b * o * (1.0 + t * t) * c - a * t * (1.0 + o * o) * s - n * (o * o - t * t) * s * c;
    (ahead > 0.0 ? low : high) = middle;
  }
  const double theta = 0.5 * (low + high);
  const Vector3d g(1.0, std::copysign(t * std::cos(theta), p[1]), std::copysign(o * std::sin(theta), p[2]));
  return p.dot(g) / g.squaredNorm() * g;
}

}  // namespace

FrictionCone cone_of(const DenseProblem& problem, int i) {
  if (problem.law == ContactLaw::kFrictionless) return {Vector3d::UnitX(), 0.0, 0.0, false};
  const double t = problem.mu(i, 0), o = problem.mu(i, 1);
  const bool curved = problem.cone == ConeType::kQuadratic && t > 0.0 && o > 0.0;
  switch (problem.cone) {
    case ConeType::kPyramid:
      return {pyramid_generators(t, o, problem.facets), t, o, curved};
    case ConeType::kBox:
      return {box_generators(t, o), t, o, curved};
    case ConeType::kQuadratic:
      return {pyramid_generators(t, o, curved ? kFirstTangents : 4), t, o, curved};
  }
  return {};
}

int rows_per_contact(const DenseProblem& problem) {
  if (problem.law == ContactLaw::kFrictionless) return 1;
  switch (problem.cone) {
    case ConeType::kPyramid:
      return problem.facets;
    case ConeType::kBox:
      return 4;
    case ConeType::kQuadratic:
      return 3;
  }
  return 0;
}

Eigen::Matrix3Xd pyramid_generators(double mu_t, double mu_o, int facets) {
  Eigen::Matrix3Xd generators(3, facets);
  for (int k = 0; k < facets; ++k) {
    const double theta = 2.0 * std::numbers::pi * k / facets;
    generators.col(k) << 1.0, mu_t * std::cos(theta), mu_o * std::sin(theta);
  }
  return generators;
}

void add_generator(const Vector3d& generator, Eigen::Matrix3Xd& generators) {
  const Eigen::Index last = generators.cols();
  generators.conservativeResize(3, last + 1);
  for (int axis = 0; axis < 3; ++axis) generators(axis, last) = generator[axis];
}

Vector3d opposing_generator(const FrictionCone& cone, const Vector3d& u) {
  if (cone.curved) {
    const double t = cone.mu_t * u[1], o = cone.mu_o * u[2], size = std::hypot(t, o);
    if (size > 0.0) return {1.0, -cone.mu_t * t / size, -cone.mu_o * o / size};
  }
  int best = 0;
  (cone.generators.bottomRows(2).transpose() * u.tail<2>()).minCoeff(&best);
  return cone.generators.col(best);
}

double support(const FrictionCone& cone, const Vector3d& u) {
  if (cone.curved) return std::hypot(cone.mu_t * u[1], cone.mu_o * u[2]);
  return -opposing_generator(cone, u).tail<2>().dot(u.tail<2>());
}

double shift(const DenseProblem& problem, int i, const Vector3d& u) {
  switch (problem.law) {
    case ContactLaw::kCoulomb:
      return support(cone_of(problem, i), u);
    case ContactLaw::kAnitescu:
    case ContactLaw::kFrictionless:
      return 0.0;
  }
  return 0.0;
}

Vector3d project(const FrictionCone& cone, const Vector3d& p) {
  if (!cone.curved) return project_to_cone(cone.generators, p);
  if (std::hypot(p[1] / cone.mu_t, p[2] / cone.mu_o) <= p[0]) return p;
  if (std::hypot(cone.mu_t * p[1], cone.mu_o * p[2]) <= -p[0]) return Vector3d::Zero();
  return project_to_surface(cone, p);
}

namespace {

/// Onto the span of the generators orthogonal to P(p) − p.
Matrix3d face_rate(const FrictionCone& cone, const Vector3d& p, const Vector3d& nearest) {
  const Vector3d away = nearest - p;
  Eigen::Matrix3Xd face(3, 0);
  for (Eigen::Index k = 0; k < cone.generators.cols(); ++k) {
    const Vector3d g = cone.generators.col(k);
    if (g.dot(away) <= kOnFace * g.norm() * p.norm()) add_generator(g, face);
  }
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor(face);
  return factor.rank() > 0 ? Matrix3d(face * factor.pseudoInverse()) : Matrix3d::Zero();
}

/// `along` is g', `bend` g''.
Matrix3d surface_rate(const FrictionCone& cone, const Vector3d& p, const Vector3d& nearest) {
  const double alpha = nearest[0];
  const Vector3d g = nearest / alpha;
  const Vector3d along(0.0, -cone.mu_t * g[2] / cone.mu_o, cone.mu_o * g[1] / cone.mu_t), bend(0.0, -g[1], -g[2]);
  Eigen::Matrix2d A;
  A << g.dot(g), alpha * g.dot(along), g.dot(along), alpha * (along.dot(along) + g.dot(bend)) - p.dot(bend);
  Eigen::Matrix<double, 2, 3> drive;
  drive << g.transpose(), along.transpose();
  Eigen::Matrix<double, 3, 2> effect;
  effect << g, alpha * along;
  return effect * A.inverse() * drive;
}

}  // namespace

Matrix3d projection_rate(const FrictionCone& cone, const Vector3d& p) {
  const Vector3d nearest = project(cone, p);
  if (nearest[0] <= 0.0) return Matrix3d::Zero();
  if (!cone.curved) return face_rate(cone, p, nearest);
  return nearest == p ? Matrix3d::Identity() : surface_rate(cone, p, nearest);
}

}  // namespace stiction::reference
