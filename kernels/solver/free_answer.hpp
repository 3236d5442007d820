// The answer without impulses:  H v = g,  λ = 0.
//
// It solves a problem whose contacts open and whose rows keep within their bounds, such as that of a robot in the air.
// A single lane tries it first where the start has no impulses; the residual tells whether it is the solution. H has to
// be regular, or there would be several v.
//
//   symbol   variable   shape
//   H = UᵀU  factor     blocks as H
#pragma once

#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/solver/ground/tree_factors.hpp"
#include "kernels/solver/islands.hpp"

namespace stiction {
namespace free_answer_detail {

/// True if there is nothing that could carry, or if the start says that nothing carries.
template <class Real>
ST_FN bool starts_without_impulses(const ContactProblem<Real>& p, const WarmStart<Real>& warm) {
  const int contacts = p.dimension * p.num_contacts;
  if ((contacts > 0 && !warm.lambda) || (p.num_rows > 0 && !warm.row_lambda)) return false;
  for (int r = 0; r < p.num_rows; ++r)
    if (warm.row_lambda[r] != Real(0)) return false;
  for (int i = 0; i < contacts; ++i)
    if (warm.lambda[i] != Real(0)) return false;
  return true;
}

/// Writes H⁻¹ g of one block to v; false if H is not regular. `factor` has room for the block.
template <class Real>
ST_FN bool solve_block(const ContactProblem<Real>& p, int block, Pointer<Real> factor, Pointer<Real> v) {
  const int n = p.block_size[block], adr = p.block_adr[block];
  const Real* H = p.H[block];
  for (int ij = 0; ij < n * n; ++ij) factor[ij] = H[ij];
  if (!factor_upper(factor, n)) return false;
  for (int j = 0; j < n; ++j) {
    const Real pivot = factor[j * n + j];
    if (!(pivot * pivot > kRegularPivot<Real> * H[j * n + j])) return false;
    v[adr + j] = p.g[adr + j];
  }
  solve_upper(factor, n, v + adr);
  return true;
}

/// The number of entries of the largest block.
template <class Real>
ST_FN int largest_block(const ContactProblem<Real>& p) {
  int most = 0;
  for (int b = 0; b < p.num_blocks; ++b) most = larger(most, p.block_size[b] * p.block_size[b]);
  return most;
}

}  // namespace free_answer_detail

/// Tries the answer without impulses. True if it solves p to the tolerance; `report` is then complete.
template <class Team, class Real>
ST_FN bool ends_without_impulses(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                 const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out,
                                 SolverReport<Real>& report) {
  using namespace free_answer_detail;
  if (p.start || !starts_without_impulses(p, warm) || !is_well_posed(team, p)) return false;
  Array<Real> factor = arena.take<Real>(static_cast<std::size_t>(largest_block(p)));
  for (int b = 0; b < p.num_blocks; ++b)
    if (!solve_block(p, b, factor, out.v)) return false;
  for (int i = 0; i < p.dimension * p.num_contacts; ++i) out.lambda[i] = Real(0);
  for (int r = 0; r < p.num_rows; ++r) out.row_lambda[r] = Real(0);
  const Real residual = island_detail::judge_whole(team, p, arena, out);
  if (!(residual <= static_cast<Real>(config.tolerance))) return false;
  report = {.status = status::kConverged,
            .iterations = 0,
            .residual = residual,
            .violation = Real(0),
            .certificate = nullptr};
  return true;
}

}  // namespace stiction
