#include "host/reference/dense_problem.hpp"

namespace stiction::reference {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Adds both sides of a row to the rows [first, first + rows) of a dense Jacobian.
void scatter(const ContactProblem<double>& problem, const BlockJacobian<double> (&side)[2], int first, int rows,
             Eigen::MatrixXd& J) {
  for (const auto& s : side) {
    if (s.block < 0) continue;
    const int adr = problem.block_adr[s.block], size = problem.block_size[s.block];
    J.block(first, adr, rows, size) += Eigen::Map<const RowMajor>(s.J, rows, size);
  }
}

void expand_motion(const ContactProblem<double>& problem, DenseProblem& dense) {
  const int nv = problem.nv;
  dense.H = Eigen::MatrixXd::Zero(nv, nv);
  dense.M = Eigen::MatrixXd::Zero(nv, nv);
  for (int b = 0; b < problem.num_blocks; ++b) {
    const int adr = problem.block_adr[b], size = problem.block_size[b];
    dense.H.block(adr, adr, size, size) = Eigen::Map<const RowMajor>(problem.H[b], size, size);
    dense.M.block(adr, adr, size, size) = Eigen::Map<const RowMajor>(problem.M[b], size, size);
  }
  dense.trees.assign(problem.block_size, problem.block_size + problem.num_blocks);
  dense.g = Eigen::Map<const Eigen::VectorXd>(problem.g, nv);
  dense.dof_radius = Eigen::Map<const Eigen::VectorXd>(problem.dof_radius, nv);
}

void expand_contacts(const ContactProblem<double>& problem, DenseProblem& dense) {
  const int nc = problem.num_contacts, d = problem.dimension;
  dense.dimension = d;
  dense.J = Eigen::MatrixXd::Zero(d * nc, problem.nv);
  dense.gap_rate.resize(nc);
  dense.offset.resize(d * nc);
  dense.mu.resize(nc, d - 1);
  dense.radius.resize(d == 4 ? nc : 0);
  for (int i = 0; i < nc; ++i) {
    const auto& contact = problem.contacts[i];
    scatter(problem, contact.side, d * i, d, dense.J);
    dense.gap_rate[i] = contact.gap_rate;
    dense.offset.segment(d * i, d) = Eigen::Map<const Eigen::VectorXd>(contact.offset, d);
    dense.mu(i, 0) = contact.mu_t, dense.mu(i, 1) = contact.mu_o;
    if (d == 3) continue;
    dense.radius[i] = contact.radius;
    dense.mu(i, 2) = contact.mu_r / contact.radius;
    const double a = contact.mu_r > 0.0 ? contact.radius : 0.0;
    dense.J.row(4 * i + 3) *= a;
    dense.offset[4 * i + 3] *= a;
  }
}

void expand_rows(const ContactProblem<double>& problem, DenseProblem& dense) {
  const int nr = problem.num_rows;
  dense.row_J = Eigen::MatrixXd::Zero(nr, problem.nv);
  for (auto* field : {&dense.row_offset, &dense.row_lower, &dense.row_upper, &dense.row_compliance, &dense.row_radius})
    field->resize(nr);
  for (int r = 0; r < nr; ++r) {
    const auto& row = problem.rows[r];
    scatter(problem, row.side, r, 1, dense.row_J);
    dense.row_offset[r] = row.offset;
    dense.row_lower[r] = row.lower;
    dense.row_upper[r] = row.upper;
    dense.row_compliance[r] = row.compliance;
    dense.row_radius[r] = row.radius;
  }
}

}  // namespace

DenseProblem expand(const ContactProblem<double>& problem) {
  DenseProblem dense;
  dense.step_size = problem.step_size;
  dense.law = problem.law;
  dense.cone = problem.cone;
  dense.facets = problem.facets;
  expand_motion(problem, dense);
  expand_contacts(problem, dense);
  expand_rows(problem, dense);
  return dense;
}

}  // namespace stiction::reference
