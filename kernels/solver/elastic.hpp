// The answer to an infeasible step: least total slack Σ τ_i of the normal rows, then the objective.
//
//   min ½ vᵀHv − gᵀv + c Σ τ_i   s.t.  g_k·(J_i v + b_i) + φ_i/h + τ_i >= 0,  τ_i >= 0                (1)
//
// c is far above the impulses of the step, so that the slack is least first; limits and couplings without compliance
// are elastic through the bound c on their multipliers. Then the rows are moved out by their slack and the step is
// solved as a rigid one: same motion, impulses of the size of the step's instead of c.
#pragma once

#include "kernels/solver/auxiliary_problem.hpp"
#include "kernels/solver/solve_scaled.hpp"

namespace stiction {

namespace elastic_detail {

/// c in units of the largest impulse of the step
template <class Real>
ST_FN Real give_cost() {
  return Real(1e4);
}

/// What the rigid problem gets beyond the slack [units of u_s]: keeps it feasible in rounded arithmetic.
template <class Real>
ST_FN Real margin() {
  return sizeof(Real) == 8 ? Real(1e-9) : Real(1e-5);
}

template <class Real>
ST_FN bool is_hard(const ScaledProblem<Real>& s, int r) {
  return !(s.row_compliance[r] > Real(0)) && (!has_low(s, r) || !has_high(s, r));
}

template <class Team, class Real>
ST_FN void bound_row_multipliers(const Team& team, const ScaledProblem<Real>& a) {
  team.each(a.num_rows, [&](int r) {
    if (!is_hard(a, r)) return;
    a.row_lower[r] = has_low(a, r) ? a.row_lower[r] : -give_cost<Real>();
    a.row_upper[r] = has_high(a, r) ? a.row_upper[r] : give_cost<Real>();
  });
}

/// Moves the rows out by their slack and makes them rigid again; returns Σ τ + Σ |row slack|.
template <class Team, class Real>
ST_FN Real move_rows_out(const Team& team, const ScaledProblem<Real>& s, const ScaledProblem<Real>& a,
                         const InteriorPointState<Real>& x) {
  const Real contacts = team.sum(s.num_contacts, Real(0), [&](int i) { return x.give[i]; });
  team.each(s.num_contacts, [&](int i) { a.offset[3 * i] = s.offset[3 * i] + x.give[i] + margin<Real>(); });
  const auto row_slack = [&](int r) {
    if (!is_hard(s, r)) return Real(0);
    const Real w = x.u_row[r] + s.row_offset[r];
    return has_low(s, r) ? smaller(w, Real(0)) : (has_high(s, r) ? larger(w, Real(0)) : w);
  };
  const Real rows = team.sum(s.num_rows, Real(0), [&](int r) { return std::fabs(row_slack(r)); });
  team.each(s.num_rows, [&](int r) {
    a.row_offset[r] = s.row_offset[r] - row_slack(r);
    a.row_lower[r] = s.row_lower[r], a.row_upper[r] = s.row_upper[r];
  });
  return contacts + rows;
}

}  // namespace elastic_detail

/// Writes (1) to w.polish.best_*; returns the total slack [units of u_s], negative if there is no answer.
template <class Team, class Real, class Factor>
ST_FN Real solve_elastic(const Team& team, const ScaledProblem<Real>& s, const ScaledOptions<Real>& options,
                         const AuxiliaryMemory<Real>& memory, const SolverWorkspace<Real, Factor>& w) {
  using namespace elastic_detail;
  const ScaledProblem<Real> a = copy_problem(team, s, memory);
  const InteriorPointState<Real>& x = w.interior;
  bound_row_multipliers(team, a);
  const InteriorPointOptions<Real> elastic{PhaseConstants<Real>::kLeastMotion, give_cost<Real>(), Real(1e-9),
                                           options.max_iterations};
  team.each(s.nv, [&](int j) { x.v[j] = x.center[j] = Real(0); });
  interior_point_detail::start_interior_point(team, a, give_cost<Real>(), x);
  const auto path = run_interior_point(team, a, elastic, w.system, x);
  if (path.end == InteriorPointEnd::kNotFinite) return Real(-1);
  const Real slack = move_rows_out(team, s, a, x);
  team.each(3 * s.num_contacts, [&](int i) { x.lambda[i] = Real(0); });
  team.each(s.num_rows, [&](int r) { x.row_lambda[r] = Real(0); });
  const auto end = solve_scaled(team, a, options, w);
  return end.residual >= Real(0) ? slack : Real(-1);
}

}  // namespace stiction
