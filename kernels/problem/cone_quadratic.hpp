// The quadratic cone K = {‖(λ_t/μ_t, λ_o/μ_o)‖ <= λ_n}. The projection is exact.
//
//   x = (n, t, o) outside of K and of K° = {‖(μ_t t, μ_o o)‖ <= −n}:  x = p + ν A p,  pᵀA p = 0,  A = diag(−1, μ_t⁻²,
//   μ_o⁻²) with ν = θ/(1 − θ), a = μ² (1 − θ) + θ for each axis, and q(θ) = ‖(μ_t t/a_t, μ_o o/a_o)‖:
//
//   p = (1 − θ) (q, μ_t² t/a_t, μ_o² o/a_o),   A p = (1 − θ) (−q, t/a_t, o/a_o)                        (1)
//   0 = 1 − 2θ − n/q(θ),  θ in (0, 1)                                                                 (2)
//   DP = p̂ p̂ᵀ + ŵ ŵᵀ/(1 + ν ŵᵀA ŵ),   ŵ = p̂ x N̂,  N = A p                                            (3)
//
// (2) falls strictly: (1 − 2θ) q − n is a strictly falling function of ν. For μ_t = μ_o it is a straight line and
// otherwise nearly one, so that Newton's method, kept in the interval where the sign changes, reaches the last bit in
// few steps. Without friction along one axis or both the cone is flat, and the projection is solved in two dimensions
// or one.
//
// The section is the ellipse {mᵀA m <= 1} with A = diag(μ_t⁻², μ_o⁻²), and the point of it that is nearest to (t, o) is
//
//   m = (μ_t² t/(μ_t² + θ), μ_o² o/(μ_o² + θ)),   θ >= 0 such that mᵀA m = 1                          (4)
#pragma once

#include "kernels/problem/cone_flat.hpp"
#include "kernels/problem/facets.hpp"

namespace stiction {

namespace cone_detail {

/// Most Newton steps and halvings on (2): enough to halve [0, 1] down to the last bit.
constexpr int kMostSecularSteps = 64;
/// A step of Newton's method that is smaller than this share of the distance to the nearest pole leaves only rounding,
/// as it squares the error [-].
template <class Real>
constexpr Real kLastNewtonStep = sizeof(Real) == 8 ? Real(1e-9) : Real(1e-5);

/// The root θ in (0, 1) of a falling function, by Newton's method from the middle, kept in the interval where the sign
/// changes. `evaluate(θ)` returns value and slope.
template <class Real, class Function>
ST_FN Real find_falling_root(Function evaluate) {
  Real low = Real(0), high = Real(1), theta = Real(0.5);
  for (int step = 0; step < kMostSecularSteps; ++step) {
    const auto [value, slope] = evaluate(theta);
    if (value > Real(0)) low = theta;
    if (value < Real(0)) high = theta;
    const Real newton = theta - value / slope;
    const bool inside = newton > low && newton < high;
    const Real next = inside ? newton : Real(0.5) * (low + high), moved = std::fabs(next - theta);
    if (next == theta || value == Real(0)) break;
    theta = next;
    if (inside && moved <= kLastNewtonStep<Real> * smaller(theta, Real(1) - theta)) break;
  }
  return theta;
}

template <class Real>
struct SecularTerms {
  Real q;                 // q(θ)
  Real slope;             // q'(θ)
  Real along_t, along_o;  // t/a_t, o/a_o
};

template <class Real>
ST_FN SecularTerms<Real> evaluate_secular(Real mu_t, Real mu_o, const Vec3<Real>& x, Real theta) {
  const Real rest_t = Real(1) - mu_t * mu_t, rest_o = Real(1) - mu_o * mu_o;
  const Real a_t = mu_t * mu_t * (Real(1) - theta) + theta, a_o = mu_o * mu_o * (Real(1) - theta) + theta;
  const Real along_t = x.y / a_t, along_o = x.z / a_o;
  const Real t = mu_t * along_t, o = mu_o * along_o;
  const Real q = std::sqrt(t * t + o * o);
  return {q, -(t * t * rest_t / a_t + o * o * rest_o / a_o) / q, along_t, along_o};
}

template <class Real>
struct SecularValue {
  Real value, slope;
};

/// (2): the root for x outside of both cones.
template <class Real>
ST_FN Real solve_secular(Real mu_t, Real mu_o, const Vec3<Real>& x) {
  return find_falling_root<Real>([&](Real theta) {
    const auto [q, slope, along_t, along_o] = evaluate_secular(mu_t, mu_o, x, theta);
    return SecularValue<Real>{Real(1) - Real(2) * theta - x.x / q, Real(-2) + x.x * slope / (q * q)};
  });
}

/// (3) from p / (1 − θ) and N / (1 − θ); `damping` = 1/(1 + ν ŵᵀA ŵ)
template <class Real>
ST_FN Sym3<Real> derive_on_surface(const Vec3<Real>& along, const Vec3<Real>& w, Real damping) {
  const Sym3<Real> a = scaled_outer(Real(1) / norm_squared(along), along);
  const Sym3<Real> b = scaled_outer(damping / norm_squared(w), w);
  return {a.nn + b.nn, a.nt + b.nt, a.no + b.no, a.tt + b.tt, a.to + b.to, a.oo + b.oo};
}

/// Projects x outside of both cones for μ_t = μ_o, where (2) has a closed form.
template <class Real>
ST_FN ConeProjection<Real> project_to_circular_surface(Real mu, const Vec3<Real>& x) {
  const Real length = std::sqrt(x.y * x.y + x.z * x.z);
  const Real p_n = (x.x + mu * length) / (Real(1) + mu * mu), share = mu * p_n / length;
  const Vec3<Real> along{Real(1), mu * x.y / length, mu * x.z / length};
  const Vec3<Real> w{Real(0), -x.z, x.y};
  return {{p_n, share * x.y, share * x.z}, derive_on_surface(along, w, share)};
}

/// Projects x outside of both cones.
template <class Real>
ST_FN ConeProjection<Real> project_to_elliptic_surface(Real mu_t, Real mu_o, const Vec3<Real>& x) {
  const Real theta = solve_secular(mu_t, mu_o, x), rest = Real(1) - theta;
  const auto terms = evaluate_secular(mu_t, mu_o, x, theta);
  const Vec3<Real> along{terms.q, mu_t * mu_t * terms.along_t, mu_o * mu_o * terms.along_o};
  const Vec3<Real> normal{-terms.q, terms.along_t, terms.along_o};
  const Vec3<Real> w = cross(along, normal);
  const Real t = w.y / mu_t, o = w.z / mu_o;
  const Real curvature = (t * t + o * o - w.x * w.x) / norm_squared(w);  // ŵᵀA ŵ > 0
  return {rest * along, derive_on_surface(along, w, rest / (rest + theta * curvature))};
}

/// P_K(x)
template <class Real>
ST_APART ConeProjection<Real> project_to_quadratic(Real mu_t, Real mu_o, Vec3<Real> x) {
  const bool slides_t = mu_t > Real(0), slides_o = mu_o > Real(0);
  if (!slides_o) return project_to_sector(true, -mu_t, mu_t, x);
  if (!slides_t) return project_to_sector(false, -mu_o, mu_o, x);
  const Real t = x.y / mu_t, o = x.z / mu_o;
  if (std::sqrt(t * t + o * o) <= x.x) return {x, {Real(1), Real(0), Real(0), Real(1), Real(0), Real(1)}};
  const Real pull_t = mu_t * x.y, pull_o = mu_o * x.z;
  if (std::sqrt(pull_t * pull_t + pull_o * pull_o) <= -x.x) return {};
  if (mu_t == mu_o) return project_to_circular_surface(mu_t, x);
  return project_to_elliptic_surface(mu_t, mu_o, x);
}

/// Most steps of Newton's method on (4). It starts left of the root, never passes it, and converges quadratically.
constexpr int kMostEllipseSteps = 40;
/// √(mᵀA m) − 1 below this is only rounding [-].
template <class Real>
constexpr Real kOnEllipse = sizeof(Real) == 8 ? Real(1e-15) : Real(3e-7);

/// θ of (4): Newton's method on 1/√(mᵀA m) = 1, from θ = 0.
template <class Real>
ST_FN Real solve_ellipse(Real mu_t, Real mu_o, Real t, Real o) {
  Real theta = Real(0);
  for (int step = 0; step < kMostEllipseSteps; ++step) {
    const Real a = mu_t * mu_t + theta, b = mu_o * mu_o + theta;
    const Real m_t = mu_t * t / a, m_o = mu_o * o / b, square = m_t * m_t + m_o * m_o;
    const Real outside = std::sqrt(square) - Real(1);
    if (!(outside > kOnEllipse<Real>)) break;
    const Real moved = outside * square / (m_t * m_t / a + m_o * m_o / b);
    theta += moved;
    if (moved <= kLastNewtonStep<Real> * theta) break;
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

}  // namespace cone_detail

/// The quadratic cone; the entries of the table are not read.
template <class Real>
struct QuadraticCone {
  ST_FN static ConeProjection<Real> project(const FacetTable<Real>&, Real mu_t, Real mu_o, const Vec3<Real>& x) {
    return cone_detail::project_to_quadratic(mu_t, mu_o, x);
  }

  ST_FN static Real support(const FacetTable<Real>&, Real mu_t, Real mu_o, const Vec3<Real>& u) {
    const Real t = mu_t * u.y, o = mu_o * u.z;
    return std::sqrt(t * t + o * o);
  }

  /// √(s² + δ²); with torsion too.
  ST_FN static SmoothSupport<Real> smooth(const FacetTable<Real>&, const Friction<Real>& mu,
                                          const ContactVector<Real>& u, Real delta) {
    const Real t = mu.mu_t * u.t, o = mu.mu_o * u.o, r = mu.mu_r * u.r;
    const Real s = std::sqrt(t * t + o * o + r * r + delta * delta);
    if (!(s > Real(0))) return {s, {}};
    return {s, {Real(0), mu.mu_t * t / s, mu.mu_o * o / s, mu.mu_r * r / s}};
  }

  ST_FN static SectionPoint<Real> nearest(const FacetTable<Real>&, Real mu_t, Real mu_o, const Vec3<Real>& z) {
    if (!(mu_o > Real(0))) return cone_detail::project_to_segment(true, -mu_t, mu_t, z);
    if (!(mu_t > Real(0))) return cone_detail::project_to_segment(false, -mu_o, mu_o, z);
    return cone_detail::project_to_ellipse(mu_t, mu_o, z);
  }
};

}  // namespace stiction
