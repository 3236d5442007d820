// A shape that moves with its body in one step.
//
//   pose at the share f of the step     c(f) = c + f d,  R(f) = exp(f θ) R       c: a point of the body that moves
//                                                                                on a straight line
//
//   symbol  variable  shape  unit
//   d       shift     (3)    [m]
//   θ       turn      (3)    rotation vector, world axes [rad]
//   r       arm       1      from c to the farthest point of the core [m]
#pragma once

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
