// The answer to an infeasible step: the least total slack Σ τ_i of the normal rows first, then the least objective.
//
//   min ½ vᵀHv − gᵀv + c Σ τ_i   s.t.  g_k·(J_i v + b_i) + φ_i/h + τ_i >= 0,  τ_i >= 0                (1)
//
// c is above the impulses of the step, so that the slack takes precedence. Limits and couplings without compliance are
// elastic through the bound c on their multipliers. How far above the impulses c has to be is not known beforehand, and
// the path starts badly with a large c. So c grows as long as the total slack falls. Then the rows are moved outwards
// by their slack and the step is solved as a rigid one, which gives the same motion with impulses of the step's size
// instead of c.
#pragma once

#include "kernels/solver/default/phases.hpp"
#include "kernels/solver/ground/auxiliary_problem.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace elastic_detail {

/// c in units of the largest impulse of the step; it grows from the first value to the last in factors of ten. Bodies
/// that overlap at rest need impulses far above the forces of the step: to move 1 kg by 35 mm in 10 ms takes 1e5 of
/// these units.
template <class Real>
constexpr Real kFirstCost = Real(1e2);
template <class Real>
constexpr Real kLastCost = Real(1e8);
/// A larger c is kept if it reduces the total slack by at least this share.
template <class Real>
constexpr Real kFalls = Real(1e-6);

/// Extra room of the rigid problem beyond the slack [units of u_s], which keeps it feasible in rounded arithmetic.
template <class Real>
ST_FN Real margin() {
  return sizeof(Real) == 8 ? Real(1e-9) : Real(1e-5);
}

template <class Real>
ST_FN bool is_hard(const ScaledProblem<Real>& s, int r) {
  return !(s.row_compliance[r] > Real(0)) && (!has_low(s, r) || !has_high(s, r));
}

template <class Team, class Real>
ST_FN void bound_row_multipliers(const Team& team, Real cost, const ScaledProblem<Real>& s,
                                 ScaledProblem<Real>& auxiliary) {
  team.each(s.num_rows, [&](int r) {
    if (!is_hard(s, r)) return;
    auxiliary.row_lower[r] = has_low(s, r) ? s.row_lower[r] : -cost;
    auxiliary.row_upper[r] = has_high(s, r) ? s.row_upper[r] : cost;
  });
}

/// Signed velocity by which a row is violated; 0 if it is not.
template <class Real>
ST_FN Real row_slack(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int r) {
  if (!is_hard(s, r)) return Real(0);
  const Real w = x.u_row[r] + s.row_offset[r];
  return has_low(s, r) ? smaller(w, Real(0)) : (has_high(s, r) ? larger(w, Real(0)) : w);
}

/// Σ τ + Σ |row slack|
template <class Team, class Real>
ST_FN Real total_slack(const Team& team, const ScaledProblem<Real>& s, const InteriorPointState<Real>& x) {
  return team.sum(s.num_contacts, Real(0), [&](int i) { return x.give[i]; }) +
         team.sum(s.num_rows, Real(0), [&](int r) { return std::fabs(row_slack(s, x, r)); });
}

/// Copies the slack of every row to give (contacts) and row_give (rows).
template <class Team, class Real>
ST_FN void keep_slack(const Team& team, const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real* give,
                      Real* row_give) {
  team.each(s.num_contacts, [&](int i) { give[i] = x.give[i]; });
  team.each(s.num_rows, [&](int r) { row_give[r] = row_slack(s, x, r); });
}

/// Moves the rows outwards by their slack and makes them rigid again.
template <class Team, class Real>
ST_FN void move_rows_out(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> give,
                         Pointer<const Real> row_give, ScaledProblem<Real>& auxiliary) {
  team.each(s.num_contacts,
            [&](int i) { auxiliary.offset[s.dim * i] = s.offset[s.dim * i] + give[i] + margin<Real>(); });
  team.each(s.num_rows, [&](int r) {
    auxiliary.row_offset[r] = s.row_offset[r] - row_give[r];
    auxiliary.row_lower[r] = s.row_lower[r], auxiliary.row_upper[r] = s.row_upper[r];
  });
}

/// Solves (1) for growing c. Returns the least total slack, negative if there is no answer; its parts are left in give
/// and row_give.
template <class Team, class Real, class Factor>
ST_PHASE Real find_least_slack(const Team& team, const ScaledProblem<Real>& s, int max_iterations,
                               ScaledProblem<Real>& auxiliary, SolverWorkspace<Real, Factor>& w, Real* give,
                               Real* row_give) {
  InteriorPointState<Real>& x = w.interior;
  Real least = Real(-1);
  for (Real cost = kFirstCost<Real>; cost <= kLastCost<Real>; cost *= Real(10)) {
    team.once([&] { *x.options = {PhaseConstants<Real>::kLeastMotion, cost, Real(1e-9), max_iterations}; });
    bound_row_multipliers(team, cost, s, auxiliary);
    team.each(s.nv, [&](int j) { x.v[j] = x.center[j] = Real(0); });
    start_interior_point(team, auxiliary, cost, x);
    const auto& path = run_path(team, auxiliary, w);
    const Real slack = path.end == InteriorPointEnd::kNotFinite ? Real(-1) : total_slack(team, s, x);
    const bool first = least < Real(0) && slack >= Real(0);
    if (!first && !(slack >= Real(0) && slack < (Real(1) - kFalls<Real>)*least)) break;
    least = slack;
    keep_slack(team, s, x, give, row_give);
  }
  return least;
}

}  // namespace elastic_detail

/// Writes the answer of (1) to w.polish.best. Returns the total slack [units of u_s], negative if there is no answer.
template <class Team, class Real, class Factor>
ST_PHASE Real solve_elastic(const Team& team, const ScaledProblem<Real>& s, const ScaledOptions<Real>& options,
                            AuxiliaryMemory<Real>& memory, SolverWorkspace<Real, Factor>& w) {
  using namespace elastic_detail;
  ScaledProblem<Real>& a = copy_problem(team, s, memory);
  Real *give = w.polish.u, *row_give = w.polish.u_row;  // these arrays are not in use before the polish
  const Real slack = find_least_slack(team, s, options.max_iterations, a, w, give, row_give);
  if (slack < Real(0)) return slack;
  move_rows_out(team, s, give, row_give, a);
  InteriorPointState<Real>& x = w.interior;
  team.each(s.nv, [&](int j) { x.v[j] = Real(0); });
  team.each(s.dim * s.num_contacts, [&](int i) { x.lambda[i] = Real(0); });
  team.each(s.num_rows, [&](int r) { x.row_lambda[r] = Real(0); });
  return solve_scaled(team, options, a, w).residual >= Real(0) ? slack : Real(-1);
}

}  // namespace stiction
