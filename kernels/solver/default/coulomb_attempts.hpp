// The attempts under Coulomb's law that plan.hpp lists. All but newton are starts for the rounds of rounds.hpp:
//
//   named      the start that the problem names, with its shift: a contact that sticks there sticks if it can
//   warm       the last time step's answer
//   path       the end of a central path with rounded corners. They are rounded off a little, or so much that the path
//              does not jam where contacts change between two facets; it is then longer
//   newton     the steps of newton.hpp from the best answer so far. They treat λ and v together and need no s to which
//              rounds would have to converge
//   points     v_{k+1} solves Coulomb's problem with H + εP in place of H and g + εP v_k in place of g,  v_0 = 0 (1)
//
// (1) limits how far v moves at a time. An object that begins to slip where nothing else holds it is thus led through
// many intermediate s, which the rounds could not skip. P is the weight of the least-motion choice; the fixed points of
// (1) solve the problem itself. The numbers are explained in docs/adr/0401-coulomb-outer-iteration.md.
#pragma once

#include "kernels/solver/default/rounds.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/proximal/newton.hpp"
#include "kernels/team/array.hpp"

namespace stiction {
namespace coulomb_detail {

/// True if the steps of newton.hpp follow. They do on one lane only: the GPU's kernel of this solver has no registers
/// left for them.
template <class Team, class Real, class Factor>
ST_FN bool follows_newton(const CoulombSearch<Real, Factor>& search) {
  return Team::kLanes == 1 && search.follows_newton;
}

/// The patience of the rounds: limited if attempts follow that take fewer iterations.
template <class Team, class Real, class Factor>
ST_FN int round_patience(const CoulombSearch<Real, Factor>& search) {
  return follows_newton<Team>(search) ? kShortPatience : 0;
}

/// How far the corners of a path are rounded off.
enum class Corners { kSharp, kRound };

template <class Real>
ST_FN Real path_rounding(Corners corners) {
  return corners == Corners::kSharp ? Real(0.1) : Real(3);
}

/// The limits on the rounds from the end of a path; search.convex is the report of its convex problem.
template <class Team, class Real, class Factor>
ST_FN RoundLimits path_limits(const CoulombSearch<Real, Factor>& search, Corners corners) {
  if (corners == Corners::kRound) return {.rounds = kRoundPathRounds};
  return {.rounds = kSharpPathRounds,
          .patience = round_patience<Team>(search),
          .iterations = follows_newton<Team>(search) ? search.convex.iterations + kShortPathSteps : 0};
}

/// ε, in units in which g and the velocities are of size 1 and the largest diagonal entry of P is 1.
template <class Real>
constexpr Real kProximalWeight = Real(0.2);

/// Puts H + εP in place of H; m.g keeps g.
template <class Team, class Real>
ST_PHASE void add_proximal_term(const Team& team, ScaledProblem<Real>& s, ShiftMemory<Real>& m) {
  team.each(s.H_entries, [&](int ij) { s.H[ij] += kProximalWeight<Real> * s.P[ij]; });
  team.each(s.nv, [&](int j) { m.g[j] = s.g[j], s.H_zero[j] = 0; });
}

/// Puts g + εP v_k in place of g, where `point` is v_k.
template <class Team, class Real>
ST_PHASE void move_proximal_point(const Team& team, Pointer<const Real> point, const ShiftMemory<Real>& m,
                                  ScaledProblem<Real>& s) {
  each_dofs(team, s, [&](const DofRange& dofs) {
    for (int j = dofs.begin; j < dofs.end; ++j) s.g[j] = m.g[j];
    add_product(s, s.P, kProximalWeight<Real>, dofs, point, s.g);
  });
}

/// True if no further start follows: there is a solution, or an answer and no iterations left for a better one.
template <class Real, class Factor>
ST_FN bool is_over(const CoulombSearch<Real, Factor>& search) {
  return search.found.converged || (search.found.is_answer() && *search.work->left <= 0);
}

/// Judges the best answer of the rounds by its certified residual, and keeps it in m.kept if it is the best of all
/// starts.
template <class Team, class Real, class Factor>
ST_PHASE void judge_start(const Team& team, CoulombSearch<Real, Factor>& search) {
  const ScaledProblem<Real>& s = *search.scaled;
  ShiftMemory<Real>& m = *search.shift;
  team.once([&] { search.found.iterations += search.started.iterations; });
  if (!search.started.is_answer()) return;
  const Real residual = write_answer(team, *search.problem, s, m.best, search.residual, *search.out).total;
  const Real least = keep_best(team, s, m.best, residual, search.found.residual, m.kept);
  team.once([&] {
    search.found.residual = least;
    search.found.converged = least >= Real(0) && least <= search.options.tolerance;
  });
  copy_answer(team, s, m.best, search.work->polish.best);
}

/// Runs the rounds from the convex problem that search.convex reports and judges them. True if they reach the
/// tolerance.
template <class Team, class Real, class Factor>
ST_PHASE bool try_start(const Team& team, const RoundLimits& limits, CoulombSearch<Real, Factor>& search) {
  iterate_shift(team, limits, search);
  judge_start(team, search);
  return search.started.converged;
}

/// Sets s to that of the start that the problem names.
template <class Team, class Real, class Factor>
ST_PHASE void guess_named_shift(const Team& team, CoulombSearch<Real, Factor>& search) {
  guess_shift(team, search.scaled->start, *search.scaled, search.work->polish, *search.shift);
  team.once([&] { search.convex.iterations = 0; });
}

/// Runs rounds from the start that the problem names, if the convex problem with its shift is solved. If it is not, its
/// answer is judged only if no other start can follow.
template <class Team, class Real, class Factor>
ST_PHASE void try_named_start(const Team& team, CoulombSearch<Real, Factor>& search) {
  guess_named_shift(team, search);
  start_from_problem(team, search);
  solve_scaled(team, search.options, *search.scaled, *search.work);
  add_convex_report(team, search);
  if (search.convex.converged)
    try_start(team, path_limits<Team>(search, Corners::kSharp), search);
  else if (*search.work->left <= 0)
    try_start(team, {}, search);
  else
    team.once([&] { search.found.iterations += search.convex.iterations; });
}

/// Loads the warm start and sets s to that of its motion.
template <class Team, class Real, class Factor>
ST_PHASE void guess_warm_shift(const Team& team, const WarmStart<Real>& warm, CoulombSearch<Real, Factor>& search) {
  AnswerArrays<Real>& x = search.work->interior.best;
  scale_warm_start(team, *search.problem, &warm, *search.scaled, x);
  guess_shift(team, x.v, *search.scaled, search.work->polish, *search.shift);
  team.once([&] { search.convex.iterations = 0; });
}

template <class Team, class Real, class Factor>
ST_PHASE void try_warm_start(const Team& team, const WarmStart<Real>& warm, CoulombSearch<Real, Factor>& search) {
  guess_warm_shift(team, warm, search);
  const bool brief = follows_newton<Team>(search);
  polish_best(team, search.options, brief ? kShortWarmSteps : kWarmPolishSteps,
              brief ? kShortWarmPatience : kWarmPolishPatience, *search.scaled, *search.work);
  add_convex_report(team, search);
  if (search.convex.converged || brief)
    try_start(
        team,
        {.rounds = kWarmRounds, .patience = round_patience<Team>(search), .iterations = brief ? kShortWarmSteps : 0},
        search);
  else
    try_start(team, {}, search);  // only judges the answer, without rounds
}

/// Runs rounds from the end of a path with the shift coupled to the motion.
template <class Team, class Real, class Factor>
ST_PHASE void try_path(const Team& team, Corners corners, CoulombSearch<Real, Factor>& search) {
  solve_coupled(team, path_rounding<Real>(corners), search);
  try_start(team, path_limits<Team>(search, corners), search);
}

/// Prepares newton.hpp: s = 0, and as its start the best answer so far, or the problem's start if there is none.
template <class Team, class Real, class Factor>
ST_PHASE void start_newton(const Team& team, CoulombSearch<Real, Factor>& search) {
  const PolishState<Real>& x = search.newton.state;
  AnswerArrays<Real> from{x.v, x.lambda, x.row_lambda};
  clear_shift(team, *search.scaled, *search.shift);
  team.each(search.scaled->num_rows, [&](int r) { search.shift->no_rows[r] = Real(0); });
  if (search.found.is_answer())
    copy_answer(team, *search.scaled, search.shift->kept, from);
  else
    scale_warm_start(team, *search.problem, static_cast<const WarmStart<Real>*>(nullptr), *search.scaled, from);
}

/// Of several v finds the one of the least motion, with the shift of the solution in m.kept. If that fails, m.kept is
/// left unchanged.
template <class Team, class Real, class Factor>
ST_PHASE void prefer_least_motion(const Team& team, CoulombSearch<Real, Factor>& search) {
  ShiftMemory<Real>& m = *search.shift;
  const AnswerArrays<Real> answer = search.work->polish.best;
  guess_shift(team, m.kept.v, *search.scaled, search.work->polish, m);
  copy_answer(team, *search.scaled, m.kept, search.work->interior.best);
  const int steps = polish_best(team, search.options, kRoundSteps, 0, *search.scaled, *search.work).iterations;
  team.once([&] { search.found.iterations += steps; });
  const Real residual = write_answer(team, *search.problem, *search.scaled, answer, search.residual, *search.out).total;
  if (residual <= search.options.tolerance) copy_answer(team, *search.scaled, answer, m.kept);
}

/// Runs the steps of newton.hpp on Coulomb's problem itself; `warm`: with the limits for a warm start. Returns the best
/// residual and the number of steps.
template <class Team, class Real, class Factor>
ST_PHASE ScaledReport<Real> run_newton_steps(const Team& team, bool warm, CoulombSearch<Real, Factor>& search) {
  const Real least_speed = larger(search.options.speed_floor, search.found.is_answer() ? Real(0) : Real(1));
  const NewtonRun<Real> run = run_newton(team, *search.problem, search.options.tolerance, search.options.max_iterations,
                                         least_speed, *search.work->left, warm, search.newton, *search.out);
  team.once([&] { *search.work->left -= run.steps; });
  return {.iterations = run.steps, .residual = run.least};
}

/// Adds the report of those steps, and keeps their answer in the shift memory's `kept` if it is the best.
template <class Team, class Real, class Factor>
ST_PHASE void keep_newton_answer(const Team& team, const ScaledReport<Real>& newton,
                                 CoulombSearch<Real, Factor>& search) {
  const Real least = newton.residual;
  const bool better = least >= Real(0) && (!search.found.is_answer() || least < search.found.residual);
  if (better) copy_answer(team, *search.scaled, search.newton.state.best, search.shift->kept);
  team.once([&] {
    search.found.iterations += newton.iterations;
    if (better) search.found.residual = least;
    search.found.converged = search.found.is_answer() && search.found.residual <= search.options.tolerance;
  });
}

template <class Team, class Real, class Factor>
ST_APART void run_newton_attempt(const Team& team, bool warm, CoulombSearch<Real, Factor>& search) {
  start_newton(team, search);
  keep_newton_answer(team, run_newton_steps(team, warm, search), search);
  if (search.found.converged) prefer_least_motion(team, search);
}

/// Takes the steps of newton.hpp from the best answer so far, if they follow at all.
template <class Team, class Real, class Factor>
ST_BODY void follow_newton(const Team& team, bool warm, CoulombSearch<Real, Factor>& search) {
  if constexpr (Team::kLanes == 1)
    if (follows_newton<Team>(search)) run_newton_attempt(team, warm, search);
}

/// Moves the proximal point of (1) to the last point's answer.
template <class Team, class Real, class Factor>
ST_PHASE void move_to_last_answer(const Team& team, CoulombSearch<Real, Factor>& search) {
  move_proximal_point(team, search.work->polish.best.v, *search.shift, *search.scaled);
  team.once([&] { search.convex = {.converged = true, .residual = Real(1)}; });
}

/// Repeats (1) until there is a solution, or the limits on the points are reached.
template <class Team, class Real, class Factor>
ST_PHASE void follow_proximal_points(const Team& team, CoulombSearch<Real, Factor>& search) {
  add_proximal_term(team, *search.scaled, *search.shift);
  for (int point = 0, unsolved = 0; point < kPoints && unsolved < kMostUnsolved && !is_over(search); ++point) {
    point == 0 ? solve_coupled(team, path_rounding<Real>(Corners::kRound), search) : move_to_last_answer(team, search);
    unsolved += !try_start(team, {.rounds = kPointRounds}, search);
  }
}

template <class Team, class Real, class Factor>
ST_PHASE void start_search(const Team& team, CoulombSearch<Real, Factor>& search) {
  team.once([&] { search.found = {}; });
  keep_gaps(team, *search.scaled, *search.shift);
}

/// Leaves the best answer of all starts in work.polish.best.
template <class Team, class Real, class Factor>
ST_PHASE void leave_search(const Team& team, CoulombSearch<Real, Factor>& search) {
  if (search.found.is_answer()) copy_answer(team, *search.scaled, search.shift->kept, search.work->polish.best);
}

}  // namespace coulomb_detail

}  // namespace stiction
