#include "host/reference/contact_newton.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Most steps in all, and most steps in a row without a better residual.
constexpr int kMostSteps = 20, kPatience = 4;
// Values of ρ, as multiples of impulse/speed. With a larger one, slow separation and slow sliding decide what a contact
// does: the answer that Newton's method starts from may distribute force over redundant contacts in a way that is not
// possible with these velocities. With a smaller one, which comes last, impulses decide.
constexpr double kWeights[] = {1.0, 1e1, 1e2, 1e3, 1e4, 1e6, 1e-1, 1e-2};
// An iterate with speeds or impulses more than this many times those of the start is no answer.
constexpr double kFar = 1e3;
// Singular values below this share of the largest count as zero.
constexpr double kRank = 1e-10;

double max_abs(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// One contact or row of the conditions: rate_v dv + rate_lambda dλ = −error.
struct Condition {
  int first;  // index of its first impulse in (λ, λᵣ)
  MatrixXd rate_v, rate_lambda;
  VectorXd error;
};

Condition contact_condition(const DenseProblem& p, const DenseSolution& s, double rho, int i) {
  const FrictionCone cone = cone_of(p, i);
  const int d = p.dimension;
  const auto J = p.J.middleRows(d * i, d);
  const VectorXd lambda = s.lambda.segment(d * i, d), u = J * s.v + p.offset.segment(d * i, d);
  MatrixXd rate = MatrixXd::Identity(d, d);  // ∂û/∂u
  if (shifts_gap(p.law)) rate.row(0).tail(d - 1) = -opposing_generator(cone, u).tail(d - 1).transpose();
  VectorXd shifted = u;
  shifted[0] += p.gap_rate[i] + shift(p, i, u);
  const VectorXd moved = lambda - rho * shifted;
  const MatrixXd D = projection_rate(cone, moved);
  return {d * i, rho * D * rate * J, MatrixXd::Identity(d, d) - D, lambda - project(cone, moved)};
}

Condition row_condition(const DenseProblem& p, const DenseSolution& s, double rho, int r) {
  const double lambda = s.row_lambda[r], R = p.row_compliance[r], radius = p.row_radius[r];
  const double weight = rho * radius * radius;
  const double moved = lambda - weight * (p.row_J.row(r).dot(s.v) + p.row_offset[r] + R * lambda);
  const double nearest = std::clamp(moved, p.row_lower[r], p.row_upper[r]);
  const double D = nearest == moved ? 1.0 : 0.0;
  return {static_cast<int>(s.lambda.size()) + r, D * weight * p.row_J.row(r),
          MatrixXd::Constant(1, 1, 1.0 - D + D * weight * R), VectorXd::Constant(1, lambda - nearest)};
}

/// Largest speed and impulse on the surface of bodies, but no less than the floors of the residual.
struct Size {
  double speed, impulse;
};

Size size_of(const DenseProblem& p, const DenseSolution& s) {
  const double speed = max_abs(s.v.cwiseProduct(p.dof_radius)), contact_speed = max_abs(p.J * s.v + p.offset);
  const double impulse = std::max(max_abs(s.lambda), max_abs(s.row_lambda.cwiseQuotient(p.row_radius)));
  const double drive = max_abs(p.g.cwiseQuotient(p.dof_radius));
  return {std::max({speed, contact_speed, 1e-3 / p.step_size}), std::max({impulse, drive, p.step_size * 1e-3})};
}

/// True if the iterate is near the start. The residual alone does not tell: it is relative, and also vanishes far away.
bool is_near(const DenseProblem& p, const DenseSolution& s, const Size& start) {
  if (!s.v.allFinite() || !s.lambda.allFinite() || !s.row_lambda.allFinite()) return false;
  const Size now = size_of(p, s);
  return now.speed <= kFar * start.speed && now.impulse <= kFar * start.impulse;
}

/// The least-norm solution of K x = rest, with every row divided by its largest entry.
VectorXd least_norm(MatrixXd K, VectorXd rest) {
  for (Eigen::Index k = 0; k < K.rows(); ++k) {
    const double largest = std::max(K.row(k).cwiseAbs().maxCoeff(), 1e-300);
    K.row(k) /= largest, rest[k] /= largest;
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(kRank);
  factor.compute(K);
  return factor.solve(rest);
}

/// The conditions of the Newton system. Impulses that the projection sends to zero are set to zero at once and are left
/// out of the system.
std::vector<Condition> loaded_conditions(const DenseProblem& p, double rho, DenseSolution& s) {
  std::vector<Condition> loaded;
  for (int i = 0; i < p.num_contacts(); ++i) {
    Condition c = contact_condition(p, s, rho, i);
    if (c.rate_v.isZero(0.0))
      s.lambda.segment(p.dimension * i, p.dimension).setZero();
    else
      loaded.push_back(std::move(c));
  }
  for (int r = 0; r < p.num_rows(); ++r) loaded.push_back(row_condition(p, s, rho, r));
  return loaded;
}

DenseSolution newton_step(const DenseProblem& p, double rho, DenseSolution s) {
  const std::vector<Condition> loaded = loaded_conditions(p, rho, s);
  const int nv = p.nv();
  const Eigen::Index nl = s.lambda.size(), nr = s.row_lambda.size();
  MatrixXd J(nl + nr, nv);
  J << p.J, p.row_J;
  VectorXd impulses(nl + nr);
  impulses << s.lambda, s.row_lambda;
  Eigen::Index n = nv, line = nv;
  for (const Condition& c : loaded) n += c.error.size();
  MatrixXd K = MatrixXd::Zero(n, n);
  VectorXd rest(n), unit = VectorXd::Constant(n, rho);  // turns unknowns into speeds
  unit.head(nv) = p.dof_radius.cwiseInverse();
  K.topLeftCorner(nv, nv) = p.H;
  rest.head(nv) = p.g + J.transpose() * impulses - p.H * s.v;
  for (const Condition& c : loaded) {
    const Eigen::Index size = c.error.size();
    K.block(0, line, nv, size) = -J.middleRows(c.first, size).transpose();
    K.block(line, 0, size, nv) = c.rate_v;
    K.block(line, line, size, size) = c.rate_lambda;
    rest.segment(line, size) = -c.error;
    line += size;
  }
  const VectorXd change = unit.cwiseProduct(least_norm(K * unit.asDiagonal(), rest));
  line = nv;
  for (const Condition& c : loaded) {
    impulses.segment(c.first, c.error.size()) += change.segment(line, c.error.size());
    line += c.error.size();
  }
  return {s.v + change.head(nv), impulses.head(nl), impulses.tail(nr)};
}

}  // namespace

DenseSolution refine_contacts(const DenseProblem& problem, const DenseSolution& start) {
  DenseSolution best = start;
  double least = residual(problem, start);
  const Size size = size_of(problem, start);
  for (const double weight : kWeights) {
    const double rho = weight * size.impulse / size.speed;
    DenseSolution now = start;
    for (int k = 0, last_gain = 0; k < kMostSteps && k - last_gain < kPatience; ++k) {
      if (least <= kTarget) return best;
      now = newton_step(problem, rho, now);
      if (!is_near(problem, now, size)) break;
      const double error = residual(problem, now);
      if (error < least) least = error, best = now, last_gain = k;
    }
  }
  return best;
}

}  // namespace stiction::reference
