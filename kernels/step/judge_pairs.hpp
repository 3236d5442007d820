// What the answer of a round says about the pairs: which end as their rows predict, which are suspects, which meet or
// turn in. meetings.hpp has the rules.
#pragma once

#include "kernels/collision/regions.hpp"
#include "kernels/contact/overlooked.hpp"
#include "kernels/step/end_gap.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// Most meetings of one pair in one step.
constexpr int kMostMeetings = 4;
/// Two normals count as the same if they differ by at most this much more than the bodies turn [rad].
constexpr double kSameNormal = 1e-2;
/// A pair whose faces turn by more than this in the step does not count as ending as solved, wherever it ends [rad].
constexpr double kLittleTurn = 0.2;
/// Allowances for bends and turns are only worth their time if faces turn by more than this [rad].
constexpr double kHardlyTurned = 1e-3;
/// A pair that begins within the slack and meets before this share of the step was touching and has turned in [-].
constexpr double kTouchedFromStart = 0.1;
/// Overlap that is put down to the accuracy of a pair's rows: a share of the thinner shape's least half width [-].
constexpr double kThinShare = 1.0 / 16.0;
/// Width of a triangle of contact points that shows that two faces cover one another [m].
constexpr double kFaceWidth = 1e-4;
/// A contact carries if its impulse exceeds this share of (tolerance × the largest momentum) [-].
constexpr double kCarryingShare = 1e-3;

namespace step_detail {

/// Component `axis` (n, t1, t2) of J v + b of contact i [m/s].
template <class Real>
ST_FN double axis_velocity(const ModelView<Real>& model, const StepScratch<Real>& s, Pointer<const double> v, int i,
                           int axis) {
  return stiction::axis_velocity(model, s.contact_rows.row[i], v, axis);
}

/// True if one shape of the pair has no corners: it is a plane, or round. Along its normal such a shape always faces
/// what it is near: if it moves closer by 2 slack, the overlap there is deeper by 2 slack.
template <class Real>
ST_FN bool has_cornerless_shape(const ModelView<Real>& model, int pair) {
  const GeomType a = static_cast<GeomType>(model.geom_type[model.pair_geom[2 * pair]]);
  const GeomType b = static_cast<GeomType>(model.geom_type[model.pair_geom[2 * pair + 1]]);
  return a == GeomType::kPlane || is_round(a) || is_round(b);
}

/// True if the placed shapes, pushed together along n by their gap and twice the slack, overlap by more than the slack.
template <class Real>
ST_FN bool lie_over_one_another(Vec3<Real> n, Real distance, CollisionScratch<Real>& scratch) {
  const Real slack = meeting_slack<Real>();
  scratch.B.position = scratch.B.position - (distance + Real(2) * slack) * n;
  return collide_placed(Real(0), scratch, scratch.manifold) && scratch.manifold.point[0].gap <= -slack;
}

/// True if the first points of the manifold show that two faces cover one another, so that the narrow phase need not be
/// asked whether they lie over one another.
template <class Real>
ST_FN bool spans_faces(const Manifold<Real>& manifold) {
  if (manifold.count < 3) return false;
  const ContactPoint<Real>* p = manifold.point;
  const Real flat = p[0].gap + Real(0.5) * meeting_slack<Real>();
  if (p[1].gap > flat || p[2].gap > flat) return false;
  const Vec3<Real> a = p[1].p_B - p[0].p_B, b = p[2].p_B - p[0].p_B;
  const Real longest = larger(norm_squared(a), larger(norm_squared(b), norm_squared(b - a)));
  return norm_squared(cross(a, b)) > longest * Real(kFaceWidth * kFaceWidth);
}

/// The contact of a pair with the largest impulse; -1 if none carries.
template <class Real>
ST_FN int carrying_contact(const StepScratch<Real>& s, int slot) {
  int carrying = -1;
  double largest = *s.meetings.carrying;
  const int dimension = s.contact_rows.dimension;
  for_each_contact(s, slot, [&](int i) {
    if (s.solution.lambda[dimension * i] > largest) largest = s.solution.lambda[dimension * i], carrying = i;
  });
  return carrying;
}

/// The least gap φ + h n·u that the rows of a pair predict [m].
template <class Real>
ST_FN Real predicted_gap(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot) {
  Real least = Real(INFINITY);
  for_each_contact(s, slot, [&](int i) {
    least =
        smaller(least, s.contacts.gap[i] + h * static_cast<Real>(axis_velocity(model, s, s.solution.v.data(), i, 0)));
  });
  return least;
}

template <class Real>
ST_FN Real least_half_width(const ModelView<Real>& model, int g) {
  if (static_cast<GeomType>(model.geom_type[g]) == GeomType::kPlane) return Real(INFINITY);
  const Real* half = model.geom_box_half + 3 * g;
  return smaller(half[0], smaller(half[1], half[2]));
}

/// Overlap of a pair at the step's end that counts as expected [m].
template <class Real>
ST_FN Real expected_overlap(const ModelView<Real>& model, const StepScratch<Real>& s, int slot) {
  const int pair = s.slots.pair[slot];
  const Real before = larger(-s.meetings.start_gap[slot], Real(0)), slack = Real(2) * meeting_slack<Real>();
  if (s.slots.manifold[slot].count == 0 || has_cut_corner(s.slots, slot)) return before + slack;
  const Real thin = smaller(least_half_width(model, model.pair_geom[2 * pair]),
                            least_half_width(model, model.pair_geom[2 * pair + 1]));
  return before + larger(slack, Real(kThinShare) * thin);
}

/// Angle by which the normal n at p turns when the surfaces of two round parts slip along each other [rad]; 0 if that
/// angle is large.
template <class Real>
ST_FN Real turn_of_normal(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const Vec3<Real>& p,
                          const Vec3<Real>& n, Real slip) {
  if (!is_round_along(A, n) || !is_round_along(B, -n)) return Real(0);
  const Real apart = norm(core_point(B, p, -n) - core_point(A, p, n));
  return slip <= Real(kSameNormal) * apart ? slip / apart : Real(0);
}

/// Where the rows of a pair predict that it ends.
template <class Real>
struct ExpectedEnd {
  Real turn;      // turn of the pair's faces [rad]
  Real roll;      // turn of the normal between round parts [rad]
  Real farthest;  // largest distance of its surfaces [m]
};

/// The expected end of the pair whose motion is in the scratch.
template <class Real>
ST_PHASE ExpectedEnd<Real> expect_end(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot,
                                      int contact, const CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  const ShapeMotion<Real>&A = scratch.motion_A, &B = scratch.motion_B;
  const Vec3<Real> n = load3(s.contacts.frame + 9 * contact);
  const Vec3<Real> p = load3(s.contacts.position + 3 * contact);
  const Vec3<Real> half = (Real(0.5) * (s.contacts.gap[contact] + model.pair_margin[pair])) * n;
  const PointWay<Real> way_A = way_of_point(model, s, A, h, a, core_point(A.shape, p - half, n));
  const PointWay<Real> way_B = way_of_point(model, s, B, h, b, core_point(B.shape, p + half, -n));
  const Real turn =
      (is_round_along(A.shape, n) ? Real(0) : norm(A.turn)) + (is_round_along(B.shape, -n) ? Real(0) : norm(B.turn));
  const Real slip = norm(cross(n, way_B.tangent - way_A.tangent)), roll = turn_of_normal(A.shape, B.shape, p, n, slip);
  const Real bend = std::fabs(dot(n, way_B.curve - way_A.curve)) + (turn + roll) * slip;
  return {turn, roll, predicted_gap(model, s, h, slot) + meeting_slack<Real>() + bend + model.pair_margin[pair]};
}

/// True if the pair begins and ends face over face, and ends where it is expected. Writes its end_gap.
template <class Real>
ST_FN bool ends_at(const ModelView<Real>& model, int slot, int contact, const ExpectedEnd<Real>& expected,
                   StepScratch<Real>& s, CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const Real margin = model.pair_margin[pair];
  place_pair(model, s.next.poses, s.slots, slot, scratch);
  const Real gap = distance_up_to(larger(expected.farthest, margin), scratch) - margin;
  s.meetings.end_gap[slot] = gap;
  if (expected.turn > Real(kLittleTurn) || gap > expected.farthest - margin) return false;
  if (gap < -expected_overlap(model, s, slot)) return false;
  const Vec3<Real> n = load3(s.contacts.frame + 9 * contact), n_end = scratch.manifold.point[0].normal;
  const Real turn = expected.turn + expected.roll + Real(kSameNormal);
  if (dot(n, n_end) < Real(0) || norm(cross(n, n_end)) > turn) return false;
  if (has_cornerless_shape(model, pair)) return true;
  if (!spans_faces(scratch.manifold) && !lie_over_one_another(n_end, gap + margin, scratch)) return false;
  if (spans_faces(s.slots.manifold[slot])) return true;
  place_pair(model, s.poses, s.slots, slot, scratch);
  return lie_over_one_another(n, s.meetings.start_gap[slot] + margin, scratch);
}

/// True if the pair ends as its rows predict. If its bodies hardly turn, it asks first without an allowance for paths
/// that bend and faces that turn: most such pairs need none.
template <class Real>
ST_FN bool ends_as_solved(const ModelView<Real>& model, Real h, int slot, int contact, StepScratch<Real>& s,
                          CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const Real turn =
      largest_turn(model, s, model.pair_geom[2 * pair]) + largest_turn(model, s, model.pair_geom[2 * pair + 1]);
  if (turn < Real(kHardlyTurned)) {
    const Real farthest = predicted_gap(model, s, h, slot) + meeting_slack<Real>() + model.pair_margin[pair];
    if (ends_at(model, slot, contact, {Real(0), Real(0), farthest}, s, scratch)) return true;
  }
  find_motions(model, s, h, slot, scratch);
  return ends_at(model, slot, contact, expect_end(model, s, h, slot, contact, scratch), s, scratch);
}

/// True if the pair may touch corner or edge on corner or edge: it has few points, and no shape without corners.
template <class Real>
ST_FN bool may_touch_corner_on_corner(const ModelView<Real>& model, const StepScratch<Real>& s, int slot) {
  return s.slots.manifold[slot].count <= 2 && !has_cornerless_shape(model, s.slots.pair[slot]);
}

/// True if the pair touches corner or edge on corner or edge, so that it is open which of its normals holds.
template <class Real>
ST_FN bool touches_corner_on_corner(const ModelView<Real>& model, const StepScratch<Real>& s, int slot,
                                    CollisionScratch<Real>& scratch) {
  const Manifold<Real>& manifold = s.slots.manifold[slot];
  place_pair(model, s.poses, s.slots, slot, scratch);
  return !lie_over_one_another(manifold.point[0].normal, manifold.point[0].gap, scratch);
}

/// True if points of the pair's bodies move relative to each other by more than the slack.
template <class Real>
ST_FN bool slides(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot) {
  const int pair = s.slots.pair[slot];
  return h * relative_speed(model, s.poses, s.bounds, s.solution.v.data(), model.pair_geom[2 * pair + 1],
                            model.geom_body[model.pair_geom[2 * pair]]) >
         meeting_slack<Real>();
}

/// The contact with the largest impulse of a pair that carries although its bodies need not meet (they were apart, or
/// touch corner on corner and slide); -1: the pair is no such pair.
template <class Real>
ST_PHASE int doubtful_contact(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot,
                              CollisionScratch<Real>& scratch) {
  if (role_of(s.meetings, slot) != PairRole::kFound) return -1;
  const bool apart = s.meetings.start_gap[slot] > meeting_slack<Real>();
  if (!apart && !may_touch_corner_on_corner(model, s, slot)) return -1;
  const int contact = carrying_contact(s, slot);
  if (contact < 0 || apart) return contact;
  return slides(model, s, h, slot) && touches_corner_on_corner(model, s, slot, scratch) ? contact : -1;
}

/// The overlap for which the pair is swept along its motion [m]; negative if its rows explain where it ends.
template <class Real>
ST_FN Real unexplained_overlap(const ModelView<Real>& model, const StepScratch<Real>& s, int slot) {
  if (role_of(s.meetings, slot) == PairRole::kLeftOut) return meeting_slack<Real>();
  if (s.meetings.end_gap[slot] >= Real(0)) return Real(-1);
  const Real overlap = expected_overlap(model, s, slot);
  const bool deeper = s.meetings.end_gap[slot] < -overlap && s.meetings.met[slot] != kMostMeetings;
  return deeper ? overlap : Real(-1);
}

/// Sweeps the pair along its motion. If it meets, writes the share of the step and returns kMeets, or kTurnsIn for a
/// pair with rows that touched at the start and meets early: one body has turned into the other.
template <class Real>
ST_APART PairVerdict sweep_pair(const ModelView<Real>& model, Real h, Real slack, int slot, StepScratch<Real>& s,
                                CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  find_motions(model, s, h, slot, scratch);
  const Real share = find_meeting(model.pair_margin[pair], slack, scratch);
  s.meetings.share[slot] = share;
  if (!(share >= Real(0))) return PairVerdict::kNothing;
  const bool apart = s.meetings.start_gap[slot] > meeting_slack<Real>();
  const bool touched = !apart && role_of(s.meetings, slot) != PairRole::kLeftOut && share < Real(kTouchedFromStart);
  return touched ? PairVerdict::kTurnsIn : PairVerdict::kMeets;
}

/// Where a pair ends, and, if `judged`, what the answer says about it.
template <class Real>
ST_APART PairVerdict judge_pair(const ModelView<Real>& model, Real h, bool judged, int slot, StepScratch<Real>& s,
                                CollisionScratch<Real>& scratch) {
  const int contact = judged ? doubtful_contact(model, s, h, slot, scratch) : -1;
  if (contact >= 0) {
    if (!ends_as_solved(model, h, slot, contact, s, scratch)) return PairVerdict::kSuspect;
  } else {
    s.meetings.end_gap[slot] = find_end_gap(model, s, slot, scratch);
  }
  const Real overlap = judged ? unexplained_overlap(model, s, slot) : Real(-1);
  return overlap < Real(0) ? PairVerdict::kNothing : sweep_pair(model, h, overlap, slot, s, scratch);
}

}  // namespace step_detail

/// Writes the impulse up to which contacts do not count as carrying.
template <class Team, class Real>
ST_FN void find_carrying_impulse(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                                 StepScratch<Real>& s) {
  const double momentum = team.max(model.nv, static_cast<double>(config.step_size) * double(1e-3),
                                   [&](int k) { return std::fabs(s.motion.g[k]) / s.motion.dof_radius[k]; });
  team.once([&] { *s.meetings.carrying = double(kCarryingShare) * config.tolerance * momentum; });
}

/// Finds the gaps of all near pairs at the end of the step and, if `judged`, the verdict on each pair.
template <class Team, class Real>
ST_FN void look_at_end(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, bool judged,
                       StepScratch<Real>& s) {
  if (judged) find_carrying_impulse(team, model, config, s);
  team.each(*s.slots.count, [&](int slot) {
    CollisionScratch<Real>& scratch = s.slots.scratch[slot % Team::kLanes];
    const PairVerdict verdict = step_detail::judge_pair(model, config.step_size, judged, slot, s, scratch);
    s.meetings.verdict[slot] = static_cast<int>(verdict);
  });
}

}  // namespace stiction
