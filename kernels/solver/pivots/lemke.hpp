// Lemke's method for the contact problem: exact complementarity under Anitescu's and Coulomb's law, for cones with
// facets.
//
//   repeat:  Δz from the LCP of contact_lcp.hpp, on the last active set if that still holds;  z += Δz, v += Δv  (1)
//
// until the residual of kernels/problem/residual.hpp, which the pivots do not use, is within the tolerance. The first
// answer is, up to ε, the one nearest to the start. A quadratic cone has no facets and thus no LCP; such a problem is
// left unsolved.
//
//   infeasible   the ray of an LCP without any z >= 0, M z + q >= 0: Jᵀy = 0, y·(b + φ/h e_n) < 0      (2)
//   unbounded    Δv tends to a direction that nothing resists                                          (3)
//
// Both are checked before they are claimed. A Coulomb problem may have no solution although neither holds.
#pragma once

#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/pivots/contact_lcp.hpp"
#include "kernels/solver/pivots/lemke_lcp.hpp"
#include "kernels/solver/proof/unbounded.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct LemkeContactMemory {
  ScaledProblem<Real> scaled;
  ContactLcp lcp;
  LemkeMemory<double> lemke;
  AnswerArrays<Real> answer, best;
  ResidualScratch<Real> residual;
  Array<Real> certificate, product;  // (max(nv, dim contacts + rows)) y of (2) or d of (3); (nv) scratch
};

template <class Real>
ST_FN void take_lemke_contact_memory(const SolverCapacity& capacity, Arena& arena, LemkeContactMemory<Real>& m) {
  m.scaled = take_scaled_problem<Real>(capacity, arena);
  m.lcp = take_contact_lcp(capacity, arena);
  m.lemke = take_lemke_memory<double>(contact_lcp_size(capacity), arena);
  m.answer = take_answer<Real>(capacity, arena);
  m.best = take_answer<Real>(capacity, arena);
  m.residual =
      take_residual_scratch<Real>(capacity.nv, capacity.num_blocks, capacity.max_contacts, capacity.max_rows, arena);
  const int impulses = capacity.shape.dimension * capacity.max_contacts + capacity.max_rows;
  m.certificate = arena.take<Real>(static_cast<std::size_t>(capacity.nv > impulses ? capacity.nv : impulses));
  m.product = arena.take<Real>(static_cast<std::size_t>(capacity.nv));
}

/// Bytes of scratch that `solve_lemke` needs.
template <class Real, class Factor>
inline ScratchBytes lemke_scratch(const SolverCapacity& capacity) {
  using Memory = LemkeContactMemory<Real>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { take_lemke_contact_memory(capacity, arena, m); });
}

namespace lemke_detail {

// Values of ε, in units in which g and the velocities are of size 1 and the largest diagonal entry of P is 1. With the
// first value M is well conditioned, and the active set is found. If the steps are then too slow, smaller values on the
// same set give nearly exact steps.
constexpr double kFirstProximal = 1e-4;
constexpr double kLeastProximal = 1e-10;
constexpr double kProximalFactor = 1e-2;
constexpr double kMostProximal = 1.0;
constexpr int kOuters = 30;  // limit on the proximal steps; 2 to 4 are taken if there is a solution
/// Options of the LCP inside, whose tolerance is below what the contact residual can resolve.
ST_FN LcpOptions inner_options(int most_pivots) { return {1e-12, 5, most_pivots}; }

template <class Team, class Real>
ST_FN void copy_motion(const Team& team, const ScaledProblem<Real>& s, const ContactLcp& lcp, AnswerArrays<Real>& to) {
  team.each(s.nv, [&](int j) { to.v[j] = static_cast<Real>(lcp.v[j]); });
  team.each(s.dim * s.num_contacts, [&](int i) { to.lambda[i] = static_cast<Real>(lcp.lambda[i]); });
  team.each(s.num_rows, [&](int r) { to.row_lambda[r] = static_cast<Real>(lcp.row_lambda[r]); });
}

/// Computes Δz by Lemke's method from a fresh basis: w = M (z + Δz) + (q − M z).
template <class Team, class Real>
ST_FN LcpReport<double> pivot_step(const Team& team, int most_pivots, LemkeContactMemory<Real>& m) {
  ContactLcp& x = m.lcp;
  team.each(x.size, [&](int i) {
    double sum = x.q[i];
    for (int j = 0; j < x.size; ++j) sum -= x.at(i, j) * x.z[j];
    x.change[i] = sum;
  });
  team.each(x.size, [&](int i) { x.q[i] = x.change[i]; });
  const auto report = solve_lcp(team, x.view(), inner_options(most_pivots), m.lemke, x.change);
  team.each(x.size, [&](int i) { x.change[i] -= x.z[i]; });
  return report;
}

/// Takes one step of (1), with at most `most_pivots` pivots. The answer is left in m.answer; returns its certified
/// residual.
template <class Team, class Real>
ST_FN Real proximal_step(const Team& team, const ContactProblem<Real>& p, bool same_basis, int most_pivots,
                         LemkeContactMemory<Real>& m, LcpReport<double>* report, ContactSolution<Real>& out) {
  const ScaledProblem<Real>& s = m.scaled;
  assemble_contact_rhs(team, s, p.law, m.lcp);
  if (!same_basis || !refine_on_basis(team, m.lcp.view(), m.lcp.z, m.lemke, m.lcp.change))
    *report = pivot_step(team, most_pivots, m);
  move_answer(team, s, p.law, m.lcp);
  copy_motion(team, s, m.lcp, m.answer);
  return write_answer(team, p, s, m.answer, m.residual, out).total;
}

/// The first entry of a group in y of (2): (contacts, dim), then (rows).
template <class Real>
ST_FN int first_entry(const ScaledProblem<Real>& s, int group) {
  return group < s.num_contacts ? s.dim * group : (s.dim - 1) * s.num_contacts + group;
}

/// Computes y of (2) from the ray of the LCP, in the units of ScaledProblem.
template <class Team, class Real>
ST_FN void gather_certificate(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, const ContactLcp& lcp,
                              const double* ray, Pointer<Real> y) {
  team.each(s.num_groups, [&](int group) {
    ContactVector<double> sum{};
    for (int a = lcp.first[group]; a < lcp.first[group + 1]; ++a)
      sum = sum + ray[a] * contact_lcp_detail::group_impulse(s, law, group, a - lcp.first[group]);
    const ContactVector<Real> force{static_cast<Real>(sum.n), static_cast<Real>(sum.t), static_cast<Real>(sum.o),
                                    static_cast<Real>(sum.r)};
    if (group < s.num_contacts)
      s.store(y, group, force);
    else
      y[first_entry(s, group)] = force.n;
  });
}

/// True for a row whose y proves nothing, because it has compliance or both bounds.
template <class Real>
ST_FN bool proves_nothing(const ScaledProblem<Real>& s, int r) {
  const bool two_bounds = !std::isinf(s.row_lower[r]) && !std::isinf(s.row_upper[r]);
  return two_bounds || s.row_compliance[r] > Real(0);
}

/// Computes Jᵀy of one block
template <class Real>
ST_FN void sum_resultant(const ScaledProblem<Real>& s, const Real* y, int b, Real* resultant) {
  const int n = s.block_size[b];
  Real* sum = resultant + s.block_adr[b];
  for (int j = 0; j < n; ++j) sum[j] = Real(0);
  for (int group = 0; group < s.num_groups; ++group)
    for (int side = 0; side < 2; ++side) {
      if (s.group_block[2 * group + side] != b) continue;
      const bool contact = group < s.num_contacts;
      const Real* J = s.jacobian(group, side);
      const Real* f = y + first_entry(s, group);
      for (int r = 0; r < (contact ? s.dim : 1); ++r)
        for (int j = 0; j < n; ++j) sum[j] += J[r * n + j] * f[r];
    }
}

/// y·(b + φ/h e_n) + Σ y_r b_r
template <class Team, class Real>
ST_FN Real opening_along(const Team& team, const ScaledProblem<Real>& s, const Real* y) {
  const Real contacts =
      team.sum(s.num_contacts, Real(0), [&](int i) { return dot(s.load(y, i), s.load(s.offset, i)); });
  return contacts +
         team.sum(s.num_rows, Real(0), [&](int r) { return y[s.dim * s.num_contacts + r] * s.row_offset[r]; });
}

/// Checks (2). Under Coulomb's law only normal impulses prove anything, because the shift may satisfy the conditions to
/// which tangential ones belong.
template <class Team, class Real>
ST_FN bool is_certificate(const Team& team, const ScaledProblem<Real>& s, ContactLaw law, Pointer<const Real> y,
                          Pointer<Real> resultant) {
  const Real size = team.max(s.dim * s.num_contacts + s.num_rows, Real(0), [&](int i) { return std::fabs(y[i]); });
  team.each(s.num_blocks, [&](int b) { sum_resultant(s, y, b, resultant); });
  const Real unbalanced = team.max(s.nv, Real(0), [&](int j) { return std::fabs(resultant[j]); });
  const Real tangential = team.max(s.num_contacts, Real(0), [&](int i) {
    const ContactVector<Real> f = s.load(y, i);
    return shifts_gap(law) ? larger(larger(std::fabs(f.t), std::fabs(f.o)), std::fabs(f.r)) : Real(0);
  });
  const Real idle = team.max(s.num_rows, Real(0), [&](int r) {
    return proves_nothing(s, r) ? std::fabs(y[s.dim * s.num_contacts + r]) : Real(0);
  });
  const Real slop = certificate_slop<Real>() * size;
  const bool balanced = larger(unbalanced, larger(tangential, idle)) <= slop;
  return size > Real(0) && balanced && opening_along(team, s, y) < Real(-1e-6) * size;
}

/// Leaves y of (2) in m.certificate, in the problem's units. True if it proves that there is no solution.
template <class Team, class Real>
ST_FN bool certify_infeasible(const Team& team, const ContactProblem<Real>& p, const double* ray,
                              LemkeContactMemory<Real>& m) {
  if (ray == nullptr) return false;
  gather_certificate(team, m.scaled, p.law, m.lcp, ray, m.certificate);
  if (!is_certificate(team, m.scaled, p.law, m.certificate, m.product)) return false;
  const int first_row = p.dimension * p.num_contacts;
  team.each(first_row, [&](int k) { m.certificate[k] *= impulse_length(p, k); });
  team.each(p.num_rows, [&](int r) { m.certificate[first_row + r] *= p.rows[r].radius; });
  return true;
}

/// Leaves the direction of (3) in m.certificate, in the problem's units. True if it proves that there is no bound.
template <class Team, class Real>
ST_FN bool certify_unbounded(const Team& team, LemkeContactMemory<Real>& m) {
  const ScaledProblem<Real>& s = m.scaled;
  const auto step = [&](int j) { return m.lcp.step[j]; };
  const double size = team.max(s.nv, 0.0, [&](int j) { return std::fabs(step(j)); });
  if (!(size > 1.0)) return false;
  team.each(s.nv, [&](int j) { m.certificate[j] = static_cast<Real>(step(j) / size); });
  const Real g_max = team.max(s.nv, Real(0), [&](int j) { return std::fabs(s.g[j]); });
  const Real violation = direction_violation(team, s, m.certificate, m.product);
  const Real work = work_along(team, s, m.certificate);
  if (violation > certificate_slop<Real>() || !(work > Real(1e-6) * g_max)) return false;
  team.each(s.nv, [&](int j) { m.certificate[j] /= s.radius[j]; });
  return true;
}

ST_FN std::uint32_t failure_of(LcpStatus end, ContactLaw law) {
  if (end == LcpStatus::kConverged) return status::kStalled;
  if (end == LcpStatus::kPivotLimit) return status::kIterationLimit;
  return unsolved_status(law);
}

/// Assembles and factors for another ε on the same active set. False if the basis is singular.
template <class Team, class Real>
ST_FN bool change_proximal(const Team& team, ContactLaw law, double epsilon, LemkeContactMemory<Real>& m) {
  assemble_contact_matrix(team, m.scaled, law, epsilon, m.lcp);
  scale_lcp(team, m.lcp.view(), m.lemke.scales, m.lemke.system);
  return factor_basis(team, m.lemke.system, m.lemke.basis);
}

/// Adds the result of a step to the report; true if the iteration ends here.
template <class Team, class Real>
ST_FN bool conclude(const Team& team, const ContactProblem<Real>& p, Real residual, Real tolerance, bool first,
                    const LcpReport<double>& inner, LemkeContactMemory<Real>& m, SolverReport<Real>* report) {
  report->status = failure_of(inner.status, p.law);
  report->residual = keep_best(team, m.scaled, m.answer, residual, report->residual, m.best);
  if (report->residual >= Real(0) && report->residual <= tolerance) return true;
  const bool infeasible = certify_infeasible(team, p, inner.certificate, m);
  const bool unbounded = !infeasible && !first && certify_unbounded(team, m);
  if (!infeasible && !unbounded) return false;
  report->status = infeasible ? status::kInfeasible : status::kUnbounded;
  report->certificate = m.certificate;
  return true;
}

/// Runs the proximal iteration (1), with at most `most` pivots. The report has the least residual; its answer is in
/// m.best.
template <class Team, class Real>
ST_FN SolverReport<Real> iterate(const Team& team, const ContactProblem<Real>& p, Real tolerance, int most,
                                 LemkeContactMemory<Real>& m, ContactSolution<Real>& out) {
  SolverReport<Real> report{status::kStalled, 0, Real(-1), Real(0), nullptr};
  LcpReport<double> inner{LcpStatus::kSingular, 0, 0, 0.0, nullptr};
  double epsilon = kFirstProximal;
  bool same_basis = false;
  for (int outer = 0; outer < kOuters; ++outer) {
    inner.pivots = 0, inner.certificate = nullptr;
    const Real before = report.residual;
    const Real residual = proximal_step(team, p, same_basis, most - report.iterations, m, &inner, out);
    report.iterations += inner.pivots;
    if (conclude(team, p, residual, tolerance, outer == 0, inner, m, &report)) return report;
    if (inner.status == LcpStatus::kPivotLimit && report.iterations >= most) return report;
    same_basis = inner.status == LcpStatus::kConverged;
    if (same_basis && (before < Real(0) || residual < Real(0.1) * before)) continue;
    // slow on the right active set: reduce ε; no answer from the pivots: increase it, so that M is better conditioned
    if (same_basis ? epsilon <= kLeastProximal : epsilon >= kMostProximal) return report;
    epsilon *= same_basis ? kProximalFactor : 1.0 / kProximalFactor;
    same_basis = change_proximal(team, p.law, epsilon, m) && same_basis;
  }
  return report;
}

}  // namespace lemke_detail

/// The warm start is not used, because the first basis is that of the slacks.
template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_lemke(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                     const WarmStart<Real>&, Arena arena, ContactSolution<Real>& out) {
  SolverReport<Real> report = report_not_finite(team, p, out);
  if (!is_well_posed(team, p)) return report;
  using Memory = LemkeContactMemory<Real>;
  auto& m =
      place<Memory>(team, arena, [&](Arena& rest, Memory& m) { take_lemke_contact_memory(capacity_of(p), rest, m); });
  scale_problem(team, p, m.scaled);
  if (is_round(m.scaled.table.cone)) {
    report.status = status::kStalled;  // the answer is v = 0, λ = 0, because there are no facets for an LCP
    report.residual = compute_residual(team, p, m.scaled.table, out, m.residual).total;
    return report;
  }
  start_contact_lcp(team, m.scaled, p.law, m.lcp);
  assemble_contact_matrix(team, m.scaled, p.law, lemke_detail::kFirstProximal, m.lcp);
  report = lemke_detail::iterate(team, p, static_cast<Real>(config.tolerance), most_iterations(config), m, out);
  finish_report(team, p, config, m.scaled, m.best, m.residual, out, &report);
  return report;
}

}  // namespace stiction
