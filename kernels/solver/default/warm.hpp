// The attempts of plan.hpp from the last time step's answer, by themselves: most problems of a simulation need no
// other. The GPU solves them in a kernel of its own, which has no central path and whose lanes take fewer registers, so
// that more solves are on their way at once (docs/adr/0225-a-kernel-for-warm-starts.md).
//
//   polish from the warm start [-> judge -> next shift -> polish ...]    in brackets: rounds of Coulomb's law
//
// A problem that this does not solve is left to the whole plan, which begins again and takes the same steps first: an
// answer does not depend on where it was found. It is one loop with all of its state in memory (as phases.hpp).
#pragma once

#include "kernels/solver/default/plan.hpp"

namespace stiction {
namespace plan_detail {

/// True if the plan's first attempt is the one from the warm start.
template <class Real>
ST_FN bool begins_warm(const ContactProblem<Real>& p, const WarmStart<Real>& warm) {
  return warm.v && warm.lambda && !warm.names_contacts && !(shifts_gap(p.law) && p.start);
}

/// Prepares the polish from the warm start.
template <class Team, class Real, class Factor>
ST_PHASE void start_warm_rounds(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                PlanMemory<Real, Factor>& m) {
  if (shifts_gap(p.law)) {
    coulomb_detail::start_search(team, m.search);
    coulomb_detail::guess_warm_shift(team, warm, m.search);
    coulomb_detail::start_rounds(team, {.rounds = kWarmRounds}, m.search);
  } else {
    start_warm(team, p, warm, m);
  }
  phases_detail::plan_polish(team, m.scaled, m.options, kWarmPolishSteps, kWarmPolishPatience, m.work);
}

/// Places the memory and prepares the polish from the warm start; plans none if the whole plan begins otherwise.
template <class Factor, class Team, class Real>
ST_PHASE void start_warm_solve(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                               const WarmStart<Real>& warm, const Arena& arena, ContactSolution<Real>& out) {
  auto& m = place_plan<Factor>(team, p, arena);
  team.once([&] { *m.work.now = {.plan = PhasePlan::kPolish, .next = Phase::kEnd, .options = {}}; });
  if (!begins_warm(p, warm) || !is_well_posed(team, p)) return;
  prepare_plan(team, p, config, m);
  if (!m.fits) return;
  plan_factor(team, m);
  describe_search(team, p, config, m, out);
  start_warm_rounds(team, p, warm, m);
}

/// After a polish: true if another round of Coulomb's law follows.
template <class Team, class Real, class Factor>
ST_PHASE bool has_next_round(const Team& team, PlanMemory<Real, Factor>& m) {
  if (!m.work.now->report.converged || !shifts_gap(m.search.problem->law)) return false;
  coulomb_detail::add_convex_report(team, m.search);
  return coulomb_detail::judge_round(team, m.search) && !coulomb_detail::is_spent(m.search);
}

/// After the last polish: the report, kConverged only if the problem is solved.
template <class Team, class Real, class Factor>
ST_PHASE SolverReport<Real> finish_warm_solve(const Team& team, const SolverConfig& config,
                                              PlanMemory<Real, Factor>& m) {
  if (!m.work.now->report.converged) return {};
  if (shifts_gap(m.search.problem->law)) {
    coulomb_detail::judge_start(team, m.search);
    if (!m.search.found.converged) return {};
    coulomb_detail::leave_search(team, m.search);
  } else {
    add_found(team, m);
  }
  return report_found(team, *m.search.problem, config, m, *m.search.out);
}

}  // namespace plan_detail

/// For a team that takes SolveRoute::kTeam. Solves p from the warm start, if the report is then kConverged; else the
/// report and `out` are of no use. Nothing is held in registers from one call to the next, as those calls take nearly
/// all that there are: the memory is found again in the arena.
template <class Factor, class Team, class Real>
ST_BODY void solve_warm(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                        const WarmStart<Real>& warm, const Arena& arena, ContactSolution<Real>& out,
                        SolverReport<Real>& report) {
  using namespace plan_detail;
  const auto memory = [&]() -> auto& { return placed<PlanMemory<Real, Factor>>(arena); };
  start_warm_solve<Factor>(team, p, config, warm, arena, out);
  phases_detail::run_polishes(team, memory().scaled, memory().work);
  while (team.agree(has_next_round(team, memory()))) {
    coulomb_detail::choose_shift(team, memory().search);
    coulomb_detail::start_from_last(team, 0, memory().search);
    phases_detail::plan_polish(team, memory().scaled, memory().search.inner, kRoundSteps, 0, memory().work);
    phases_detail::run_polishes(team, memory().scaled, memory().work);
  }
  const SolverReport<Real> found = finish_warm_solve(team, config, memory());
  team.once([&] { report = found; });
}

}  // namespace stiction
