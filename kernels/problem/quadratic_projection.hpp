// Exact Euclidean projection onto the quadratic cone K = {‖(λ_t/μ_t, λ_o/μ_o)‖ <= λ_n}, and its derivative.
//
//   x = (n, t, o) outside of K and of K° = {‖(μ_t t, μ_o o)‖ <= −n}:  x = p + ν A p,  pᵀA p = 0,  A = diag(−1, μ_t⁻²,
//   μ_o⁻²) with ν = θ/(1 − θ), a = μ² + (1 − μ²) θ for each axis, and q(θ) = ‖(μ_t t/a_t, μ_o o/a_o)‖:
//
//   p = (1 − θ) (q, μ_t² t/a_t, μ_o² o/a_o),   A p = (1 − θ) (−q, t/a_t, o/a_o)                        (1)
//   0 = 1 − 2θ − n/q(θ),  θ in (0, 1)                                                                 (2)
//   DP = p̂ p̂ᵀ + ŵ ŵᵀ/(1 + ν ŵᵀA ŵ),   ŵ = p̂ x N̂,  N = A p                                            (3)
//
// (2) falls strictly: (1 − 2θ) q − n is a strictly falling function of ν. For μ_t = μ_o it is a straight line and
// otherwise nearly one, so that Newton's method, kept in the interval where the sign changes, reaches the last bit in
// few steps. Without friction along one axis or both the cone is flat, and the projection is solved in two dimensions
// or one.
#pragma once

#include "kernels/problem/cone_projection.hpp"

namespace stiction {

namespace cone_detail {

/// Most Newton steps and halvings on (2): enough to halve [0, 1] down to the last bit.
constexpr int kMostSecularSteps = 64;

template <class Real>
struct SecularTerms {
  Real q;                 // q(θ)
  Real slope;             // q'(θ)
  Real along_t, along_o;  // t/a_t, o/a_o
};

template <class Real>
ST_FN SecularTerms<Real> evaluate_secular(Real mu_t, Real mu_o, const Vec3<Real>& x, Real theta) {
  const Real rest_t = Real(1) - mu_t * mu_t, rest_o = Real(1) - mu_o * mu_o;
  const Real a_t = mu_t * mu_t + rest_t * theta, a_o = mu_o * mu_o + rest_o * theta;
  const Real along_t = x.y / a_t, along_o = x.z / a_o;
  const Real t = mu_t * along_t, o = mu_o * along_o;
  const Real q = std::sqrt(t * t + o * o);
  return {q, -(t * t * rest_t / a_t + o * o * rest_o / a_o) / q, along_t, along_o};
}

/// (2): the root for x outside of both cones.
template <class Real>
ST_FN Real solve_secular(Real mu_t, Real mu_o, const Vec3<Real>& x) {
  Real low = Real(0), high = Real(1), theta = Real(0.5);
  for (int step = 0; step < kMostSecularSteps; ++step) {
    const auto terms = evaluate_secular(mu_t, mu_o, x, theta);
    const Real value = Real(1) - Real(2) * theta - x.x / terms.q;
    if (value > Real(0)) low = theta;
    if (value < Real(0)) high = theta;
    const Real newton = theta - value / (Real(-2) + x.x * terms.slope / (terms.q * terms.q));
    const bool inside = newton > low && newton < high;
    const Real next = inside ? newton : Real(0.5) * (low + high);
    if (next == theta || value == Real(0)) break;
    theta = next;
  }
  return theta;
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

}  // namespace cone_detail

template <class Real>
ST_APART ConeProjection<Real> project_to_quadratic(Real mu_t, Real mu_o, Vec3<Real> x) {
  using namespace cone_detail;
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

}  // namespace stiction
