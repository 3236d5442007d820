// Cones with friction along one axis only: two-dimensional cones of (1, low) and (1, high), whose section is a segment.
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/problem/cone_answers.hpp"

namespace stiction::cone_detail {

/// Projects x = (normal, tangential) onto the two-dimensional cone of (1, low) and (1, high), low <= 0 <= high.
template <class Real>
ST_FN void project_flat(Real low, Real high, Real normal, Real tangential, Real (&p)[2], Real (&dp)[3]) {
  const bool above = tangential > high * normal;
  const bool below = tangential < low * normal;
  if (!above && !below) {
    const bool inside = normal >= Real(0);
    p[0] = inside ? normal : Real(0), p[1] = inside ? tangential : Real(0);
    dp[0] = inside ? Real(1) : Real(0), dp[1] = Real(0), dp[2] = dp[0];
    return;
  }
  // with normal < 0 both `above` and `below` may hold; the longer projection is the answer
  const Real along_high = normal + high * tangential, along_low = normal + low * tangential;
  const bool use_high = tangential > Real(0);
  const Real slope = use_high ? high : low;
  const Real along = use_high ? along_high : along_low;
  const Real d = along > Real(0) ? Real(1) / (Real(1) + slope * slope) : Real(0);
  const Real t = along * d;
  p[0] = t, p[1] = slope * t;
  dp[0] = d, dp[1] = slope * d, dp[2] = slope * slope * d;
}

/// Friction between low and high along one axis only: along t if `along_t`, where o has none, else along o.
template <class Real>
ST_FN ConeProjection<Real> project_to_sector(bool along_t, Real low, Real high, const Vec3<Real>& x) {
  Real p[2], dp[3];
  if (high > low) {
    project_flat(low, high, x.x, along_t ? x.y : x.z, p, dp);
  } else {
    const bool pressed = x.x > Real(0);
    p[0] = pressed ? x.x : Real(0), p[1] = Real(0);
    dp[0] = pressed ? Real(1) : Real(0), dp[1] = dp[2] = Real(0);
  }
  if (along_t) return {{p[0], p[1], Real(0)}, {dp[0], dp[1], Real(0), dp[2], Real(0), Real(0)}};
  return {{p[0], Real(0), p[1]}, {dp[0], Real(0), dp[1], Real(0), Real(0), dp[2]}};
}

/// A section without width, between low and high: along t if `along_t`, else along o.
template <class Real>
ST_FN SectionPoint<Real> project_to_segment(bool along_t, Real low, Real high, const Vec3<Real>& z) {
  const Real x = along_t ? z.y : z.z, nearest = clamped(x, low * z.x, high * z.x);
  const Real d = nearest == x ? Real(0) : (x < nearest ? low : high), K = nearest == x ? Real(1) : Real(0);
  if (along_t) return {nearest, Real(0), d, Real(0), K, Real(0), Real(0)};
  return {Real(0), nearest, Real(0), d, Real(0), Real(0), K};
}

}  // namespace stiction::cone_detail
