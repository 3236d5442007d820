// When two moving shapes first meet: conservative advancement.
//
//   pose at the share f of the step     c(f) = c + f d,  R(f) = exp(f θ) R       c: a point of the body that moves
//   straight separation σ along any n            φ(f) >= σ_n(f),  σ_n(f + e) >= σ_n(f) − e rate
//                                       rate = max(0, −n·(d_B − d_A)) + ‖θ_A‖ r_A + ‖θ_B‖ r_B
//   advance                             f <- f + (φ + slack)/rate      until φ <= −0.9 slack: they meet, or f >= 1
//
// n is the normal of the closest pair, so that bodies which glide past one another do not slow the advance down. Round
// parts do not count in r: a ball may spin as fast as it likes. After kPatientStrides the share grows by a least
// stride, and what that steps over is found by bisection.
//
//   symbol  variable  shape  unit
//   d       shift     (3)    [m]
//   θ       turn      (3)    rotation vector, world axes [rad]
//   r       arm       1      from c to the farthest point of the core [m]
#pragma once

#include "kernels/collision/narrow_phase.hpp"

namespace stiction {

/// A shape and its motion in one step.
template <class Real>
struct ShapeMotion {
  PlacedShape<Real> shape;  // where the step begins
  Vec3<Real> centre;        // c [m]
  Vec3<Real> shift;         // d [m]
  Vec3<Real> turn;          // θ [rad]
  Real arm;                 // r [m]
};

/// Where the motion takes the point p of the shape's body by the share f.
template <class Real>
ST_FN Vec3<Real> point_at(const ShapeMotion<Real>& motion, const Vec3<Real>& p, Real f) {
  return motion.centre + f * motion.shift + rotate(exp_quat(f * motion.turn), p - motion.centre);
}

template <class Real>
ST_FN PlacedShape<Real> shape_at(const ShapeMotion<Real>& motion, Real f) {
  PlacedShape<Real> shape = motion.shape;
  shape.position = point_at(motion, motion.shape.position, f);
  shape.rotation = to_matrix(exp_quat(f * motion.turn)) * motion.shape.rotation;
  return shape;
}

namespace detail {

constexpr int kPatientStrides = 48;  // then the share grows by a least stride
constexpr int kMostStrides = 400;    // patient ones and 256 of the least, and some
constexpr int kMostBisections = 30;  // a stride of 1/256 becomes 4e-12
constexpr double kLeastStride = 1.0 / 256.0;

/// The two shapes, and what their distance is asked with.
template <class Real>
struct Sweep {
  const ShapeMotion<Real>&A, &B;
  Real margin;    // of the pair [m]
  Real farthest;  // that they may be apart and still meet [m]
  CollisionScratch<Real>& scratch;

  /// Distance less margin, and the normal, at the share f; false: farther than they can come.
  ST_FN bool look(Real f, Real& gap, Vec3<Real>& normal) const {
    Manifold<Real> manifold;
    collide_apart(shape_at(A, f), shape_at(B, f), farthest, scratch, manifold);
    if (manifold.count == 0) return false;
    gap = manifold.point[0].gap - margin;
    normal = manifold.point[0].normal;
    return true;
  }
};

/// Between `apart` and `deep` the share where the gap is slack to nine tenths of it; `deep` if it jumps.
template <class Real>
ST_FN Real bisect_meeting(const Sweep<Real>& sweep, Real slack, Real apart, Real deep) {
  for (int k = 0; k < kMostBisections; ++k) {
    const Real middle = Real(0.5) * (apart + deep);
    Real gap = Real(INFINITY);
    Vec3<Real> normal;
    sweep.look(middle, gap, normal);
    if (gap > Real(-0.9) * slack)
      apart = middle;
    else
      deep = middle;
    if (gap <= Real(-0.9) * slack && gap >= -slack) break;
  }
  return deep;
}

}  // namespace detail

/// The share of the step at which the shapes first overlap by `slack`, less the pair's margin; -1: they do not.
template <class Real>
ST_APART Real find_meeting(const ShapeMotion<Real>& A, const ShapeMotion<Real>& B, Real margin, Real slack,
                           CollisionScratch<Real>& scratch) {
  const Vec3<Real> shift = B.shift - A.shift;
  const Real turning = norm(A.turn) * A.arm + norm(B.turn) * B.arm;
  const detail::Sweep<Real> sweep{A, B, margin, norm(shift) + turning + margin, scratch};
  Real f = Real(0), before = Real(0);
  for (int stride = 0; stride < detail::kMostStrides; ++stride) {
    Real gap;
    Vec3<Real> normal;
    if (!sweep.look(f, gap, normal)) return Real(-1);
    if (gap <= Real(-0.9) * slack)
      return gap < -slack && f > Real(0) ? detail::bisect_meeting(sweep, slack, before, f) : f;
    if (f >= Real(1)) return Real(-1);
    const Real closing = -dot(normal, shift), rate = (closing > Real(0) ? closing : Real(0)) + turning;
    const Real safe = rate > Real(0) ? (gap + slack) / rate : Real(2);
    if (f + safe >= Real(1)) return Real(-1);
    before = f;
    f += stride < detail::kPatientStrides ? safe : larger(safe, Real(detail::kLeastStride));
    if (f > Real(1)) f = Real(1);
  }
  return Real(-1);
}

}  // namespace stiction
