#include "host/reference/contact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

enum class RowForm { kAtLeast, kAtMost, kEquality, kSpring, kBounded };

RowForm form_of(const DenseProblem& p, int r) {
  const bool from_below = std::isinf(p.row_lower[r]), from_above = std::isinf(p.row_upper[r]);
  const bool rigid = p.row_compliance[r] == 0.0;
  if (from_below && from_above) return rigid ? RowForm::kEquality : RowForm::kSpring;
  if (rigid && p.row_lower[r] == 0.0 && from_above) return RowForm::kAtLeast;
  if (rigid && p.row_upper[r] == 0.0 && from_below) return RowForm::kAtMost;
  return RowForm::kBounded;
}

/// Where the rows of the program came from, and the program itself in metres per second and newton seconds.
class Translation {
 public:
  Translation(const DenseProblem& problem, bool elastic) : p_(problem), elastic_(elastic) {
    count();
    const int nv = p_.nv();
    const VectorXd inverse = p_.dof_radius.cwiseInverse();
    qp.H = qp.weight = MatrixXd::Zero(n_, n_);
    qp.H.topLeftCorner(nv, nv) = inverse.asDiagonal() * p_.H * inverse.asDiagonal();
    qp.weight.topLeftCorner(nv, nv) = inverse.asDiagonal() * p_.M * inverse.asDiagonal();
    qp.g = VectorXd::Zero(n_);
    qp.g.head(nv) = inverse.cwiseProduct(p_.g);
    qp.C = MatrixXd::Zero(m_, n_);
    qp.c = VectorXd::Zero(m_);
    qp.speed = 1e-3 / p_.step_size;
    qp.E = MatrixXd::Zero(me_, n_);
    qp.e = VectorXd::Zero(me_);
    write_contacts(inverse);
    for (int r = 0; r < p_.num_rows(); ++r) write_row(r, inverse);
  }

  /// The price of the elastic slacks [N s].
  void set_price(double price) { qp.g.tail(num_slacks()).setConstant(-price); }
  double sum_of_slacks(const QpSolution& s) const { return s.x.tail(num_slacks()).sum(); }

  VectorXd velocity(const VectorXd& x) const { return x.head(p_.nv()).cwiseQuotient(p_.dof_radius); }

  /// Impulses of multipliers; the same map turns a Farkas vector of the program into one of the problem.
  DenseSolution answer(const QpSolution& s) const {
    DenseSolution out{velocity(s.x), VectorXd::Zero(3 * p_.num_contacts()), VectorXd::Zero(p_.num_rows())};
    for (int i = 0; i < p_.num_contacts(); ++i)
      out.lambda.segment<3>(3 * i) = generators(i) * s.y.segment(p_.facets * i, p_.facets);
    for (int r = 0; r < p_.num_rows(); ++r) out.row_lambda[r] = row_force(r, s) * p_.row_radius[r];
    return out;
  }

  QuadraticProgram qp;

 private:
  struct Row {
    RowForm form;
    int line;                   // in E (equality, rigid bounded) or C (at least, at most); -1: a spring
    int plus = -1, minus = -1;  // variables z⁺, z⁻
    int plus_line = -1, minus_line = -1;
  };

  int num_slacks() const { return elastic_ ? p_.num_contacts() : 0; }
  Eigen::Matrix3Xd generators(int i) const { return pyramid_generators(p_.mu(i, 0), p_.mu(i, 1), p_.facets); }

  void count() {
    n_ = p_.nv(), m_ = p_.facets * p_.num_contacts(), me_ = 0;
    for (int r = 0; r < p_.num_rows(); ++r) {
      Row row{form_of(p_, r), -1};
      const bool rigid = p_.row_compliance[r] == 0.0;
      if (row.form == RowForm::kAtLeast || row.form == RowForm::kAtMost) row.line = m_++;
      if (row.form == RowForm::kEquality || (row.form == RowForm::kBounded && rigid)) row.line = me_++;
      if (row.form == RowForm::kBounded && !std::isinf(p_.row_upper[r])) row.plus = n_++, row.plus_line = m_++;
      if (row.form == RowForm::kBounded && !std::isinf(p_.row_lower[r])) row.minus = n_++, row.minus_line = m_++;
      rows_.push_back(row);
    }
    n_ += num_slacks(), m_ += num_slacks();
  }

  void write_contacts(const VectorXd& inverse) {
    const int nv = p_.nv(), k = p_.facets, nc = p_.num_contacts();
    for (int i = 0; i < nc; ++i) {
      const auto G = generators(i);
      qp.C.block(k * i, 0, k, nv) = G.transpose() * p_.J.middleRows(3 * i, 3) * inverse.asDiagonal();
      qp.c.segment(k * i, k) = (G.transpose() * p_.offset.segment<3>(3 * i)).array() + p_.gap_rate[i];
      if (!elastic_) continue;
      const int slack = n_ - nc + i;
      qp.C.block(k * i, slack, k, 1).setOnes();
      qp.C(m_ - nc + i, slack) = 1.0;
    }
  }

  void write_row(int r, const VectorXd& inverse) {
    const Row& row = rows_[r];
    const double radius = p_.row_radius[r], b = radius * p_.row_offset[r];
    VectorXd line = VectorXd::Zero(n_);
    line.head(p_.nv()) = radius * p_.row_J.row(r).transpose().cwiseProduct(inverse);
    if (row.plus >= 0) line[row.plus] = 1.0, qp.g[row.plus] = -p_.row_upper[r] / radius;
    if (row.minus >= 0) line[row.minus] = -1.0, qp.g[row.minus] = p_.row_lower[r] / radius;
    if (row.plus >= 0) qp.C(row.plus_line, row.plus) = 1.0;
    if (row.minus >= 0) qp.C(row.minus_line, row.minus) = 1.0;
    if (row.form == RowForm::kAtLeast || row.form == RowForm::kAtMost) {
      const double sign = row.form == RowForm::kAtLeast ? 1.0 : -1.0;
      qp.C.row(row.line) = sign * line;
      qp.c[row.line] = sign * b;
    } else if (row.line >= 0) {
      qp.E.row(row.line) = line;
      qp.e[row.line] = b;
    } else {
      const double stiffness = 1.0 / (p_.row_compliance[r] * radius * radius);
      qp.H += stiffness * line * line.transpose();
      qp.g -= stiffness * b * line;
    }
  }

  /// λ'_r [N s] on the body's surface; springs take no part in a Farkas vector.
  double row_force(int r, const QpSolution& s) const {
    const Row& row = rows_[r];
    if (row.form == RowForm::kAtLeast) return s.y[row.line];
    if (row.form == RowForm::kAtMost) return -s.y[row.line];
    if (row.line >= 0) return s.w[row.line];
    if (s.status == QpStatus::kInfeasible) return 0.0;
    const double radius = p_.row_radius[r];
    double rate = radius * (p_.row_J.row(r).dot(velocity(s.x)) + p_.row_offset[r]);
    if (row.plus >= 0) rate += s.x[row.plus];
    if (row.minus >= 0) rate -= s.x[row.minus];
    return -rate / (p_.row_compliance[r] * radius * radius);
  }

  const DenseProblem& p_;
  const bool elastic_;
  int n_ = 0, m_ = 0, me_ = 0;
  std::vector<Row> rows_;
};

/// The least total slack, then the least objective: the price of slack rises until the sum stays.
void answer_elastically(const DenseProblem& problem, ContactAnswer& answer) {
  Translation elastic(problem, true);
  double price = 10.0 * std::max(elastic.qp.g.cwiseAbs().maxCoeff(), problem.step_size * 1e-3);
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 8; ++round, price *= 10.0) {
    elastic.set_price(price);
    const QpSolution s = solve_qp(elastic.qp);
    if (s.status != QpStatus::kSolved) continue;
    const double sum = elastic.sum_of_slacks(s);
    answer.solution = elastic.answer(s);
    answer.violation = sum * problem.step_size;
    if (before - sum <= 1e-9 * sum) return;
    before = sum;
  }
}

}  // namespace

ContactAnswer solve_contacts(const DenseProblem& problem) {
  const Translation translation(problem, false);
  const QpSolution s = solve_qp(translation.qp);
  ContactAnswer answer;
  answer.status = s.status;
  answer.rounds = s.rounds;
  answer.solution = translation.answer(s);
  if (s.status == QpStatus::kInfeasible) {
    answer.farkas = answer.solution;
    answer.farkas.v.resize(0);
    answer_elastically(problem, answer);
  }
  if (s.status == QpStatus::kUnbounded) answer.direction = translation.velocity(s.direction);
  answer.residual = residual(problem, answer.solution);
  return answer;
}

}  // namespace stiction::reference
