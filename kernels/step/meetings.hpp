// Contacts that carry although their bodies do not meet in the step: they are found, left out, and put back where the
// bodies do meet.
//
// A contact is linearised at the poses where the step begins. Its row is a plane without end: n·(…) >= 0 also stops a
// body that would pass beside the other one. A pair is a suspect if one of its contacts carries and
//
//   it was apart at the start, φ > slack,  or touches corner on corner and slides by more than the slack;
//
// it is cleared if at the end of the step, where the answer takes it,
//
//   φ⁺ <= min_i (φ_i + h n·u_i) + slack                        it is as near as its rows say, up to the curvature of
//         + |n·(e_B − e_A)| + ‖θ‖ ‖h u_t‖                      the paths, e = Δx(p) − h v(p), and what slides along
//                                                              faces that turn by θ
//   pushed together along its normal by φ⁺ + 2 slack, and at   faces lie over one another, not only corners
//   the start by φ + 2 slack, it overlaps by the slack
//
// Suspects that are not cleared lose their rows, the problem is solved again, and pairs without rows are swept along
// the new motion (sweep.hpp). If they meet, at the share f of the step, they get the manifold that they have there,
// with the gap
//
//   φ = φ_f − f h n·(u_B(p) − u_A(p))                          so that the row is exact at the meeting
//
// Of the meetings of one tree only the earliest count; the others are looked for again in the next round. A pair that
// ends deeper than its rows explain is swept too. Its rows that carry stay beside those of the meeting, as it may be
// held at one end and turn onto the other. A pair that touches at the start and turns in from there on gets rows at the
// poses of the step's end instead, beside two of those that carry if it begins in overlap, so that this overlap is
// parted (part_overlaps.hpp). The rounds end when there are no suspects and no new meetings.
//
//   symbol  variable  shape        unit
//   φ⁺      end_gap   (max_pairs)  [m]
//   f       share     (max_pairs)  [-]
//   slack   -         1            how far bodies may overlap without touching [m], such as the height of a ledge
//                                  between two tiles over which a body slides
#pragma once

#include "kernels/step/collide_meetings.hpp"
#include "kernels/step/judge_pairs.hpp"

namespace stiction {

/// Meetings later than the first of a tree by more than this share of the step wait for the next round [-].
constexpr double kSameTime = 1e-2;

namespace step_detail {

/// The smallest gap of the manifold's points; `far` if it has none.
template <class Real>
ST_FN Real least_gap(const Manifold<Real>& manifold, Real far) {
  Real least = far;
  for (int i = 0; i < manifold.count; ++i)
    least = i == 0 ? manifold.point[0].gap : smaller(least, manifold.point[i].gap);
  return least;
}

}  // namespace step_detail

/// Gives every pair the role kFound, or kKept if `kept`. Call it after the narrow phase of a first round.
template <class Team, class Real>
ST_FN void start_meetings(Team team, const ModelView<Real>& model, bool kept, StepScratch<Real>& s) {
  team.each(*s.slots.count, [&](int slot) {
    const Manifold<Real>& manifold = s.slots.manifold[slot];
    const Real margin = model.pair_margin[s.slots.pair[slot]];
    s.meetings.role[slot] = static_cast<int>(kept ? PairRole::kKept : PairRole::kFound);
    s.meetings.met[slot] = 0;
    s.meetings.start_gap[slot] = step_detail::least_gap(manifold, s.slots.reach[slot] + margin) - margin;
    for (int i = 0; i < 6 * manifold.count; ++i) shift_of_point(s.slots, slot, 0)[i] = Real(0);
  });
}

namespace step_detail {

/// The tree that moves one side of a pair; -1: none.
template <class Real>
ST_FN int tree_of_side(const ModelView<Real>& model, const StepScratch<Real>& s, int slot, int side) {
  return model.body_tree[model.geom_body[model.pair_geom[2 * s.slots.pair[slot] + side]]];
}

/// Writes the share of the step at which each tree has its first meeting; 2: it has none.
template <class Real>
ST_FN void find_first_meetings(const ModelView<Real>& model, StepScratch<Real>& s) {
  Meetings<Real>& m = s.meetings;
  for (int t = 0; t < model.ntree; ++t) m.first[t] = Real(2);
  for (int slot = 0; slot < *s.slots.count; ++slot) {
    if (!has_met(m, slot)) continue;
    for (int side = 0; side < 2; ++side) {
      const int tree = tree_of_side(model, s, slot, side);
      if (tree >= 0) m.first[tree] = smaller(m.first[tree], m.share[slot]);
    }
  }
}

/// Leaves a suspect out. Meetings wait for the next round, as they were found on paths that suspects have bent.
template <class Real>
ST_FN void leave_out(int slot, StepScratch<Real>& s) {
  Meetings<Real>& m = s.meetings;
  if (has_met(m, slot)) m.verdict[slot] = static_cast<int>(PairVerdict::kNothing);
  if (static_cast<PairVerdict>(m.verdict[slot]) != PairVerdict::kSuspect) return;
  m.role[slot] = static_cast<int>(PairRole::kLeftOut);
  m.points[slot] = s.slots.manifold[slot].count;
  s.slots.manifold[slot].count = 0;
}

/// Accepts a meeting if it is among the first of its trees; otherwise lets it wait.
template <class Real>
ST_FN void accept_meeting(const ModelView<Real>& model, int slot, StepScratch<Real>& s) {
  Meetings<Real>& m = s.meetings;
  if (!has_met(m, slot)) return;
  bool first = true;
  for (int side = 0; side < 2; ++side) {
    const int tree = tree_of_side(model, s, slot, side);
    first = first && (tree < 0 || m.share[slot] <= m.first[tree] + Real(kSameTime));
  }
  if (first)
    m.role[slot] = static_cast<int>(PairRole::kMet), ++m.met[slot];
  else
    m.verdict[slot] = static_cast<int>(PairVerdict::kNothing);
}

}  // namespace step_detail

/// What a round's answer changes in the problem.
enum class PairChange {
  kNone,
  kLeftOut,  // suspects were left out
  kMet,      // pairs have rows where they meet
};

/// Leaves suspects out; if there are none, accepts the earliest meetings of every tree.
template <class Team, class Real>
ST_FN PairChange arrange_meetings(Team team, const ModelView<Real>& model, StepScratch<Real>& s) {
  const auto count = [&](auto wanted) {
    return team.sum(*s.slots.count, 0, [&](int slot) { return wanted(slot) ? 1 : 0; });
  };
  const int suspects =
      count([&](int slot) { return static_cast<PairVerdict>(s.meetings.verdict[slot]) == PairVerdict::kSuspect; });
  const int met = count([&](int slot) { return step_detail::has_met(s.meetings, slot); });
  if (suspects > 0) {
    team.each(*s.slots.count, [&](int slot) { step_detail::leave_out(slot, s); });
    return PairChange::kLeftOut;
  }
  if (met == 0) return PairChange::kNone;
  team.once([&] { step_detail::find_first_meetings(model, s); });
  team.each(*s.slots.count, [&](int slot) { step_detail::accept_meeting(model, slot, s); });
  return PairChange::kMet;
}

/// Puts the rows of all pairs that were left out back for good. True if there were any.
template <class Team, class Real>
ST_FN bool keep_left_out(Team team, StepScratch<Real>& s) {
  Meetings<Real>& m = s.meetings;
  const auto left_out = [&](int slot) {
    const PairRole role = step_detail::role_of(m, slot);
    return role == PairRole::kLeftOut || role == PairRole::kParting;
  };
  const int count = team.sum(*s.slots.count, 0, [&](int slot) { return left_out(slot) ? 1 : 0; });
  if (count == 0) return false;
  team.each(*s.slots.count, [&](int slot) {
    m.verdict[slot] = static_cast<int>(PairVerdict::kNothing);
    if (!left_out(slot)) return;
    m.role[slot] = static_cast<int>(PairRole::kKept);
    s.slots.manifold[slot].count = m.points[slot];
  });
  return true;
}

/// Deepest overlap of the near pairs at the end of the step [m], 0 if there is none. Call it after look_at_end.
template <class Team, class Real>
ST_FN Real deepest_overlap(Team team, const StepScratch<Real>& s) {
  // a difference and no negation: pairs that just touch give +0, the neutral element of the maximum
  return team.max(*s.slots.count, Real(0),
                  [&](int slot) { return Real(0) - smaller(s.meetings.end_gap[slot], Real(0)); });
}

}  // namespace stiction
