// The cone with torsion K = {‖(λ_t/μ_t, λ_o/μ_o, λ_r/μ_r)‖ <= λ_n}, for μ_r > 0. The projection is exact.
//
// As in cone_quadratic.hpp, with one axis more: x = p + ν A p, pᵀA p = 0, A = diag(−1, μ_t⁻², μ_o⁻², μ_r⁻²), with
// ν = θ/(1 − θ), a = μ² (1 − θ) + θ for each axis and q(θ) = ‖(μ x/a)‖ over the three axes:
//
//   p = (1 − θ) (q, μ² x/a),   A p = (1 − θ) (−q, x/a)                                                 (1)
//   0 = 1 − 2θ − n/q(θ),  θ in (0, 1)                                                                  (2)
//   DP = p̂ p̂ᵀ + (1 − θ) W (Wᵀ((1 − θ) I + θ A) W)⁻¹ Wᵀ,   W (4, 2) a basis of {p, A p}^⊥               (3)
//
// With p = (p_n, p_f) and A p = (−p_n, c), the columns of W are (−e·p_f/p_n, e), where e is any two vectors that span
// the plane normal to p_f + c. The point m of the section that is nearest to z_f = (z_t, z_o, z_r), with d and K of
// coulomb_impulse.hpp:
//
//   inside of λ_n C     d = 0          K = I
//   outside             d = m − K m    K = E (Eᵀ(I + θ A) E)⁻¹ Eᵀ,   E (3, 2) any basis of the plane normal to A m
//   m = μ² z/(μ² + θ) for each axis of z = z_f/z_n,  θ >= 0 such that mᵀA m = 1                        (4)
//
// Without friction along an axis both are those of the quadratic cone, with its axes renamed.
#pragma once

#include "kernels/problem/cone_quadratic.hpp"

namespace stiction {

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

/// a = μ² (1 − θ) + θ for each axis.
template <class Real>
ST_FN Vec3<Real> blend_axes(const Vec3<Real>& mu, Real theta) {
  const auto blend = [&](Real m) { return m * m * (Real(1) - theta) + theta; };
  return {blend(mu.x), blend(mu.y), blend(mu.z)};
}

/// ‖(μ x/a)‖ and its slope
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

/// (2): the root for (n, x) outside of both cones. Two equal axes count as one.
template <class Real>
ST_FN Real solve_ellipsoid(const Vec3<Real>& mu, Real n, const Vec3<Real>& x) {
  if (mu.x == mu.y) return solve_secular(mu.x, mu.z, {n, std::sqrt(x.x * x.x + x.y * x.y), x.z});
  return find_falling_root<Real>([&](Real theta) {
    const auto [q, slope] = evaluate_ellipsoid(mu, x, theta);
    return SecularValue<Real>{Real(1) - Real(2) * theta - n / q, Real(-2) + n * slope / (q * q)};
  });
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
  const Real q = evaluate_ellipsoid(mu, x, theta).value;
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

/// P_K(x)
template <class Real>
ST_BODY ContactProjection<Real> choose_ellipsoid(const Friction<Real>& mu, const ContactVector<Real>& x) {
  const bool slides_t = mu.mu_t > Real(0), slides_o = mu.mu_o > Real(0);
  if (slides_t && slides_o) return project_to_whole_ellipsoid({mu.mu_t, mu.mu_o, mu.mu_r}, x.n, {x.t, x.o, x.r});
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

template <class Real>
ST_APART ContactProjection<Real> project_to_ellipsoid(Friction<Real> mu, ContactVector<Real> x) {
  return choose_ellipsoid(mu, x);
}

/// The point alone, by the same text without what only the derivative needs.
template <class Real>
ST_APART ContactVector<Real> project_point_to_ellipsoid(Friction<Real> mu, ContactVector<Real> x) {
  return choose_ellipsoid(mu, x).point;
}

/// θ of (4): Newton's method on 1/√(mᵀA m) = 1, from θ = 0. Two equal axes count as one.
template <class Real>
ST_FN Real solve_ellipsoid_section(const Vec3<Real>& mu, const Vec3<Real>& z) {
  if (mu.x == mu.y) return solve_ellipse(mu.x, mu.z, std::sqrt(z.x * z.x + z.y * z.y), z.z);
  Real theta = Real(0);
  for (int step = 0; step < kMostEllipseSteps; ++step) {
    Real square = Real(0), bend = Real(0);
    for (int axis = 0; axis < 3; ++axis) {
      const Real a = mu[axis] * mu[axis] + theta, m = mu[axis] * z[axis] / a;
      square += m * m, bend += m * m / a;
    }
    const Real outside = std::sqrt(square) - Real(1);
    if (!(outside > kOnEllipse<Real>)) break;
    const Real moved = outside * square / bend;
    theta += moved;
    if (moved <= kLastNewtonStep<Real> * theta) break;
  }
  return theta;
}

/// The nearest point of the section with friction along all three axes.
template <class Real>
ST_FN TorsionSectionPoint<Real> nearest_on_ellipsoid(const Vec3<Real>& mu, Real z_n, const Vec3<Real>& z_f) {
  const Real unit = larger(z_n, norm(z_f) / kFarOutside<Real>);
  const Vec3<Real> z = (Real(1) / unit) * z_f, reach{z.x / mu.x, z.y / mu.y, z.z / mu.z};
  const Vec3<Real> none{Real(0), Real(0), Real(0)};
  if (!(norm_squared(reach) > Real(1))) return {z_f, none, {Real(1), Real(0), Real(0), Real(1), Real(0), Real(1)}};
  const Real theta = solve_ellipsoid_section(mu, z);
  Vec3<Real> m, normal, e, f;
  for (int axis = 0; axis < 3; ++axis) normal[axis] = z[axis] / (mu[axis] * mu[axis] + theta);
  for (int axis = 0; axis < 3; ++axis) m[axis] = mu[axis] * mu[axis] * normal[axis];
  span_normal_plane(normal, e, f);
  const auto bend = [&](const Vec3<Real>& a, const Vec3<Real>& b) {
    const Real A = a.x * b.x / (mu.x * mu.x) + a.y * b.y / (mu.y * mu.y) + a.z * b.z / (mu.z * mu.z);
    return dot(a, b) + theta * A;
  };
  const Real ee = bend(e, e), ef = bend(e, f), ff = bend(f, f), inverse = Real(1) / (ee * ff - ef * ef);
  const Vec3<Real> x = inverse * (ff * e - ef * f), y = inverse * (ee * f - ef * e);
  const Sym3<Real> K{x.x * e.x + y.x * f.x, x.x * e.y + y.x * f.y, x.x * e.z + y.x * f.z,
                     x.y * e.y + y.y * f.y, x.y * e.z + y.y * f.z, x.z * e.z + y.z * f.z};
  const Vec3<Real> d = m - (dot(e, m) * x + dot(f, m) * y);
  return {z_n * m, d, K};
}

/// The same without friction along t if `renames_t`, else along o: r takes the place of that axis.
template <class Real>
ST_FN TorsionSectionPoint<Real> nearest_on_renamed(const FacetTable<Real>& table, bool renames_t,
                                                   const Friction<Real>& mu, const ContactVector<Real>& z) {
  const Real none = Real(0);
  if (renames_t) {
    const auto p = QuadraticCone<Real>::nearest(table, mu.mu_r, mu.mu_o, {z.n, z.r, z.o});
    return {{none, p.o, p.t}, {none, p.d_o, p.d_t}, {none, none, none, p.oo, p.to, p.tt}};
  }
  const auto p = QuadraticCone<Real>::nearest(table, mu.mu_t, mu.mu_r, {z.n, z.t, z.r});
  return {{p.t, none, p.o}, {p.d_t, none, p.d_o}, {p.tt, none, p.to, none, none, p.oo}};
}

}  // namespace cone_detail

/// The quadratic cone with torsion.
template <class Real>
struct TorsionCone {
  ST_FN static ContactProjection<Real> project(const FacetTable<Real>&, const Friction<Real>& mu,
                                               const ContactVector<Real>& x) {
    return cone_detail::project_to_ellipsoid(mu, x);
  }

  ST_FN static ContactVector<Real> project_point(const FacetTable<Real>&, const Friction<Real>& mu,
                                                 const ContactVector<Real>& x) {
    return cone_detail::project_point_to_ellipsoid(mu, x);
  }

  ST_FN static Real support(const FacetTable<Real>&, const Friction<Real>& mu, const ContactVector<Real>& u) {
    const Real t = mu.mu_t * u.t, o = mu.mu_o * u.o, r = mu.mu_r * u.r;
    return std::sqrt(t * t + o * o + r * r);
  }

  ST_FN static TorsionSectionPoint<Real> nearest(const FacetTable<Real>& table, const Friction<Real>& mu,
                                                 const ContactVector<Real>& z) {
    const bool slides_t = mu.mu_t > Real(0), slides_o = mu.mu_o > Real(0);
    if (!slides_t || !slides_o) return cone_detail::nearest_on_renamed(table, slides_o, mu, z);
    return cone_detail::nearest_on_ellipsoid({mu.mu_t, mu.mu_o, mu.mu_r}, z.n, {z.t, z.o, z.r});
  }
};

}  // namespace stiction
