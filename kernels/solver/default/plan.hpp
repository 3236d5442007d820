// The default solver: a plan of attempts. Each is made only if those before it did not reach the tolerance. What the
// attempts do is in convex_attempts.hpp and coulomb_attempts.hpp; how much each may take is in budgets.hpp.
//
//   a convex problem                    where                                              alone   team
//   the active set                      few velocities, no curved cones                     yes     no
//   Newton on the impulses              few velocities, H regular, not for the active set   yes     no
//   a polish from the warm start        there is one                                        yes     yes
//   the central path and polishes       always                                              yes     yes
//
//   Coulomb's law
//   the active set                      few velocities, no contacts                         yes     no
//   Newton on the impulses              the same, no start named                            yes     no
//   rounds from the named start         the problem names one                               yes     yes
//   rounds from the warm start          there is one                                        yes     yes
//   newton from the answer so far       there is one                                        yes     no
//   rounds after a sharp path           always                                              yes     yes
//   newton from the answer so far       always                                              yes     no
//   rounds after a round path           always                                              yes     yes
//   proximal points                     always                                              yes     yes
//
// "Alone" is a single host thread (solver.hpp), "team" a team of lanes as on a GPU. The GPU's kernel of this solver has
// no registers left for the attempts that only a single thread makes. Before either list such a thread tries the
// answers that the start tells, splits a problem into islands and looks for a working set (solve_problem.hpp). If no
// attempt solves a problem, proof/explain.hpp looks for the reason.
#pragma once

#include "kernels/solver/default/convex_attempts.hpp"
#include "kernels/solver/default/coulomb_attempts.hpp"

namespace stiction {
namespace plan_detail {

/// best ← 0, where the phases lost all digits: v = 0, λ = 0 is the best answer that is known.
template <class Team, class Real>
ST_FN void forget_best(const Team& team, const ScaledProblem<Real>& s, AnswerArrays<Real>& best) {
  team.each(s.nv, [&](int j) { best.v[j] = Real(0); });
  team.each(s.dim * s.num_contacts, [&](int i) { best.lambda[i] = Real(0); });
  team.each(s.num_rows, [&](int r) { best.row_lambda[r] = Real(0); });
}

/// Writes the polish's best iterate and its certified residual.
template <class Team, class Real, class Factor>
ST_FN Residual<Real> write_best(const Team& team, const ContactProblem<Real>& p, PlanMemory<Real, Factor>& m,
                                ContactSolution<Real>& out) {
  return write_answer(team, p, m.scaled, m.work.polish.best, m.residual, out);
}

/// Writes what was found, with the certified residual, and says whether it solves the problem.
template <class Team, class Real, class Factor>
ST_PHASE SolverReport<Real> report_found(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                         PlanMemory<Real, Factor>& m, ContactSolution<Real>& out) {
  const ScaledReport<Real>& found = shifts_gap(p.law) && !m.found.converged ? m.search.found : m.found;
  const bool lost = !found.is_answer();
  if (lost) forget_best(team, m.scaled, m.work.polish.best);
  SolverReport<Real> report{};
  report.iterations = found.iterations;
  report.residual = write_best(team, p, m, out).total;
  const bool converged = report.residual <= static_cast<Real>(config.tolerance);
  const std::uint32_t failure = lost                                           ? status::kNotFinite
                                : found.out_of_iterations || *m.work.left <= 0 ? status::kIterationLimit
                                : shifts_gap(p.law)                            ? status::kNoSolutionFound
                                                                               : status::kStalled;
  report.status = converged ? status::kConverged : failure;
  return report;
}

/// True if what a single lane tries first has solved the problem; `report` is then complete.
template <class Team, class Real, class Factor>
ST_BODY bool ends_alone(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                        const WarmStart<Real>& warm, PlanMemory<Real, Factor>& m, ContactSolution<Real>& out,
                        SolverReport<Real>& report) {
  if constexpr (Team::kLanes == 1) {
    if (goes_alone<Team>(config)) {
      find_by_active_set(team, p, warm, m);
      find_by_impulses(team, p, warm, m);
    }
    if (!m.found.converged) return false;
    report = report_found(team, p, config, m, out);
    m.found.converged = report.status == status::kConverged;
    return m.found.converged;
  }
  return false;
}

/// The attempts at a convex problem that follow the active set.
template <class Team, class Real, class Factor>
ST_PHASE void find_convex_solution(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                   PlanMemory<Real, Factor>& m) {
  start_cold(team, m.found.iterations, m);
  if (warm.v && warm.lambda) try_warm_polish(team, p, warm, m);
  if (!is_over(m)) follow_path(team, m);
}

/// Sets what the search under Coulomb's law works on.
template <class Team, class Real, class Factor>
ST_BODY void describe_search(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                             PlanMemory<Real, Factor>& m, ContactSolution<Real>& out) {
  team.once([&] {
    CoulombSearch<Real, Factor>& search = m.search;
    search.problem = &p, search.scaled = &m.scaled, search.shift = &m.shift, search.work = &m.work;
    if constexpr (Team::kLanes == 1)
      search.newton = {m.scaled, m.work.system, m.work.polish, m.shift, {}, m.shift.g, m.residual};
    search.residual = m.residual, search.out = &out;
    search.options = m.options;
    search.follows_newton = goes_alone<Team>(config);
  });
}

}  // namespace plan_detail

/// The attempts under Coulomb's law. The best answer of all attempts is left in work.polish.best, its report in
/// search.found. If proximal points were needed, search.scaled contains a proximal term afterwards.
template <class Team, class Real, class Factor>
ST_FN void find_coulomb_solution(const Team& team, const WarmStart<Real>& warm, CoulombSearch<Real, Factor>& search) {
  using namespace coulomb_detail;
  start_search(team, search);
  if (search.problem->start) try_named_start(team, search);
  if (warm.v && warm.lambda && !is_over(search)) try_warm_start(team, warm, search);
  if (search.found.is_answer() && !is_over(search)) follow_newton(team, true, search);
  if (!is_over(search)) try_path(team, Corners::kSharp, search);
  if (!is_over(search)) follow_newton(team, false, search);
  if (!is_over(search)) try_path(team, Corners::kRound, search);
  if (!is_over(search)) follow_proximal_points(team, search);
  leave_search(team, search);
}

/// Returns the solution, or else the best iterate; the reason why there is no better one is found in proof/explain.hpp.
template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_by_plan(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                       const WarmStart<Real>& warm, Arena arena, ContactSolution<Real>& out) {
  using namespace plan_detail;
  if (!is_well_posed(team, p)) return report_not_finite(team, p, out);
  auto& m = place_plan<Factor>(team, p, arena);
  prepare_plan(team, p, config, m);
  if (!m.fits) return report_factor_full(team, p, out);
  SolverReport<Real> report{};
  if (ends_alone(team, p, config, warm, m, out, report)) return report;
  plan_factor(team, m);
  if (shifts_gap(p.law)) {
    describe_search(team, p, config, m, out);
    find_coulomb_solution(team, warm, m.search);
    team.once([&] { m.search.found.iterations += m.found.iterations; });
  } else {
    find_convex_solution(team, p, warm, m);
  }
  return report_found(team, p, config, m, out);
}

}  // namespace stiction
