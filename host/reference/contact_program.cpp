#include "host/reference/contact_program.hpp"

#include <cmath>

namespace stiction::reference {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ContactProgram::ContactProgram(const DenseProblem& problem, const Facets& facets, Slack slack)
    : p_(problem), facets_(facets), slack_(slack) {
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

DenseSolution ContactProgram::answer(const QpSolution& s) const {
  DenseSolution out{velocity(s.x), VectorXd::Zero(p_.dimension * p_.num_contacts()), VectorXd::Zero(p_.num_rows())};
  Eigen::Index line = 0;
  for (int i = 0; i < p_.num_contacts(); ++i) {
    out.lambda.segment(p_.dimension * i, p_.dimension) = facets_[i] * s.y.segment(line, facets_[i].cols());
    line += facets_[i].cols();
  }
  for (int r = 0; r < p_.num_rows(); ++r) out.row_lambda[r] = row_force(r, s) * p_.row_radius[r];
  return out;
}

ContactProgram::RowForm ContactProgram::form_of(int r) const {
  const bool from_below = std::isinf(p_.row_lower[r]), from_above = std::isinf(p_.row_upper[r]);
  const bool rigid = p_.row_compliance[r] == 0.0;
  if (from_below && from_above) return rigid ? RowForm::kEquality : RowForm::kSpring;
  if (rigid && p_.row_lower[r] == 0.0 && from_above) return RowForm::kAtLeast;
  if (rigid && p_.row_upper[r] == 0.0 && from_below) return RowForm::kAtMost;
  return RowForm::kBounded;
}

void ContactProgram::count() {
  n_ = p_.nv(), m_ = 0, me_ = 0;
  for (const auto& generators : facets_) m_ += generators.cols();
  for (int r = 0; r < p_.num_rows(); ++r) {
    Row row{form_of(r), -1};
    const bool rigid = p_.row_compliance[r] == 0.0;
    if (row.form == RowForm::kAtLeast || row.form == RowForm::kAtMost) row.line = m_++;
    if (row.form == RowForm::kEquality || (row.form == RowForm::kBounded && rigid)) row.line = me_++;
    if (row.form == RowForm::kBounded && !std::isinf(p_.row_upper[r])) row.plus = n_++, row.plus_line = m_++;
    if (row.form == RowForm::kBounded && !std::isinf(p_.row_lower[r])) row.minus = n_++, row.minus_line = m_++;
    rows_.push_back(row);
  }
  n_ += num_slacks(), m_ += num_slacks();
}

void ContactProgram::write_contacts(const VectorXd& inverse) {
  const int nv = p_.nv(), nc = p_.num_contacts(), d = p_.dimension;
  Eigen::Index line = 0;
  for (int i = 0; i < nc; ++i) {
    const auto& G = facets_[i];
    const Eigen::Index k = G.cols();
    qp.C.block(line, 0, k, nv) = G.transpose() * p_.J.middleRows(d * i, d) * inverse.asDiagonal();
    qp.c.segment(line, k) = (G.transpose() * p_.offset.segment(d * i, d)).array() + p_.gap_rate[i];
    if (slack_ == Slack::kOnContacts) {
      const int slack = n_ - nc + i;
      qp.C.block(line, slack, k, 1).setOnes();
      qp.C(m_ - nc + i, slack) = 1.0;
    }
    line += k;
  }
}

void ContactProgram::write_row(int r, const VectorXd& inverse) {
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

/// λ'_r on the body's surface [N s]; in a Farkas vector the entries of springs are 0.
double ContactProgram::row_force(int r, const QpSolution& s) const {
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

}  // namespace stiction::reference
