// A motion that removes overlaps may be no longer than they are, by far. Between two walls that are too close and
// parallel but for rounding, 1e14 m along the walls would part them; a chain between two nails that are too near would
// be thrown away. Such a motion is no answer, as the rows hold only near the poses in which they were built:
//
//   |w_j| r_j <= (0.1 r_j + 10 Σ overlaps)/h      for every dof j                                       (1)
//
// A problem whose answer violates (1) counts as infeasible: explain.hpp looks for a certificate and for the motion of
// the least overlap. What is still too long is shortened to (1). Problems without overlap_rate have no such bound.
//
//   symbol        variable      shape  unit
//   w             x.v           (nv)   [m/s], [rad/s]
//   r_j           dof_radius    (nv)   [m] for rotations, 1 for translations
//   Σ overlaps/h  overlap_rate  1      overlaps and violations of limits that the answer has to remove [m/s]
#pragma once

#include "kernels/problem/row_velocity.hpp"
#include "kernels/solver/solver.hpp"

namespace stiction {
namespace longest_detail {

template <class Real>
constexpr Real kShare = Real(0.1);  // of a dof's radius
template <class Real>
constexpr Real kTimes = Real(10);  // the overlaps

/// How many times too long w is; 0 where nothing bounds it.
template <class Team, class Real>
ST_PHASE Real excess(const Team& team, const ContactProblem<Real>& p, Pointer<const Real> w) {
  if (std::isinf(p.overlap_rate)) return Real(0);
  return team.max(p.nv, Real(0), [&](int j) {
    const Real most = kShare<Real> * p.dof_radius[j] / p.step_size + kTimes<Real> * p.overlap_rate;
    return std::fabs(w[j]) * p.dof_radius[j] / most;
  });
}

/// Σ of the overlaps and violations that w leaves [m].
template <class Team, class Real>
ST_FN Real overlap_left(const Team& team, const ContactProblem<Real>& p, Pointer<const Real> w) {
  const Real contacts = team.sum(p.num_contacts, Real(0), [&](int i) {
    return larger(-(p.contacts[i].gap_rate + contact_velocity(p, p.contacts[i], w).n), Real(0));
  });
  const Real rows = team.sum(p.num_rows, Real(0), [&](int r) {
    const GeneralRow<Real>& row = p.rows[r];
    const Real rate = (row.offset + row_velocity(p, row, w)) * row.radius;
    return !std::isinf(row.upper) ? Real(0) : (std::isinf(row.lower) ? std::fabs(rate) : larger(-rate, Real(0)));
  });
  return p.step_size * (contacts + rows);
}

}  // namespace longest_detail

/// Takes back that a problem is solved if its answer x is too long.
template <class Team, class Real>
ST_FN SolverReport<Real> refuse_long_motion(const Team& team, const ContactProblem<Real>& p,
                                            const ContactSolution<Real>& x, SolverReport<Real> report) {
  if (report.status == status::kConverged && longest_detail::excess<Team, Real>(team, p, x.v) > Real(1))
    report.status = status::kNoSolutionFound;
  return report;
}

/// Shortens an answer that is too long, and reports what overlap is left.
template <class Team, class Real>
ST_PHASE void shorten_motion(const Team& team, const ContactProblem<Real>& p, ContactSolution<Real>& x,
                             SolverReport<Real>* report) {
  const Real excess = longest_detail::excess<Team, Real>(team, p, x.v);
  if (!(excess > Real(1))) return;
  team.each(p.nv, [&](int j) { x.v[j] /= excess; });
  report->status = status::kInfeasible;
  report->violation = longest_detail::overlap_left<Team, Real>(team, p, x.v);
}

}  // namespace stiction
