//   min ½ ‖z‖²,   M z/‖M‖ + q/‖q‖ >= 0 (free i: = 0),   z_i >= 0 (i not free)                            (1)
//
// The kernels' certificate y for (1) contains the one that is sought, in the entries of its first rows; those of its
// second rows take up what Mᵀy lacks to zero.
#include "host/api/lcp_feasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host/api/host_solver.hpp"
#include "host/api/one_block_problem.hpp"
#include "kernels/team/team.hpp"

namespace stiction {
namespace {

using Team = HostTeam<PhaseOrder::kForward>;

constexpr double kViolation = 1e-10;  // violation of the signs of y and Mᵀy that rounding may leave
constexpr double kGain = 1e-7;        // least −qᵀy that is more than rounding
constexpr double kTolerance = 1e-8;   // of (1); its answer is of no interest
constexpr int kMostRows = 2000;       // rows of (1), which is dense; beyond them no certificate is looked for

std::vector<double> scaled(const double* values, std::size_t count) {
  double largest = 0;
  for (std::size_t k = 0; k < count; ++k) largest = std::max(largest, std::fabs(values[k]));
  std::vector<double> out(values, values + count);
  for (double& x : out) x /= largest > 0 ? largest : 1.0;
  return out;
}

}  // namespace

bool prove_infeasible(const LcpProblem<double>& lcp, std::span<double> y) {
  const int n = lcp.size;
  if (2 * n > kMostRows) return false;
  const std::size_t size = static_cast<std::size_t>(n);
  const std::vector<double> M = scaled(lcp.M, size * size), q = scaled(lcp.q, size), zero(size, 0.0);
  std::vector<double> identity(size * size, 0.0), v(size), rows(2 * size);
  for (std::size_t j = 0; j < size; ++j) identity[j * (size + 1)] = 1.0;

  OneBlockProblem problem({n, 0, 2 * n}, {});
  problem.set_motion(n, identity.data(), zero.data(), 1.0);
  for (std::size_t i = 0; i < size; ++i) problem.add_row(&M[i * size], q[i], lcp.is_free_at(static_cast<int>(i)));
  for (std::size_t i = 0; i < size; ++i)
    if (!lcp.is_free_at(static_cast<int>(i))) problem.add_row(&identity[i * size], 0.0);
  ProblemSolver solver({});
  HostSolver host;
  solver.begin(problem.view(), kTolerance, {v.data(), nullptr, rows.data()});
  const SolverReport<double>& report = host.finish(solver);
  if (report.status != status::kInfeasible || !report.certificate) return false;

  std::vector<double> found(report.certificate, report.certificate + n);
  const auto proof = check_lcp_certificate(Team{}, lcp, found.data());
  if (!(proof.violation <= kViolation && proof.gain >= kGain)) return false;
  std::copy(found.begin(), found.end(), y.begin());
  return true;
}

}  // namespace stiction
