// A shape that moves with its body in one step.
//
//   pose at the share f of the step     c(f) = c + f d + f (1 − f) e,  R(f) = exp(f θ) R       c: a point of the body
//   straight                            d = d₀,           w = d₀                               c₀, d₀: any point of it
//   screw (Chasles)                     d = (k·d₀) k,     w = d + θ × (c₀ − c)                 θ = θ k
//                                       c = c₀ + ½ (d⊥ + cot(θ/2) k × d⊥),  d⊥ = d₀ − d
//   path that starts with the way w₀    e = w₀ − w        the motion of several joints at once, to third order
//
//   symbol  variable  shape  unit
//   d       shift     (3)    [m]
//   e       bend      (3)    [m]; the path rises by e/4 over the straight line
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
  Vec3<Real> bend;          // e [m]
  Vec3<Real> turn;          // θ [rad]
  Real arm;                 // r [m]
};

/// Turns of less than this are no screws: the axis would be too far away to be told [rad].
constexpr double kLeastScrew = 0.01;

/// Makes a straight motion a screw with the same ends if the way of c at the start is nearer to `way` [m] so: a link
/// turns about its hinge, and a wheel that spins on a car goes straight. Returns what is left of the way.
template <class Real>
ST_FN Vec3<Real> follow_screw(const Vec3<Real>& way, ShapeMotion<Real>& motion) {
  const Vec3<Real> left = way - motion.shift;
  const Real angle = norm(motion.turn);
  if (angle < Real(kLeastScrew)) return left;
  const Vec3<Real> k = (Real(1) / angle) * motion.turn, along = dot(k, motion.shift) * k, across = motion.shift - along;
  const Real half = Real(0.5) * angle;
  const Vec3<Real> to_axis = Real(0.5) * (across + (std::cos(half) / std::sin(half)) * cross(k, across));
  const Vec3<Real> left_of_screw = way - along + cross(motion.turn, to_axis);
  if (norm(left_of_screw) > norm(left)) return left;
  motion.centre = motion.centre + to_axis;
  motion.shift = along;
  return left_of_screw;
}

/// Makes a straight motion one that starts with the displacement `way` [m] of c and has the same ends, if its path
/// rises by more than `slack` and by at most `most` [m] over the straight line.
template <class Real>
ST_FN void follow_path(const Vec3<Real>& way, Real slack, Real most, ShapeMotion<Real>& motion) {
  const Real rise = Real(0.25) * norm(way - motion.shift);
  if (rise <= slack || rise > most) return;
  const Vec3<Real> left = follow_screw(way, motion);
  if (Real(0.25) * norm(left) > slack) motion.bend = left;
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
