#include "host/api/lcp_enumeration.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "kernels/team/team.hpp"

namespace stiction {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kMostRestricted = 12;  // 4,096 bases
constexpr int kMostUnknowns = 64;    // of a basis; all bases then take a tenth of a second

/// z of a basis: w = 0 in the basis, z = 0 outside. A singular basis may still have a solution.
Eigen::VectorXd solve_basis(const LcpProblem<double>& p, const std::vector<int>& basis) {
  const Eigen::Map<const RowMatrix> M(p.M, p.size, p.size);
  const Eigen::Map<const Eigen::VectorXd> q(p.q, p.size);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(p.size);
  if (basis.empty()) return z;
  const Eigen::MatrixXd square = M(basis, basis);
  const Eigen::VectorXd right = -q(basis);
  z(basis) = square.colPivHouseholderQr().solve(right);
  for (const int i : basis)
    if (!p.is_free_at(i)) z[i] = std::max(z[i], 0.0);
  return z;
}

}  // namespace

bool try_every_basis(const LcpProblem<double>& p, double tolerance, std::span<double> z) {
  std::vector<int> restricted;
  for (int i = 0; i < p.size; ++i)
    if (!p.is_free_at(i)) restricted.push_back(i);
  if (p.size > kMostUnknowns || restricted.size() > kMostRestricted) return false;
  for (unsigned subset = 0; subset < (1u << restricted.size()); ++subset) {
    std::vector<int> basis;
    for (int i = 0, k = 0; i < p.size; ++i)
      if (p.is_free_at(i) || ((subset >> k++) & 1u)) basis.push_back(i);
    const Eigen::VectorXd candidate = solve_basis(p, basis);
    if (!(compute_lcp_residual(HostTeam<PhaseOrder::kForward>{}, p, candidate.data()) <= tolerance)) continue;
    std::copy(candidate.begin(), candidate.end(), z.begin());
    return true;
  }
  return false;
}

}  // namespace stiction
