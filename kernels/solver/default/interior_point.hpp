// The default solver: interior point and polish on the scaled problem, certified by kernels/problem/residual.hpp.
#pragma once

#include "kernels/solver/active_set/active_set.hpp"
#include "kernels/solver/default/coulomb_search.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/ground/auxiliary_problem.hpp"
#include "kernels/solver/polish/least_impulses.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real, class Factor>
struct InteriorPointMemory {
  ScaledProblem<Real> scaled;
  SolverWorkspace<Real, Factor> work;
  ActiveSetState<Real> active;  // few velocities only
  AuxiliaryMemory<Real> auxiliary;
  ShiftMemory<Real> shift;
  CoulombSearch<Real, Factor> search;  // Coulomb's law only
  ScaledOptions<Real> options;
  ResidualScratch<Real> residual;
  Array<Real> certificate;   // (max(nv, dim contacts + rows))
  ScaledReport<Real> found;  // of the polish's best iterate; Coulomb's law has its own
  AnswerArrays<Real> warm;   // the answer from a warm start, while another start is tried; convex laws only
  bool fits;                 // the factor has room
};

template <class Real, class Factor>
ST_FN void take_interior_point_memory(const SolverCapacity& c, Arena& arena, InteriorPointMemory<Real, Factor>& m) {
  m.scaled = take_scaled_problem<Real>(c, arena);
  take_solver_workspace(c, m.scaled.stride, arena, m.work);
  m.active = take_active_set<Real>(c, m.scaled.stride, arena);
  m.auxiliary = take_auxiliary<Real>(c, arena);
  m.shift = take_shift_memory<Real>(c, arena);
  if (!shifts_gap(c.shape.law)) m.warm = take_answer<Real>(c, arena);
  const int impulses = c.shape.dimension * c.max_contacts + c.max_rows;
  m.certificate = arena.take<Real>(static_cast<std::size_t>(c.nv > impulses ? c.nv : impulses));
  m.residual = take_residual_scratch<Real>(c.nv, c.num_blocks, c.max_contacts, arena);
}

/// Bytes of scratch that `solve_interior_point` needs.
template <class Real, class Factor>
inline ScratchBytes interior_point_scratch(const SolverCapacity& c) {
  using Memory = InteriorPointMemory<Real, Factor>;
  return placed_bytes<Memory>([&](Arena& arena, Memory& m) { take_interior_point_memory(c, arena, m); });
}

namespace interior_point_detail {

/// The phases lost all digits: v = 0, λ = 0 is the best that is known.
template <class Team, class Real>
ST_FN void forget_best(const Team& team, const ScaledProblem<Real>& s, AnswerArrays<Real>& best) {
  team.each(s.nv, [&](int j) { best.v[j] = Real(0); });
  team.each(s.dim * s.num_contacts, [&](int i) { best.lambda[i] = Real(0); });
  team.each(s.num_rows, [&](int r) { best.row_lambda[r] = Real(0); });
}

/// Writes the polish's best iterate and its certified residual.
template <class Team, class Real, class Factor>
ST_FN Residual<Real> write_best(const Team& team, const ContactProblem<Real>& p, InteriorPointMemory<Real, Factor>& m,
                                ContactSolution<Real>& out) {
  return write_answer(team, p, m.scaled, m.work.polish.best, m.residual, out);
}

template <class Real, class Factor>
ST_FN ScaledOptions<Real> scaled_options(const ContactProblem<Real>& p, const SolverConfig& config,
                                         const InteriorPointMemory<Real, Factor>& m) {
  const Real speed_floor = Real(1e-3) / (p.step_size * m.scaled.units.velocity);
  return {Real(0.5 * config.tolerance), speed_floor, Real(0), config.max_iterations};
}

/// Where the search sets out: the warm start is in work.interior.best.
template <class Team, class Real, class Factor>
ST_PHASE void start_warm(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                         InteriorPointMemory<Real, Factor>& m) {
  scale_warm_start(team, p, &warm, m.scaled, m.work.interior.best);
}

/// Or rest, after `spent` iterations: the problem's start is the proximal centre only, as it may lie beyond a contact
/// (ADR 0801).
template <class Team, class Real, class Factor>
ST_PHASE void start_cold(const Team& team, int spent, InteriorPointMemory<Real, Factor>& m) {
  team.each(m.scaled.nv, [&](int j) { m.work.interior.v[j] = Real(0); });
  team.once([&] { m.found = {false, false, spent, Real(-1)}; });
}

/// The report of the phases, with the iterations before them.
template <class Team, class Real, class Factor>
ST_PHASE void add_found(const Team& team, InteriorPointMemory<Real, Factor>& m) {
  team.once([&] {
    const int spent = m.found.iterations;
    m.found = m.work.now->report;
    m.found.iterations += spent;
  });
}

/// A polish from the warm start; true if nothing follows it. Else its answer is kept, and its residual returned.
template <class Team, class Real, class Factor>
ST_PHASE bool ends_warm(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                        InteriorPointMemory<Real, Factor>& m, Real* residual) {
  start_warm(team, p, warm, m);
  polish_best(team, m.options, kWarmSteps, kWarmPatience, m.scaled, m.work);
  add_found(team, m);
  *residual = m.found.residual;
  if (m.found.converged || (*residual >= Real(0) && *m.work.left <= 0)) return true;
  copy_answer(team, m.scaled, m.work.polish.best, m.warm);
  start_cold(team, m.found.iterations, m);
  return false;
}

/// The convex problem from the warm start or, where that fails, along the central path; its report is left in m.found.
/// Where the path ended for want of iterations, the better of both.
template <class Team, class Real, class Factor>
ST_PHASE void find_convex_solution(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                   InteriorPointMemory<Real, Factor>& m) {
  Real last = Real(-1);
  start_cold(team, m.found.iterations, m);
  if (warm.v && warm.lambda && ends_warm(team, p, warm, m, &last)) return;
  solve_scaled(team, m.options, m.scaled, m.work);
  add_found(team, m);
  const Real path = m.found.residual;
  if (*m.work.left > 0 || !(last >= Real(0)) || (path >= Real(0) && path <= last)) return;
  copy_answer(team, m.scaled, m.warm, m.work.polish.best);
  team.once([&] { m.found.residual = last; });
}

/// Changes of the working rows at most, before the polish and the central path are the better way; an iteration's worth
/// are eight; and at most half of what is `left` of the total.
ST_FN int most_active_set_changes(int nv, int max_iterations, int left) {
  return smaller(left / 2, smaller(30 + 4 * nv, 8 * max_iterations));
}

/// True where the last step's motion was none and its impulses are of the problem's size: the polish then finds at
/// once that little has changed.
template <class Team, class Real>
ST_FN bool was_at_rest(const Team& team, const WarmStart<Real>& warm, const ScaledProblem<Real>& s, Real speed_floor,
                       const AnswerArrays<Real>& last) {
  if (!warm.v || !warm.lambda) return false;
  const Real speed = team.max(s.nv, Real(0), [&](int j) { return std::fabs(last.v[j]); });
  const Real impulse = team.max(3 * s.num_contacts, Real(0), [&](int k) { return std::fabs(last.lambda[k]); });
  return speed <= Real(1e-6) * speed_floor && impulse <= Real(1e12);
}

/// Shares of the tolerance where impulses are spread: velocities below count as none, forces below as balanced.
template <class Real>
constexpr Real kStill = Real(0.4);
template <class Real>
constexpr Real kBalanced = Real(0.01);

/// A convex problem of few velocities whose cones have facets, by the active set; its report is left in m.found. Where
/// v is one of several the polish follows: it finds the least motion.
template <class Team, class Real, class Factor>
ST_PHASE void find_by_active_set(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                                 InteriorPointMemory<Real, Factor>& m) {
  if (!m.active.fits || shifts_gap(p.law) || is_round(m.scaled.table.cone)) return;
  AnswerArrays<Real> answer = m.active.answer();
  scale_warm_start(team, p, &warm, m.scaled, answer);
  if (was_at_rest(team, warm, m.scaled, m.options.speed_floor, answer)) return;
  run_active_set(team, m.scaled, m.options.tolerance, m.options.speed_floor,
                 most_active_set_changes(p.nv, m.options.max_iterations, *m.work.left), m.active);
  const ActiveSetProgress<Real>& end = *m.active.now;
  start_cold(team, end.changes, m);
  team.once([&] { *m.work.left -= end.changes; });
  if (!end.solved) return;
  const Real tolerance = m.options.tolerance;
  if (m.active.gram.size > 0)
    spread_impulses(team, m.scaled, kStill<Real> * tolerance * end.speed, kBalanced<Real> * tolerance, m.auxiliary,
                    m.work.system, m.work.polish, answer);
  copy_answer(team, m.scaled, answer, end.loose ? m.work.interior.best : m.work.polish.best);
  if (!end.loose) {
    team.once([&] { m.found = {true, false, end.changes, Real(0)}; });
  } else {
    polish_best(team, m.options, kWarmSteps, kWarmPatience, m.scaled, m.work);
    add_found(team, m);
  }
}

/// Tells the search under Coulomb's law what it works on.
template <class Team, class Real, class Factor>
ST_PHASE void describe_search(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                              InteriorPointMemory<Real, Factor>& m, ContactSolution<Real>& out) {
  team.once([&] {
    CoulombSearch<Real, Factor>& search = m.search;
    search.problem = &p, search.scaled = &m.scaled, search.shift = &m.shift, search.work = &m.work;
    search.newton = {m.scaled, m.work.system, m.work.polish, m.shift, {}, m.shift.g, m.residual};
    search.residual = m.residual, search.out = &out;
    search.options = m.options;
    search.follows_newton = goes_alone<Team>(config);
  });
}

/// Writes what was found, with the certified residual, and says whether it solves the problem.
template <class Team, class Real, class Factor>
ST_PHASE SolverReport<Real> report_found(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                                         InteriorPointMemory<Real, Factor>& m, ContactSolution<Real>& out) {
  const ScaledReport<Real>& found = shifts_gap(p.law) ? m.search.found : m.found;
  const bool lost = !(found.residual >= Real(0));
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

}  // namespace interior_point_detail

/// Memory, units, elimination order and options of a problem; the same for the same problem and arena. Without room for
/// the factor `fits` is false, and the rest is not to be used.
template <class Team, class Real, class Factor>
ST_PHASE InteriorPointMemory<Real, Factor>& prepare_interior_point(const Team& team, const ContactProblem<Real>& p,
                                                                   const SolverConfig& config, Arena arena) {
  using Memory = InteriorPointMemory<Real, Factor>;
  SolverCapacity capacity = capacity_of(p);
  capacity.one_lane = Team::kLanes == 1;
  auto& m = place<Memory>(team, arena, [&](Arena& rest, Memory& m) { take_interior_point_memory(capacity, rest, m); });
  scale_problem(team, p, m.scaled);
  const bool fits = plan_reduced_system(team, m.scaled, m.work.system);
  team.once([&] {
    m.options = interior_point_detail::scaled_options(p, config, m), m.fits = fits;
    *m.work.left = most_iterations(config);
    m.found = {false, false, 0, Real(-1)};
  });
  return m;
}

/// The solution; or the best iterate, without the reason why there is no better one (explain.hpp).
template <class Team, class Real, class Factor>
ST_FN SolverReport<Real> solve_interior_point(const Team& team, const ContactProblem<Real>& p,
                                              const SolverConfig& config, const WarmStart<Real>& warm, Arena arena,
                                              ContactSolution<Real>& out) {
  using namespace interior_point_detail;
  if (!is_well_posed(team, p)) return report_not_finite(team, p, out);
  auto& m = prepare_interior_point<Team, Real, Factor>(team, p, config, arena);
  if (!m.fits) return report_factor_full(team, p, out);
  if constexpr (Team::kLanes == 1) {
    if (goes_alone<Team>(config)) find_by_active_set(team, p, warm, m);
    if (m.found.converged) {
      const auto report = report_found(team, p, config, m, out);
      if (report.status == status::kConverged) return report;
    }
  }
  if (shifts_gap(p.law)) {
    describe_search(team, p, config, m, out);
    find_coulomb_solution(team, warm, m.search);
  } else {
    find_convex_solution(team, p, warm, m);
  }
  return report_found(team, p, config, m, out);
}

}  // namespace stiction
