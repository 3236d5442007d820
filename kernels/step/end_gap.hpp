// The gap φ⁺ of a pair at the end of the step. Most pairs need no narrow phase there: a lower bound of φ⁺ shows that
// they stay apart, or overlap by no more than the slack.
//
//   φ⁺ >= φ − m_A − m_B              m_g = ‖Δp‖ + 2 ‖Δq‖ r: no point of geom g moves farther
//   φ⁺ >= σ_n(q⁺), any unit n        σ_n: separation along n (support.hpp); n: the pair's last normal, turned with A or
//   B
//
//   symbol  variable  shape   unit
//   Δp      -         (3)     motion of the geom's frame [m]
//   Δq      -         (4)     change of its body's quaternion: in a turn by θ a point at the distance r moves by
//                             2 r sin(θ/2), and ‖Δq‖ = 2 sin(θ/4)
//   r       -         1       farthest point of the geom from its frame [m]
#pragma once

#include "kernels/step/pair_motion.hpp"
#include "kernels/step/pair_verdict.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Pairs whose bodies move by less than this share of the slack end with the gap with which they begin, less that [-].
constexpr double kStill = 0.1;

namespace step_detail {

/// The normal that was last found for a pair; zero if the pair was apart.
template <class Real>
ST_FN Vec3<Real> last_normal(const PairSlots<Real>& slots, int slot) {
  const Manifold<Real>& manifold = slots.manifold[slot];
  return manifold.count > 0 ? manifold.point[0].normal : Vec3<Real>{Real(0), Real(0), Real(0)};
}

/// Puts the shapes of a slot's pair into the lane's scratch, at the given poses; the pair's last normal is the guess.
template <class Real>
ST_PHASE void place_pair(const ModelView<Real>& model, const Poses<Real>& poses, const PairSlots<Real>& slots, int slot,
                         CollisionScratch<Real>& scratch) {
  const int pair = slots.pair[slot];
  scratch.guess = last_normal(slots, slot);
  scratch.A = shape_in_world(model, poses, model.pair_geom[2 * pair]);
  scratch.B = shape_in_world(model, poses, model.pair_geom[2 * pair + 1]);
}

/// ‖Δq‖ of geom g's body.
template <class Real>
ST_FN Real quaternion_change(const ModelView<Real>& model, const StepScratch<Real>& s, int g) {
  const int b = model.geom_body[g];
  const Real *q = s.poses.body_quat + 4 * b, *q_next = s.next.poses.body_quat + 4 * b;
  Real square = Real(0);
  for (int i = 0; i < 4; ++i) square += (q_next[i] - q[i]) * (q_next[i] - q[i]);
  return std::sqrt(square);
}

/// How far geom g turns in the step, at most: θ <= π ‖Δq‖ [rad].
template <class Real>
ST_FN Real largest_turn(const ModelView<Real>& model, const StepScratch<Real>& s, int g) {
  return Real(3.1415927) * quaternion_change(model, s, g);
}

/// How far any point of geom g moves in the step, at most [m].
template <class Real>
ST_FN Real farthest_motion(const ModelView<Real>& model, const StepScratch<Real>& s, int g) {
  const Vec3<Real> moved = load3(s.next.poses.geom_pos + 3 * g) - load3(s.poses.geom_pos + 3 * g);
  const Real turned = quaternion_change(model, s, g);
  if (!(turned > Real(0))) return norm(moved);
  const Real farthest = norm(load3(model.geom_box_center + 3 * g)) + model.geom_radius[g];
  return norm(moved) + Real(2) * turned * farthest;
}

/// The same of both geoms of a pair together.
template <class Real>
ST_FN Real farthest_motion_of_pair(const ModelView<Real>& model, const StepScratch<Real>& s, int pair) {
  return farthest_motion(model, s, model.pair_geom[2 * pair]) +
         farthest_motion(model, s, model.pair_geom[2 * pair + 1]);
}

/// The direction that n has at the step's end if it turns with geom g.
template <class Real>
ST_FN Vec3<Real> turned_with(const StepScratch<Real>& s, int g, const Vec3<Real>& n) {
  return geom_rotation(s.next.poses, g) * transpose_mul(geom_rotation(s.poses, g), n);
}

/// The separation at the end of the pair in the scratch: for a plane along its normal, else the larger one along the
/// last normal turned with one side or the other; a normal does not turn with a round side [m].
template <class Real>
ST_FN Real separation_at_end(const ModelView<Real>& model, const StepScratch<Real>& s, int slot,
                             const CollisionScratch<Real>& scratch) {
  const GeomType types[2] = {static_cast<GeomType>(scratch.A.type), static_cast<GeomType>(scratch.B.type)};
  if (types[0] == GeomType::kPlane) return separation_along(scratch.A, scratch.B, scratch.A.rotation.column(2));
  const Vec3<Real> n = last_normal(s.slots, slot);
  Real largest = Real(-INFINITY);
  for (int side = 0; side < 2 && norm_squared(n) > Real(0) && largest < Real(0); ++side) {
    if (is_round(types[side])) continue;
    const int g = model.pair_geom[2 * s.slots.pair[slot] + side];
    largest = larger(largest, separation_along(scratch.A, scratch.B, turned_with(s, g, n)));
  }
  return largest;
}

/// Gap of a pair at the end of the step: its distance less its margin [m]. It may be too small: by any amount while the
/// pair stays apart, else by no more than the slack.
template <class Real>
ST_APART Real find_end_gap(const ModelView<Real>& model, const StepScratch<Real>& s, int slot,
                           CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const Real slack = meeting_slack<Real>(), gap = s.meetings.start_gap[slot], margin = model.pair_margin[pair];
  const Real moved = farthest_motion_of_pair(model, s, pair);
  if (moved <= Real(kStill) * slack || gap > moved) return gap - moved;
  place_pair(model, s.next.poses, s.slots, slot, scratch);
  const Real least = separation_at_end(model, s, slot, scratch) - margin;
  return least >= -slack ? least : distance_up_to(margin, scratch) - margin;
}

}  // namespace step_detail

}  // namespace stiction
