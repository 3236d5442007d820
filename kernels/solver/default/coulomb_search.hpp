// Starts of the rounds of coulomb.hpp, one after the other until one of them ends in a solution:
//
//   the start that the problem names, with its shift: what sticks there sticks if it can;  the warm start;  a path with
//   corners rounded off a little;  one with corners rounded off so much that it does not jam where contacts change
//   between two facets, but is longer;  proximal points. On one lane the steps of newton.hpp follow from the best
//   answer of the warm start, as long as they lead somewhere, and again from that of the first path: they see λ and v
//   at once, and need no s that the rounds could close in on.
// The proximal points:
//
//   v_{k+1} solves Coulomb's problem with H + εP in place of H and g + εP v_k in place of g,  v_0 = 0         (1)
//
// (1) bounds the way of a step: an object that begins to slip where nothing else holds it is led through many s that
// the rounds cannot leap over. P is the weight of the least-motion choice; the fixed points of (1) solve the problem
// itself. Why these numbers: docs/adr/0401-coulomb-outer-iteration.md.
#pragma once

#include "kernels/solver/default/coulomb.hpp"
#include "kernels/solver/ground/answer.hpp"
#include "kernels/solver/proximal/newton.hpp"
#include "kernels/team/array.hpp"

namespace stiction {
namespace coulomb_detail {

/// Rounds at most from a warm start. Where newton.hpp follows, the polish and all rounds have kShortWarmSteps Newton
/// steps together: half of the starts need no more, and from the rest newton.hpp is the shorter way. The rounds after
/// the first path have kShortPathSteps then.
constexpr int kWarmRounds = 15;
constexpr int kShortWarmSteps = 5;
constexpr int kShortWarmPatience = 3;
constexpr int kShortPathSteps = 20;

/// Newton's steps follow on one lane only: the GPU's kernel of this solver has no registers left for them.
template <class Team, class Real, class Factor>
ST_FN bool follows_newton(const CoulombSearch<Real, Factor>& c) {
  return Team::kLanes == 1 && c.follows_newton;
}

/// Rounds in which the best residual of a start has to halve while others follow that take fewer iterations.
template <class Team, class Real, class Factor>
ST_FN int round_patience(const CoulombSearch<Real, Factor>& c) {
  return follows_newton<Team>(c) ? 3 : 0;
}

/// Paths, the rounds at most from the end that c.convex reports, and their rounding.
constexpr int kPaths = 2;
template <class Team, class Real, class Factor>
ST_FN RoundLimits path_limits(const CoulombSearch<Real, Factor>& c, int path) {
  if (path > 0) return {60};
  return {30, round_patience<Team>(c), follows_newton<Team>(c) ? c.convex.iterations + kShortPathSteps : 0};
}
template <class Real>
ST_FN Real path_rounding(int path) {
  return path == 0 ? Real(0.1) : Real(3);
}

/// ε where g and the velocities are of size 1 and P has largest diagonal 1; points at most, and how many of them may
/// lack an answer; rounds at most a point.
template <class Real>
constexpr Real kProximalWeight = Real(0.2);
constexpr int kPoints = 20;
constexpr int kMostUnsolved = 2;
constexpr int kPointRounds = 40;

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
  return c.found.converged || (c.found.residual >= Real(0) && *c.work->left <= 0);
}

/// The best answer of the rounds, judged by the problem itself.
template <class Team, class Real, class Factor>
ST_PHASE void judge_start(const Team& team, CoulombSearch<Real, Factor>& c) {
  const ScaledProblem<Real>& s = *c.scaled;
  ShiftMemory<Real>& m = *c.shift;
  team.once([&] { c.found.iterations += c.started.iterations; });
  if (!(c.started.residual >= Real(0))) return;
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
    try_start(team, path_limits<Team>(c, 0), c);
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
  polish_best(team, c.options, brief ? kShortWarmSteps : kWarmSteps, brief ? kShortWarmPatience : kWarmPatience,
              *c.scaled, *c.work);
  add_convex_report(team, c);
  if (c.convex.converged || brief)
    try_start(team, {kWarmRounds, round_patience<Team>(c), brief ? kShortWarmSteps : 0}, c);
  else
    try_start(team, {}, c);  // judged, without rounds
}

/// The end of a path with the shift coupled to the motion.
template <class Team, class Real, class Factor>
ST_PHASE void try_path(const Team& team, int path, CoulombSearch<Real, Factor>& c) {
  solve_coupled(team, path_rounding<Real>(path), c);
  try_start(team, path_limits<Team>(c, path), c);
}

/// Coulomb's problem with s = 0 and, for newton.hpp, the best answer so far, or the problem's start if there is none.
template <class Team, class Real, class Factor>
ST_PHASE void start_newton(const Team& team, CoulombSearch<Real, Factor>& c) {
  const PolishState<Real>& x = c.newton.state;
  AnswerArrays<Real> from{x.v, x.lambda, x.row_lambda};
  clear_shift(team, *c.scaled, *c.shift);
  team.each(c.scaled->num_rows, [&](int r) { c.shift->no_rows[r] = Real(0); });
  if (c.found.residual >= Real(0))
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
ST_PHASE ScaledReport<Real> take_newton_steps(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  const Real least_speed = larger(c.options.speed_floor, c.found.residual >= Real(0) ? Real(0) : Real(1));
  const NewtonRun<Real> run = run_newton(team, *c.problem, c.options.tolerance, c.options.max_iterations, least_speed,
                                         *c.work->left, warm, c.newton, *c.out);
  team.once([&] { *c.work->left -= run.steps; });
  return {false, false, run.steps, run.least};
}

/// The answer of those steps, if it is the best.
template <class Team, class Real, class Factor>
ST_PHASE void keep_newton_answer(const Team& team, const ScaledReport<Real>& newton, CoulombSearch<Real, Factor>& c) {
  const Real least = newton.residual;
  const bool better = least >= Real(0) && (!(c.found.residual >= Real(0)) || least < c.found.residual);
  if (better) copy_answer(team, *c.scaled, c.newton.state.best, c.shift->kept);
  team.once([&] {
    c.found.iterations += newton.iterations;
    if (better) c.found.residual = least;
    c.found.converged = c.found.residual >= Real(0) && c.found.residual <= c.options.tolerance;
  });
}

template <class Team, class Real, class Factor>
ST_APART void follow_newton(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  start_newton(team, c);
  keep_newton_answer(team, take_newton_steps(team, warm, c), c);
  if (c.found.converged) prefer_least_motion(team, c);
}

/// (1) with the last point's answer.
template <class Team, class Real, class Factor>
ST_PHASE void move_to_last_answer(const Team& team, CoulombSearch<Real, Factor>& c) {
  move_proximal_point(team, c.work->polish.best.v, *c.shift, *c.scaled);
  team.once([&] { c.convex = {true, false, 0, Real(1)}; });
}

/// (1) until it stays where it is.
template <class Team, class Real, class Factor>
ST_PHASE void follow_proximal_points(const Team& team, CoulombSearch<Real, Factor>& c) {
  add_proximal_term(team, *c.scaled, *c.shift);
  for (int point = 0, unsolved = 0; point < kPoints && unsolved < kMostUnsolved && !is_over(c); ++point) {
    point == 0 ? solve_coupled(team, path_rounding<Real>(kPaths - 1), c) : move_to_last_answer(team, c);
    unsolved += !try_start(team, {kPointRounds}, c);
  }
}

template <class Team, class Real, class Factor>
ST_PHASE void start_search(const Team& team, CoulombSearch<Real, Factor>& c) {
  team.once([&] { c.found = {false, false, 0, Real(-1)}; });
  keep_gaps(team, *c.scaled, *c.shift);
}

/// The best answer of all starts.
template <class Team, class Real, class Factor>
ST_PHASE void leave_search(const Team& team, CoulombSearch<Real, Factor>& c) {
  if (c.found.residual >= Real(0)) copy_answer(team, *c.scaled, c.shift->kept, c.work->polish.best);
}

}  // namespace coulomb_detail

/// The best answer of all starts is left in work.polish.best, its report in c.found; c.scaled has a proximal term
/// afterwards where (1) was needed.
template <class Team, class Real, class Factor>
ST_FN void find_coulomb_solution(const Team& team, const WarmStart<Real>& warm, CoulombSearch<Real, Factor>& c) {
  using namespace coulomb_detail;
  start_search(team, c);
  if (c.problem->start) try_named_start(team, c);
  if (warm.v && warm.lambda && !is_over(c)) try_warm_start(team, warm, c);
  int path = 0;
  if constexpr (Team::kLanes == 1) {
    if (follows_newton<Team>(c)) {
      const bool answered = c.found.residual >= Real(0);
      if (answered && !is_over(c)) follow_newton(team, true, c);
      if (!is_over(c)) try_path(team, path++, c);
      if (!is_over(c)) follow_newton(team, false, c);
    }
  }
  for (; path < kPaths && !is_over(c); ++path) try_path(team, path, c);
  if (!is_over(c)) follow_proximal_points(team, c);
  leave_search(team, c);
}

}  // namespace stiction
