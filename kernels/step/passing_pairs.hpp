// Pairs that only pass one another where a step ends, in the rounds that find the end (end_rounds.hpp).
//
// Rows at q⁺ carry at φ⁺ > 0 only under a law whose contacts hover, φ⁺ >= μ h |u_t|. A pair that does and ends apart is
// left out, unless its bodies face one another, as in meetings.hpp, at the start and at the end, with normals that
// differ by no more than they turn. They slide past one another by more than they are apart, and the boundary layer of
// the law, which takes n as fixed, says nothing about them: their normal turns from round to round. Such a pair gets
// its rows back for good if an answer ends with φ⁺ <= slack.
#pragma once

#include "kernels/step/end_poses.hpp"
#include "kernels/step/judge_pairs.hpp"

namespace stiction {

namespace step_detail {

/// How the bodies of a pair face each other.
template <class Real>
struct Facing {
  Real distance;  // [m]
  Vec3<Real> n;   // normal
  bool covers;    // true: pushed together along n they touch
};

/// How the pair in the scratch faces each other. Moves the second shape.
template <class Real>
ST_FN Facing<Real> find_facing(CollisionScratch<Real>& scratch) {
  const Real distance = distance_up_to(Real(INFINITY), scratch);
  const Vec3<Real> n = scratch.manifold.point[0].normal;
  return {distance, n, spans_faces(scratch.manifold) || lie_over_one_another(n, distance, scratch)};
}

/// True if the pair carries where the answer of a round takes it, although its bodies are apart there and pass one
/// another.
template <class Real>
ST_APART bool passes(const ModelView<Real>& model, int slot, const StepScratch<Real>& s,
                     CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  if (role_of(s.meetings, slot) != PairRole::kFound || has_cornerless_shape(model, pair)) return false;
  if (carrying_contact(s, slot) < 0) return false;
  place_pair(model, s.next.poses, s.slots, slot, scratch);
  const Facing<Real> end = find_facing(scratch);
  if (!(end.distance > model.pair_margin[pair] + meeting_slack<Real>())) return false;
  place_pair(model, s.poses, s.slots, slot, scratch);
  const Facing<Real> start = find_facing(scratch);
  const Real turn =
      largest_turn(model, s, model.pair_geom[2 * pair]) + largest_turn(model, s, model.pair_geom[2 * pair + 1]);
  const bool turned = dot(start.n, end.n) < Real(0) || norm(cross(start.n, end.n)) > turn + Real(kSameNormal);
  return !end.covers || !start.covers || turned;
}

/// Takes the points of a pair that is left out as long as it is apart where the answer ends; a pair that is not has its
/// points from then on.
template <class Real>
ST_FN void keep_left_out_at_end(const ModelView<Real>& model, int slot, StepScratch<Real>& s) {
  Meetings<Real>& m = s.meetings;
  if (role_of(m, slot) != PairRole::kLeftOut) return;
  Manifold<double>& manifold = end_manifold(slot, s);
  const double touching = static_cast<double>(model.pair_margin[s.slots.pair[slot]] + meeting_slack<Real>());
  if (least_gap(manifold, double(INFINITY)) > touching)
    m.points[slot] = manifold.count, manifold.count = s.slots.manifold[slot].count = 0;
  else
    m.role[slot] = static_cast<int>(PairRole::kKept);
}

}  // namespace step_detail

/// Leaves out the pairs that pass one another where the last round ends.
template <class Team, class Real>
ST_FN void leave_out_passing(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                             StepScratch<Real>& s) {
  find_carrying_impulse(team, model, config, s);
  team.each(*s.slots.count, [&](int slot) {
    if (step_detail::passes(model, slot, s, s.slots.scratch[slot % Team::kLanes]))
      s.meetings.role[slot] = static_cast<int>(PairRole::kLeftOut);
  });
}

}  // namespace stiction
