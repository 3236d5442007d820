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
ST_FN bool follows_newton(const CoulombSearch<Real, Factor>& c) {
  return Team::kLanes == 1 && c.follows_newton;
}

/// The patience of the rounds: limited if attempts follow that take fewer iterations.
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

/// The limits on the rounds from the end of a path; c.convex is the report of its convex problem.
template <class Team, class Real, class Factor>
ST_FN RoundLimits path_limits(const CoulombSearch<Real, Factor>& c, Corners corners) {
  if (corners == Corners::kRound) return {.rounds = kRoundPathRounds};
  return {.rounds = kSharpPathRounds,
          .patience = round_patience<Team>(c),
          .iterations = follows_newton<Team>(c) ? c.convex.iterations + kShortPathSteps : 0};
}

/// ε, in units in which g and the velocities are of size 1 and the largest diagonal entry of P is 1.
template <class Real>
constexpr Real kProximalWeight = Real(0.2);

/// Puts H + εP in place of H; m.g keeps g.
template <class Team, class Real>
ST_PHASE void add_proximal_term(const Team& team, ScaledProblem<Real>& s, ShiftMemory<Real>& m) {
  team.each(s.num_blocks, [&](int b) {
    const int entries = s.block_size[b] * s.block_size[b];
    for (int k = s.H_adr[b]; k < s.H_adr[b] + entries; ++k) s.H[k] += kProximalWeight<Real> * s.P[k];
    s.H_zero[b] = 0;
  });
  team.each(s.nv, [&](int j) { m.g[j] = s.g[j]; });
}

/// Puts g + εP v_k in place of g, where `point` is v_k.
template <class Team, class Real>
ST_PHASE void move_proximal_point(const Team& team, Pointer<const Real> point, const ShiftMemory<Real>& m,
                                  ScaledProblem<Real>& s) {
  team.each(s.num_blocks, [&](int b) {
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) s.g[j] = m.g[j];
    add_block_product(s, s.P, kProximalWeight<Real>, b, point, static_cast<const Real*>(nullptr), s.g);
  });
}

/// True if no further start follows: there is a solution, or an answer and no iterations left for a better one.
template <class Real, class Factor>
ST_FN bool is_over(const CoulombSearch<Real, Factor>& c) {
  return c.found.converged || (c.found.is_answer() && *c.work->left <= 0);
}

/// Judges the best answer of the rounds by its certified residual, and keeps it in m.kept if it is the best of all
/// starts.
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

/// Runs the rounds from the convex problem that c.convex reports and judges them. True if they reach the tolerance.
template <class Team, class Real, class Factor>
ST_PHASE bool try_start(const Team& team, const RoundLimits& limits, CoulombSearch<Real, Factor>& c) {
  iterate_shift(team, limits, c);
  judge_start(team, c);
  return c.started.converged;
}

/// Sets s to that of the start that the problem names.
template <class Team, class Real, class Factor>
ST_PHASE void guess_named_shift(const Team& team, CoulombSearch<Real, Factor>& c) {
  guess_shift(team, c.scaled->start, *c.scaled, c.work->polish, *c.shift);
  team.once([&] { c.convex.iterations = 0; });
}

/// Runs rounds from the start that the problem names, if the convex problem with its shift is solved. If it is not, its
/// answer is judged only if no other start can follow.
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

/// Loads the warm start and sets s to that of its motion.
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
    try_start(team, {}, c);  // only judges the answer, without rounds
}

/// Runs rounds from the end of a path with the shift coupled to the motion.
template <class Team, class Real, class Factor>
ST_PHASE void try_path(const Team& team, Corners corners, CoulombSearch<Real, Factor>& c) {
  solve_coupled(team, path_rounding<Real>(corners), c);
  try_start(team, path_limits<Team>(c, corners), c);
}

/// Prepares newton.hpp: s = 0, and as its start the best answer so far, or the problem's start if there is none.
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

/// Of several v finds the one of the least motion, with the shift of the solution in m.kept. If that fails, m.kept is
/// left unchanged.
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

/// Runs the steps of newton.hpp on Coulomb's problem itself; `warm`: with the limits for a warm start. Returns the best
/// residual and the number of steps.
template <class Team, class Real, class Factor>
ST_PHASE ScaledReport<Real> run_newton_steps(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  const Real least_speed = larger(c.options.speed_floor, c.found.is_answer() ? Real(0) : Real(1));
  const NewtonRun<Real> run = run_newton(team, *c.problem, c.options.tolerance, c.options.max_iterations, least_speed,
                                         *c.work->left, warm, c.newton, *c.out);
  team.once([&] { *c.work->left -= run.steps; });
  return {.iterations = run.steps, .residual = run.least};
}

/// Adds the report of those steps, and keeps their answer in the shift memory's `kept` if it is the best.
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

/// Takes the steps of newton.hpp from the best answer so far, if they follow at all.
template <class Team, class Real, class Factor>
ST_BODY void follow_newton(const Team& team, bool warm, CoulombSearch<Real, Factor>& c) {
  if constexpr (Team::kLanes == 1)
    if (follows_newton<Team>(c)) run_newton_attempt(team, warm, c);
}

/// Moves the proximal point of (1) to the last point's answer.
template <class Team, class Real, class Factor>
ST_PHASE void move_to_last_answer(const Team& team, CoulombSearch<Real, Factor>& c) {
  move_proximal_point(team, c.work->polish.best.v, *c.shift, *c.scaled);
  team.once([&] { c.convex = {.converged = true, .residual = Real(1)}; });
}

/// Repeats (1) until there is a solution, or the limits on the points are reached.
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

/// Leaves the best answer of all starts in work.polish.best.
template <class Team, class Real, class Factor>
ST_PHASE void leave_search(const Team& team, CoulombSearch<Real, Factor>& c) {
  if (c.found.is_answer()) copy_answer(team, *c.scaled, c.shift->kept, c.work->polish.best);
}

}  // namespace coulomb_detail

}  // namespace stiction
