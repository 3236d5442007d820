#include "host/api/free_direction.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "host/api/host_solver.hpp"
#include "host/api/one_block_problem.hpp"

namespace stiction {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kNull = 1e-12;       // eigenvalues up to this, relative to the largest, are rounding of zero
constexpr double kTolerance = 1e-11;  // on the residual of (1), a tenth of kViolation
constexpr double kViolation = 1e-10;  // tolerance of J d ∈ K*, relative to the largest entries of J and d
constexpr double kGain = 1e-6;        // least gᵀd − Σ σ relative to |g| |d| that is more than rounding

/// An orthonormal basis of the null space of H, as columns.
Eigen::MatrixXd null_space(const Eigen::Map<const RowMatrix>& H) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const double largest = values.cwiseAbs().maxCoeff();
  Eigen::Index count = 0;
  while (count < values.size() && values[count] <= kNull * largest) ++count;
  return eigen.eigenvectors().leftCols(count);
}

/// All rows of J N: those of the contacts, then the general ones.
RowMatrix project_rows(const ContactProblem<double>& p, const Eigen::MatrixXd& N) {
  RowMatrix J(3 * p.num_contacts + p.num_rows, p.nv);
  for (int i = 0; i < p.num_contacts; ++i)
    J.middleRows(3 * i, 3) = Eigen::Map<const RowMatrix>(p.contacts[i].side[0].J, 3, p.nv);
  for (int r = 0; r < p.num_rows; ++r)
    J.row(3 * p.num_contacts + r) = Eigen::Map<const Eigen::RowVectorXd>(p.rows[r].side[0].J, p.nv);
  return J * N;
}

SolveOptions options_of(const ContactProblem<double>& p) {
  SolveOptions options;
  options.law = has_friction(p.law) ? kConvexFriction : p.law;
  options.cone = p.cone, options.facets = p.facets;
  return options;
}

/// True if (1) covers the whole problem.
bool is_plain(const ContactProblem<double>& p) {
  const auto has_one_friction = [&](const ContactRow<double>& c) { return c.side[0].block == 0 && c.mu_t == c.mu_o; };
  const auto acts = [](const GeneralRow<double>& r) { return r.side[0].block == 0; };
  return p.num_blocks == 1 && p.dimension == 3 &&
         std::all_of(p.contacts, p.contacts + p.num_contacts, has_one_friction) &&
         std::all_of(p.rows, p.rows + p.num_rows, acts);
}

/// The finite part of σ of (2) at u = J_r d.
double resistance(const GeneralRow<double>& row, double u) {
  const double bound = u > 0 ? row.lower : row.upper;
  return std::isinf(bound) ? 0.0 : -bound * u;
}

/// gᵀd − Σ σ_r(d), by the rows of the problem (1).
double gain_along(const ContactProblem<double>& cone, const Eigen::VectorXd& force, const RowMatrix& J,
                  const Eigen::VectorXd& w) {
  double gain = force.dot(w);
  for (int r = 0; r < cone.num_rows; ++r) gain -= resistance(cone.rows[r], J.row(3 * cone.num_contacts + r).dot(w));
  return gain;
}

}  // namespace

std::vector<double> find_free_direction(const ContactProblem<double>& p) {
  if (!is_plain(p)) return {};
  const Eigen::MatrixXd N = null_space(Eigen::Map<const RowMatrix>(p.H[0], p.nv, p.nv));
  const Eigen::Map<const Eigen::VectorXd> g(p.g, p.nv);
  const double push = (N.transpose() * g).norm();
  if (!(push > kGain * g.norm())) return {};
  const Eigen::Index n = N.cols();
  const RowMatrix H = RowMatrix::Identity(n, n), J = project_rows(p, N);
  const Eigen::VectorXd force = N.transpose() * g / push;

  OneBlockProblem cone({static_cast<int>(n), p.num_contacts, p.num_rows}, options_of(p));
  cone.set_motion(static_cast<int>(n), H.data(), force.data(), 1.0);
  for (int i = 0; i < p.num_contacts; ++i) cone.add_contact(J.row(3 * i).data(), 0.0, nullptr, p.contacts[i].mu_t);
  for (int r = 0; r < p.num_rows; ++r)
    cone.add_bounded_row(J.row(3 * p.num_contacts + r).data(), p.rows[r].lower / push, p.rows[r].upper / push);
  Eigen::VectorXd w(n), lambda(3 * p.num_contacts), row_lambda(p.num_rows);
  ContactSolution<double> x{w.data(), lambda.data(), row_lambda.data()};
  ProblemSolver solver(options_of(p));
  solver.begin(cone.view(), kTolerance, x);
  HostSolver().finish(solver);

  const double largest_J = J.size() > 0 ? J.cwiseAbs().maxCoeff() : 0.0;
  const double violation = measure_residual(cone.view(), x).violation;  // h = 1
  if (!(violation <= kViolation * largest_J * w.norm())) return {};
  if (!(gain_along(cone.view(), force, J, w) > kGain * w.norm())) return {};
  const Eigen::VectorXd d = N * w / w.cwiseAbs().maxCoeff();
  return {d.begin(), d.end()};
}

}  // namespace stiction
