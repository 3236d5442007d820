// A shape that moves with its body in one step.
//
//   pose at the share f of the step     c(f) = c + f d + f (1 − f) b,  R(f) = exp(f θ) R       c: a point of the body
//   straight                            d = d₀,           w = d₀                               c₀, d₀: any point of it
//   screw (Chasles)                     d = (k·d₀) k,     w = d + θ × (c₀ − c)                 θ = θ k
//                                       c = c₀ + ½ (d⊥ + cot(θ/2) k × d⊥),  d⊥ = d₀ − d
//   path that starts with the way w₀    b = w₀ − w        of several joints at once: c to third order in their turns, R
//                                                         to second
//
//   symbol  variable  shape  unit
//   d       shift     (3)    [m]
//   b       bend      (3)    [m]; the path rises by b/4 over the straight line
//   θ       turn      (3)    rotation vector, world axes [rad]
//   r       arm       1      from c to the farthest point of the core [m]
#pragma once

#include <cmath>

#include "kernels/collision/contact_point.hpp"
#include "kernels/linalg/rotation.hpp"

namespace stiction {

/// A shape and its motion in one step.
template <class Real>
struct ShapeMotion {
  PlacedShape<Real> shape;  // at the start of the step
  Vec3<Real> centre;        // c [m]
  Vec3<Real> shift;         // d [m]
  Vec3<Real> bend;          // b [m]
  Vec3<Real> turn;          // θ [rad]
  Real arm;                 // r [m]
};

/// Turns of less than this are no screws: the axis would be too far away to be told [rad].
constexpr double kLeastScrew = 0.01;

/// Makes a straight motion with a bend a screw with the same ends if that leaves less of the bend: a link turns about
/// its hinge, and a wheel that spins on a car goes straight.
template <class Real>
ST_FN void follow_screw(ShapeMotion<Real>& motion) {
  const Real angle = norm(motion.turn);
  if (angle < Real(kLeastScrew)) return;
  const Vec3<Real> k = (Real(1) / angle) * motion.turn, along = dot(k, motion.shift) * k, across = motion.shift - along;
  const Real half = Real(0.5) * angle;
  const Vec3<Real> to_axis = Real(0.5) * (across + (std::cos(half) / std::sin(half)) * cross(k, across));
  const Vec3<Real> left = motion.bend + across + cross(motion.turn, to_axis);
  if (norm(left) > norm(motion.bend)) return;
  motion.centre = motion.centre + to_axis;
  motion.shift = along;
  motion.bend = left;
}

/// How far the path rises over the straight line [m].
template <class Real>
ST_FN Real rise_of(const ShapeMotion<Real>& motion) {
  return Real(0.25) * norm(motion.bend);
}

/// Drops a bend with which the path rises by no more than `slack` [m].
template <class Real>
ST_FN void drop_bend(Real slack, ShapeMotion<Real>& motion) {
  if (rise_of(motion) <= slack) motion.bend = {Real(0), Real(0), Real(0)};
}

/// Puts a bent motion on its screw, where that is told from the straight line by `slack` [m].
template <class Real>
ST_FN void follow_path(Real slack, ShapeMotion<Real>& motion) {
  drop_bend(slack, motion);
  if (!(rise_of(motion) > Real(0))) return;
  follow_screw(motion);
  drop_bend(slack, motion);
}

/// Position of the point p of the shape's body at the share f of the motion.
template <class Real>
ST_FN Vec3<Real> point_at(const ShapeMotion<Real>& motion, const Vec3<Real>& p, Real f) {
  const Vec3<Real> way = f * motion.shift + (f * (Real(1) - f)) * motion.bend;
  return motion.centre + way + rotate(exp_quat(f * motion.turn), p - motion.centre);
}

/// Places the shape where it is at the share f of the motion.
template <class Real>
ST_PHASE void place_at(const ShapeMotion<Real>& motion, Real f, PlacedShape<Real>& out) {
  out = motion.shape;
  out.position = point_at(motion, motion.shape.position, f);
  out.rotation = to_matrix(exp_quat(f * motion.turn)) * motion.shape.rotation;
}

}  // namespace stiction
