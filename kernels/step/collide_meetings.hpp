// The narrow phase of pairs that meet in the step, where they do (meetings.hpp).
//
//   φ = φ_f − f h n·(u_B(p) − u_A(p))        so that a row from where the step begins is exact at the meeting
#pragma once

#include "kernels/step/pair_motion.hpp"
#include "kernels/step/pair_verdict.hpp"

namespace stiction {

namespace detail {

/// How far the joints of geom g have moved by the share f, as far as one translation tells: a free body's centre, else
/// the last joint.
template <class Real, class Solve>
ST_FN Vec3<Real> joint_shift(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int g, Real f) {
  const int b = model.geom_body[g], tree = model.body_tree[b];
  if (tree < 0) return {Real(0), Real(0), Real(0)};
  const int k = 3 * model.body_last_dof[b];
  const bool free = is_free_body(model, tree);
  const Real* from = free ? s.poses.body_com + 3 * b : s.poses.dof_anchor + k;
  const Real* to = free ? s.next.poses.body_com + 3 * b : s.next.poses.dof_anchor + k;
  return f * (load3(to) - load3(from));
}

/// The manifold at the share f of the last answer's motion, its gaps as seen from where the step begins.
template <class Real, class Solve>
ST_APART void collide_at_meeting(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h, int slot,
                                 CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  Manifold<Real>& manifold = s.slots.manifold[slot];
  Real f = s.meetings.share[slot];
  const Real reach = s.slots.reach[slot] + model.pair_margin[pair];
  find_motions(model, s, h, pair, scratch);
  place_pair_at(f, scratch);
  collide_placed(reach, scratch, manifold);
  if (static_cast<PairVerdict>(s.meetings.verdict[slot]) == PairVerdict::kTurnsIn && manifold.count > 0) {
    const Vec3<Real> n = manifold.point[0].normal;
    const Manifold<Real>& end = scratch.manifold;
    place_pair_at(Real(1), scratch);
    const bool overlaps = collide_placed(reach, scratch, scratch.manifold);
    if (overlaps && dot(n, end.point[0].normal) > Real(0.5)) manifold = end, f = Real(1);
  }
  const Vec3<Real> shift_A = joint_shift(model, s, a, f), shift_B = joint_shift(model, s, b, f);
  store3(s.slots.shift + 6 * slot, shift_A);
  store3(s.slots.shift + 6 * slot + 3, shift_B);
  for (int k = 0; k < manifold.count; ++k) {
    ContactPoint<Real>& point = manifold.point[k];
    const Vec3<Real> p = Real(0.5) * (point.p_A + point.p_B);
    const Vec3<Real> u = answered_velocity(model, s, b, p - shift_B) - answered_velocity(model, s, a, p - shift_A);
    point.gap -= f * h * dot(point.normal, u);
  }
}

}  // namespace detail

/// The narrow phase of the pairs that meet, where they do.
template <class Team, class Real, class Solve>
ST_FN void collide_meetings(Team team, const ModelView<Real>& model, Real h, const StepScratch<Real, Solve>& s) {
  team.each(*s.slots.count, [&](int slot) {
    if (detail::has_met(s.meetings, slot))
      detail::collide_at_meeting(model, s, h, slot, s.slots.scratch[slot % Team::kLanes]);
  });
}

}  // namespace stiction
