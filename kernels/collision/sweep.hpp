// When two moving shapes first meet, by conservative advancement.
//
//   motion of a shape                   c, d, b, θ, r                            shape_motion.hpp
//   separation σ along any n            φ(f) >= σ_n(f),  σ_n(f + e) >= σ_n(f) − e rate
//                                       rate = max(0, |n·(b_B − b_A)| − n·(d_B − d_A)) + ‖θ_A‖ r_A + ‖θ_B‖ r_B
//   advance                             f <- f + (φ + slack)/rate      until φ <= −0.9 slack: they meet, or f >= 1
//
// n is the normal of the closest pair, so that bodies which glide past one another do not slow the advance down. Round
// parts do not count in r: the spin of a ball does not matter. After kPatientStrides every stride is at least
// kLeastStride long; if that steps over the meeting, bisection finds it.
#pragma once

#include "kernels/collision/narrow_phase.hpp"

namespace stiction {

/// Places the pair in the scratch where its motion takes it by the share f.
template <class Real>
ST_FN void place_pair_at(Real f, CollisionScratch<Real>& scratch) {
  place_at(scratch.motion_A, f, scratch.A);
  place_at(scratch.motion_B, f, scratch.B);
}

namespace collision_detail {

constexpr int kPatientStrides = 48;           // strides before the least length applies
constexpr int kMostStrides = 400;             // the patient ones, 256 of the least length, and some to spare
constexpr int kMostBisections = 30;           // they divide a stride of 1/256 down to 4e-12
constexpr double kLeastStride = 1.0 / 256.0;  // as a share of the step [-]

/// The moving pair in the scratch, with what its distance is computed from. Quantities of its motion are computed again
/// at each use, because the narrow phase leaves a lane few registers.
template <class Real>
struct Sweep {
  Real margin;  // margin of the pair [m]
  CollisionScratch<Real>& scratch;

  ST_FN Vec3<Real> shift() const { return scratch.motion_B.shift - scratch.motion_A.shift; }
  ST_FN Vec3<Real> bend() const { return scratch.motion_B.bend - scratch.motion_A.bend; }
  ST_FN Real turning() const {
    const ShapeMotion<Real>&A = scratch.motion_A, &B = scratch.motion_B;
    return norm(A.turn) * A.arm + norm(B.turn) * B.arm;
  }

  /// Distance less margin at the share f [m]; infinite if the shapes are farther apart than their motion can bridge.
  ST_FN Real gap(Real f) const {
    const Real farthest = norm(shift()) + norm(bend()) + turning() + margin;
    place_pair_at(f, scratch);
    return distance_up_to(farthest, scratch) - margin;
  }

  /// By how much the gap may shrink in a whole step, along the normal of the last manifold [m].
  ST_FN Real rate() const {
    const Vec3<Real> n = scratch.manifold.point[0].normal;
    const Real closing = std::fabs(dot(n, bend())) - dot(n, shift());
    return (closing > Real(0) ? closing : Real(0)) + turning();
  }
};

/// The share between `apart` and `deep` at which the overlap is between 0.9 slack and slack; `deep` if the gap jumps.
template <class Real>
ST_FN Real bisect_meeting(const Sweep<Real>& sweep, Real slack, Real apart, Real deep) {
  for (int k = 0; k < kMostBisections; ++k) {
    const Real middle = Real(0.5) * (apart + deep);
    const Real gap = sweep.gap(middle);
    if (gap > Real(-0.9) * slack)
      apart = middle;
    else
      deep = middle;
    if (gap <= Real(-0.9) * slack && gap >= -slack) break;
  }
  return deep;
}

}  // namespace collision_detail

/// The share of the step at which the moving pair in the scratch, its margin subtracted, first overlaps by `slack`; -1
/// if it does not.
template <class Real>
ST_FN Real find_meeting(Real margin, Real slack, CollisionScratch<Real>& scratch) {
  const collision_detail::Sweep<Real> sweep{margin, scratch};
  Real f = Real(0), before = Real(0);
  for (int stride = 0; stride < collision_detail::kMostStrides; ++stride) {
    const Real gap = sweep.gap(f);
    if (!(gap < Real(INFINITY))) return Real(-1);
    if (gap <= Real(-0.9) * slack)
      return gap < -slack && f > Real(0) ? collision_detail::bisect_meeting(sweep, slack, before, f) : f;
    if (f >= Real(1)) return Real(-1);
    const Real rate = sweep.rate();
    const Real safe = rate > Real(0) ? (gap + slack) / rate : Real(2);
    if (f + safe >= Real(1)) return Real(-1);
    before = f;
    f += stride < collision_detail::kPatientStrides ? safe : larger(safe, Real(collision_detail::kLeastStride));
    if (f > Real(1)) f = Real(1);
  }
  return Real(-1);
}

}  // namespace stiction
