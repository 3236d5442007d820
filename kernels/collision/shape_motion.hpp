// A shape that moves with its body in one step.
//
//   pose at the share f of the step     c(f) = c + f d,  R(f) = exp(f θ) R       c: a point of the body that moves
//                                                                                on a straight line
//   a screw                             c = c₀ + ½ (d⊥ + cot(θ/2) k × d⊥),       θ = θ k,  d⊥ = d₀ − (k·d₀) k
//                                       d = (k·d₀) k                             (Chasles; c₀, d₀: any of its points)
//
//   symbol  variable  shape  unit
//   d       shift     (3)    [m]
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
  Vec3<Real> turn;          // θ [rad]
  Real arm;                 // r [m]
};

/// Turns that are less than this leave a path straight: the axis of a screw would be too far away to be told [rad].
constexpr double kLeastScrew = 0.01;

/// Makes a motion on a straight line a screw with the same ends if its arc rises over that line by more than `slack`
/// and at most `most` [m], and if it starts, with the displacement `tangent` [m], rather along the screw: a body that
/// turns about a hinge keeps to its arc and does not cut the corner, and a wheel that spins on a car that drives to its
/// line.
template <class Real>
ST_FN void follow_screw(const Vec3<Real>& tangent, Real slack, Real most, ShapeMotion<Real>& motion) {
  const Real angle = norm(motion.turn);
  if (angle < Real(kLeastScrew)) return;
  const Vec3<Real> k = (Real(1) / angle) * motion.turn, along = dot(k, motion.shift) * k, across = motion.shift - along;
  const Real rise = angle * norm(across) / Real(8);
  if (rise < slack || rise > most) return;
  const Real half = Real(0.5) * angle;
  const Vec3<Real> to_axis = Real(0.5) * (across + (std::cos(half) / std::sin(half)) * cross(k, across));
  if (norm(tangent - along + cross(motion.turn, to_axis)) > norm(tangent - motion.shift)) return;
  motion.centre = motion.centre + to_axis;
  motion.shift = along;
}

/// Position of the point p of the shape's body at the share f of the motion.
template <class Real>
ST_FN Vec3<Real> point_at(const ShapeMotion<Real>& motion, const Vec3<Real>& p, Real f) {
  return motion.centre + f * motion.shift + rotate(exp_quat(f * motion.turn), p - motion.centre);
}

/// Places the shape where it is at the share f of the motion.
template <class Real>
ST_PHASE void place_at(const ShapeMotion<Real>& motion, Real f, PlacedShape<Real>& out) {
  out = motion.shape;
  out.position = point_at(motion, motion.shape.position, f);
  out.rotation = to_matrix(exp_quat(f * motion.turn)) * motion.shape.rotation;
}

}  // namespace stiction
