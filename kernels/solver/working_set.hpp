// Working sets: of many contacts few carry. Where the start says which, the problem of these alone is solved, and what
// its answer leaves violated joins them:
//
//   W ← {i : û_i ∉ K_i* or λ_i/λ_max > û_i/û_max − 1e-6, along the normal}   at the start               (1)
//   solve the problem of W;  λ_i = 0 for all others
//   W ← W ∪ {i : û_i ∉ K_i*},  while the residual of the whole is above the tolerance                    (2)
//
// A contact with λ_i = 0 and û_i ∈ K_i* is within its law, so that an answer of W that violates no other is one of the
// whole; the residual of the whole says so. W only grows. A body that no contact of W touches is an island of its own.
// Where H leaves a dof without inertia there is no working set: nothing would hold what W leaves out. Nor of one block,
// whose factor is as large with few contacts.
#pragma once

#include "kernels/solver/islands.hpp"

namespace stiction {
namespace working_set_detail {

constexpr int kLeastLeftOut = 32;   // and a quarter of all; of less it is not worth while
constexpr double kTouching = 1e-6;  // what opens by less than this share of the fastest is chosen, too
constexpr int kPasses = 10;         // at most; then all contacts

/// Enough to be worth while?
template <class Real>
ST_FN bool leaves_out_enough(const ContactProblem<Real>& p, int left_out) {
  return left_out >= kLeastLeftOut && 4 * left_out >= p.num_contacts;
}

/// The residual of x; û_i of x, for `judge` of all contacts.
template <class Team, class Real, class Judge>
ST_FN Real judge_contacts(const Team& team, const ContactProblem<Real>& p, Arena arena, const ContactSolution<Real>& x,
                          Judge judge) {
  const FacetTable<Real> table = take_facet_table<Real>(shape_cone(p), arena);
  const ResidualScratch<Real> scratch = take_residual_scratch<Real>(p.nv, p.num_blocks, p.num_contacts, arena);
  fill_facet_table(team, table);
  const Real residual = compute_residual(team, p, table, x, scratch).total;
  judge(table, scratch.velocity);
  return residual;
}

template <class Real>
ST_FN bool is_violated(const ContactProblem<Real>& p, const FacetTable<Real>& table, const Real* velocity, int i) {
  const ContactVector<Real> u = load_contact(velocity, 4, i);
  return dual_cone_violation(table, choose_friction(p, p.contacts[i]), u) > Real(0);
}

/// (1) of x, whose λ become 0 elsewhere; false if x leaves out too few or is the answer already.
template <class Team, class Real>
ST_FN bool choose_contacts(const Team& team, const ContactProblem<Real>& p, Real tolerance, const Islands<Real>& m,
                           Arena arena, const ContactSolution<Real>& x) {
  int count = 0;
  const Real residual = judge_contacts(team, p, arena, x, [&](const FacetTable<Real>& table, const Real* velocity) {
    const auto opening = [&](int i) { return velocity[4 * i]; };
    const auto impulse = [&](int i) { return x.lambda[p.dimension * i]; };
    const Real fastest = team.max(p.num_contacts, Real(0), [&](int i) { return std::fabs(opening(i)); });
    const Real most = team.max(p.num_contacts, Real(0), impulse);
    for (int i = 0; i < p.num_contacts; ++i) {
      const bool carries = impulse(i) * fastest > (opening(i) - Real(kTouching) * fastest) * most;
      m.chosen[i] = carries || is_violated(p, table, velocity, i) ? kJoins : kLeftOut;
      count += m.chosen[i];
    }
  });
  for (int k = 0; k < p.dimension * p.num_contacts; ++k)
    if (!m.chosen[k / p.dimension]) x.lambda[k] = Real(0);
  return leaves_out_enough(p, p.num_contacts - count) && !(residual <= tolerance);
}

/// (2); how many have joined.
template <class Team, class Real>
ST_FN int add_violated(const Team& team, const ContactProblem<Real>& p, const Islands<Real>& m, Arena arena,
                       const ContactSolution<Real>& x) {
  int added = 0;
  judge_contacts(team, p, arena, x, [&](const FacetTable<Real>& table, const Real* velocity) {
    for (int i = 0; i < p.num_contacts; ++i) {
      const bool joins = m.chosen[i] == kLeftOut && is_violated(p, table, velocity, i);
      m.chosen[i] = joins ? kJoins : (m.chosen[i] == kLeftOut ? kLeftOut : kSolved);
      added += joins ? 1 : 0;
    }
  });
  return added;
}

/// Every dof resists a motion.
template <class Team, class Real>
ST_FN bool has_inertia(const Team& team, const ContactProblem<Real>& p) {
  return team.sum(p.num_blocks, 0, [&](int b) {
    int idle = 0;
    for (int j = 0; j < p.block_size[b]; ++j) idle += p.H[b][j * p.block_size[b] + j] > Real(0) ? 0 : 1;
    return idle;
  }) == 0;
}

/// How many contacts carry nothing at the start: no more will be left out.
template <class Team, class Real>
ST_FN int count_idle(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm) {
  return team.sum(p.num_contacts, 0, [&](int i) { return warm.lambda[p.dimension * i] > Real(0) ? 0 : 1; });
}

template <class Team, class Real>
ST_FN void copy_start(const Team& team, const ContactProblem<Real>& p, const WarmStart<Real>& warm,
                      ContactSolution<Real>& x) {
  team.each(p.nv, [&](int j) { x.v[j] = warm.v[j]; });
  team.each(p.dimension * p.num_contacts, [&](int k) { x.lambda[k] = warm.lambda[k]; });
  team.each(p.num_rows, [&](int r) { x.row_lambda[r] = warm.row_lambda ? warm.row_lambda[r] : Real(0); });
}

}  // namespace working_set_detail

/// Solves p by (1) and (2) from the warm start. False where that names too many contacts or no working set was solved;
/// the report then says nothing but how many iterations were spent.
template <class Solver, class Factor, class Team, class Real>
ST_FN bool solve_working_set(const Team& team, const ContactProblem<Real>& p, const SolverConfig& config,
                             const WarmStart<Real>& warm, const Islands<Real>& m, Arena arena,
                             ContactSolution<Real>& out, SolverReport<Real>* report) {
  using namespace working_set_detail;
  *report = SolverReport<Real>{};
  if (p.num_blocks < 2 || !warm.v || !warm.lambda) return false;
  if (!leaves_out_enough(p, count_idle(team, p, warm)) || !has_inertia(team, p) || !is_well_posed(team, p))
    return false;
  copy_start(team, p, warm, out);
  if (!choose_contacts(team, p, static_cast<Real>(config.tolerance), m, arena, out)) return false;
  WarmStart<Real> start = warm;
  for (int pass = 0, spent = 0; pass < kPasses; ++pass, spent = report->iterations) {
    const int count = island_detail::list_islands(p, m);
    const SolverConfig left = without_iterations(config, spent);
    *report = solve_islands<Solver, Factor>(team, p, left, start, count, m, pass > 0, arena, out);
    report->iterations += spent;
    if (report->status == status::kConverged) return true;
    if (report->iterations >= most_iterations(config)) {
      report->status = status::kIterationLimit;
      return true;
    }
    if (report->status != status::kStalled || add_violated(team, p, m, arena, out) == 0) return false;
    start = {out.v, out.lambda, out.row_lambda, report->penalty};
  }
  return false;
}

}  // namespace stiction
