// Two answers that the start tells:
//
//   λ = 0,  H v = g          if it has no impulses: a robot in the air, whose contacts open and whose rows keep within
//                            their bounds. H has to be regular, or there would be several v
//   v = 0,  λ of the start   if it hardly moves: bodies that lie still. With the v that these impulses give, H⁻¹(g +
//                            Jᵀλ), rounding would set them in motion, a little more in every step
//
// A single lane tries them first; the residual tells whether they are the solution.
//
//   symbol   variable   shape
//   H = UᵀU  factor     blocks as H
#pragma once

#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/tree_factors.hpp"

namespace stiction {

/// The residual of x. Calls `judge` once with the facet table and the û_i (num_contacts, 4) of x.
template <class Team, class Real, class Judge>
ST_FN Real judge_problem(const Team& team, const ContactProblem<Real>& p, Arena arena, const ContactSolution<Real>& x,
                         Judge judge) {
  FacetTable<Real> table = take_facet_table<Real>(shape_cone(p), arena);
  ResidualScratch<Real> scratch = take_residual_scratch<Real>(p.nv, p.num_blocks, p.num_contacts, p.num_rows, arena);
  fill_facet_table(team, table);
  const Real residual = compute_residual(team, p, table, x, scratch).total;
  judge(table, scratch.velocity);
  return residual;
}
template <class Team, class Real>
ST_FN Real judge_problem(const Team& team, const ContactProblem<Real>& p, Arena arena, const ContactSolution<Real>& x) {
  return judge_problem(team, p, arena, x, [](const auto& /*table*/, const auto& /*velocity*/) {});
}

/// Up to this speed the contacts and rows are wrong by no more than what a start may leave: u_0 of residual.hpp is at
/// least 1 mm/h [m/s].
template <class Real>
ST_FN Real still_speed(const ContactProblem<Real>& p, Real tolerance) {
  return kAsGood<Real> * tolerance * Real(1e-3) / p.step_size;
}

namespace start_answer_detail {

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

/// True if the start has all impulses and no motion that contacts and rows could tell from none.
template <class Real>
ST_FN bool starts_still(const ContactProblem<Real>& p, const WarmStart<Real>& warm, Real tolerance) {
  if (warm.names_contacts || !warm.v || !warm.lambda || (p.num_rows > 0 && !warm.row_lambda)) return false;
  const Real slow = still_speed(p, tolerance);
  for (int j = 0; j < p.nv; ++j)
    if (!(std::fabs(warm.v[j]) * p.dof_radius[j] <= slow)) return false;
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

/// The answer where nothing carries. False if H is not regular.
template <class Real>
ST_FN bool write_free_answer(const ContactProblem<Real>& p, Arena arena, ContactSolution<Real>& out) {
  for (int i = 0; i < p.dimension * p.num_contacts; ++i) out.lambda[i] = Real(0);
  for (int r = 0; r < p.num_rows; ++r) out.row_lambda[r] = Real(0);
  Array<Real> factor = arena.take<Real>(static_cast<std::size_t>(largest_block(p)));
  for (int b = 0; b < p.num_blocks; ++b)
    if (!solve_block(p, b, factor, out.v)) return false;
  return true;
}

/// The answer where nothing moves.
template <class Real>
ST_FN void write_still_answer(const ContactProblem<Real>& p, const WarmStart<Real>& warm, ContactSolution<Real>& out) {
  for (int j = 0; j < p.nv; ++j) out.v[j] = Real(0);
  for (int i = 0; i < p.dimension * p.num_contacts; ++i) out.lambda[i] = warm.lambda[i];
  for (int r = 0; r < p.num_rows; ++r) out.row_lambda[r] = warm.row_lambda[r];
}

}  // namespace start_answer_detail

/// Tries the answers that the start tells. True if one of them solves p; `report` is then complete.
template <class Team, class Real>
ST_FN bool ends_as_it_starts(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                             const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out,
                             SolverReport<Real>& report) {
  using namespace start_answer_detail;
  const bool free = starts_without_impulses(p, warm);
  const Real tolerance = static_cast<Real>(config.tolerance), enough = free ? tolerance : kAsGood<Real> * tolerance;
  if (p.start || !(free || starts_still(p, warm, tolerance)) || !is_well_posed(team, p)) return false;
  if (!free)
    write_still_answer(p, warm, out);
  else if (!write_free_answer(p, arena, out))
    return false;
  const Real residual = judge_problem(team, p, arena, out);
  if (!(residual <= enough)) return false;
  report = {.status = status::kConverged,
            .iterations = 0,
            .residual = residual,
            .violation = Real(0),
            .certificate = nullptr};
  return true;
}

}  // namespace stiction
