#include "host/reference/friction_cone.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Number of tangents of a curved cone, per plane of two axes, with which the cutting planes start.
constexpr int kFirstTangents = 8;
// A generator belongs to the face of P(p) if it is orthogonal to P(p) − p up to this share of p.
constexpr double kOnFace = 1e-7;

/// The coefficients of the columns in `set` that give p in the least-squares sense; zero for the other columns.
VectorXd solve_on(const MatrixXd& generators, const std::vector<int>& set, const VectorXd& p) {
  MatrixXd columns(generators.rows(), static_cast<Eigen::Index>(set.size()));
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

VectorXd project_to_columns(const MatrixXd& generators, const VectorXd& p) {
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

Vector3d project_to_cone(const Eigen::Matrix3Xd& generators, const Vector3d& p) {
  return project_to_columns(generators, p);
}

namespace {

Eigen::Matrix3Xd box_generators(double mu_t, double mu_o) {
  Eigen::Matrix3Xd corners(3, 4);
  corners << 1, 1, 1, 1, mu_t, -mu_t, mu_t, -mu_t, mu_o, mu_o, -mu_o, -mu_o;
  return corners;
}

/// The generators of a cone with facets in the dimension of the problem, joined by (1, 0, 0, ±μ_r) if there is torsion.
MatrixXd join_torsion(const Eigen::Matrix3Xd& polygon, const VectorXd& mu) {
  MatrixXd generators = MatrixXd::Zero(mu.size() + 1, polygon.cols());
  generators.topRows(3) = polygon;
  for (const double end : {1.0, -1.0})
    if (mu.size() == 3 && mu[2] > 0.0) add_generator(VectorXd{{1.0, 0.0, 0.0, end * mu[2]}}, generators);
  return generators;
}

/// The axes along which there is friction, as rows of a contact.
std::vector<int> rough_axes(const VectorXd& mu) {
  std::vector<int> axes;
  for (int k = 0; k < mu.size(); ++k)
    if (mu[k] > 0.0) axes.push_back(k + 1);
  return axes;
}

/// Points (1, d) of a quadratic cone: for one axis its two ends, for every plane of two axes kFirstTangents points.
MatrixXd first_tangents(const VectorXd& mu) {
  const std::vector<int> axes = rough_axes(mu);
  MatrixXd tangents(mu.size() + 1, 0);
  const VectorXd normal = VectorXd::Unit(mu.size() + 1, 0);
  if (axes.empty()) add_generator(normal, tangents);
  if (axes.size() == 1)
    for (const double end : {-1.0, 1.0})
      add_generator(normal + end * mu[axes[0] - 1] * VectorXd::Unit(mu.size() + 1, axes[0]), tangents);
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t b = a + 1; b < axes.size(); ++b)
      for (int k = 0; k < kFirstTangents; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / kFirstTangents;
        VectorXd g = normal;
        g[axes[a]] = mu[axes[a] - 1] * std::cos(angle), g[axes[b]] = mu[axes[b] - 1] * std::sin(angle);
        add_generator(g, tangents);
      }
  return tangents;
}

/// x as a function of ν (see project() in friction_cone.hpp).
VectorXd surface_point(const FrictionCone& cone, const VectorXd& p, double nu) {
  VectorXd x = VectorXd::Zero(p.size());
  for (const int k : rough_axes(cone.mu)) {
    const double square = cone.mu[k - 1] * cone.mu[k - 1];
    x[k] = square * p[k] / (square + nu);
    x[0] += x[k] * x[k] / square;
  }
  x[0] = std::sqrt(x[0]);
  return x;
}

/// ν for a p outside of the curved cone and of its polar cone.
double surface_multiplier(const FrictionCone& cone, const VectorXd& p) {
  const auto ahead = [&](double nu) { return (1.0 - nu) * surface_point(cone, p, nu)[0] > p[0]; };
  double low = 0.0, high = 1.0;
  while (ahead(high) && high < 1e300) low = high, high *= 2.0;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = 0.5 * (low + high);
    (ahead(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// ‖(p_k/μ_k)‖ and ‖(μ_k p_k)‖ over the axes that have friction.
double reach_of(const FrictionCone& cone, const VectorXd& p) {
  double sum = 0.0;
  for (const int k : rough_axes(cone.mu)) sum += std::pow(p[k] / cone.mu[k - 1], 2);
  return std::sqrt(sum);
}
double pull_of(const FrictionCone& cone, const VectorXd& p) {
  return cone.mu.cwiseProduct(p.tail(cone.mu.size())).norm();
}

/// p with 0 for the axes without friction.
VectorXd drop_smooth_axes(const FrictionCone& cone, VectorXd p) {
  for (int k = 0; k < cone.mu.size(); ++k)
    if (!(cone.mu[k] > 0.0)) p[k + 1] = 0.0;
  return p;
}

}  // namespace

FrictionCone cone_of(const DenseProblem& problem, int i) {
  const int d = problem.dimension;
  if (problem.law == ContactLaw::kFrictionless) return {VectorXd::Unit(d, 0), VectorXd::Zero(d - 1), false};
  const VectorXd mu = problem.mu.row(i).transpose();
  switch (problem.cone) {
    case ConeType::kPyramid:
      return {join_torsion(pyramid_generators(mu[0], mu[1], problem.facets), mu), mu, false};
    case ConeType::kBox:
      return {join_torsion(box_generators(mu[0], mu[1]), mu), mu, false};
    case ConeType::kQuadratic:
      return {first_tangents(mu), mu, rough_axes(mu).size() > 1};
  }
  return {};
}

int rows_per_contact(const DenseProblem& problem) {
  if (problem.law == ContactLaw::kFrictionless) return 1;
  const int torsion = problem.dimension == 4 ? 2 : 0;
  switch (problem.cone) {
    case ConeType::kPyramid:
      return problem.facets + torsion;
    case ConeType::kBox:
      return 4 + torsion;
    case ConeType::kQuadratic:
      return problem.dimension;
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

void add_generator(const VectorXd& generator, MatrixXd& generators) {
  generators.conservativeResize(generator.size(), generators.cols() + 1);
  generators.rightCols(1) = generator;
}

VectorXd opposing_generator(const FrictionCone& cone, const VectorXd& u) {
  const Eigen::Index axes = u.size() - 1;
  if (cone.curved) {
    const VectorXd pulled = cone.mu.cwiseProduct(u.tail(axes));
    if (pulled.norm() > 0.0) {
      VectorXd g = VectorXd::Ones(u.size());
      g.tail(axes) = -cone.mu.cwiseProduct(pulled) / pulled.norm();
      return g;
    }
  }
  int best = 0;
  (cone.generators.bottomRows(axes).transpose() * u.tail(axes)).minCoeff(&best);
  return cone.generators.col(best);
}

double support(const FrictionCone& cone, const VectorXd& u) {
  if (cone.curved) return pull_of(cone, u);
  return -opposing_generator(cone, u).tail(u.size() - 1).dot(u.tail(u.size() - 1));
}

double shift(const DenseProblem& problem, int i, const VectorXd& u) {
  switch (problem.law) {
    case ContactLaw::kCoulomb:
      return support(cone_of(problem, i), u);
    case ContactLaw::kAnitescu:
    case ContactLaw::kFrictionless:
      return 0.0;
  }
  return 0.0;
}

VectorXd project(const FrictionCone& cone, const VectorXd& p) {
  if (!cone.curved) return project_to_columns(cone.generators, p);
  if (reach_of(cone, p) <= p[0]) return drop_smooth_axes(cone, p);
  if (pull_of(cone, p) <= -p[0]) return VectorXd::Zero(p.size());
  return surface_point(cone, p, surface_multiplier(cone, p));
}

namespace {

/// The projector onto the span of the generators that are orthogonal to P(p) − p.
MatrixXd face_rate(const FrictionCone& cone, const VectorXd& p, const VectorXd& nearest) {
  const VectorXd away = nearest - p;
  MatrixXd face(p.size(), 0);
  for (Eigen::Index k = 0; k < cone.generators.cols(); ++k) {
    const VectorXd g = cone.generators.col(k);
    if (g.dot(away) <= kOnFace * g.norm() * p.norm()) add_generator(g, face);
  }
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor(face);
  return factor.rank() > 0 ? MatrixXd(face * factor.pseudoInverse()) : MatrixXd::Zero(p.size(), p.size());
}

/// Solves the system of projection_rate(), with every row and column divided by the root of its size; axes without
/// friction have the row dx = 0.
MatrixXd surface_rate(const FrictionCone& cone, const VectorXd& p, const VectorXd& nearest) {
  const Eigen::Index n = p.size();
  const double nu = surface_multiplier(cone, p);
  VectorXd A = VectorXd::Zero(n), counts = VectorXd::Zero(n);
  A[0] = -1.0, counts[0] = 1.0;
  for (const int k : rough_axes(cone.mu)) A[k] = 1.0 / (cone.mu[k - 1] * cone.mu[k - 1]), counts[k] = 1.0;
  const VectorXd diagonal = VectorXd::Ones(n) + nu * A,
                 unit = diagonal.cwiseAbs().cwiseMax(1.0).cwiseSqrt().cwiseInverse();
  const VectorXd normal = unit.cwiseProduct(A.cwiseProduct(nearest)).normalized();
  MatrixXd system = MatrixXd::Zero(n + 1, n + 1);
  system.topLeftCorner(n, n).diagonal() = unit.cwiseProduct(diagonal).cwiseProduct(unit);
  system.topRightCorner(n, 1) = normal;
  system.bottomLeftCorner(1, n) = normal.transpose();
  const MatrixXd inverse = system.fullPivLu().inverse().topLeftCorner(n, n);
  return unit.asDiagonal() * inverse * unit.cwiseProduct(counts).asDiagonal();
}

}  // namespace

MatrixXd projection_rate(const FrictionCone& cone, const VectorXd& p) {
  const VectorXd nearest = project(cone, p);
  const Eigen::Index n = p.size();
  if (nearest[0] <= 0.0) return MatrixXd::Zero(n, n);
  if (!cone.curved) return face_rate(cone, p, nearest);
  if (reach_of(cone, p) > p[0]) return surface_rate(cone, p, nearest);
  return drop_smooth_axes(cone, VectorXd::Ones(n)).asDiagonal();
}

}  // namespace stiction::reference
