// Coulomb's law of one contact, solved for the impulse λ if a penalty ρ ties λ to the velocity y (Alart, Curnier):
//
//   λ − ρ y = z,   0 <= λ_n ⊥ y_n >= 0,   λ_t ∈ λ_n C maximises −y_t·λ_t       C the friction section at λ_n = 1
//   λ_n = max(z_n, 0),   λ_t = P_{λ_n C}(z_t)                                                           (1)
//
// This is K ∋ λ ⊥ y + s(y_t) e_n ∈ K* with De Saxcé's shift of y itself (shift.hpp): one projection without a
// fixed-point iteration. With d = ∂λ_t/∂λ_n and the symmetric K = ∂λ_t/∂z_t the derivative of (1) for z_n > 0 is
//
//   ∂λ = W (I + e_n σᵀ) ∂z,   W = (1, d)(1, d)ᵀ + diag(0, K),   σ = −(0, d)                              (2)
//
// that is, a symmetric positive semidefinite matrix with a correction of rank one.
//
//   z_t inside of λ_n C              d = 0          K = I
//   edge, n its outer normal, |n|=1  d = (n·D_k) n  K = I − n nᵀ        D_k, D_k+1: ends of the edge (facets.hpp)
//   vertex D_k                       d = D_k        K = 0
//   ellipse, m the point of C        d = m − K m    K = τ τᵀ/(1 + θ τᵀA τ),  A = diag(μ_t⁻², μ_o⁻²), τ ⊥ A m, |τ| = 1
//   m = (μ_t² t/(μ_t² + θ), μ_o² o/(μ_o² + θ)) with (t, o) = z_t/z_n,  θ >= 0 such that mᵀA m = 1         (3)
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/problem/project_to_cone.hpp"

namespace stiction {

/// (1) and (2)
template <class Real>
struct ContactImpulse {
  Vec3<Real> lambda;
  Sym3<Real> weight;      // W
  Real slope_t, slope_o;  // σ
};

namespace section_detail {

/// Nearest point of the section: λ_t, d and K. The defaults of d and K are those of a point inside.
template <class Real>
struct SectionPoint {
  Real t, o;
  Real d_t = Real(0), d_o = Real(0);
  Real tt = Real(1), to = Real(0), oo = Real(1);
};

/// A section without width, between low and high: along t if `along_t`, else along o.
template <class Real>
ST_FN SectionPoint<Real> project_to_segment(bool along_t, Real low, Real high, const Vec3<Real>& z) {
  const Real x = along_t ? z.y : z.z, nearest = clamped(x, low * z.x, high * z.x);
  const Real d = nearest == x ? Real(0) : (x < nearest ? low : high), K = nearest == x ? Real(1) : Real(0);
  if (along_t) return {nearest, Real(0), d, Real(0), K, Real(0), Real(0)};
  return {Real(0), nearest, Real(0), d, Real(0), Real(0), K};
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

/// Most steps of Newton's method on (3). It starts left of the root, never passes it, and converges quadratically.
constexpr int kMostEllipseSteps = 40;
/// √(mᵀA m) − 1 below this is only rounding [-].
template <class Real>
constexpr Real kOnEllipse = sizeof(Real) == 8 ? Real(1e-15) : Real(3e-7);

/// θ of (3): Newton's method on 1/√(mᵀA m) = 1, from θ = 0.
template <class Real>
ST_FN Real solve_ellipse(Real mu_t, Real mu_o, Real t, Real o) {
  Real theta = Real(0);
  for (int step = 0; step < kMostEllipseSteps; ++step) {
    const Real a = mu_t * mu_t + theta, b = mu_o * mu_o + theta;
    const Real m_t = mu_t * t / a, m_o = mu_o * o / b, square = m_t * m_t + m_o * m_o;
    const Real outside = std::sqrt(square) - Real(1);
    if (!(outside > kOnEllipse<Real>)) break;
    theta += outside * square / (m_t * m_t / a + m_o * m_o / b);
  }
  return theta;
}

/// z_n counts as at least |z_t| divided by this: beyond, the nearest point of the ellipse no longer depends on it [-].
template <class Real>
constexpr Real kFarOutside = sizeof(Real) == 8 ? Real(1e12) : Real(1e6);

template <class Real>
ST_FN SectionPoint<Real> project_to_ellipse(Real mu_t, Real mu_o, const Vec3<Real>& z) {
  const Real length = std::sqrt(z.y * z.y + z.z * z.z), unit = larger(z.x, length / kFarOutside<Real>);
  const Real t = z.y / unit, o = z.z / unit, x = t / mu_t, y = o / mu_o;
  if (!(x * x + y * y > Real(1))) return {z.y, z.z};
  const Real theta = solve_ellipse(mu_t, mu_o, t, o);
  const Real m_t = mu_t * mu_t * t / (mu_t * mu_t + theta), m_o = mu_o * mu_o * o / (mu_o * mu_o + theta);
  const Real n_t = m_t / (mu_t * mu_t), n_o = m_o / (mu_o * mu_o), n = std::sqrt(n_t * n_t + n_o * n_o);
  const Real tau_t = -n_o / n, tau_o = n_t / n, bend_t = tau_t / mu_t, bend_o = tau_o / mu_o;
  const Real K = Real(1) / (Real(1) + theta * (bend_t * bend_t + bend_o * bend_o));
  const Real along = K * (tau_t * m_t + tau_o * m_o);
  return {z.x * m_t,         z.x * m_o,         m_t - along * tau_t, m_o - along * tau_o,
          K * tau_t * tau_t, K * tau_t * tau_o, K * tau_o * tau_o};
}

/// The nearest point of the section if only one axis has friction: t if `along_t`, else o.
template <class Real>
ST_FN SectionPoint<Real> project_to_flat_section(const FacetTable<Real>& table, bool along_t, Real mu,
                                                 const Vec3<Real>& z) {
  if (table.cone == ConeType::kQuadratic) return project_to_segment(along_t, -mu, mu, z);
  Real low = Real(0), high = Real(0);
  for (int k = 0; k < table.facets; ++k) {
    const Real D = mu * (along_t ? table.cosine[k] : table.sine[k]);
    low = smaller(low, D), high = larger(high, D);
  }
  return project_to_segment(along_t, low, high, z);
}

template <class Real>
ST_FN SectionPoint<Real> project_to_section(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& z) {
  const bool two_facets = table.cone != ConeType::kQuadratic && table.facets == 2;
  if (two_facets || !(mu_o > Real(0))) return project_to_flat_section(table, true, mu_t, z);
  if (!(mu_t > Real(0))) return project_to_flat_section(table, false, mu_o, z);
  if (table.cone == ConeType::kQuadratic) return project_to_ellipse(mu_t, mu_o, z);
  return project_to_polygon(table, mu_t, mu_o, z);
}

}  // namespace section_detail

/// λ for z = λ − ρ y under Coulomb's law, with its derivative.
template <class Real>
ST_PHASE ContactImpulse<Real> resolve_coulomb(const FacetTable<Real>& table, Real mu_t, Real mu_o, Vec3<Real> z) {
  if (!(z.x > Real(0))) return {};
  const auto p = section_detail::project_to_section(table, mu_t, mu_o, z);
  const Sym3<Real> weight{Real(1), p.d_t, p.d_o, p.tt + p.d_t * p.d_t, p.to + p.d_t * p.d_o, p.oo + p.d_o * p.d_o};
  return {{z.x, p.t, p.o}, weight, -p.d_t, -p.d_o};
}

}  // namespace stiction
