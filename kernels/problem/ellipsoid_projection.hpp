// Exact Euclidean projection onto the cone with torsion K = {‖(λ_t/μ_t, λ_o/μ_o, λ_r/μ_r)‖ <= λ_n}, and its derivative.
//
// As in quadratic_projection.hpp, with one axis more: x = p + ν A p, pᵀA p = 0, A = diag(−1, μ_t⁻², μ_o⁻², μ_r⁻²), with
// ν = θ/(1 − θ), a = μ² + (1 − μ²) θ for each axis and q(θ) = ‖(μ x/a)‖ over the three axes:
//
//   p = (1 − θ) (q, μ² x/a),   A p = (1 − θ) (−q, x/a)                                                 (1)
//   0 = 1 − 2θ − n/q(θ),  θ in (0, 1)                                                                  (2)
//   DP = p̂ p̂ᵀ + (1 − θ) W (Wᵀ((1 − θ) I + θ A) W)⁻¹ Wᵀ,   W (4, 2) a basis of {p, A p}^⊥               (3)
//
// With p = (p_n, p_f) and A p = (−p_n, c), the columns of W are (−e·p_f/p_n, e), where e is any two vectors that span
// the plane normal to p_f + c. A contact without friction along an axis is projected by quadratic_projection.hpp, with
// its axes renamed.
#pragma once

#include "kernels/problem/quadratic_projection.hpp"

namespace stiction {

template <class Real>
struct ContactProjection {
  ContactVector<Real> point;
  Sym4<Real> derivative;
};

namespace cone_detail {

/// Writes two unit vectors that are normal to a and to each other; a is not zero.
template <class Real>
ST_FN void span_normal_plane(const Vec3<Real>& a, Vec3<Real>& e, Vec3<Real>& f) {
  const Real x = std::fabs(a.x), y = std::fabs(a.y), z = std::fabs(a.z);
  const Vec3<Real> least{Real(x <= y && x <= z), Real(y < x && y <= z), Real(z < x && z < y)};
  e = cross(a, least);
  e = (Real(1) / norm(e)) * e;
  f = cross(a, e);
  f = (Real(1) / norm(f)) * f;
}

/// a = μ² + (1 − μ²) θ for each axis.
template <class Real>
ST_FN Vec3<Real> blend_axes(const Vec3<Real>& mu, Real theta) {
  const auto blend = [&](Real m) { return m * m + (Real(1) - m * m) * theta; };
  return {blend(mu.x), blend(mu.y), blend(mu.z)};
}

template <class Real>
struct SecularValue {
  Real q, slope;
};

/// q(θ) and q'(θ)
template <class Real>
ST_PHASE SecularValue<Real> evaluate_ellipsoid(Vec3<Real> mu, Vec3<Real> x, Real theta) {
  const Vec3<Real> a = blend_axes(mu, theta);
  Real square = Real(0), change = Real(0);
  for (int axis = 0; axis < 3; ++axis) {
    const Real m = mu[axis], along = m * x[axis] / a[axis];
    square += along * along;
    change -= along * along * (Real(1) - m * m) / a[axis];
  }
  const Real q = std::sqrt(square);
  return {q, change / q};
}

/// (2): the root for (n, x) outside of both cones, by Newton's method, kept in the interval where the sign changes.
template <class Real>
ST_FN Real solve_ellipsoid(const Vec3<Real>& mu, Real n, const Vec3<Real>& x) {
  Real low = Real(0), high = Real(1), theta = Real(0.5);
  for (int step = 0; step < kMostSecularSteps; ++step) {
    const auto [q, slope] = evaluate_ellipsoid(mu, x, theta);
    const Real value = Real(1) - Real(2) * theta - n / q;
    if (value > Real(0)) low = theta;
    if (value < Real(0)) high = theta;
    const Real newton = theta - value / (Real(-2) + n * slope / (q * q));
    const Real next = newton > low && newton < high ? newton : Real(0.5) * (low + high);
    if (next == theta || value == Real(0)) break;
    theta = next;
  }
  return theta;
}

/// scale · W (Wᵀ((1 − θ) I + θ A) W)⁻¹ Wᵀ for W = (w, v)
template <class Real>
ST_PHASE Sym4<Real> invert_on_plane(Vec3<Real> mu, Real theta, Real scale, ContactVector<Real> w,
                                    ContactVector<Real> v) {
  const auto bend = [&](const ContactVector<Real>& a, const ContactVector<Real>& b) {
    const Real A = a.t * b.t / (mu.x * mu.x) + a.o * b.o / (mu.y * mu.y) + a.r * b.r / (mu.z * mu.z) - a.n * b.n;
    return (Real(1) - theta) * dot(a, b) + theta * A;
  };
  const Real ww = bend(w, w), wv = bend(w, v), vv = bend(v, v), inverse = scale / (ww * vv - wv * wv);
  const ContactVector<Real> x = vv * w - wv * v, y = ww * v - wv * w;  // columns of W times the adjugate
  const Sym3<Real> nto{x.n * w.n + y.n * v.n, x.n * w.t + y.n * v.t, x.n * w.o + y.n * v.o,
                       x.t * w.t + y.t * v.t, x.t * w.o + y.t * v.o, x.o * w.o + y.o * v.o};
  return scaled(inverse, Sym4<Real>{nto, w.r * x + v.r * y});
}

/// Projects (n, x) outside of both cones, with friction along all axes.
template <class Real>
ST_FN ContactProjection<Real> project_to_ellipsoid_surface(const Vec3<Real>& mu, Real n, const Vec3<Real>& x) {
  const Real theta = solve_ellipsoid(mu, n, x), rest = Real(1) - theta;
  const Vec3<Real> a = blend_axes(mu, theta);
  const Vec3<Real> c{x.x / a.x, x.y / a.y, x.z / a.z};
  const Vec3<Real> f{mu.x * mu.x * c.x, mu.y * mu.y * c.y, mu.z * mu.z * c.z};
  const Real q = evaluate_ellipsoid(mu, x, theta).q;
  const ContactVector<Real> along{q, f.x, f.y, f.z};
  Vec3<Real> e, g;
  span_normal_plane(f + c, e, g);
  const ContactVector<Real> w{-dot(e, f) / q, e.x, e.y, e.z}, v{-dot(g, f) / q, g.x, g.y, g.z};
  const Sym4<Real> radial = scaled_outer(Real(1) / dot(along, along), along);
  return {rest * along, radial + invert_on_plane(mu, theta, rest, w, v)};
}

/// Projects any (n, x), with friction along all three axes.
template <class Real>
ST_FN ContactProjection<Real> project_to_whole_ellipsoid(const Vec3<Real>& mu, Real n, const Vec3<Real>& x) {
  const Vec3<Real> reach{x.x / mu.x, x.y / mu.y, x.z / mu.z}, pull{mu.x * x.x, mu.y * x.y, mu.z * x.z};
  if (norm(reach) <= n) {
    const Real one = Real(1), none = Real(0);
    return {{n, x.x, x.y, x.z}, {{one, none, none, one, none, one}, {none, none, none, one}}};
  }
  if (norm(pull) <= -n) return {};
  return project_to_ellipsoid_surface(mu, n, x);
}

}  // namespace cone_detail

/// P_K(x) with its derivative, for μ_r > 0.
template <class Real>
ST_APART ContactProjection<Real> project_to_ellipsoid(Friction<Real> mu, ContactVector<Real> x) {
  const bool slides_t = mu.mu_t > Real(0), slides_o = mu.mu_o > Real(0);
  if (slides_t && slides_o)
    return cone_detail::project_to_whole_ellipsoid({mu.mu_t, mu.mu_o, mu.mu_r}, x.n, {x.t, x.o, x.r});
  if (slides_o) {  // r in place of t
    const auto p = project_to_quadratic(mu.mu_r, mu.mu_o, {x.n, x.r, x.o});
    const Sym3<Real>& d = p.derivative;
    return {{p.point.x, Real(0), p.point.z, p.point.y},
            {{d.nn, Real(0), d.no, Real(0), Real(0), d.oo}, {d.nt, Real(0), d.to, d.tt}}};
  }
  const auto p = project_to_quadratic(mu.mu_t, mu.mu_r, {x.n, x.t, x.r});  // r in place of o
  const Sym3<Real>& d = p.derivative;
  return {{p.point.x, p.point.y, Real(0), p.point.z},
          {{d.nn, d.nt, Real(0), d.tt, Real(0), Real(0)}, {d.no, d.to, Real(0), d.oo}}};
}

}  // namespace stiction
