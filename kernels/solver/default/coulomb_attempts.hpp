// The attempts at Coulomb's law of which plan.hpp makes its list. Each is a start of the rounds of rounds.hpp:
//
//   named      the start that the problem names, with its shift: what sticks there sticks if it can
//   warm       the last step's answer
//   path       the end of a central path whose corners are rounded off, a little or so much that it does not jam where
//              contacts change between two facets, but is longer
//   newton     the steps of newton.hpp from the best answer so far: they see λ and v at once, and need no s that the
//              rounds could close in on
//   points     v_{k+1} solves Coulomb's problem with H + εP in place of H and g + εP v_k in place of g,  v_0 = 0 (1)
//
// (1) bounds the way of a step: an object that begins to slip where nothing else holds it is led through many s that
// the rounds cannot leap over. P is the weight of the least-motion choice; the fixed points of (1) solve the problem
// itself. Why these numbers: docs/adr/0401-coulomb-outer-iteration.md.
#pragma once

#include "kernels/solver/default/rounds.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/proximal/newton.hpp"
#include "kernels/team/array.hpp"

namespace stiction {
namespace coulomb_detail {

/// Newton's steps follow on one lane only: the GPU's kernel of this solver has no registers left for them.
template <class Team, class Real, class Factor>
ST_FN bool follows_newton(const CoulombSearch<Real, Factor>& c) {
  return Team::kLanes == 1 && c.follows_newton;
}

/// Rounds in which the best residual of a start has to halve while others follow that take fewer iterations.
template <class Team, class Real, class Factor>
ST_FN int round_patience(const CoulombSearch<Real, Factor>& c) {
  return follows_newton<Team>(c) ? kShortPatience : 0;
}

/// How far the corners of a path are rounded off.
enum class Corners { kSharp, kRound };

template <class Real>
ST_FN Real path_rounding(Corners corners) {
  return corners == Corners::kSharp ? Real(0.1) : Real(3);
}

/// The rounds from the end of a path, which c.convex reports.
template <class Team, class Real, class Factor>
ST_FN RoundLimits path_limits(const CoulombSearch<Real, Factor>& c, Corners corners) {
  if (corners == Corners::kRound) return {.rounds = kRoundPathRounds};
  return {.rounds = kSharpPathRounds,
          .patience = round_patience<Team>(c),
          .iterations = follows_newton<Team>(c) ? c.convex.iterations + kShortPathSteps : 0};
}

/// ε where g and the velocities are of size 1 and P has largest diagonal 1.
template <class Real>
constexpr Real kProximalWeight = Real(0.2);

/// H + εP in place of H; m.g keeps g.
template <class Team, class Real>
ST_PHASE void add_proximal_term(const Team& team, ScaledProblem<Real>& s, ShiftMemory<Real>& m) {
  team.each(s.num_blocks, [&](int b) {
    const int entries = s.block_size[b] * s.block_size[b];
    for (int k = s.H_adr[b]; k < s.H_adr[b] + entries; ++k) s.H[k] += kProximalWeight<Real> * s.P[k];
    s.H_zero[b] = 0;
  });
  team.each(s.nv, [&](int j) { m.g[j] = s.g[j]; });
}

/// g + εP v_k in place of g.
template <class Team, class Real>
ST_PHASE void move_proximal_point(const Team& team, Pointer<const Real> point, const ShiftMemory<Real>& m,
                                  ScaledProblem<Real>& s) {
  team.each(s.num_blocks, [&](int b) {
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) s.g[j] = m.g[j];
    add_block_product(s, s.P, kProximalWeight<Real>, b, point, static_cast<const Real*>(nullptr), s.g);
  });
}

/// No start follows: there is a solution, or an answer and no iterations for a better one.
template <class Real, class Factor>
ST_FN bool is_over(const CoulombSearch<Real, Factor>& c) {
  return c.found.converged || (c.found.is_answer() && *c.work->left <= 0);
}

/// The best answer of the rounds, judged by the problem itself.
template <class Team, class Real, class Factor>
ST_PHASE void judge_start(const Team& team, CoulombSearch<Real, Factor>& c) {
  const ScaledProblem<Real>& s = *c.scaled;
  ShiftMemory<Real>& m = *c.shift;
  team.once([&] { c.found.iterations += c.started.iterations; });
  if (!c.started.is_answer()) return;
  const Real residual = write_answer(team, *c.problem, s, m.best, c.residual, *c.out).total;
  const Real least = keep_best(team, s, m.best, residual, c.found.residual, m.kept);
  team.once([&] {
    c.found.residual = least;
    c.found.converged = least >= Real(0) && least <= c.options.tolerance;
  });
  copy_answer(team, s, m.best, c.work->polish.best);
}

/// The answers of one start: rounds from c.convex.
template <class Team, class Real, class Factor>
ST_PHASE bool try_start(const Team& team, const RoundLimits& limits, CoulombSearch<Real, Factor>& c) {
  iterate_shift(team, limits, c);
  judge_start(team, c);
  return c.started.converged;
}

/// s of the start that the problem names.
template <class Team, class Real, class Factor>
ST_PHASE void guess_named_shift(const Team& team, CoulombSearch<Real, Factor>& c) {
  guess_shift(team, c.scaled->start, *c.scaled, c.work->polish, *c.shift);
  team.once([&] { c.convex.iterations = 0; });
}

/// Rounds from the start that the problem names. A convex problem without an answer leads to no rounds; its answer is
/// judged only where no other start follows.
template <class Team, class Real, class Factor>
ST_PHASE void try_named_start(const Team& team, CoulombSearch<Real, Factor>& c) {
  guess_named_shift(team, c);
  start_from_problem(team, c);
  solve_scaled(team, c.options, *c.scaled, *c.work);
  add_convex_report(team, c);
  if (c.convex.converged)
    try_start(team, path_limits<Team>(c, Corners::kSharp), c);
  else if (*c.work->left <= 0)
    try_start(team, {}, c);
  else
    team.once([&] { c.found.iterations += c.convex.iterations; });
}

/// The warm start, and its s.
template <class Team, class Real, class Factor>
ST_PHASE void guess_warm_shift(const Team& team, const WarmStart<Real>& warm, CoulombSearch<Real, Factor>& c) {
  AnswerArrays<Real>& x = c.work->interior.best;
  scale_warm_start(team, *c.problem, &warm, *c.scaled, x);
  guess_shift(team, x.v, *c.scaled, c.work->polish, *c.shift);
  team.once([&] { c.convex.iterations = 0; });
}

template <class Team, class Real, class Factor>
ST_PHASE void try_warm_start(const Team& team, const WarmStart<Real>& warm, CoulombSearch<Real, Factor>& c) {
  guess_warm_shift(team, warm, c);
  const bool brief = follows_newton<Team>(c);
  polish_best(team, c.options, brief ? kShortWarmSteps : kWarmPolishSteps,
              brief ? kShortWarmPatience : kWarmPolishPatience, *c.scaled, *c.work);
  add_convex_report(team, c);
  if (c.convex.converged || brief)
    try_start(team,
              {.rounds = kWarmRounds, .patience = round_patience<Team>(c), .iterations = brief ? kShortWarmSteps : 0},
              c);
  else
    try_start(team, {}, c);  // judged, without rounds
}

/// The end of a path with the shift coupled to the motion.
template <class Team, class Real, class Factor>
ST_PHASE void try_path(const Team& team, Corners corners, CoulombSearch<Real, Factor>& c) {
  solve_coupled(team, path_rounding<Real>(corners), c);
  try_start(team, path_limits<Team>(c, corners), c);
}

/// Coulomb's problem with s = 0 and, for newton.hpp, the best answer so far, or the problem's start if there is none.
template <class Team, class Real, class Factor>
ST_PHASE void start_newton(const Team& team, CoulombSearch<Real, Factor>& c) {
  const PolishState<Real>& x = c.newton.state;
  AnswerArrays<Real> from{x.v, x.lambda, x.row_lambda};
  clear_shift(team, *c.scaled, *c.shift);
  team.each(c.scaled->num_rows, [&](int r) { c.shift->no_rows[r] = Real(0); });
  if (c.found.is_answer())
    copy_answer(team, *c.scaled, c.shift->kept, from);
  else
    scale_warm_start(team, *c.problem, static_cast<const WarmStart<Real>*>(nullptr), *c.scaled, from);
}

/// Of several v the one of the least motion, with the shift of the solution in m.kept, which is left if that fails.
template <class Team, class Real, class Factor>
ST_PHASE void prefer_least_motion(const Team& team, CoulombSearch<Real, Factor>& c) {
  ShiftMemory<Real>& m = *c.shift;
  const AnswerArrays<Real> answer = c.work->polish.best;
  guess_shift(team, m.kept.v, *c.scaled, c.work->polish, m);
  copy_answer(team, *c.scaled, m.kept, c.work->interior.best);
  const int steps = polish_best(team, c.options, kRoundSteps, 0, *c.scaled, *c.work).iterations;
  team.once([&] { c.found.iterations += steps; });
  const Real residual = write_answer(team, *c.problem, *c.scaled, answer, c.residual, *c.out).total;
  if (residual <= c.options.tolerance) copy_answer(team, *c.scaled, answer, m.kept);
}

/// newton.hpp's steps on Coulomb's problem itself, those of a warm start where that is `warm`; the best residual and
/// the steps taken.
template <class Team, class Real, class Factor>
ST_PHASE ScaledReport<Real> run_newton_steps(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  const Real least_speed = larger(c.options.speed_floor, c.found.is_answer() ? Real(0) : Real(1));
  const NewtonRun<Real> run = run_newton(team, *c.problem, c.options.tolerance, c.options.max_iterations, least_speed,
                                         *c.work->left, warm, c.newton, *c.out);
  team.once([&] { *c.work->left -= run.steps; });
  return {.iterations = run.steps, .residual = run.least};
}

/// The answer of those steps, if it is the best.
template <class Team, class Real, class Factor>
ST_PHASE void keep_newton_answer(const Team& team, const ScaledReport<Real>& newton, CoulombSearch<Real, Factor>& c) {
  const Real least = newton.residual;
  const bool better = least >= Real(0) && (!c.found.is_answer() || least < c.found.residual);
  if (better) copy_answer(team, *c.scaled, c.newton.state.best, c.shift->kept);
  team.once([&] {
    c.found.iterations += newton.iterations;
    if (better) c.found.residual = least;
    c.found.converged = c.found.is_answer() && c.found.residual <= c.options.tolerance;
  });
}

template <class Team, class Real, class Factor>
ST_APART void run_newton_attempt(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  start_newton(team, c);
  keep_newton_answer(team, run_newton_steps(team, warm, c), c);
  if (c.found.converged) prefer_least_motion(team, c);
}

/// The steps of newton.hpp from the best answer so far, where they follow.
template <class Team, class Real, class Factor>
ST_BODY void follow_newton(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  if constexpr (Team::kLanes == 1)
    if (follows_newton<Team>(c)) run_newton_attempt(team, warm, c);
}

/// (1) with the last point's answer.
template <class Team, class Real, class Factor>
ST_PHASE void move_to_last_answer(const Team& team, CoulombSearch<Real, Factor>& c) {
  move_proximal_point(team, c.work->polish.best.v, *c.shift, *c.scaled);
  team.once([&] { c.convex = {.converged = true, .residual = Real(1)}; });
}

/// (1) until it stays where it is.
template <class Team, class Real, class Factor>
ST_PHASE void follow_proximal_points(const Team& team, CoulombSearch<Real, Factor>& c) {
  add_proximal_term(team, *c.scaled, *c.shift);
  for (int point = 0, unsolved = 0; point < kPoints && unsolved < kMostUnsolved && !is_over(c); ++point) {
    point == 0 ? solve_coupled(team, path_rounding<Real>(Corners::kRound), c) : move_to_last_answer(team, c);
    unsolved += !try_start(team, {.rounds = kPointRounds}, c);
  }
}

template <class Team, class Real, class Factor>
ST_PHASE void start_search(const Team& team, CoulombSearch<Real, Factor>& c) {
  team.once([&] { c.found = {}; });
  keep_gaps(team, *c.scaled, *c.shift);
}

/// The best answer of all starts.
template <class Team, class Real, class Factor>
ST_PHASE void leave_search(const Team& team, CoulombSearch<Real, Factor>& c) {
  if (c.found.is_answer()) copy_answer(team, *c.scaled, c.shift->kept, c.work->polish.best);
}

}  // namespace coulomb_detail

}  // namespace stiction
