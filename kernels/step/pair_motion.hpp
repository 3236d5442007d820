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

/// Velocity of the point p of geom g in the last answer, including that of its script.
template <class Real>
ST_PHASE Vec3<Real> answered_velocity(const ModelView<Real>& model, const StepScratch<Real>& s, int g,
                                      const Vec3<Real>& p) {
  Vec3<Real> angular, linear, script_angular, script_linear;
  body_velocity(model, s.poses, s.solution.v.data(), model.geom_body[g], p, angular, linear);
  scripted_velocity(model, s.poses, model.geom_body[g], p, script_angular, script_linear);
  return linear + script_linear;
}

/// The motion of geom g in the last answer, on a path that rises by at most `most` [m] over the straight line.
template <class Real>
ST_APART void find_motion(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int g, Real most,
                          ShapeMotion<Real>& motion) {
  const int b = model.geom_body[g], tree = model.body_tree[b];
  const GeomType type = static_cast<GeomType>(model.geom_type[g]);
  motion.shape = shape_in_world(model, s.poses, g);
  motion.centre = load3(s.poses.body_com + 3 * b);
  motion.shift = load3(s.next.poses.body_com + 3 * b) - motion.centre;
  motion.bend = {Real(0), Real(0), Real(0)};
  if (tree >= 0 && is_free_body(model, tree)) {
    Vec3<Real> angular, linear;
    body_velocity(model, s.poses, s.solution.v.data(), b, motion.centre, angular, linear);
    motion.turn = h * angular;
  } else {
    const Quat<Real> from = load_quat(s.poses.body_quat + 4 * b), to = load_quat(s.next.poses.body_quat + 4 * b);
    motion.turn = rotation_vector(to * conjugate(from));
    follow_path(h * answered_velocity(model, s, g, motion.centre), meeting_slack<Real>(), most, motion);
  }
  const Vec3<Real> at = motion.shape.position - motion.centre;
  const Vec3<Real> box = load3(model.geom_box_center + 3 * g);
  motion.arm = norm(at + motion.shape.rotation * box) + model.geom_radius[g];
  if (type == GeomType::kSphere) motion.arm = norm(at);
  if (type == GeomType::kCapsule) motion.arm = norm(at) + motion.shape.size.y;
  if (type == GeomType::kPlane) motion.arm = norm(motion.turn) > Real(0) ? Real(kUnlimitedReach) : Real(0);
}

/// True if geom g belongs to the world, and never moves.
template <class Real>
ST_FN bool stands_still(const ModelView<Real>& model, int g) {
  const int body = model.geom_body[g];
  return model.body_tree[body] < 0 && model.body_mocap_root[body] == 0;
}

/// How far the path of a pair's body may rise over the straight line to be followed [m]. Bodies of one tree, and those
/// beside what never moves, follow any. What is as near as the path rises may be carried, as a cube by a hand: beside
/// its straight line, the hand's arc would look like a meeting.
template <class Real>
ST_FN Real followed_rise(const ModelView<Real>& model, const StepScratch<Real>& s, int slot, int a, int b) {
  const bool one_tree = model.body_tree[model.geom_body[a]] == model.body_tree[model.geom_body[b]];
  if (one_tree || stands_still(model, a) || stands_still(model, b)) return Real(INFINITY);
  return s.meetings.start_gap[slot];
}

/// Writes the motions of both geoms of a pair to the lane's scratch, without a guess of their normal.
template <class Real>
ST_FN void find_motions(const ModelView<Real>& model, const StepScratch<Real>& s, Real h, int slot,
                        CollisionScratch<Real>& scratch) {
  const int pair = s.slots.pair[slot], a = model.pair_geom[2 * pair], b = model.pair_geom[2 * pair + 1];
  const Real most = followed_rise(model, s, slot, a, b);
  find_motion(model, s, h, a, most, scratch.motion_A);
  find_motion(model, s, h, b, most, scratch.motion_B);
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
