#include "host/reference/qp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The loop ends when the optimality conditions hold to some hundred rounding errors of their own terms.
constexpr double kTarget = 2e-14;
// After kPatience rounds an error of kGood is enough, and after the last round kAccepted.
constexpr double kGood = 1e-13, kAccepted = 1e-11;
constexpr int kPatience = 8, kMaxRounds = 40;
// The proximal weight, relative to the diagonal of H, falls from kFirstWeight to kLeastWeight for fast convergence and
// then rises to 1: when the centre is at the solution, a large weight only removes the rounding errors that a small one
// has let grow.
constexpr double kFirstWeight = 1e-3, kLeastWeight = 1e-8;
// a row whose multiplier is below this share of the largest is not active
constexpr double kActive = 1e-11;
// singular values below this share of the largest count as zero
constexpr double kRank = 1e-10;

double max_abs(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

VectorXd stationarity(const QuadraticProgram& p, const QpSolution& s) {
  return p.H * s.x - p.g - p.E.transpose() * s.w - p.C.transpose() * s.y;
}

/// A diagonal that makes H + P regular: the diagonal of H, but at least the geometric mean of its positive entries (or,
/// if there are none, the forces over 1 m/s).
VectorXd proximal_weight(const QuadraticProgram& p) {
  const VectorXd diagonal = p.H.diagonal();
  double sum = 0.0;
  int count = 0;
  for (double h : diagonal)
    if (h > 0.0) sum += std::log(h), ++count;
  const double typical = count > 0 ? std::exp(sum / count) : std::max(max_abs(p.g), 1e-30);
  return diagonal.cwiseMax(typical);
}

StrictSolution proximal_step(const QuadraticProgram& p, const VectorXd& P, const VectorXd& centre) {
  MatrixXd G = p.H;
  G.diagonal() += P;
  return solve_strict({G, p.g + P.cwiseProduct(centre), p.E, p.e, p.C, p.c});
}

/// Rows with a multiplier, E first, as one matrix (and their constants).
struct ActiveRows {
  std::vector<int> ids;
  MatrixXd A;
  VectorXd constant;
};

ActiveRows active_rows(const QuadraticProgram& p, const VectorXd& y) {
  ActiveRows rows;
  const double threshold = kActive * max_abs(y);
  for (int i = 0; i < y.size(); ++i)
    if (y[i] > threshold) rows.ids.push_back(i);
  const int me = p.e.size(), q = rows.ids.size();
  rows.A.resize(me + q, p.g.size());
  rows.constant.resize(me + q);
  rows.A.topRows(me) = p.E;
  rows.constant.head(me) = p.e;
  for (int k = 0; k < q; ++k) {
    rows.A.row(me + k) = p.C.row(rows.ids[k]);
    rows.constant[me + k] = p.c[rows.ids[k]];
  }
  return rows;
}

/// Newton's method on [H −Aᵀ; A 0] for the active rows, with least-norm corrections, because the matrix may be
/// singular.
QpSolution refine(const QuadraticProgram& p, QpSolution s) {
  const ActiveRows rows = active_rows(p, s.y);
  const int n = p.g.size(), q = rows.constant.size(), me = p.e.size();
  MatrixXd K = MatrixXd::Zero(n + q, n + q);
  K.topLeftCorner(n, n) = p.H;
  K.topRightCorner(n, q) = -rows.A.transpose();
  K.bottomLeftCorner(q, n) = rows.A;
  VectorXd scale(n + q);  // equilibrates rows and columns
  for (int i = 0; i < n + q; ++i) scale[i] = 1.0 / std::sqrt(std::max(K.row(i).cwiseAbs().maxCoeff(), 1e-300));
  K = scale.asDiagonal() * K * scale.asDiagonal();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(kRank);
  factor.compute(K);
  VectorXd multiplier(q);
  for (int round = 0; round < 3; ++round) {
    VectorXd residual(n + q);
    residual.head(n) = -stationarity(p, s);
    residual.tail(q) = -(rows.A * s.x + rows.constant);
    const VectorXd step = scale.cwiseProduct(factor.solve(scale.cwiseProduct(residual)));
    s.x += step.head(n);
    s.w += step.segment(n, me);
    for (int k = me; k < q; ++k) s.y[rows.ids[k - me]] = s.y[rows.ids[k - me]] + step[n + k];
  }
  s.y = s.y.cwiseMax(0.0);
  s.error = optimality_error(p, s);
  return s;
}

/// Orthonormal basis of {d : A d = 0}; the rows of A should have similar sizes.
MatrixXd null_space(const MatrixXd& A) {
  const int n = A.cols();
  if (A.rows() == 0) return MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<MatrixXd> factor;
  factor.setThreshold(kRank);
  factor.compute(A.transpose());
  const MatrixXd Q = factor.householderQ();
  return Q.rightCols(n - factor.rank());
}

MatrixXd normalised_rows(MatrixXd A) {
  for (int i = 0; i < A.rows(); ++i) {
    const double norm = A.row(i).norm();
    if (norm > 0.0) A.row(i) /= norm;
  }
  return A;
}

/// H divided by its largest entry, stacked on the rows of A divided by their norms.
MatrixXd stack(const MatrixXd& H, const MatrixXd& A) {
  MatrixXd all(H.rows() + A.rows(), H.cols());
  const double size = H.size() > 0 ? H.cwiseAbs().maxCoeff() : 0.0;
  all.topRows(H.rows()) = size > 0.0 ? MatrixXd(H / size) : H;
  all.bottomRows(A.rows()) = normalised_rows(A);
  return all;
}

/// Moves x within the set of solutions to the one with the least xᵀ weight x.
QpSolution choose_least(const QuadraticProgram& p, QpSolution s) {
  if (p.weight.size() == 0 || p.weight.isZero(0.0)) return s;
  const MatrixXd Z = null_space(stack(p.H, active_rows(p, s.y).A));
  if (Z.cols() == 0) return s;
  const MatrixXd weight = p.weight / p.weight.cwiseAbs().maxCoeff();
  QuadraticProgram reduced;
  reduced.H = Z.transpose() * weight * Z;
  reduced.g = -Z.transpose() * (weight * s.x);
  reduced.E.resize(0, Z.cols());
  reduced.speed = p.speed;
  reduced.C = p.C * Z;
  reduced.c = (p.C * s.x + p.c).cwiseMax(0.0);
  const QpSolution choice = solve_qp(reduced);
  if (choice.status != QpStatus::kSolved) return s;
  QpSolution moved = s;
  moved.x += Z * choice.x;
  moved.error = optimality_error(p, moved);
  return moved.error <= std::max(10.0 * s.error, kAccepted) ? moved : s;
}

/// True if (w, y) proves that no x is feasible: the weighted sum of the rows vanishes, and that of their constants is
/// negative.
bool proves_infeasible(const QuadraticProgram& p, const StrictSolution& s) {
  const double sum = s.w.dot(p.e) + s.y.dot(p.c);
  const VectorXd rest = p.E.transpose() * s.w + p.C.transpose() * s.y;
  const VectorXd terms = p.E.cwiseAbs().transpose() * s.w.cwiseAbs() + p.C.cwiseAbs().transpose() * s.y;
  const double constants = s.w.cwiseAbs().dot(p.e.cwiseAbs()) + s.y.dot(p.c.cwiseAbs());
  return sum < -1e-10 * constants && max_abs(rest) <= 1e-9 * max_abs(terms);
}

}  // namespace

double optimality_error(const QuadraticProgram& p, const QpSolution& s) {
  const VectorXd rows = p.C.transpose() * s.y + p.E.transpose() * s.w;
  const double force = std::max({max_abs(p.g), max_abs(rows), max_abs(p.H * s.x), 1e-300});
  const VectorXd rate = p.C * s.x, rate_e = p.E * s.x;
  const double speed = std::max({max_abs(rate), max_abs(rate_e), p.speed, 1e-300});
  const double multiplier = std::max({max_abs(s.y), max_abs(s.w), 1e-300});
  double error = std::max(max_abs(stationarity(p, s)) / force, max_abs(rate_e + p.e) / speed);
  for (int i = 0; i < s.y.size(); ++i) {
    const double slack = (rate[i] + p.c[i]) / speed, y = s.y[i] / multiplier;
    error = std::max(error, std::abs(std::min(slack, y)));
  }
  return error;
}

VectorXd unbounded_direction(const QuadraticProgram& p) {
  const MatrixXd Z = null_space(stack(p.H, p.E));
  if (Z.cols() == 0 || max_abs(p.g) == 0.0) return {};
  // the point of the cone {d = Z z : C d >= 0} nearest to g
  StrictProgram nearest;
  nearest.G = MatrixXd::Identity(Z.cols(), Z.cols());
  nearest.a = Z.transpose() * p.g / p.g.norm();
  nearest.E.resize(0, Z.cols());
  nearest.e.resize(0);
  nearest.C = normalised_rows(p.C) * Z;
  nearest.c = VectorXd::Zero(p.c.size());
  const StrictSolution s = solve_strict(nearest);
  if (s.status != QpStatus::kSolved || s.x.norm() < 1e-9) return {};
  const VectorXd d = Z * s.x / s.x.norm();
  const bool feasible = p.c.size() == 0 || (normalised_rows(p.C) * d).minCoeff() >= -1e-9;
  return feasible && p.g.dot(d) > 1e-9 * p.g.norm() ? d : VectorXd();
}

QpSolution solve_qp(const QuadraticProgram& p) {
  const VectorXd base = proximal_weight(p);
  QpSolution best, now;
  now.x = VectorXd::Zero(p.g.size());
  best.error = std::numeric_limits<double>::infinity();
  double weight = kFirstWeight, factor = 0.1;
  for (int round = 1; round <= kMaxRounds && best.error > kTarget; ++round) {
    const StrictSolution s = proximal_step(p, weight * base, now.x);
    if (s.status == QpStatus::kInfeasible && proves_infeasible(p, s))
      return {QpStatus::kInfeasible, now.x, s.w, s.y, {}, 0.0, round};
    if (s.status != QpStatus::kSolved) {
      weight *= 10.0;  // rounding spoiled the subproblem: a stronger proximal term conditions it
      continue;
    }
    now = {QpStatus::kSolved, s.x, s.w, s.y, {}, 0.0, round};
    now.error = optimality_error(p, now);
    for (const QpSolution& candidate : {now, refine(p, now)})
      if (candidate.error < best.error) best = candidate;
    if (best.error <= kGood && round >= kPatience) break;
    if (round == 2 && best.error > kAccepted)
      if (const VectorXd d = unbounded_direction(p); d.size() > 0)
        return {QpStatus::kUnbounded, now.x, now.w, now.y, d, now.error, round};
    if (weight <= kLeastWeight) factor = 10.0;
    weight = std::min(factor * weight, 1.0);
  }
  best.status = best.error <= kAccepted ? QpStatus::kSolved : QpStatus::kIterationLimit;
  return best.status == QpStatus::kSolved ? choose_least(p, best) : best;
}

}  // namespace stiction::reference
