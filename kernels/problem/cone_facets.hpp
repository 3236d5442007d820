// The cone with facets: K of the generators g_j = (1, D_j) of a pyramid or a box (facets.hpp). Its section C is the
// polygon of D_j. The projection is exact:
//
//   p = P_K(x):  p ∈ K,  x − p ∈ K° (g_j·(x − p) <= 0 for all j),  p·(x − p) = 0
//
// x is inside of K, or beyond one face spanned by g_j and g_j+1, or nearest to one ray, or in the polar cone. p lies on
// the face with inner normal n_j exactly if n_j·x < 0 and both coefficients of p in (g_j, g_j+1) are >= 0: then
// x − p = −c n_j is in K°. The derivative is the projector onto the span of the face that holds p: I, I − n nᵀ, g
// gᵀ/|g|², or 0. Without friction along one axis or both, or with two facets, the cone is flat, and the projection is
// solved in two dimensions or one.
//
// The nearest point of the section lies on the edge or vertex that is nearest of those that z_t is outside of.
#pragma once

#include "kernels/problem/cone_flat.hpp"
#include "kernels/problem/facets.hpp"

namespace stiction {

namespace cone_detail {

/// The least and the largest D along one axis.
template <class Real>
struct Span {
  Real low, high;
};

/// D along t if `along_t`, else along o.
template <class Real>
ST_FN Span<Real> span_of_facets(const FacetTable<Real>& table, bool along_t, Real mu) {
  Span<Real> span{Real(0), Real(0)};
  ST_ROLLED
  for (int k = 0; k < table.facets; ++k) {
    const Real D = mu * (along_t ? table.cosine[k] : table.sine[k]);
    span = {smaller(span.low, D), larger(span.high, D)};
  }
  return span;
}

template <class Real>
ST_FN ConeProjection<Real> project_without_friction_along(const FacetTable<Real>& table, bool along_t, Real mu,
                                                          const Vec3<Real>& x) {
  if (table.cone == ConeType::kPyramid && (table.facets == 2 || table.facets == 4))
    return project_to_sector(along_t, -mu, mu, x);
  const Span<Real> span = span_of_facets(table, along_t, mu);
  return project_to_sector(along_t, span.low, span.high, x);
}

template <class Real>
ST_FN ConeProjection<Real> project_on_best_ray(const FacetTable<Real>& table, Real mu_t, Real mu_o,
                                               const Vec3<Real>& x) {
  Real best = Real(0);  // signed square of the projection's length
  Vec3<Real> ray{Real(0), Real(0), Real(0)};
  ST_ROLLED
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

/// P_K(x)
template <class Real>
ST_PHASE ConeProjection<Real> project_to_pyramid(const FacetTable<Real>& table, Real mu_t, Real mu_o, Vec3<Real> x) {
  if (table.facets == 2 || !(mu_o > Real(0))) return project_without_friction_along(table, true, mu_t, x);
  if (!(mu_t > Real(0))) return project_without_friction_along(table, false, mu_o, x);
  if (table.facets == 4 && table.cone == ConeType::kPyramid) return project_to_diamond(mu_t, mu_o, x);
  bool inside = true;
  Vec3<Real> g = facet_generator(table, table.facets - 1, mu_t, mu_o);
  ST_ROLLED
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
  return project_on_best_ray(table, mu_t, mu_o, x);
}

/// Nearest point of the edge from λ_n a to λ_n b; the section lies to the left of the edge.
template <class Real>
ST_FN SectionPoint<Real> project_to_edge(const Vec3<Real>& a, const Vec3<Real>& b, const Vec3<Real>& z) {
  const Real e_t = b.y - a.y, e_o = b.z - a.z, square = e_t * e_t + e_o * e_o;
  const Real along = (z.y - z.x * a.y) * e_t + (z.z - z.x * a.z) * e_o;
  if (!(along > Real(0))) return {z.x * a.y, z.x * a.z, a.y, a.z, Real(0), Real(0), Real(0)};
  if (!(along < square * z.x)) return {z.x * b.y, z.x * b.z, b.y, b.z, Real(0), Real(0), Real(0)};
  const Real length = std::sqrt(square), n_t = e_o / length, n_o = -e_t / length;
  const Real reach = n_t * a.y + n_o * a.z, outside = n_t * z.y + n_o * z.z - z.x * reach;
  return {z.y - outside * n_t, z.z - outside * n_o, reach * n_t,        reach * n_o,
          Real(1) - n_t * n_t, -n_t * n_o,          Real(1) - n_o * n_o};
}

template <class Real>
ST_FN SectionPoint<Real> project_to_polygon(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& z) {
  SectionPoint<Real> best{z.y, z.z};
  Real least = Real(-1);
  Vec3<Real> a = facet_generator(table, table.facets - 1, mu_t, mu_o);
  ST_ROLLED
  for (int k = 0; k < table.facets; ++k) {
    const Vec3<Real> b = facet_generator(table, k, mu_t, mu_o);
    const bool outside = (b.z - a.z) * (z.y - z.x * a.y) > (b.y - a.y) * (z.z - z.x * a.z);
    if (outside) {
      const auto point = project_to_edge(a, b, z);
      const Real t = z.y - point.t, o = z.z - point.o, distance = t * t + o * o;
      if (least < Real(0) || distance < least) least = distance, best = point;
    }
    a = b;
  }
  return best;
}

}  // namespace cone_detail

/// A pyramid or a box.
template <class Real>
struct FacetCone {
  ST_FN static ConeProjection<Real> project(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& x) {
    return cone_detail::project_to_pyramid(table, mu_t, mu_o, x);
  }

  ST_FN static Real support(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& u) {
    Real largest = -(mu_t * table.cosine[0] * u.y + mu_o * table.sine[0] * u.z);
    ST_ROLLED
    for (int k = 1; k < table.facets; ++k) {
      const Real along = -(mu_t * table.cosine[k] * u.y + mu_o * table.sine[k] * u.z);
      largest = (along > largest || along != along) ? along : largest;
    }
    return largest;
  }

  /// δ ln Σ exp(−D_k·u_t/δ)
  ST_FN static SmoothSupport<Real> smooth(const FacetTable<Real>& table, const Friction<Real>& mu,
                                          const ContactVector<Real>& u, Real delta) {
    SmoothSupport<Real> out{};
    ST_ROLLED
    for (int k = 0; k < table.facets; ++k) {
      const Real t = -mu.mu_t * table.cosine[k], o = -mu.mu_o * table.sine[k], along = t * u.t + o * u.o;
      if (k == 0 || along > out.s) out = {along, {Real(0), t, o, Real(0)}};
    }
    if (!(delta > Real(0))) return out;
    Real sum = Real(0), sum_t = Real(0), sum_o = Real(0);
    ST_ROLLED
    for (int k = 0; k < table.facets; ++k) {
      const Real t = -mu.mu_t * table.cosine[k], o = -mu.mu_o * table.sine[k];
      const Real weight = std::exp((t * u.t + o * u.o - out.s) / delta);
      sum += weight, sum_t += weight * t, sum_o += weight * o;
    }
    return {out.s + delta * std::log(sum), {Real(0), sum_t / sum, sum_o / sum, Real(0)}};
  }

  ST_FN static SectionPoint<Real> nearest(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& z) {
    const bool only_t = table.facets == 2 || !(mu_o > Real(0)), only_o = !(mu_t > Real(0));
    if (!only_t && !only_o) return cone_detail::project_to_polygon(table, mu_t, mu_o, z);
    const cone_detail::Span<Real> span = cone_detail::span_of_facets(table, only_t, only_t ? mu_t : mu_o);
    return cone_detail::project_to_segment(only_t, span.low, span.high, z);
  }
};
}  // namespace stiction
