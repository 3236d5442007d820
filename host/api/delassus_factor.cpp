#include "host/api/delassus_factor.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kRankRounding = 1e-14;  // eigenvalues up to this are taken for zero with rounding
constexpr double kShareOfMotion =
    0.5;  // share of q that g represents: for small ω, (Vᵀq)_k/√ω_k may be mostly rounding

double unit_of(double largest) { return largest > 0 ? largest : 1.0; }

/// The first columns of L, whose ω are the largest, that make up kShareOfMotion of ‖Vᵀq‖².
Eigen::Index count_well_determined(const Eigen::VectorXd& along) {
  const double enough = kShareOfMotion * along.squaredNorm();
  double sum = 0;
  Eigen::Index count = 0;
  while (count < along.size() && sum < enough) sum += along[count] * along[count], ++count;
  return count;
}

}  // namespace

DelassusFactor factor_delassus(std::span<const double> S, std::span<const double> q) {
  const Eigen::Index n = static_cast<Eigen::Index>(q.size());
  const Eigen::Map<const RowMatrix> given(S.data(), n, n);
  const Eigen::Map<const Eigen::VectorXd> given_q(q.data(), n);
  DelassusFactor f;
  f.unit_W = unit_of(given.cwiseAbs().maxCoeff()), f.unit_q = unit_of(given_q.cwiseAbs().maxCoeff());
  f.S = given / f.unit_W, f.q = given_q / f.unit_q;

  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(f.S);
  const Eigen::VectorXd omega = eigen.eigenvalues().reverse();
  const Eigen::MatrixXd V = eigen.eigenvectors().rowwise().reverse();
  Eigen::Index rank = 0;
  while (rank < n && omega[rank] > kRankRounding * omega[0]) ++rank;
  // at least one column, even of zeros: kernels do not accept a problem without dofs
  const Eigen::Index columns = std::max<Eigen::Index>(rank, 1);
  const Eigen::VectorXd root = omega.head(columns).cwiseMax(0.0).cwiseSqrt();
  f.L = V.leftCols(columns) * root.asDiagonal();
  f.g = Eigen::VectorXd::Zero(columns);
  const Eigen::VectorXd along = V.leftCols(rank).transpose() * f.q;
  const Eigen::Index moved = count_well_determined(along);
  f.g.head(moved) = along.head(moved).cwiseQuotient(root.head(moved));
  f.b = f.q - f.L * f.g;
  return f;
}

}  // namespace stiction
