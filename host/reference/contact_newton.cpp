#include "host/reference/contact_newton.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction::reference {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostSteps = 8;
// singular values below this share of the largest count as zero
constexpr double kRank = 1e-10;
// a generator belongs to the face of λ if û is orthogonal to it up to this share of the natural map
constexpr double kOnFace = 1e-7;

/// What a contact does: λ in the span of `face` and û orthogonal to it, or sliding on a curved cone.
struct ContactState {
  FrictionCone cone;
  bool sliding = false;
  Matrix3Xd face;      // orthonormal columns
  Matrix3Xd off_face;  // completes them
};

struct RowState {
  bool at_bound;
  double bound;
};

double max_abs(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

void set_face(const Matrix3Xd& columns, ContactState& state) {
  Matrix3d Q = Matrix3d::Identity();
  Eigen::Index rank = 0;
  if (columns.cols() > 0) {
    const Eigen::ColPivHouseholderQR<Matrix3Xd> factor(columns);
    Q = factor.householderQ();
    rank = factor.rank();
  }
  state.face = Q.leftCols(rank);
  state.off_face = Q.rightCols(3 - rank);
}

class ContactNewton {
 public:
  ContactNewton(const DenseProblem& problem, const DenseSolution& start) : p_(problem) {
    const VectorXd speed = p_.J * start.v + p_.offset;
    double fastest = 1e-3 / p_.step_size;
    for (int i = 0; i < p_.num_contacts(); ++i) fastest = std::max(fastest, speed.segment<3>(3 * i).norm());
    const double rho = std::max(max_abs(start.lambda), p_.step_size * 1e-3) / fastest;
    for (int i = 0; i < p_.num_contacts(); ++i) classify_contact(i, speed.segment<3>(3 * i), start, rho);
    for (int r = 0; r < p_.num_rows(); ++r) classify_row(r, start, rho);
  }

  DenseSolution step(const DenseSolution& s) const;

 private:
  void classify_contact(int i, Vector3d u, const DenseSolution& s, double rho) {
    ContactState state{cone_of(p_, i), false, {}, {}};
    u[0] += p_.gap_rate[i] + shift(p_, i, u);
    const Vector3d moved = s.lambda.segment<3>(3 * i) - rho * u, nearest = project(state.cone, moved);
    const Vector3d away = nearest - moved;
    Matrix3Xd columns(3, 0);
    if (nearest[0] > 0.0 && state.cone.curved) {
      state.sliding = away.norm() > 0.0;
      columns = Matrix3d::Identity();
    } else if (nearest[0] > 0.0) {
      for (const auto& g : state.cone.generators.colwise()) {
        if (g.dot(away) > kOnFace * g.norm() * moved.norm()) continue;
        add_generator(g, columns);
      }
    }
    set_face(columns, state);
    contacts_.push_back(state);
  }

  void classify_row(int r, const DenseSolution& s, double rho) {
    const double radius = p_.row_radius[r], R = p_.row_compliance[r];
    const double u = p_.row_J.row(r).dot(s.v) + p_.row_offset[r] + R * s.row_lambda[r];
    const double moved = s.row_lambda[r] - rho * radius * radius * u;
    const double nearest = std::clamp(moved, p_.row_lower[r], p_.row_upper[r]);
    rows_.push_back({nearest != moved, nearest});
  }

  /// Equations of contact i in the lines [line, line + 3) and what they miss.
  void write_contact(int i, const DenseSolution& s, MatrixXd& K, VectorXd& rest) const;
  void write_row(int r, const DenseSolution& s, MatrixXd& K, VectorXd& rest) const;

  const DenseProblem& p_;
  std::vector<ContactState> contacts_;
  std::vector<RowState> rows_;
};

void ContactNewton::write_contact(int i, const DenseSolution& s, MatrixXd& K, VectorXd& rest) const {
  const ContactState& state = contacts_[i];
  const FrictionCone& cone = state.cone;
  const int nv = p_.nv(), line = nv + 3 * i;
  const auto J = p_.J.middleRows(3 * i, 3);
  const Vector3d u = J * s.v + p_.offset.segment<3>(3 * i), lambda = s.lambda.segment<3>(3 * i);
  const bool shifted = p_.law == ContactLaw::kCoulomb;
  const Vector3d opposing = opposing_generator(cone, u);
  const double along = u[0] + p_.gap_rate[i] + (shifted ? support(cone, u) : 0.0);
  Matrix3d rate = Matrix3d::Identity();  // ∂û/∂u
  if (shifted) rate.row(0).tail<2>() = -opposing.tail<2>().transpose();
  if (!state.sliding) {
    const Eigen::Index held = state.face.cols();
    K.block(line, 0, held, nv) = state.face.transpose() * rate * J;
    rest.segment(line, held) = state.face.transpose() * Vector3d(along, u[1], u[2]);
    K.block(line + held, line, 3 - held, 3) = state.off_face.transpose();
    rest.segment(line + held, 3 - held) = state.off_face.transpose() * lambda;
    return;
  }
  const Eigen::Vector2d mu(cone.mu_t, cone.mu_o), w = mu.cwiseProduct(u.tail<2>());
  const double size = std::max(w.norm(), 1e-300);
  const Eigen::RowVector2d growth = (mu.cwiseProduct(w) / size).transpose();  // ∂‖w‖/∂u_t
  Eigen::RowVector3d normal(1.0, 0.0, 0.0);
  if (!shifted) normal.tail<2>() = -growth;
  K.block(line, 0, 1, nv) = normal * J;
  rest[line] = u[0] + p_.gap_rate[i] - (shifted ? 0.0 : size);
  Eigen::Matrix2d turn = lambda.tail<2>() * growth;
  turn.diagonal() += lambda[0] * mu.cwiseAbs2();
  K.block(line + 1, 0, 2, nv) = turn * J.bottomRows(2);
  K.block<2, 1>(line + 1, line) = mu.cwiseProduct(w);
  K.block<2, 2>(line + 1, line + 1) = size * Eigen::Matrix2d::Identity();
  rest.segment<2>(line + 1) = size * lambda.tail<2>() + lambda[0] * mu.cwiseProduct(w);
}

void ContactNewton::write_row(int r, const DenseSolution& s, MatrixXd& K, VectorXd& rest) const {
  const int nv = p_.nv(), line = nv + 3 * p_.num_contacts() + r;
  if (rows_[r].at_bound) {
    K(line, line) = 1.0;
    rest[line] = s.row_lambda[r] - rows_[r].bound;
    return;
  }
  K.block(line, 0, 1, nv) = p_.row_J.row(r);
  K(line, line) = p_.row_compliance[r];
  rest[line] = p_.row_J.row(r).dot(s.v) + p_.row_offset[r] + p_.row_compliance[r] * s.row_lambda[r];
}

DenseSolution ContactNewton::step(const DenseSolution& s) const {
  const int nv = p_.nv(), nl = 3 * p_.num_contacts(), nr = p_.num_rows(), n = nv + nl + nr;
  MatrixXd K = MatrixXd::Zero(n, n);
  VectorXd rest = VectorXd::Zero(n);
  K.topLeftCorner(nv, nv) = p_.H;
  K.block(0, nv, nv, nl) = -p_.J.transpose();
  K.topRightCorner(nv, nr) = -p_.row_J.transpose();
  rest.head(nv) = p_.H * s.v - p_.g - p_.J.transpose() * s.lambda - p_.row_J.transpose() * s.row_lambda;
  for (int i = 0; i < p_.num_contacts(); ++i) write_contact(i, s, K, rest);
  for (int r = 0; r < nr; ++r) write_row(r, s, K, rest);
  VectorXd columns(n);  // v over the radius; then every line and every impulse over its largest entry
  columns.head(nv) = p_.dof_radius.cwiseInverse();
  columns.tail(nl + nr).setOnes();
  K = K * columns.asDiagonal();
  for (int k = 0; k < n; ++k) {
    const double largest = std::max(K.row(k).cwiseAbs().maxCoeff(), 1e-300);
    K.row(k) /= largest, rest[k] /= largest;
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(kRank);
  factor.compute(K);
  const VectorXd change = -columns.cwiseProduct(factor.solve(rest));
  return {s.v + change.head(nv), s.lambda + change.segment(nv, nl), s.row_lambda + change.tail(nr)};
}

}  // namespace

DenseSolution refine_contacts(const DenseProblem& problem, const DenseSolution& start) {
  const ContactNewton newton(problem, start);
  DenseSolution now = start, best = start;
  double least = residual(problem, start);
  for (int k = 0; k < kMostSteps; ++k) {
    now = newton.step(now);
    if (!now.v.allFinite() || !now.lambda.allFinite() || !now.row_lambda.allFinite()) break;
    const double error = residual(problem, now);
    if (k >= 3 && error >= least) break;
    if (error < least) least = error, best = now;
  }
  return best;
}

}  // namespace stiction::reference
