// What every solver does with an answer (v, λ): sets its start, writes it, keeps the best one and reports it.
#pragma once

#include "kernels/problem/residual.hpp"
#include "kernels/solver/ground/scale_problem.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {

/// True if all numbers are finite, scales positive, friction coefficients not negative and bounds in order.
template <class Team, class Real>
ST_PHASE bool is_well_posed(const Team& team, const ContactProblem<Real>& p) {
  const auto bad = [](Real x) { return std::isfinite(x) ? 0 : 1; };
  const int motion = team.sum(p.num_blocks, 0, [&](int b) {
    const int n = p.block_size[b], adr = p.block_adr[b];
    int count = 0;
    ST_ROLLED
    for (int ij = 0; ij < n * n; ++ij) count += bad(p.H[b][ij]) + bad(p.M[b][ij]);
    ST_ROLLED
    for (int j = adr; j < adr + n && p.start; ++j) count += bad(p.start[j]);
    ST_ROLLED
    for (int j = adr; j < adr + n; ++j) count += bad(p.g[j]) + (p.dof_radius[j] > Real(0) ? 0 : 1);
    return count;
  });
  const auto count_side = [&](const BlockJacobian<Real>& side, int rows) {
    const int entries = side.block >= 0 ? rows * p.block_size[side.block] : 0;
    int count = 0;
    ST_ROLLED
    for (int j = 0; j < entries; ++j) count += bad(side.J[j]);
    return count;
  };
  const int contacts = team.sum(p.num_contacts, 0, [&](int i) {
    const ContactRow<Real>& c = p.contacts[i];
    int count = count_side(c.side[0], p.dimension) + count_side(c.side[1], p.dimension) + bad(c.gap_rate);
    ST_ROLLED
    for (int a = 0; a < p.dimension; ++a) count += bad(c.offset[a]);
    count += bad(c.mu_t) + bad(c.mu_o) + (c.mu_t >= Real(0) && c.mu_o >= Real(0) ? 0 : 1);
    if (p.dimension == 4) count += bad(c.mu_r) + (c.mu_r >= Real(0) && c.radius > Real(0) ? 0 : 1);
    return count;
  });
  const int rows = team.sum(p.num_rows, 0, [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const int ordered = row.lower <= row.upper && row.radius > Real(0) ? 0 : 1;
    return count_side(row.side[0], 1) + count_side(row.side[1], 1) + bad(row.offset) + bad(row.compliance) + ordered;
  });
  const bool known_rows = p.dimension == 3 || p.dimension == 4;
  return known_rows && motion + contacts + rows == 0 && std::isfinite(p.step_size) && p.step_size > Real(0);
}

template <class Team, class Real>
ST_FN SolverReport<Real> report_not_finite(const Team& team, const ContactProblem<Real>& p,
                                           ContactSolution<Real>& out) {
  team.each(p.nv, [&](int j) { out.v[j] = Real(0); });
  team.each(p.dimension * p.num_contacts, [&](int i) { out.lambda[i] = Real(0); });
  team.each(p.num_rows, [&](int r) { out.row_lambda[r] = Real(0); });
  return {status::kNotFinite, 0, Real(0), Real(0), nullptr};
}

/// Writes v = 0 and λ = 0 where the factor has no room for this problem (reduced_system.hpp), so nothing was tried.
template <class Team, class Real>
ST_FN SolverReport<Real> report_factor_full(const Team& team, const ContactProblem<Real>& p,
                                            ContactSolution<Real>& out) {
  SolverReport<Real> report = report_not_finite(team, p, out);
  report.status = status::kFactorFull;
  return report;
}

/// The warm start in the units of ScaledProblem. What it does not give begins at the problem's start, without impulses.
template <class Team, class Real>
ST_PHASE void scale_warm_start(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>* warm,
                               const ScaledProblem<Real>& s, AnswerArrays<Real>& x) {
  const bool given = warm && warm->v && warm->lambda;
  team.each(p.nv, [&](int j) { x.v[j] = given ? warm->v[j] * p.dof_radius[j] / s.units.velocity : s.start[j]; });
  team.each(s.dim * p.num_contacts,
            [&](int k) { x.lambda[k] = given ? warm->lambda[k] / (s.units.impulse * impulse_length(p, k)) : Real(0); });
  team.each(p.num_rows, [&](int r) {
    const bool known = given && warm->row_lambda;
    x.row_lambda[r] = known ? warm->row_lambda[r] / (s.units.impulse * p.rows[r].radius) : Real(0);
  });
}

/// Writes the answer to `out` in the problem's units. Returns its certified residual.
template <class Team, class Real>
ST_PHASE Residual<Real> write_answer(const Team& team, const ContactProblem<Real>& p, const ScaledProblem<Real>& s,
                                     const AnswerArrays<Real>& x, ResidualScratch<Real>& scratch,
                                     ContactSolution<Real>& out) {
  unscale_solution(team, p, s, x, out);
  return compute_residual(team, p, s.table, out, scratch);
}

/// best ← x if its residual is the least so far. Returns the new least; `least` is negative before the first answer.
template <class Team, class Real>
ST_PHASE Real keep_best(const Team& team, const ScaledProblem<Real>& s, const AnswerArrays<Real>& x, Real residual,
                        Real least, AnswerArrays<Real>& best) {
  const bool first = least < Real(0) && std::isfinite(residual);
  if (!first && !(residual < least)) return least;
  copy_answer(team, s, x, best);
  return residual;
}

/// Writes the best answer and reports its certified residual, which alone decides whether the solver converged.
template <class Team, class Real>
ST_FN void finish_report(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                         const ScaledProblem<Real>& s, const AnswerArrays<Real>& best, ResidualScratch<Real>& scratch,
                         ContactSolution<Real>& out, SolverReport<Real>* report) {
  if (report->residual < Real(0)) {
    *report = report_not_finite(team, p, out);
    return;
  }
  report->residual = write_answer(team, p, s, best, scratch, out).total;
  if (report->residual <= static_cast<Real>(config.tolerance)) report->status = status::kConverged;
}

}  // namespace stiction
