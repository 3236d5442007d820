// Contacts that carry although their bodies do not meet: found, left out, and put back where they do meet.
//
// A contact looks ahead from the poses where the step begins. Its row is a plane without end: n·(…) >= 0 also holds a
// body back that would pass beside the other one. A pair is a suspect if one of its contacts carries and
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
// Suspects that are not cleared lose their rows; the problem is solved again; pairs without rows are swept along that
// motion (sweep.hpp). Where they meet, at the share f, they get the manifold they have there, with the gap
//
//   φ = φ_f − f h n·(u_B(p) − u_A(p))                          so that the row is exact at the meeting
//
// Of the meetings of one tree the earliest count, the others are asked again in the next round. A pair that ends deeper
// than its rows explain is swept, too; one that turned into the other from the start on gets its rows where the step
// ends. The rounds end when nothing is suspect and nothing more is met.
//
//   symbol  variable  shape        unit
//   φ⁺      end_gap   (max_pairs)  [m]
//   f       share     (max_pairs)  [-]
//   slack   -         1            how far bodies may reach past one another and not touch [m]: the height of a step
//                                  between two tiles over which a body slides
#pragma once

#include "kernels/collision/sweep.hpp"
#include "kernels/kinematics/free_body.hpp"
#include "kernels/step/scratch.hpp"

namespace stiction {

/// How a pair takes part in the problem.
enum class PairRole : int {
  kFound,    // rows from where the step begins
  kLeftOut,  // no rows: a suspect that has met nothing so far
  kMet,      // rows from where it meets
  kKept      // as found, never to be left out: without it nothing holds a body
};

/// What a round has found out about a pair.
enum class PairVerdict : int {
  kNothing,
  kSuspect,  // carries, and does not end as solved
  kMeets,    // at its share of the step
  kTurnsIn   // touched from the start and turned into the other: its rows are those where the step ends
};

/// Meetings of one pair in one step.
constexpr int kMostMeetings = 4;
/// Normals that differ by no more than this, beyond the turns of the bodies, are one [rad].
constexpr double kSameNormal = 1e-2;
/// Faces that turn by more in the step are asked for their meeting, wherever they end [rad].
constexpr double kLittleTurn = 0.2;
/// Meetings this much later than the first of a tree wait for the next round [-].
constexpr double kSameTime = 1e-2;
/// A pair that meets before this share of the step is taken to have touched, and turned [-].
constexpr double kTouchedFromStart = 0.1;
/// Overlap of a pair with rows that is left to their accuracy: a share of the thinner shape's least half width [-].
constexpr double kThinShare = 1.0 / 16.0;
/// A contact carries above this share of the tolerance, of the largest momentum [-].
constexpr double kCarryingShare = 1e-3;

template <class Real>
ST_FN constexpr Real meeting_slack() {
  return sizeof(Real) == 4 ? Real(1e-5) : Real(1e-6);
}

namespace detail {

/// Component `axis` (n, t1, t2) of J v + b of contact i [m/s].
template <class Real, class Solve>
ST_FN Solve axis_velocity(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, const Solve* v, int i,
                          int axis) {
  const ContactRow<Solve>& row = s.contact_rows.row[i];
  Solve velocity = row.offset[axis];
  for (const BlockJacobian<Solve>& J : row.side) {
    if (J.block < 0) continue;
    const int first = model.tree_dof_adr[J.block], n = model.tree_dof_num[J.block];
    for (int k = 0; k < n; ++k) velocity += J.J[axis * n + k] * v[first + k];
  }
  return velocity;
}

template <class Real>
ST_FN PairRole role_of(const Meetings<Real>& m, int slot) {
  return static_cast<PairRole>(m.role[slot]);
}

/// True if the round has found that the pair meets.
template <class Real>
ST_FN bool has_met(const Meetings<Real>& m, int slot) {
  const PairVerdict verdict = static_cast<PairVerdict>(m.verdict[slot]);
  return verdict == PairVerdict::kMeets || verdict == PairVerdict::kTurnsIn;
}

/// The motion of geom g in the last answer.
template <class Real, class Solve>
ST_APART ShapeMotion<Real> motion_of_geom(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h,
                                          int g) {
  const int b = model.geom_body[g], tree = model.body_tree[b];
  const GeomType type = static_cast<GeomType>(model.geom_type[g]);
  ShapeMotion<Real> motion;
  motion.shape = shape_in_world(model, s.poses, g);
  motion.centre = load3(s.poses.body_com + 3 * b);
  motion.shift = load3(s.next.poses.body_com + 3 * b) - motion.centre;
  if (tree >= 0 && is_free_body(model, tree)) {
    Vec3<Real> linear;
    body_velocity(model, s.poses, s.solution.v, b, motion.centre, motion.turn, linear);
    motion.turn = h * motion.turn;
  } else {
    const Quat<Real> from = load_quat(s.poses.body_quat + 4 * b), to = load_quat(s.next.poses.body_quat + 4 * b);
    motion.turn = rotation_vector(to * conjugate(from));
  }
  const Vec3<Real> at = motion.shape.position - motion.centre;
  const Vec3<Real> box = load3(model.geom_box_center + 3 * g);
  motion.arm = norm(at + motion.shape.rotation * box) + model.geom_radius[g];
  if (type == GeomType::kSphere) motion.arm = norm(at);
  if (type == GeomType::kCapsule) motion.arm = norm(at) + motion.shape.size.y;
  if (type == GeomType::kPlane) motion.arm = norm(motion.turn) > Real(0) ? Real(kUnlimitedReach) : Real(0);
  return motion;
}

ST_FN bool is_round(GeomType type) {
  return type == GeomType::kSphere || type == GeomType::kCapsule || type == GeomType::kEllipsoid;
}

/// True if the surface with the outward normal `out` is round: it stays in place when the part rolls.
template <class Real>
ST_FN bool is_round_along(const PlacedShape<Real>& shape, const Vec3<Real>& out) {
  const GeomType type = static_cast<GeomType>(shape.type);
  const bool on_side = std::fabs(dot(out, shape.rotation.column(2))) < Real(0.7);
  return is_round(type) || (type == GeomType::kCylinder && on_side);
}

/// The point of the core under the surface point p, whose outward normal is `out`: of a round part the middle.
template <class Real>
ST_FN Vec3<Real> core_point(const PlacedShape<Real>& shape, const Vec3<Real>& p, const Vec3<Real>& out) {
  const GeomType type = static_cast<GeomType>(shape.type);
  if (!is_round_along(shape, out)) return p;
  return type == GeomType::kSphere || type == GeomType::kEllipsoid ? shape.position : p - shape.size.x * out;
}

/// Velocity of the point p of geom g in the last answer, its script's included.
template <class Real, class Solve>
ST_FN Vec3<Real> answered_velocity(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int g,
                                   const Vec3<Real>& p) {
  Vec3<Real> angular, linear, script_angular, script_linear;
  body_velocity(model, s.poses, s.solution.v, model.geom_body[g], p, angular, linear);
  scripted_velocity(model, s.poses, model.geom_body[g], p, script_angular, script_linear);
  return linear + script_linear;
}

/// The way of a point in the last answer: along its velocity at the start, and from there to where it ends.
template <class Real>
struct PointWay {
  Vec3<Real> tangent, curve;  // h v and e [m]
};

/// The way of the point p of geom g.
template <class Real, class Solve>
ST_FN PointWay<Real> way_of_point(const ModelView<Real>& model, const StepScratch<Real, Solve>& s,
                                  const ShapeMotion<Real>& motion, Real h, int g, const Vec3<Real>& p) {
  const Vec3<Real> tangent = h * answered_velocity(model, s, g, p);
  return {tangent, point_at(motion, p, Real(1)) - p - tangent};
}

/// True if the shapes, pushed together along n by their gap and twice the slack, overlap by more than the slack.
template <class Real>
ST_FN bool lie_over_one_another(const PlacedShape<Real>& A, PlacedShape<Real> B, const Vec3<Real>& n, Real distance,
                                CollisionScratch<Real>& scratch) {
  const Real slack = meeting_slack<Real>();
  B.position = B.position - (distance + Real(2) * slack) * n;
  Manifold<Real> pushed;
  collide_apart(A, B, Real(0), scratch, pushed);
  return pushed.count > 0 && pushed.point[0].gap <= -slack;
}

/// The contacts of one pair that carry.
template <class Real>
struct CarryingContact {
  int index = -1;       // the one with the largest impulse; -1: none carries
  Real next = Real(0);  // least φ + h n·u of the pair [m]
};

template <class Real, class Solve>
ST_FN CarryingContact<Real> carrying_contact(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h,
                                             Solve least, int slot) {
  CarryingContact<Real> found;
  found.next = Real(INFINITY);
  Solve largest = least;
  const int dimension = s.contact_rows.dimension;
  for (int i = s.slots.first[slot]; i < *s.contacts.count && pair_of_key(s.contacts.key[i]) == s.slots.pair[slot];
       ++i) {
    if (s.solution.lambda[dimension * i] > largest) largest = s.solution.lambda[dimension * i], found.index = i;
  }
  if (found.index < 0) return found;
  for (int i = s.slots.first[slot]; i < *s.contacts.count && pair_of_key(s.contacts.key[i]) == s.slots.pair[slot]; ++i)
    found.next =
        smaller(found.next, s.contacts.gap[i] + h * static_cast<Real>(axis_velocity(model, s, s.solution.v, i, 0)));
  return found;
}

template <class Real>
ST_FN Real least_half_width(const ModelView<Real>& model, int g) {
  if (static_cast<GeomType>(model.geom_type[g]) == GeomType::kPlane) return Real(INFINITY);
  const Real* half = model.geom_box_half + 3 * g;
  return smaller(half[0], smaller(half[1], half[2]));
}

/// Overlap at the end that needs no explanation [m].
template <class Real, class Solve>
ST_FN Real expected_overlap(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int slot) {
  const int pair = s.slots.pair[slot];
  const Real before = larger(-s.meetings.start_gap[slot], Real(0)), slack = Real(2) * meeting_slack<Real>();
  if (s.slots.manifold[slot].count == 0) return before + slack;
  const Real thin = smaller(least_half_width(model, model.pair_geom[2 * pair]),
                            least_half_width(model, model.pair_geom[2 * pair + 1]));
  return before + larger(slack, Real(kThinShare) * thin);
}

/// Angle by which the normal n at p turns where the surfaces of two round parts slip along each other; 0 where it is
/// large.
template <class Real>
ST_FN Real turn_of_normal(const PlacedShape<Real>& A, const PlacedShape<Real>& B, const Vec3<Real>& p,
                          const Vec3<Real>& n, Real slip) {
  if (!is_round_along(A, n) || !is_round_along(B, -n)) return Real(0);
  const Real apart = norm(core_point(B, p, -n) - core_point(A, p, n));
  return slip <= Real(kSameNormal) * apart ? slip / apart : Real(0);
}

/// True if the pair begins and ends face over face, and ends where its rows say.
template <class Real, class Solve>
ST_APART bool ends_as_solved(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h, int slot,
                             const CarryingContact<Real>& contact, CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  const Vec3<Real> n = load3(s.contacts.frame + 9 * contact.index);
  const Vec3<Real> p = load3(s.contacts.position + 3 * contact.index);
  const Vec3<Real> half = (Real(0.5) * (s.contacts.gap[contact.index] + model.pair_margin[pair])) * n;
  const ShapeMotion<Real> A = motion_of_geom(model, s, h, a), B = motion_of_geom(model, s, h, b);
  const PointWay<Real> way_A = way_of_point(model, s, A, h, a, core_point(A.shape, p - half, n));
  const PointWay<Real> way_B = way_of_point(model, s, B, h, b, core_point(B.shape, p + half, -n));
  const Real turn =
      (is_round_along(A.shape, n) ? Real(0) : norm(A.turn)) + (is_round_along(B.shape, -n) ? Real(0) : norm(B.turn));
  if (turn > Real(kLittleTurn)) return false;
  const Real slip = norm(cross(n, way_B.tangent - way_A.tangent)), roll = turn_of_normal(A.shape, B.shape, p, n, slip);
  const Real bend = std::fabs(dot(n, way_B.curve - way_A.curve)) + (turn + roll) * slip;
  const Real farthest = contact.next + meeting_slack<Real>() + bend + model.pair_margin[pair];
  const PlacedShape<Real> end_A = shape_in_world(model, s.next.poses, a),
                          end_B = shape_in_world(model, s.next.poses, b);
  Manifold<Real> end;
  collide_apart(end_A, end_B, farthest, scratch, end);
  if (end.count == 0 || end.point[0].gap - model.pair_margin[pair] < -expected_overlap(model, s, slot)) return false;
  const Vec3<Real> end_n = end.point[0].normal;
  if (dot(n, end_n) < Real(0) || norm(cross(n, end_n)) > turn + roll + Real(kSameNormal)) return false;
  return lie_over_one_another(end_A, end_B, end_n, end.point[0].gap, scratch) &&
         lie_over_one_another(A.shape, B.shape, n, s.meetings.start_gap[slot] + model.pair_margin[pair], scratch);
}

/// True if the pair touches with a corner or an edge on another one: which of its normals holds is open.
template <class Real, class Solve>
ST_FN bool touches_corner_on_corner(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int slot,
                                    CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  const GeomType type_a = static_cast<GeomType>(model.geom_type[a]), type_b = static_cast<GeomType>(model.geom_type[b]);
  const Manifold<Real>& manifold = s.slots.manifold[slot];
  if (type_a == GeomType::kPlane || is_round(type_a) || is_round(type_b) || manifold.count > 2) return false;
  return !lie_over_one_another(shape_in_world(model, s.poses, a), shape_in_world(model, s.poses, b),
                               manifold.point[0].normal, manifold.point[0].gap, scratch);
}

/// True if the pair's points move against each other by more than the slack.
template <class Real, class Solve>
ST_FN bool slides(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h, int slot) {
  const int pair = s.slots.pair[slot];
  return h * relative_speed(model, s.poses, s.bounds, s.solution.v, model.pair_geom[2 * pair + 1],
                            model.geom_body[model.pair_geom[2 * pair]]) >
         meeting_slack<Real>();
}

/// Sweeps the pair; kMeets with its share where it meets.
template <class Real, class Solve>
ST_FN PairVerdict sweep_pair(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h, Real slack,
                             int slot, CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  const ShapeMotion<Real> A = motion_of_geom(model, s, h, model.pair_geom[2 * pair]);
  const ShapeMotion<Real> B = motion_of_geom(model, s, h, model.pair_geom[2 * pair + 1]);
  s.meetings.share[slot] = find_meeting(A, B, model.pair_margin[pair], slack, scratch);
  return s.meetings.share[slot] >= Real(0) ? PairVerdict::kMeets : PairVerdict::kNothing;
}

/// What the answer says about a pair.
template <class Real, class Solve>
ST_APART PairVerdict judge_pair(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, Real h, Solve least,
                                int slot, CollisionScratch<Real>& scratch) {
  const PairRole role = role_of(s.meetings, slot);
  if (role == PairRole::kLeftOut) return sweep_pair(model, s, h, meeting_slack<Real>(), slot, scratch);
  if (role == PairRole::kFound) {
    const CarryingContact<Real> contact = carrying_contact(model, s, h, least, slot);
    const bool apart = s.meetings.start_gap[slot] > meeting_slack<Real>();
    if (contact.index >= 0 &&
        (apart || (slides(model, s, h, slot) && touches_corner_on_corner(model, s, slot, scratch))) &&
        !ends_as_solved(model, s, h, slot, contact, scratch))
      return PairVerdict::kSuspect;
  }
  const Real overlap = expected_overlap(model, s, slot);
  if (!(s.meetings.end_gap[slot] < -overlap) || s.meetings.met[slot] == kMostMeetings) return PairVerdict::kNothing;
  const PairVerdict verdict = sweep_pair(model, s, h, overlap, slot, scratch);
  const bool touched = verdict == PairVerdict::kMeets && s.meetings.share[slot] < Real(kTouchedFromStart);
  return touched ? PairVerdict::kTurnsIn : verdict;
}

/// Distance of a pair at the end of the step, less its margin; infinite where it does not overlap.
template <class Real, class Solve>
ST_FN Real gap_at_end(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int slot,
                      CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot];
  Manifold<Real> manifold;
  collide_apart(shape_in_world(model, s.next.poses, model.pair_geom[2 * pair]),
                shape_in_world(model, s.next.poses, model.pair_geom[2 * pair + 1]), model.pair_margin[pair], scratch,
                manifold);
  return manifold.count > 0 ? manifold.point[0].gap - model.pair_margin[pair] : Real(INFINITY);
}

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
  const ShapeMotion<Real> A = motion_of_geom(model, s, h, a), B = motion_of_geom(model, s, h, b);
  Manifold<Real>& manifold = s.slots.manifold[slot];
  Real f = s.meetings.share[slot];
  const Real reach = s.slots.reach[slot] + model.pair_margin[pair];
  collide_apart(shape_at(A, f), shape_at(B, f), reach, scratch, manifold);
  if (static_cast<PairVerdict>(s.meetings.verdict[slot]) == PairVerdict::kTurnsIn && manifold.count > 0) {
    const Vec3<Real> n = manifold.point[0].normal;
    Manifold<Real> end;
    collide_apart(shape_at(A, Real(1)), shape_at(B, Real(1)), reach, scratch, end);
    if (end.count > 0 && dot(n, end.point[0].normal) > Real(0.5)) manifold = end, f = Real(1);
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

/// Every pair begins as found; `kept`: and stays so. After the narrow phase of a first round.
template <class Team, class Real, class Solve>
ST_FN void start_meetings(Team team, const ModelView<Real>& model, bool kept, const StepScratch<Real, Solve>& s) {
  team.each(*s.slots.count, [&](int slot) {
    const Manifold<Real>& manifold = s.slots.manifold[slot];
    const Real margin = model.pair_margin[s.slots.pair[slot]];
    s.meetings.role[slot] = static_cast<int>(kept ? PairRole::kKept : PairRole::kFound);
    s.meetings.met[slot] = 0;
    s.meetings.start_gap[slot] = manifold.count > 0 ? manifold.point[0].gap - margin : s.slots.reach[slot];
    for (int i = 0; i < 6; ++i) s.slots.shift[6 * slot + i] = Real(0);
  });
}

/// Impulses up to this do not count as carrying [N s].
template <class Team, class Real, class Solve>
ST_FN Solve least_carrying_impulse(Team team, const ModelView<Real>& model, const StepConfig<Real>& config,
                                   const StepScratch<Real, Solve>& s) {
  const Solve momentum = team.max(model.nv, static_cast<Solve>(config.step_size) * Solve(1e-3),
                                  [&](int k) { return std::fabs(s.motion.g[k]) / s.motion.dof_radius[k]; });
  return Solve(kCarryingShare) * static_cast<Solve>(config.solver.tolerance) * momentum;
}

/// Where all near pairs are at the end of the step, and with `judged` what that says about them.
template <class Team, class Real, class Solve>
ST_FN void look_at_end(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, bool judged,
                       const StepScratch<Real, Solve>& s) {
  const Solve least = judged ? least_carrying_impulse(team, model, config, s) : Solve(0);
  team.each(*s.slots.count, [&](int slot) {
    CollisionScratch<Real>& scratch = s.slots.scratch[slot % Team::kLanes];
    s.meetings.end_gap[slot] = detail::gap_at_end(model, s, slot, scratch);
    const PairVerdict verdict =
        judged ? detail::judge_pair(model, s, config.step_size, least, slot, scratch) : PairVerdict::kNothing;
    s.meetings.verdict[slot] = static_cast<int>(verdict);
  });
}

/// The narrow phase of the pairs that meet, where they do.
template <class Team, class Real, class Solve>
ST_FN void collide_meetings(Team team, const ModelView<Real>& model, Real h, const StepScratch<Real, Solve>& s) {
  team.each(*s.slots.count, [&](int slot) {
    if (detail::has_met(s.meetings, slot))
      detail::collide_at_meeting(model, s, h, slot, s.slots.scratch[slot % Team::kLanes]);
  });
}

namespace detail {

/// The tree that moves one side of a pair; -1: none.
template <class Real, class Solve>
ST_FN int tree_of_side(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int slot, int side) {
  return model.body_tree[model.geom_body[model.pair_geom[2 * s.slots.pair[slot] + side]]];
}

/// Writes when the first meeting of every tree is; 2: it has none.
template <class Real, class Solve>
ST_FN void find_first_meetings(const ModelView<Real>& model, const StepScratch<Real, Solve>& s) {
  const Meetings<Real>& m = s.meetings;
  for (int t = 0; t < model.ntree; ++t) m.first[t] = Real(2);
  for (int slot = 0; slot < *s.slots.count; ++slot) {
    if (!has_met(m, slot)) continue;
    for (int side = 0; side < 2; ++side) {
      const int tree = tree_of_side(model, s, slot, side);
      if (tree >= 0) m.first[tree] = smaller(m.first[tree], m.share[slot]);
    }
  }
}

/// Leaves a suspect out. What was met on the way that suspects have bent waits for the next round.
template <class Real, class Solve>
ST_FN void leave_out(const StepScratch<Real, Solve>& s, int slot) {
  const Meetings<Real>& m = s.meetings;
  if (has_met(m, slot)) m.verdict[slot] = static_cast<int>(PairVerdict::kNothing);
  if (static_cast<PairVerdict>(m.verdict[slot]) != PairVerdict::kSuspect) return;
  m.role[slot] = static_cast<int>(PairRole::kLeftOut);
  m.points[slot] = s.slots.manifold[slot].count;
  s.slots.manifold[slot].count = 0;
}

/// Takes a meeting up if it is among the first, or lets it wait.
template <class Real, class Solve>
ST_FN void take_meeting(const ModelView<Real>& model, const StepScratch<Real, Solve>& s, int slot) {
  const Meetings<Real>& m = s.meetings;
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

}  // namespace detail

/// Leaves suspects out; where there are none, lets the earliest meetings of every tree take place. True if the problem
/// is another one now.
template <class Team, class Real, class Solve>
ST_FN bool arrange_meetings(Team team, const ModelView<Real>& model, const StepScratch<Real, Solve>& s) {
  const auto count = [&](auto wanted) {
    return team.sum(*s.slots.count, 0, [&](int slot) { return wanted(slot) ? 1 : 0; });
  };
  const int suspects =
      count([&](int slot) { return static_cast<PairVerdict>(s.meetings.verdict[slot]) == PairVerdict::kSuspect; });
  const int met = count([&](int slot) { return detail::has_met(s.meetings, slot); });
  if (suspects > 0) {
    team.each(*s.slots.count, [&](int slot) { detail::leave_out(s, slot); });
  } else if (met > 0) {
    team.once([&] { detail::find_first_meetings(model, s); });
    team.each(*s.slots.count, [&](int slot) { detail::take_meeting(model, s, slot); });
  }
  return suspects + met > 0;
}

/// Puts the rows of all pairs that were left out back for good. True if there were any.
template <class Team, class Real, class Solve>
ST_FN bool keep_left_out(Team team, const StepScratch<Real, Solve>& s) {
  const Meetings<Real>& m = s.meetings;
  const auto left_out = [&](int slot) { return detail::role_of(m, slot) == PairRole::kLeftOut; };
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

/// Deepest overlap of the near pairs at the end of the step [m], 0 if there is none; after look_at_end.
template <class Team, class Real, class Solve>
ST_FN Real deepest_overlap(Team team, const StepScratch<Real, Solve>& s) {
  return team.max(*s.slots.count, Real(0), [&](int slot) { return larger(-s.meetings.end_gap[slot], Real(0)); });
}

}  // namespace stiction
