// Working sets. Few of many contacts carry force. Where the warm start tells which, the problem with these contacts
// alone is solved first, and the contacts that its answer violates then join the set W:
//
//   W ← {i : û_i ∉ K_i* or λ_i/λ_max > û_i/û_max − 1e-6 or û_i <= 1e-6 û_max}   at the start, along n   (1)
//   solve the problem of W;  λ_i = 0 for all others
//   W ← W ∪ {i : û_i ∉ K_i*},  while the residual of the whole is above the tolerance                    (2)
//
// A contact with λ_i = 0 and û_i ∈ K_i* obeys its law. So an answer for W that violates no other contact also solves
// the whole problem, and the residual of the whole problem confirms it. W only grows. A body that no contact of W
// touches is an island of its own.
// No working set is used where H leaves a dof without inertia, because nothing would hold the bodies whose contacts W
// leaves out. One is worth its cost if it leaves out many contacts, or all: a robot that touches nothing is then a
// quadratic program of its limits and motors (default/plan.hpp).
#pragma once

#include "kernels/solver/islands.hpp"

namespace stiction {
namespace working_set_detail {

// a working set is worth its cost if it leaves out this many contacts and a quarter of all, or all contacts
constexpr int kLeastLeftOut = 32;
constexpr double kTouching = 1e-6;  // contacts that open by less than this share of the fastest are chosen, too
// a start whose residual is below this multiple of the tolerance nearly solves the whole problem: no set is used
constexpr double kNear = 1e3;
constexpr int kPasses = 10;  // limit on the problems solved for growing W; all contacts are solved after that

/// True if a working set that leaves out this many contacts is worth its cost.
template <class Real>
ST_FN bool leaves_out_enough(const ContactProblem<Real>& p, int left_out) {
  if (left_out == p.num_contacts) return left_out > 0;
  return left_out >= kLeastLeftOut && 4 * left_out >= p.num_contacts;
}

template <class Real>
ST_FN bool is_violated(const ContactProblem<Real>& p, const FacetTable<Real>& table, const Real* velocity, int i) {
  const ContactVector<Real> u = load_contact(velocity, 4, i);
  return dual_cone_violation(table, choose_friction(p, p.contacts[i]), u) > Real(0);
}

/// Chooses W by (1) at x, and sets the λ of all other contacts in x to 0. False if W leaves out too few contacts or if
/// x is nearly the answer already.
template <class Team, class Real>
ST_FN bool choose_contacts(const Team& team, const ContactProblem<Real>& p, Real tolerance, Arena arena,
                           Islands<Real>& islands, ContactSolution<Real>& x) {
  int count = 0;
  const Real residual = judge_problem(team, p, arena, x, [&](const FacetTable<Real>& table, const Real* velocity) {
    const auto opening = [&](int i) { return velocity[4 * i]; };
    const auto impulse = [&](int i) { return x.lambda[p.dimension * i]; };
    const Real fastest = team.max(p.num_contacts, Real(0), [&](int i) { return std::fabs(opening(i)); });
    const Real most = team.max(p.num_contacts, Real(0), impulse);
    for (int i = 0; i < p.num_contacts; ++i) {
      const Real open = opening(i) - Real(kTouching) * fastest;
      const bool carries = open <= Real(0) || impulse(i) * fastest > open * most;
      islands.chosen[i] = carries || is_violated(p, table, velocity, i) ? kJoins : kLeftOut;
      count += islands.chosen[i] == kJoins ? 1 : 0;
    }
  });
  for (int k = 0; k < p.dimension * p.num_contacts; ++k)
    if (!islands.chosen[k / p.dimension]) x.lambda[k] = Real(0);
  return leaves_out_enough(p, p.num_contacts - count) && !(residual <= Real(kNear) * tolerance);
}

/// Adds contacts to W by (2). Returns how many joined.
template <class Team, class Real>
ST_FN int add_violated(const Team& team, const ContactProblem<Real>& p, Arena arena, const ContactSolution<Real>& x,
                       Islands<Real>& islands) {
  int added = 0;
  judge_problem(team, p, arena, x, [&](const FacetTable<Real>& table, const Real* velocity) {
    for (int i = 0; i < p.num_contacts; ++i) {
      const bool joins = islands.chosen[i] == kLeftOut && is_violated(p, table, velocity, i);
      islands.chosen[i] = joins ? kJoins : (islands.chosen[i] == kLeftOut ? kLeftOut : kSolved);
      added += joins ? 1 : 0;
    }
  });
  return added;
}

/// True if every diagonal entry of H is positive. H may be singular even so.
template <class Team, class Real>
ST_FN bool has_inertia(const Team& team, const ContactProblem<Real>& p) {
  return team.sum(p.num_blocks, 0, [&](int b) {
    int idle = 0;
    for (int j = 0; j < p.block_size[b]; ++j) idle += p.H[b][j * p.block_size[b] + j] > Real(0) ? 0 : 1;
    return idle;
  }) == 0;
}

/// How many contacts carry nothing at the start: an upper bound of what a working set may leave out.
template <class Team, class Real>
ST_FN int count_idle(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm) {
  return team.sum(p.num_contacts, 0, [&](int i) { return warm.lambda[p.dimension * i] > Real(0) ? 0 : 1; });
}

/// x ← y
template <class Team, class Real, class X, class Y>
ST_FN void copy_solution(const Team& team, const ContactProblem<Real>& p, const Y& y, X& x) {
  team.each(p.nv, [&](int j) { x.v[j] = y.v[j]; });
  team.each(p.dimension * p.num_contacts, [&](int k) { x.lambda[k] = y.lambda[k]; });
  team.each(p.num_rows, [&](int r) { x.row_lambda[r] = y.row_lambda ? y.row_lambda[r] : Real(0); });
}

}  // namespace working_set_detail

/// Solves p by (1) and (2) from the warm start, with at most half of the total of iterations. False where the start
/// names too many contacts or where no working set led to a solution. In the second case the report has the iterations
/// and the residual of the last answer, which is in islands.kept.
template <class Solver, class Factor, class Team, class Real>
ST_FN bool solve_working_set(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                             const WarmStart<Real>& warm, Arena arena, Islands<Real>& islands,
                             ContactSolution<Real>& out, SolverReport<Real>* report) {
  using namespace working_set_detail;
  *report = SolverReport<Real>{};
  const int most = most_iterations(config) / 2;
  if (most < 1 || !warm.v || !warm.lambda) return false;
  if (!leaves_out_enough(p, count_idle(team, p, warm)) || !has_inertia(team, p) || !is_well_posed(team, p))
    return false;
  copy_solution(team, p, warm, out);
  if (!choose_contacts(team, p, static_cast<Real>(config.tolerance), arena, islands, out)) return false;
  SolverConfig left = config;
  WarmStart<Real> start = solver_start(warm);
  for (int pass = 0, spent = 0; pass < kPasses && spent < most; ++pass, spent = report->iterations) {
    if (config.max_total_iterations > 0) left.max_total_iterations = most - spent;
    const int count = island_detail::find_islands(p, islands);
    *report = solve_islands<Solver, Factor>(team, p, left, start, count,
                                            pass > 0 ? IslandTask::kJoined : IslandTask::kAll, arena, islands, out);
    report->iterations += spent;
    if (report->status == status::kConverged) return true;
    if (report->status != status::kStalled || add_violated(team, p, arena, out, islands) == 0) break;
    start = {out.v, out.lambda, out.row_lambda, report->penalty};
  }
  copy_solution(team, p, out, islands.kept);
  return false;
}

/// Where neither the working sets nor the solve with all contacts converged: takes the answer of the working sets if
/// its residual is smaller. Returns the report of what `out` then holds.
template <class Team, class Real>
ST_FN SolverReport<Real> keep_better(const Team& team, const ContactProblem<Real>& p, const SolverReport<Real>& set,
                                     const Islands<Real>& islands, SolverReport<Real> whole,
                                     ContactSolution<Real>& out) {
  const std::uint32_t unsolved = status::kIterationLimit | status::kStalled | status::kNoSolutionFound;
  if (!(whole.status & unsolved) || !(set.residual < whole.residual) || (set.status & status::kNotFinite)) return whole;
  working_set_detail::copy_solution(team, p, islands.kept, out);
  whole.residual = set.residual;
  return whole;
}

}  // namespace stiction
