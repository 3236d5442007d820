// The attempts that plan.hpp lists, but for those of Coulomb's law alone: the active set, Newton on the impulses, a
// polish from the warm start, and the phases along the central path. Their answer is in work.polish.best, its report in
// found.
#pragma once

#include "kernels/solver/default/memory.hpp"
#include "kernels/solver/polish/least_impulses.hpp"

namespace stiction {
namespace plan_detail {

/// Puts the warm start into work.interior.best, from which a polish begins.
template <class Team, class Real, class Factor>
ST_PHASE void start_warm(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                         PlanMemory<Real, Factor>& m) {
  scale_warm_start(team, p, &warm, m.scaled, m.work.interior.best);
}

/// Lets the next attempt begin at rest, after `spent` iterations. The problem's start serves as the proximal centre
/// only, because it may lie beyond a contact (ADR 0801).
template <class Team, class Real, class Factor>
ST_PHASE void start_cold(const Team& team, int spent, PlanMemory<Real, Factor>& m) {
  team.each(m.scaled.nv, [&](int j) { m.work.interior.v[j] = Real(0); });
  team.once([&] { m.found = {.iterations = spent}; });
}

/// True if no further attempt follows: there is a solution, or an answer and no iterations left for a better one.
template <class Real, class Factor>
ST_FN bool is_over(const PlanMemory<Real, Factor>& m) {
  return m.found.converged || (m.found.is_answer() && *m.work.left <= 0);
}

/// Takes over the report of the phases, and adds the iterations spent before them.
template <class Team, class Real, class Factor>
ST_PHASE void add_found(const Team& team, PlanMemory<Real, Factor>& m) {
  team.once([&] {
    const int spent = m.found.iterations;
    m.found = m.work.now->report;
    m.found.iterations += spent;
  });
}

/// Runs a polish from the warm start. Its answer is kept in m.warm, in case the path ends with a worse one.
template <class Team, class Real, class Factor>
ST_PHASE void try_warm_polish(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                              PlanMemory<Real, Factor>& m) {
  start_warm(team, p, warm, m);
  polish_best(team, m.options, kWarmPolishSteps, kWarmPolishPatience, m.scaled, m.work);
  add_found(team, m);
  team.once([&] { m.warm_residual = m.found.residual; });
  if (is_over(m)) return;
  copy_answer(team, m.scaled, m.work.polish.best, m.warm);
  start_cold(team, m.found.iterations, m);
}

/// Runs the phases along the central path. If they run out of iterations, takes the better of their answer and the one
/// from the warm start.
template <class Team, class Real, class Factor>
ST_PHASE void follow_path(const Team& team, PlanMemory<Real, Factor>& m) {
  solve_scaled(team, m.options, m.scaled, m.work);
  add_found(team, m);
  const Real path = m.found.residual, last = m.warm_residual;
  if (*m.work.left > 0 || !(last >= Real(0)) || (path >= Real(0) && path <= last)) return;
  copy_answer(team, m.scaled, m.warm, m.work.polish.best);
  team.once([&] { m.found.residual = last; });
}

/// For spreading impulses: forces whose imbalance is below this share of the tolerance count as balanced.
template <class Real>
constexpr Real kBalanced = Real(0.01);

/// True if the problem is a quadratic program: convex, with facets, or without any contact, whatever the law.
template <class Real, class Factor>
ST_FN bool is_quadratic_program(const ContactProblem<Real>& p, const PlanMemory<Real, Factor>& m) {
  return p.num_contacts == 0 || !(shifts_gap(p.law) || is_round(m.scaled.table.cone));
}

/// Solves a quadratic program with few velocities by the active set; the report is left in m.found.
/// If v is one of several, a polish follows to find the least motion.
template <class Team, class Real, class Factor>
ST_PHASE void find_by_active_set(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                 PlanMemory<Real, Factor>& m) {
  if (!m.active.fits || !is_quadratic_program(p, m)) return;
  AnswerArrays<Real> answer = m.active.answer();
  scale_warm_start(team, p, &warm, m.scaled, answer);
  run_active_set(team, m.scaled, m.options.tolerance, m.options.speed_floor,
                 most_active_set_changes(p.nv, m.options.max_iterations, *m.work.left), m.active);
  const ActiveSetProgress<Real>& end = *m.active.now;
  start_cold(team, end.changes, m);
  team.once([&] { *m.work.left -= end.changes; });
  if (!end.solved) return;
  const Real tolerance = m.options.tolerance;
  const bool spreads = m.active.gram.size > 0 && !end.unique;
  if (spreads || end.loose) plan_factor(team, m);
  if (spreads)
    spread_impulses(team, m.scaled, kStillShare<Real> * tolerance * end.speed, kBalanced<Real> * tolerance, m.auxiliary,
                    m.work.system, m.work.polish, answer);
  copy_answer(team, m.scaled, answer, end.loose ? m.work.interior.best : m.work.polish.best);
  if (!end.loose) {
    team.once([&] { m.found = {.converged = true, .iterations = end.changes, .residual = Real(0)}; });
  } else {
    polish_best(team, m.options, kWarmPolishSteps, kWarmPolishPatience, m.scaled, m.work);
    add_found(team, m);
  }
}

/// Solves a problem with few velocities that the active set has not tried by Newton's method on its impulses; the
/// report is left in m.found. Not where the problem names a start from which a contact sticks if it can.
template <class Team, class Real, class Factor>
ST_PHASE void find_by_impulses(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                               PlanMemory<Real, Factor>& m) {
  const bool tried = m.active.fits && is_quadratic_program(p, m);
  if (!m.impulses.fits || tried || (p.start && shifts_gap(p.law))) return;
  AnswerArrays<Real> answer = m.impulses.answer();
  scale_warm_start(team, p, &warm, m.scaled, answer);
  solve_for_impulses(team, m.scaled, p.law, m.options.tolerance, m.options.speed_floor, *m.work.left / 2, m.impulses);
  const ImpulseProgress<Real>& end = *m.impulses.now;
  start_cold(team, end.steps, m);
  team.once([&] { *m.work.left -= end.steps; });
  if (!end.solved) return;
  copy_answer(team, m.scaled, answer, m.work.polish.best);
  team.once([&] { m.found = {.converged = true, .iterations = end.steps, .residual = Real(0)}; });
}

}  // namespace plan_detail
}  // namespace stiction
