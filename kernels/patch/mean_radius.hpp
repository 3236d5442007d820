// The mean distance of a patch from its centroid: the radius of its friction about the normal under uniform pressure.
//
//   r̄ = ∫_P ‖x − c‖ dx / ∫_P dx = Σ_e ∫_{T_e} ‖x − c‖ dx / Σ_e |T_e|,     T_e: triangle of c and border edge e
//
// With d the distance of c from the line of e, and s the coordinate along it,
//
//   ∫_T ‖x − c‖ dx = d/3 ∫_{s₁}^{s₂} √(s² + d²) ds = d/6 [s √(s² + d²) + d² asinh(s/d)]
//
// A segment of length l has l/4, a point 0. The border is the convex hull of the points.
#pragma once

#include "kernels/collision/manifold.hpp"

namespace stiction {

namespace ecp_detail {

/// The points of a manifold on B, in the order of the border, seen along the normal.
template <class Real>
struct PatchBorder {
  int count = 0;
  Vec3<Real> corner[kMaxManifold];
};

/// The convex hull of the manifold's points, by gift wrapping; two points if they lie on a line.
template <class Real>
ST_FN PatchBorder<Real> find_border(const Manifold<Real>& manifold) {
  const Vec3<Real> n = manifold.point[0].normal;
  int start = 0;
  for (int k = 1; k < manifold.count; ++k)  // the farthest from point 0 is a corner
    if (norm_squared(manifold.point[k].p_B - manifold.point[0].p_B) >
        norm_squared(manifold.point[start].p_B - manifold.point[0].p_B))
      start = k;
  PatchBorder<Real> border;
  int at = start;
  do {
    const Vec3<Real> p = manifold.point[at].p_B;
    border.corner[border.count++] = p;
    int next = -1;
    for (int k = 0; k < manifold.count; ++k) {
      const Vec3<Real> way = manifold.point[k].p_B - p;
      if (k == at || !(norm_squared(way) > Real(0))) continue;
      if (next < 0) {
        next = k;
        continue;
      }
      const Vec3<Real> best = manifold.point[next].p_B - p;
      const Real turn = dot(n, cross(best, way)), flat = Real(1e-9) * norm(best) * norm(way);
      if (turn < -flat || (turn <= flat && norm_squared(way) > norm_squared(best))) next = k;
    }
    at = next;
  } while (at >= 0 && at != start && border.count < manifold.count);
  return border;
}

/// s √(s² + d²) + d² asinh(s/d)
template <class Real>
ST_FN Real moment_to(Real s, Real d) {
  const Real length = std::sqrt(s * s + d * d);
  return s * length + d * d * std::log((std::fabs(s) + length) / d) * (s < Real(0) ? Real(-1) : Real(1));
}

/// ∫_T ‖x − c‖ dx of the triangle of c and the edge from p to q [m³]
template <class Real>
ST_FN Real moment_of_triangle(const Vec3<Real>& c, const Vec3<Real>& p, const Vec3<Real>& q) {
  const Vec3<Real> edge = q - p;
  const Real length = norm(edge);
  if (!(length > Real(0))) return Real(0);
  const Vec3<Real> along = (Real(1) / length) * edge;
  const Real s = dot(p - c, along), d = norm(p - c - s * along);
  if (!(d > Real(0))) return Real(0);
  return d / Real(6) * (moment_to(s + length, d) - moment_to(s, d));
}

}  // namespace ecp_detail

/// r̄ of the manifold's points [m].
template <class Real>
ST_FN Real mean_radius(const Manifold<Real>& manifold) {
  const ecp_detail::PatchBorder<Real> border = ecp_detail::find_border(manifold);
  const Vec3<Real> first = border.corner[0];
  if (border.count < 3) return Real(0.25) * norm(border.corner[border.count - 1] - first);
  Vec3<Real> weighted = {Real(0), Real(0), Real(0)};
  Real area = Real(0);
  for (int k = 1; k + 1 < border.count; ++k) {
    const Vec3<Real> p = border.corner[k], q = border.corner[k + 1];
    const Real part = Real(0.5) * norm(cross(p - first, q - first));
    weighted += (part / Real(3)) * (first + p + q), area += part;
  }
  if (!(area > Real(0))) return Real(0);
  const Vec3<Real> centroid = (Real(1) / area) * weighted;
  Real moment = Real(0);
  for (int k = 0; k < border.count; ++k)
    moment +=
        ecp_detail::moment_of_triangle(centroid, border.corner[k], border.corner[k + 1 < border.count ? k + 1 : 0]);
  return moment / area;
}

}  // namespace stiction
