// Where the last answer takes the shapes of a pair, and points on them.
//
//   free body    its centre of mass straight, turned by θ = h ω         others    from pose to pose, on the path that
//                                                                                 starts with their velocity
//   a point p    Δx(p) = h v(p) + e                                     e: by how much its path bends
#pragma once

#include "kernels/collision/sweep.hpp"
#include "kernels/kinematics/free_body.hpp"
#include "kernels/step/pair_verdict.hpp"

namespace stiction::step_detail {

/// Turns of more than this are not followed: what is known of their ends is the turn less whole ones [rad].
constexpr double kMostFollowed = 3.0;

/// The motion of geom g in the last answer, straight; its bend is that of the path that starts with its velocity.
template <class Real>
ST_APART void find_motion(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int g,
                          ShapeMotion<Real>& motion) {
  const int b = model.geom_body[g], tree = model.body_tree[b];
  motion.shape = shape_in_world(model, s.poses, g);
  motion.centre = load3(s.poses.body_com + 3 * b);
  motion.shift = load3(s.next.poses.body_com + 3 * b) - motion.centre;
  motion.bend = {Real(0), Real(0), Real(0)};
  Vec3<Real> angular, linear, script_angular, script_linear;
  body_velocity(model, s.poses, s.solution.v.data(), b, motion.centre, angular, linear);
  if (tree >= 0 && is_free_body(model, tree)) {
    motion.turn = h * angular;
    return;
  }
  const Quat<Real> from = load_quat(s.poses.body_quat + 4 * b), to = load_quat(s.next.poses.body_quat + 4 * b);
  motion.turn = rotation_vector(to * conjugate(from));
  scripted_velocity(model, s.poses, b, motion.centre, script_angular, script_linear);
  if (norm(h * (angular + script_angular)) > Real(kMostFollowed)) return;
  motion.bend = h * (linear + script_linear) - motion.shift;
}

/// From the centre of the motion to the farthest point of the core of geom g [m].
template <class Real>
ST_FN Real arm_of(const ModelView<Real>& model, int g, const ShapeMotion<Real>& motion) {
  const GeomType type = static_cast<GeomType>(model.geom_type[g]);
  const Vec3<Real> at = motion.shape.position - motion.centre, box = load3(model.geom_box_center + 3 * g);
  if (type == GeomType::kSphere) return norm(at);
  if (type == GeomType::kCapsule) return norm(at) + motion.shape.size.y;
  if (type == GeomType::kPlane) return norm(motion.turn) > Real(0) ? Real(kUnlimitedReach) : Real(0);
  return norm(at + motion.shape.rotation * box) + model.geom_radius[g];
}

/// True if geom g belongs to the world, and never moves.
template <class Real>
ST_FN bool stands_still(const ModelView<Real>& model, int g) {
  const int body = model.geom_body[g];
  return model.body_tree[body] < 0 && model.body_mocap_root[body] == 0;
}

/// A pair keeps to straight lines if it starts nearer than this times what its paths rise over them [-]: a tip rises
/// more than the centre of its body.
constexpr double kFollowedFrom = 4.0;

/// True if the paths of a pair, which rise by so much over straight lines [m], are followed. Bodies of one tree, and
/// those beside what never moves, follow any. What is near may be carried, as a cube by a hand: beside its straight
/// line, the hand's arc would look like a meeting.
template <class Real>
ST_FN bool follows_paths(const ModelView<Real>& model, const StepScratch<Real>& s, int slot, Real rise) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  if (s.meetings.start_gap[slot] >= Real(kFollowedFrom) * rise) return true;
  const bool one_tree = model.body_tree[model.geom_body[a]] == model.body_tree[model.geom_body[b]];
  return one_tree || stands_still(model, a) || stands_still(model, b);
}

/// Writes the motions of both geoms of a pair to the lane's scratch, without a guess of their normal.
template <class Real>
ST_FN void find_motions(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot,
                        CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  ShapeMotion<Real>&A = scratch.motion_A, &B = scratch.motion_B;
  find_motion(model, s, h, a, A);
  find_motion(model, s, h, b, B);
  const Real slack = follows_paths(model, s, slot, rise_of(A) + rise_of(B)) ? meeting_slack<Real>() : Real(INFINITY);
  follow_path(slack, A);
  follow_path(slack, B);
  A.arm = arm_of(model, a, A), B.arm = arm_of(model, b, B);
  scratch.guess = {Real(0), Real(0), Real(0)};
}

/// True if the surface with the outward normal `out` is round: it stays in place when the part rolls.
template <class Real>
ST_FN bool is_round_along(const PlacedShape<Real>& shape, const Vec3<Real>& out) {
  const GeomType type = static_cast<GeomType>(shape.type);
  const bool on_side = std::fabs(dot(out, shape.rotation.column(2))) < Real(0.7);
  return is_round(type) || (type == GeomType::kCylinder && on_side);
}

/// The point of the shape's core below the surface point p, whose outward normal is `out`; for a round part, its
/// middle.
template <class Real>
ST_FN Vec3<Real> core_point(const PlacedShape<Real>& shape, const Vec3<Real>& p, const Vec3<Real>& out) {
  const GeomType type = static_cast<GeomType>(shape.type);
  if (!is_round_along(shape, out)) return p;
  return type == GeomType::kSphere || type == GeomType::kEllipsoid ? shape.position : p - shape.size.x * out;
}

/// Velocity of the point p of geom g in the last answer, including that of its script.
template <class Real>
ST_PHASE Vec3<Real> answered_velocity(const ModelView<Real>& model, const StepScratch<Real>& s, int g,
                                      const Vec3<Real>& p) {
  Vec3<Real> angular, linear, script_angular, script_linear;
  body_velocity(model, s.poses, s.solution.v.data(), model.geom_body[g], p, angular, linear);
  scripted_velocity(model, s.poses, model.geom_body[g], p, script_angular, script_linear);
  return linear + script_linear;
}

/// The displacement of a point in the last answer: along its velocity at the start, and from there to where it ends.
template <class Real>
struct PointWay {
  Vec3<Real> tangent, curve;  // h v and e [m]
};

/// The displacement of the point p of geom g.
template <class Real>
ST_FN PointWay<Real> way_of_point(const ModelView<Real>& model, const StepScratch<Real>& s,
                                  const ShapeMotion<Real>& motion, Real h, int g, const Vec3<Real>& p) {
  const Vec3<Real> tangent = h * answered_velocity(model, s, g, p);
  return {tangent, point_at(motion, p, Real(1)) - p - tangent};
}

}  // namespace stiction::step_detail
