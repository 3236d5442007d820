// The narrow phase of pairs that meet within the step, at the poses where they meet (meetings.hpp).
//
//   φ = φ_f − f h n·(u_B(p) − u_A(p))        so that a row from the step's start is exact at the meeting
#pragma once

#include "kernels/step/judge_pairs.hpp"

namespace stiction {

/// So many points of a pair that begins in overlap stay beside those of a meeting.
constexpr int kKeptOverlaps = 2;

namespace step_detail {

/// How far the joints of geom g have moved at the share f of the step, as one translation [m]: that of a free body's
/// centre of mass, else that of the last joint.
template <class Real>
ST_FN Vec3<Real> joint_shift(const ModelView<Real>& model, const StepScratch<Real>& s, int g, Real f) {
  const int b = model.geom_body[g], tree = model.body_tree[b];
  if (tree < 0) return {Real(0), Real(0), Real(0)};
  const int k = 3 * model.body_last_dof[b];
  const bool free = is_free_body(model, tree);
  const Real* from = free ? s.poses.body_com + 3 * b : s.poses.dof_anchor + k;
  const Real* to = free ? s.next.poses.body_com + 3 * b : s.next.poses.dof_anchor + k;
  return f * (load3(to) - load3(from));
}

/// Where a pair is collided anew: the share of the step, and whether that is the step's end; if so, the manifold has
/// all points that the pair has there.
template <class Real>
struct Meeting {
  Real share;
  bool at_end;
};

/// How many points a slot has at most.
template <class Real>
ST_FN int most_points_of(const ModelView<Real>& model, const StepScratch<Real>& s, int slot) {
  const int* geom = model.pair_geom + 2 * s.slots.pair[slot];
  return most_points(static_cast<GeomType>(model.geom_type[geom[0]]), static_cast<GeomType>(model.geom_type[geom[1]]));
}

/// Keeps at most `most` of those points of the slot that carried in the last answer: a pair that is held at one end and
/// turns onto the other is then held at both.
template <class Real>
ST_FN void keep_carrying_points(int slot, int most, StepScratch<Real>& s) {
  Manifold<Real>& manifold = s.slots.manifold[slot];
  int kept = 0;
  for_each_contact(s, slot, [&](int i) {
    const int point = point_of_key(s.contacts.key[i]);
    if (kept >= most || !(s.solution.lambda[s.contact_rows.dimension * i] > *s.meetings.carrying)) return;
    manifold.point[kept] = manifold.point[point];
    const Real* from = shift_of_point(s.slots, slot, point);
    Real* to = shift_of_point(s.slots, slot, kept++);
    for (int k = 0; k < 6; ++k) to[k] = from[k];
  });
  manifold.count = kept;
}

/// Finds the manifold where the pair meets and leaves it in the lane's scratch. A pair that turned in is collided at
/// the step's end instead, if it touches there with nearly the same normal.
template <class Real>
ST_FN Meeting<Real> find_met_manifold(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot,
                                      CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const Real f = s.meetings.share[slot], reach = s.slots.reach[slot] + model.pair_margin[pair];
  find_motions(model, s, h, slot, scratch);
  place_pair_at(f, scratch);
  const bool found = collide_placed(reach, scratch, scratch.manifold);
  if (!found || static_cast<PairVerdict>(s.meetings.verdict[slot]) != PairVerdict::kTurnsIn) return {f, false};
  const Vec3<Real> n = scratch.manifold.point[0].normal;
  place_pair_at(Real(1), scratch);
  if (collide_placed(reach, scratch, scratch.manifold) && dot(n, scratch.manifold.point[0].normal) > Real(0.5))
    return {Real(1), true};
  place_pair_at(f, scratch);
  collide_placed(reach, scratch, scratch.manifold);
  return {f, false};
}

/// Writes the manifold at the share f of the last answer's motion, with gaps extrapolated back to the step's start. The
/// points that carry stay beside it, unless it has every point of the pair; two stay even then where the pair begins in
/// overlap, which must not be forgotten.
template <class Real>
ST_APART void collide_at_meeting(const ModelView<Real>& model, Real h, int slot, StepScratch<Real>& s,
                                 CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  const auto [f, at_end] = find_met_manifold(model, s, h, slot, scratch);
  const Vec3<Real> shift_A = joint_shift(model, s, a, f), shift_B = joint_shift(model, s, b, f);
  Manifold<Real>& manifold = s.slots.manifold[slot];
  const int most = most_points_of(model, s, slot), room = at_end ? 0 : most - scratch.manifold.count;
  const bool overlaps = s.meetings.start_gap[slot] < -meeting_slack<Real>();
  keep_carrying_points(slot, overlaps ? larger(room, kKeptOverlaps) : room, s);
  for (int k = 0; k < scratch.manifold.count && manifold.count < most; ++k) {
    ContactPoint<Real> point = scratch.manifold.point[k];
    const Vec3<Real> p = Real(0.5) * (point.p_A + point.p_B);
    const Vec3<Real> u = answered_velocity(model, s, b, p - shift_B) - answered_velocity(model, s, a, p - shift_A);
    point.gap -= f * h * dot(point.normal, u);
    store3(shift_of_point(s.slots, slot, manifold.count), shift_A);
    store3(shift_of_point(s.slots, slot, manifold.count) + 3, shift_B);
    manifold.point[manifold.count++] = point;
  }
}

}  // namespace step_detail

/// The narrow phase of the pairs that meet, at the poses where they meet.
template <class Team, class Real>
ST_FN void collide_meetings(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                            StepScratch<Real>& s) {
  find_carrying_impulse(team, model, config, s);
  team.each(*s.slots.count, [&](int slot) {
    if (step_detail::has_met(s.meetings, slot))
      step_detail::collide_at_meeting(model, config.step_size, slot, s, s.slots.scratch[slot % Team::kLanes]);
  });
}

}  // namespace stiction
