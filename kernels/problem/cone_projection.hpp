// Exact Euclidean projection onto the cone K of a pyramid's generators g_j = (1, D_j), and its derivative.
//
//   p = P_K(x):  p ∈ K,  x − p ∈ K° (g_j·(x − p) <= 0 for all j),  p·(x − p) = 0
//
// x is inside of K, or beyond one face spanned by g_j and g_j+1, or nearest to one ray, or in the polar cone. p lies on
// the face with inner normal n_j exactly if n_j·x < 0 and both coefficients of p in (g_j, g_j+1) are >= 0: then
// x − p = −c n_j is in K°. The derivative is the projector onto the span of the face that holds p: I, I − n nᵀ, g
// gᵀ/|g|², or 0. Without friction along one axis or both, or with two facets, the cone is flat, and the projection is
// solved in two dimensions or one.
#pragma once

#include "kernels/problem/contact_vector.hpp"
#include "kernels/problem/facets.hpp"

namespace stiction {

template <class Real>
struct ConeProjection {
  Vec3<Real> point;
  Sym3<Real> derivative;
};

namespace cone_detail {

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

/// Friction between low and high along one axis only: along t if `along_o`, where o has none, else along o.
template <class Real>
ST_FN ConeProjection<Real> project_to_sector(bool along_o, Real low, Real high, const Vec3<Real>& x) {
  Real p[2], dp[3];
  if (high > low) {
    project_flat(low, high, x.x, along_o ? x.y : x.z, p, dp);
  } else {
    const bool pressed = x.x > Real(0);
    p[0] = pressed ? x.x : Real(0), p[1] = Real(0);
    dp[0] = pressed ? Real(1) : Real(0), dp[1] = dp[2] = Real(0);
  }
  if (along_o) return {{p[0], p[1], Real(0)}, {dp[0], dp[1], Real(0), dp[2], Real(0), Real(0)}};
  return {{p[0], Real(0), p[1]}, {dp[0], Real(0), dp[1], Real(0), Real(0), dp[2]}};
}

template <class Real>
ST_FN ConeProjection<Real> project_without_friction_along(const FacetTable<Real>& table, bool along_o, Real mu,
                                                          const Vec3<Real>& x) {
  if (table.cone == ConeType::kPyramid && (table.facets == 2 || table.facets == 4))
    return project_to_sector(along_o, -mu, mu, x);
  Real low = Real(0), high = Real(0);
  for (int j = 0; j < table.facets; ++j) {
    const Real d = mu * (along_o ? table.cosine[j] : table.sine[j]);
    low = d < low ? d : low;
    high = d > high ? d : high;
  }
  return project_to_sector(along_o, low, high, x);
}

template <class Real>
ST_FN ConeProjection<Real> project_on_best_ray(const FacetTable<Real>& table, Real mu_t, Real mu_o,
                                               const Vec3<Real>& x) {
  Real best = Real(0);  // signed square of the projection's length
  Vec3<Real> ray{Real(0), Real(0), Real(0)};
  for (int j = 0; j < table.facets; ++j) {
    const Vec3<Real> g = facet_generator(table, j, mu_t, mu_o);
    const Real along = dot(g, x);
    const Real length = along > Real(0) ? along * along / norm_squared(g) : Real(0);
    if (length > best) best = length, ray = g;
  }
  if (!(best > Real(0))) return {ray, {Real(0), Real(0), Real(0), Real(0), Real(0), Real(0)}};
  const Real inverse = Real(1) / norm_squared(ray);
  return {(dot(ray, x) * inverse) * ray, scaled_outer(inverse, ray)};
}

/// Projects onto the pyramid of (1, ±μ_t, 0) and (1, 0, ±μ_o). The projection stays in the quadrant of x, so that only
/// one face and its two rays have to be tried:
///   n = (μ_t μ_o, −μ_o, −μ_t),   coefficients of g_t, g_o as in the general case
template <class Real>
ST_FN ConeProjection<Real> project_to_diamond(Real mu_t, Real mu_o, const Vec3<Real>& x) {
  const Real t = std::fabs(x.y), o = std::fabs(x.z);
  const Real along_t = x.x + mu_t * t, along_o = x.x + mu_o * o;  // g·x
  if (!(along_t > Real(0)) && !(along_o > Real(0))) return {};
  const Vec3<Real> n{mu_t * mu_o, std::copysign(mu_o, -x.y), std::copysign(mu_t, -x.z)};
  const Real height = dot(n, x);
  if (!(height < Real(0))) return {x, {Real(1), Real(0), Real(0), Real(1), Real(0), Real(1)}};
  const Real tt = Real(1) + mu_t * mu_t, oo = Real(1) + mu_o * mu_o;  // |g|²; g_t·g_o = 1
  if (oo * along_t - along_o >= Real(0) && tt * along_o - along_t >= Real(0)) {
    const Real inverse = Real(1) / norm_squared(n);
    Sym3<Real> d = scaled_outer(-inverse, n);
    d.nn += Real(1), d.tt += Real(1), d.oo += Real(1);
    return {x - (height * inverse) * n, d};
  }
  const bool use_t = along_o <= Real(0) || (along_t > Real(0) && along_t * along_t * oo >= along_o * along_o * tt);
  const Vec3<Real> ray = use_t ? Vec3<Real>{Real(1), std::copysign(mu_t, x.y), Real(0)}
                               : Vec3<Real>{Real(1), Real(0), std::copysign(mu_o, x.z)};
  const Real inverse = Real(1) / (use_t ? tt : oo);
  return {((use_t ? along_t : along_o) * inverse) * ray, scaled_outer(inverse, ray)};
}

}  // namespace cone_detail

template <class Real>
ST_PHASE ConeProjection<Real> project_to_pyramid(const FacetTable<Real>& table, Real mu_t, Real mu_o, Vec3<Real> x) {
  if (table.facets == 2 || !(mu_o > Real(0))) return cone_detail::project_without_friction_along(table, true, mu_t, x);
  if (!(mu_t > Real(0))) return cone_detail::project_without_friction_along(table, false, mu_o, x);
  if (table.facets == 4 && table.cone == ConeType::kPyramid) return cone_detail::project_to_diamond(mu_t, mu_o, x);
  bool inside = true;
  Vec3<Real> g = facet_generator(table, table.facets - 1, mu_t, mu_o);
  for (int j = 0; j < table.facets; ++j) {
    const Vec3<Real> next = facet_generator(table, j, mu_t, mu_o);
    const Vec3<Real> n = cross(g, next);  // inner normal: angles increase from t to o
    const Real height = dot(n, x);
    if (height < Real(0)) {
      inside = false;
      // coefficients of the projection in the basis (g, next)
      const Real gg = norm_squared(g), gn = dot(g, next), nn = norm_squared(next);
      const Real xg = dot(g, x), xn = dot(next, x);
      const bool holds = nn * xg - gn * xn >= Real(0) && gg * xn - gn * xg >= Real(0);
      if (holds) {
        const Real inverse = Real(1) / norm_squared(n);
        Sym3<Real> d = scaled_outer(-inverse, n);
        d.nn += Real(1), d.tt += Real(1), d.oo += Real(1);
        return {x - (height * inverse) * n, d};
      }
    }
    g = next;
  }
  if (inside) return {x, {Real(1), Real(0), Real(0), Real(1), Real(0), Real(1)}};
  return cone_detail::project_on_best_ray(table, mu_t, mu_o, x);
}

}  // namespace stiction
