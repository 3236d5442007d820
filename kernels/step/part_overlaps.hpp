// What a step with momentum begins with beyond its limits is brought back in position, and adds no momentum.
//
// The velocity v of the step makes no pair overlap more deeply: contacts enter its problem with φ + a, where a is the
// deepest overlap of their pair at the start, if that is more than δ, as if the pair were parted by a; of one that
// turns deeper in on its way (meetings.hpp) with 0 at least. A smaller overlap enters with a = ε at most: what the
// tolerance of earlier steps left between bodies in a tight box may contradict itself, and no motion ends it all
// (dead_band.hpp). Limits and couplings likewise (general_rows.hpp). Where a step begins with more than δ and v leaves
// it so, a second problem finds the motion w that is least in the mass M and leaves nothing:
//
//   min ½ wᵀM w   s.t.  J_i w + (J_i v + b_i) + φ_i/h >= 0     along the normal of contacts, no friction   (1)
//                       J_r w + J_r v + e_r/h >= 0, = 0        for limits, couplings
//   q⁺ = q ⊞ h (v + w),   v⁺ = v                                                                       (2)
//
// w has no momentum, Σ m w = 0 over bodies that no other row holds: it moves no centre of mass. Its impulses are no
// forces. A round of its own solves (1), from the rows that the velocity's round has built (rounds.hpp).
//
//   symbol  variable     shape            unit
//   φ       gap          (max_contacts)   where the step begins [m]
//   a       -            (max_pairs)      what a pair begins with: −start_gap of meetings.hpp [m]
//   e       error        (max_rows)       of a limit its gap, of a coupling how far it is off [m], [rad]
//   δ, ε    dead         1                [m], [rad]
//   M       mass         blocks (n, n)    of all dofs, actuated ones too [kg], [kg m²]
//   w       parting.v    (nv)             [m/s], [rad/s]; then v + w
#pragma once

#include "kernels/step/contact_search.hpp"

namespace stiction {

namespace step_detail {

/// each(i) for the contacts of a slot whose pair begins with more overlap than `band`; 0: with any.
template <class Real, class Each>
ST_FN void for_each_overlap(const StepScratch<Real>& s, Real band, int slot, Each each) {
  if (s.meetings.start_gap[slot] < -band) for_each_contact(s, slot, each);
}

/// True for limits and couplings; dry friction, actuators and rows that nothing moves have both bounds.
ST_FN bool holds_positions(const GeneralRow<double>& row) { return std::isinf(row.upper); }

/// How far a limit or coupling is beyond what it allows.
ST_FN double beyond(const GeneralRow<double>& row, double error) {
  return std::isinf(row.lower) ? std::fabs(error) : -error;
}

/// True if general row r begins beyond `band` and v leaves it so.
template <class Real>
ST_FN bool stays_beyond(const ContactProblem<double>& p, const StepScratch<Real>& s, double band, int r) {
  const GeneralRow<double>& row = s.general_rows.row[r];
  const double error = s.general_rows.error[r];
  if (!holds_positions(row) || !(beyond(row, error) > band)) return false;
  return beyond(row, error + p.step_size * row_velocity(p, row, s.solution.v)) > band;
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

/// True if the step begins with something beyond its limits, and its velocity leaves it so.
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

/// φ/h + J v of contact i: what w finds.
template <class Real>
ST_FN void pose_contact(const ModelView<Real>& model, Real h, int i, StepScratch<Real>& s) {
  ContactRow<double>& row = s.contact_rows.row[i];
  if (is_unmoved<Real>(model, row)) return;
  const double moved = axis_velocity(model, s, s.solution.v, i, 0) - row.offset[0];
  row.gap_rate = static_cast<double>(s.contacts.gap[i]) / static_cast<double>(h) + moved;
}

/// The same of general row r; those that hold no positions take no part.
template <class Real>
ST_FN void pose_row(const ContactProblem<double>& p, int r, StepScratch<Real>& s) {
  GeneralRow<double>& row = s.parting.row[r];
  row = s.general_rows.row[r];
  row.compliance = 0.0;
  if (holds_positions(row))
    row.offset = s.general_rows.error[r] / p.step_size + row_velocity(p, row, s.solution.v);
  else
    release_row(row);
}

/// The largest speed that (1) asks for. Where no motion ends the overlaps, as between walls that are too close, one of
/// 1e6 m/s along them would seem to within the residual's share of its own speed.
template <class Team>
ST_FN double speed_of_parting(const Team& team, const ContactProblem<double>& p, const Parting& parting) {
  const double contacts =
      team.max(p.num_contacts, 0.0, [&](int i) { return -(p.contacts[i].gap_rate + p.contacts[i].offset[0]); });
  const double rows = team.max(p.num_rows, 0.0, [&](int r) {
    const GeneralRow<double>& row = parting.row[r];
    return holds_positions(row) ? beyond(row, row.offset) * row.radius : 0.0;
  });
  return larger(contacts, rows);
}

}  // namespace step_detail

/// (1) in place of the velocity's problem p, whose answer stays where it is.
template <class Team, class Real>
ST_BODY void pose_parting(Team team, const ModelView<Real>& model, Real h, StepScratch<Real>& s,
                          ContactProblem<double>& p) {
  Parting& parting = s.parting;
  team.each(p.num_contacts, [&](int i) { step_detail::pose_contact(model, h, i, s); });
  team.each(p.num_rows, [&](int r) { step_detail::pose_row(p, r, s); });
  team.each(tree_block_values(model), [&](int i) { parting.mass[i] = static_cast<double>(s.inertia.M[i]); });
  team.each(model.ntree, [&](int t) { parting.mass_block[t] = parting.mass + s.inertia.tree_adr[t]; });
  team.each(model.nv, [&](int k) { parting.rest[k] = 0.0; });
  team.each(3 * p.num_contacts, [&](int k) { s.warm_lambda[k] = 0.0; });
  const double needed = step_detail::speed_of_parting(team, p, parting);
  team.once([&] {
    p.H = p.M = parting.mass_block;
    p.g = parting.rest;
    p.rows = parting.row;
    p.law = kNoFriction;
    p.dimension = 3;
    p.most_speed = needed;
    p.start = nullptr;
  });
}

/// Where w goes; λ in the memory of the round before, which no later one reads.
template <class Real>
ST_FN ContactSolution<double> parting_solution(const StepScratch<Real>& s) {
  return {s.parting.v, s.last_round.lambda, s.last_round.row_lambda};
}

/// w becomes v + w.
template <class Team, class Real>
ST_FN void add_velocity(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  team.each(model.nv, [&](int k) { s.parting.v[k] += s.solution.v[k]; });
}

}  // namespace stiction
