// Overlaps and violated limits with which a step with momentum begins are removed in position; this adds no momentum.
//
// The velocity v of the step makes no pair overlap more deeply. If the deepest overlap a of a pair at the start is more
// than δ, its contacts enter the velocity's problem with φ + a, as if the pair had been moved apart by a; a contact
// that turns deeper in during the step (meetings.hpp) enters with at least 0. For a smaller overlap a is at most ε: the
// overlaps that the tolerance of earlier steps left between bodies in a tight box may contradict one another, so that
// no motion removes them all (dead_band.hpp). Limits and couplings are treated in the same way (general_rows.hpp). If a
// step begins with more than δ and v leaves it so, a second problem finds the motion w that removes all of it and is
// the smallest in the metric of the mass M:
//
//   min ½ wᵀM w   s.t.  J_i w + (J_i v + b_i) + φ_i/h >= 0     along the normal of contacts, no friction   (1)
//                       J_r w + J_r v + e_r/h >= 0, = 0        for limits, couplings
//   q⁺ = q ⊞ h (v + w),   v⁺ = v                                                                       (2)
//
// w has no momentum: Σ m w = 0 over bodies that no other row holds, so that their common centre of mass stays. Its
// impulses are no forces. A separate round solves (1), with the rows that the velocity's round has built (rounds.hpp).
// The residual of (1) is relative to the largest speed that it needs, and w may not be longer than the overlaps by far
// (solver/proof/longest_motion.hpp).
//
//   symbol  variable     shape            unit
//   φ       gap          (max_contacts)   where the step begins [m]
//   a       -            (max_pairs)      overlap of a pair at the start: −start_gap of meetings.hpp [m]
//   e       error        (max_rows)       gap of a limit, deviation of a coupling [m], [rad]
//   δ, ε    dead         1                [m], [rad]
//   M       mass         blocks (n, n)    of all dofs, including actuated ones [kg], [kg m²]
//   w       parting.v    (nv)             [m/s], [rad/s]; the memory then holds v + w
#pragma once

#include "kernels/step/contact_search.hpp"

namespace stiction {

namespace step_detail {

/// Calls each(i) for the contacts of a slot whose pair begins with an overlap above `band`; 0: with any overlap.
template <class Real, class Each>
ST_FN void for_each_overlap(const StepScratch<Real>& s, Real band, int slot, Each each) {
  if (s.meetings.start_gap[slot] < -band) for_each_contact(s, slot, each);
}

/// True for limits, couplings and hard welds; dry friction, actuators and rows that nothing moves are bounded on both
/// sides, and soft welds give way.
ST_FN bool holds_positions(const GeneralRow<double>& row) { return std::isinf(row.upper) && row.compliance == 0.0; }

/// By how much a limit or coupling is violated.
ST_FN double beyond(const GeneralRow<double>& row, double error) {
  return std::isinf(row.lower) ? std::fabs(error) : -error;
}

/// True if general row r is violated by more than `band` at the start and v leaves it so.
template <class Real>
ST_FN bool stays_beyond(const ContactProblem<double>& p, const StepScratch<Real>& s, double band, int r) {
  const GeneralRow<double>& row = s.general_rows.row[r];
  const double error = s.general_rows.error[r];
  if (!holds_positions(row) || !(beyond(row, error) > band)) return false;
  const double rate = s.general_rows.given[r] + row_velocity(p, row, s.solution.v);
  return beyond(row, error + p.step_size * rate) > band;
}

}  // namespace step_detail

/// Takes the overlaps that the step begins with out of the velocity's rows.
template <class Team, class Real>
ST_FN void leave_overlaps(Team team, const DeadBand<Real>& dead, Real h, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) {
    const Real overlap = -s.meetings.start_gap[slot];
    const bool parts = overlap > dead.band;
    const double rate = static_cast<double>(parts ? overlap : smaller(overlap, dead.slop)) / static_cast<double>(h);
    step_detail::for_each_overlap(s, Real(0), slot, [&](int i) {
      double& gap_rate = s.contact_rows.row[i].gap_rate;
      gap_rate += rate;
      if (parts) gap_rate = larger(gap_rate, 0.0);
    });
  });
}

/// True if the step begins with an overlap or violation above `band` and its velocity leaves it so.
template <class Team, class Real>
ST_BODY bool leaves_overlap(Team team, const ModelView<Real>& model, const ContactProblem<double>& p, Real band,
                            const StepScratch<Real>& s) {
  const int pairs = team.sum(*s.slots.count, 0, [&](int slot) {
    int count = 0;
    step_detail::for_each_overlap(s, band, slot, [&](int i) {
      const double moved = p.step_size * step_detail::axis_velocity(model, s, s.solution.v, i, 0);
      const bool moves = !is_unmoved<Real>(model, s.contact_rows.row[i]);
      count += moves && static_cast<double>(s.contacts.gap[i]) + moved < -static_cast<double>(band) ? 1 : 0;
    });
    return count;
  });
  if (pairs > 0) return true;
  return team.sum(p.num_rows, 0,
                  [&](int r) { return step_detail::stays_beyond(p, s, static_cast<double>(band), r) ? 1 : 0; }) > 0;
}

namespace step_detail {

/// Gives contact i the gap rate φ/h + J v, to which w adds.
template <class Real>
ST_FN void pose_contact(const ModelView<Real>& model, Real h, int i, StepScratch<Real>& s) {
  ContactRow<double>& row = s.contact_rows.row[i];
  if (is_unmoved<Real>(model, row)) return;
  const double moved = axis_velocity(model, s, s.solution.v, i, 0) - row.offset[0];
  row.gap_rate = static_cast<double>(s.contacts.gap[i]) / static_cast<double>(h) + moved;
}

/// The same for general row r; rows that hold no positions take no part.
template <class Real>
ST_FN void pose_row(const ContactProblem<double>& p, int r, StepScratch<Real>& s) {
  GeneralRow<double>& row = s.parting.row[r];
  row = s.general_rows.row[r];
  const bool holds = holds_positions(row);
  row.compliance = 0.0;
  if (holds)
    row.offset = s.general_rows.error[r] / p.step_size + s.general_rows.given[r] + row_velocity(p, row, s.solution.v);
  else
    release_row(row);
}

/// Row k of M; a prescribed dof has no part in w, and so no other entry than its own.
template <class Real>
ST_FN void copy_mass_row(const ModelView<Real>& model, int k, StepScratch<Real>& s) {
  const int tree = model.dof_tree[k], first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
  const int* chosen = s.motion.prescribed.chosen;
  const int row = s.inertia.tree_adr[tree] + (k - first) * n;
  for (int i = 0; i < n; ++i) {
    const bool apart = chosen && i != k - first && (chosen[k] || chosen[first + i]);
    s.parting.mass[row + i] = apart ? 0.0 : static_cast<double>(s.inertia.M[row + i]);
  }
}

/// The speed that (1) needs at contact i.
ST_FN double needed_at_contact(const ContactProblem<double>& p, int i) {
  return larger(-(p.contacts[i].gap_rate + p.contacts[i].offset[0]), 0.0);
}

/// The same along general row r.
ST_FN double needed_along_row(const GeneralRow<double>& row) {
  return holds_positions(row) ? larger(beyond(row, row.offset), 0.0) * row.radius : 0.0;
}

}  // namespace step_detail

/// Replaces the velocity's problem p by (1); the velocity's answer stays where it is.
template <class Team, class Real>
ST_BODY void pose_parting(Team team, const ModelView<Real>& model, Real h, StepScratch<Real>& s,
                          ContactProblem<double>& p) {
  Parting& parting = s.parting;
  team.each(p.num_contacts, [&](int i) { step_detail::pose_contact(model, h, i, s); });
  team.each(p.num_rows, [&](int r) { step_detail::pose_row(p, r, s); });
  team.each(model.nv, [&](int k) { step_detail::copy_mass_row(model, k, s); });
  team.each(model.ntree, [&](int t) { parting.mass_block[t] = parting.mass + s.inertia.tree_adr[t]; });
  team.each(model.nv, [&](int k) { parting.rest[k] = 0.0; });
  team.each(3 * p.num_contacts, [&](int k) { s.warm_lambda[k] = 0.0; });
  const auto at_contact = [&](int i) { return step_detail::needed_at_contact(p, i); };
  const auto along_row = [&](int r) { return step_detail::needed_along_row(parting.row[r]); };
  const double most = larger(team.max(p.num_contacts, 0.0, at_contact), team.max(p.num_rows, 0.0, along_row));
  const double total = team.sum(p.num_contacts, 0.0, at_contact) + team.sum(p.num_rows, 0.0, along_row);
  team.once([&] {
    p.H = p.M = parting.mass_block;
    p.g = parting.rest;
    p.rows = parting.row;
    p.law = kNoFriction;
    p.dimension = 3;
    p.most_speed = most;
    p.overlap_rate = total;
    p.start = nullptr;
  });
}

/// Where w is written. Its λ goes to the memory of the previous round's answer, which no later round reads.
template <class Real>
ST_FN ContactSolution<double> parting_solution(const StepScratch<Real>& s) {
  return {s.parting.v, s.last_round.lambda, s.last_round.row_lambda};
}

/// Adds v to w: parting.v becomes v + w.
template <class Team, class Real>
ST_FN void add_velocity(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  const PrescribedDofs& prescribed = s.motion.prescribed;
  team.each(model.nv, [&](int k) {
    const bool given = prescribed.chosen && prescribed.chosen[k];
    s.parting.v[k] = given ? prescribed.velocity[k] : s.parting.v[k] + s.solution.v[k];
  });
}

}  // namespace stiction
