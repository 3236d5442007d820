#include "host/reference/dual_active_set.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A row counts as violated below −kViolation (|c| + ‖C‖ ‖x‖) − kStart ‖C‖ ‖x₀‖: some hundred rounding errors of its own
// terms, and one of the unconstrained minimum x₀, from which x is computed by differences.
constexpr double kViolation = 1e-14;
constexpr double kStart = 2e-16;
// A row depends on the active rows if its part outside of their span is smaller than this share of the row.
constexpr double kDependent = 1e-11;
// A dependent row violated by less than this share of its terms is implied by the active rows up to rounding.
constexpr double kContradiction = 1e-11;

/// One row of the active set: its index in (E, C), with E first; sign −1 reverses an equality.
struct ActiveRow {
  int index;
  double sign;
};

class DualActiveSet {
 public:
  explicit DualActiveSet(const StrictProgram& program) : p_(program), me_(p_.e.size()), m_(p_.c.size()) {
    const int n = p_.a.size();
    const Eigen::LLT<MatrixXd> factor(p_.G);
    J_ = factor.matrixU().solve(MatrixXd::Identity(n, n));  // L⁻ᵀ
    x_ = factor.solve(p_.a);
    start_ = x_.norm();
    R_ = MatrixXd::Zero(n, n);
    u_ = VectorXd::Zero(n + 1);
    row_norm_.resize(me_ + m_);
    for (int i = 0; i < me_ + m_; ++i) row_norm_[i] = row(i).norm();
    skipped_.assign(me_ + m_, false);
  }

  StrictSolution solve() {
    for (int i = 0; i < me_; ++i)
      if (!enter(i, value(i) <= 0.0 ? 1.0 : -1.0)) return infeasible();
    const int limit = 100 * (static_cast<int>(x_.size()) + me_ + m_) + 100;
    while (iterations_ < limit) {
      const int worst = most_violated();
      if (worst < 0) return finish(QpStatus::kSolved);
      if (!enter(worst, 1.0)) return infeasible();
    }
    return finish(QpStatus::kIterationLimit);
  }

 private:
  VectorXd row(int i) const { return i < me_ ? p_.E.row(i).transpose() : p_.C.row(i - me_).transpose(); }
  double constant(int i) const { return i < me_ ? p_.e[i] : p_.c[i - me_]; }
  double value(int i) const { return row(i).dot(x_) + constant(i); }
  double tolerance(int i) const {
    return kViolation * (std::abs(constant(i)) + row_norm_[i] * x_.norm()) + kStart * row_norm_[i] * start_;
  }
  int active() const { return static_cast<int>(set_.size()); }

  int most_violated() const {
    const VectorXd s = p_.C * x_ + p_.c;
    int worst = -1;
    double depth = 0.0;
    for (int i = 0; i < m_; ++i) {
      if (skipped_[me_ + i] || s[i] >= -tolerance(me_ + i)) continue;
      const double scaled = s[i] / (row_norm_[me_ + i] > 0.0 ? row_norm_[me_ + i] : 1.0);
      if (scaled < depth) depth = scaled, worst = me_ + i;
    }
    return worst;
  }

  /// Moves along the dual ray of one row until the row is satisfied. False if it can not be; then `ray_` is the Farkas
  /// vector.
  bool enter(int index, double sign) {
    const VectorXd normal = sign * row(index);
    double u_entering = 0.0;
    for (;;) {
      ++iterations_;
      const int q = active(), n = x_.size();
      const VectorXd d = J_.transpose() * normal;
      const VectorXd r = R_.topLeftCorner(q, q).triangularView<Eigen::Upper>().solve(d.head(q));
      const double outside = d.tail(n - q).squaredNorm();
      const bool dependent = q == n || outside <= kDependent * kDependent * d.squaredNorm();
      const double violation = sign * value(index);
      int leaving = -1;
      double dual_step = kInfinity;
      for (int k = 0; k < q; ++k) {
        if (set_[k].index < me_ || r[k] <= kDependent * r.norm() || u_[k] / r[k] >= dual_step) continue;
        dual_step = u_[k] / r[k], leaving = k;
      }
      const double full_step = dependent ? kInfinity : -violation / outside;
      if (dependent && leaving < 0) return settle_dependent(index, sign, r, violation);
      const double step = full_step <= dual_step ? full_step : dual_step;
      if (!dependent) x_ += step * (J_.rightCols(n - q) * d.tail(n - q));
      u_.head(q) -= step * r;
      u_entering += step;
      if (full_step <= dual_step) {
        add(index, sign, d, u_entering);
        return true;
      }
      drop(leaving);
    }
  }

  /// A row that depends on the active rows: if they imply it up to rounding, it is left out; otherwise they contradict
  /// it.
  bool settle_dependent(int index, double sign, const VectorXd& r, double violation) {
    double size = std::abs(constant(index)) + row_norm_[index] * (x_.norm() + kStart / kContradiction * start_);
    for (int k = 0; k < active(); ++k) size += std::abs(r[k] * constant(set_[k].index));
    if (violation >= -kContradiction * size) {
      skipped_[index] = true;
      return true;
    }
    ray_ = VectorXd::Zero(me_ + m_);
    ray_[index] = sign;
    for (int k = 0; k < active(); ++k) ray_[set_[k].index] -= set_[k].sign * r[k];
    return false;
  }

  /// Rotates the columns of J after the active ones so that the new row has a component on the first of them only.
  void add(int index, double sign, VectorXd d, double multiplier) {
    const int q = active(), n = x_.size();
    for (int k = n - 1; k > q; --k) {
      Eigen::JacobiRotation<double> rotation;
      double joined;
      rotation.makeGivens(d[k - 1], d[k], &joined);
      d[k - 1] = joined;
      J_.applyOnTheRight(k - 1, k, rotation);
    }
    R_.col(q).head(q + 1) = d.head(q + 1);
    set_.push_back({index, sign});
    u_[q] = multiplier;
    skipped_.assign(skipped_.size(), false);
  }

  void drop(int k) {
    const int q = active();
    for (int j = k; j + 1 < q; ++j) {
      R_.col(j).head(q) = R_.col(j + 1).head(q);
      u_[j] = u_[j + 1];
    }
    R_.col(q - 1).setZero();
    set_.erase(set_.begin() + k);
    for (int j = k; j + 1 < q; ++j) {
      Eigen::JacobiRotation<double> rotation;
      rotation.makeGivens(R_(j, j), R_(j + 1, j));
      R_.applyOnTheLeft(j, j + 1, rotation.adjoint());
      R_(j + 1, j) = 0.0;
      J_.applyOnTheRight(j, j + 1, rotation);
    }
  }

  StrictSolution finish(QpStatus status) const {
    VectorXd multiplier = VectorXd::Zero(me_ + m_);
    for (int k = 0; k < active(); ++k) multiplier[set_[k].index] = set_[k].sign * u_[k];
    return {status, x_, multiplier.head(me_), multiplier.tail(m_).cwiseMax(0.0), iterations_};
  }

  StrictSolution infeasible() const {
    const VectorXd y = ray_.tail(m_).cwiseMax(0.0);  // a multiplier of −1e-16 is a zero
    return {QpStatus::kInfeasible, x_, ray_.head(me_), y, iterations_};
  }

  const StrictProgram& p_;
  const int me_, m_;
  MatrixXd J_, R_;  // Jᵀ N = (R; 0) for the active rows N, J Jᵀ = G⁻¹
  VectorXd x_, u_, row_norm_, ray_;
  double start_;  // ‖x₀‖
  std::vector<ActiveRow> set_;
  std::vector<bool> skipped_;
  int iterations_ = 0;
};

}  // namespace

StrictSolution solve_strict(const StrictProgram& program) { return DualActiveSet(program).solve(); }

}  // namespace stiction::reference
