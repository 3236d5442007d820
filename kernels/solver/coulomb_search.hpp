// Starts of the rounds of coulomb.hpp, one after the other until one of them ends in a solution:
//
//   the start that the problem names, with its shift: what sticks there sticks if it can;  the warm start;  a path with
//   corners rounded off a little;  one with corners rounded off so much that it does not jam where contacts change
//   between two facets, but is longer;  proximal points,
//
//   v_{k+1} solves Coulomb's problem with H + εP in place of H and g + εP v_k in place of g,  v_0 = 0         (1)
//
// (1) bounds the way of a step: an object that begins to slip where nothing else holds it is led through many s that
// the rounds cannot leap over. P is the weight of the least-motion choice; the fixed points of (1) solve the problem
// itself. Why these numbers: docs/adr/0401-coulomb-outer-iteration.md.
#pragma once

#include "kernels/solver/answer.hpp"
#include "kernels/solver/coulomb.hpp"

namespace stiction {
namespace coulomb_detail {

/// Rounds at most from a warm start.
constexpr int kWarmRounds = 15;

/// Paths, the rounds at most from their end, and their rounding.
constexpr int kPaths = 2;
ST_FN int path_rounds(int path) { return path == 0 ? 30 : 60; }
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
ST_FN void add_proximal_term(const Team& team, const ScaledProblem<Real>& s, const ShiftMemory<Real>& m) {
  team.each(s.num_blocks, [&](int b) {
    const int entries = s.block_size[b] * s.block_size[b];
    for (int k = s.H_adr[b]; k < s.H_adr[b] + entries; ++k) s.H[k] += kProximalWeight<Real> * s.P[k];
    s.H_zero[b] = 0;
  });
  team.each(s.nv, [&](int j) { m.g[j] = s.g[j]; });
}

/// g + εP v_k in place of g.
template <class Team, class Real>
ST_FN void move_proximal_point(const Team& team, const ScaledProblem<Real>& s, const Real* point,
                               const ShiftMemory<Real>& m) {
  team.each(s.num_blocks, [&](int b) {
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) s.g[j] = m.g[j];
    add_block_product(s, s.P, kProximalWeight<Real>, b, point, static_cast<const Real*>(nullptr), s.g);
  });
}

/// The answers of one start: rounds from `report`, the best of them judged by the problem itself.
template <class Team, class Real, class Factor>
ST_PHASE bool try_start(const Team& team, const ContactProblem<Real>& p, const ScaledProblem<Real>& s,
                        const ScaledOptions<Real>& options, int rounds, const ScaledReport<Real>& report,
                        const ShiftMemory<Real>& m, const SolverWorkspace<Real, Factor>& w,
                        const ResidualScratch<Real>& scratch, ContactSolution<Real>& out, ScaledReport<Real>& found) {
  ScaledReport<Real> end{false, false, 0, Real(-1)};
  iterate_shift(team, s, options, rounds, report, m, w, end);
  found.iterations += end.iterations;
  if (!(end.residual >= Real(0))) return false;
  const Real residual = write_answer(team, p, s, m.best, scratch, out).total;
  keep_best(team, s, m.best, residual, m.kept, &found.residual);
  found.converged = found.residual >= Real(0) && found.residual <= options.tolerance;
  copy_answer(team, s, m.best, w.polish.answer());
  return end.converged;
}

}  // namespace coulomb_detail

/// The best answer of all starts is left in w.polish.best_*; s has a proximal term afterwards where (1) was needed.
template <class Team, class Real, class Factor>
ST_PHASE ScaledReport<Real> find_coulomb_solution(const Team& team, const ContactProblem<Real>& p,
                                                  const WarmStart<Real>& warm, const ScaledProblem<Real>& s,
                                                  const ScaledOptions<Real>& options, const ShiftMemory<Real>& m,
                                                  const SolverWorkspace<Real, Factor>& w,
                                                  const ResidualScratch<Real>& scratch, ContactSolution<Real>& out) {
  using namespace coulomb_detail;
  ScaledReport<Real> found{false, false, 0, Real(-1)}, report;
  keep_gaps(team, s, m);
  if (p.start) {
    guess_shift(team, s, s.start, w.polish, m);
    team.each(s.nv, [&](int j) { w.interior.v[j] = s.start[j]; });
    report = solve_scaled(team, s, options, w);
    if (report.converged) try_start(team, p, s, options, path_rounds(0), report, m, w, scratch, out, found);
  }
  if (warm.v && warm.lambda && !found.converged) {
    scale_warm_start(team, p, warm, s, w.interior.best);
    guess_shift(team, s, w.interior.best.v, w.polish, m);
    report = polish_best(team, s, options, kWarmSteps, w);
    if (report.converged) try_start(team, p, s, options, kWarmRounds, report, m, w, scratch, out, found);
  }
  for (int path = 0; path < kPaths && !found.converged; ++path) {
    report = solve_coupled(team, s, options, path_rounding<Real>(path), m, w);
    try_start(team, p, s, options, path_rounds(path), report, m, w, scratch, out, found);
  }
  if (!found.converged) add_proximal_term(team, s, m);
  for (int point = 0, unsolved = 0; point < kPoints && unsolved < kMostUnsolved && !found.converged; ++point) {
    if (point == 0) {
      report = solve_coupled(team, s, options, path_rounding<Real>(kPaths - 1), m, w);
    } else {
      move_proximal_point(team, s, w.polish.best_v, m);
      report = {true, false, 0, Real(1)};  // the last point's answer
    }
    unsolved += !try_start(team, p, s, options, kPointRounds, report, m, w, scratch, out, found);
  }
  if (found.residual >= Real(0)) copy_answer(team, s, m.kept, w.polish.answer());
  return found;
}

}  // namespace stiction
