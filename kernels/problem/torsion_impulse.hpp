// Coulomb's law of one contact with torsion, as in coulomb_impulse.hpp, with one axis more: λ for z = λ − ρ y, and
//
//   ∂λ = W (I + e_n σᵀ) ∂z,   W = (1, d)(1, d)ᵀ + diag(0, K),   σ = −(0, d)                            (1)
//
//   z_f = (z_t, z_o, z_r) inside of λ_n C     d = 0          K = I
//   outside, m the ellipsoid's point          d = m − K m    K = E (Eᵀ(I + θ A) E)⁻¹ Eᵀ
//   m = μ² z/(μ² + θ) for each axis of z = z_f/z_n,  θ >= 0 such that mᵀA m = 1,  A = diag(μ⁻²)        (2)
//
// E (3, 2) is any basis of the plane normal to A m. A contact without friction along an axis is solved by
// coulomb_impulse.hpp, with its axes renamed.
#pragma once

#include "kernels/problem/coulomb_impulse.hpp"

namespace stiction {

/// (1)
template <class Real>
struct ContactResponse {
  ContactVector<Real> lambda;
  Sym4<Real> weight;          // W
  ContactVector<Real> slope;  // σ
};

namespace section_detail {

/// θ of (2): Newton's method on 1/√(mᵀA m) = 1, from θ = 0.
template <class Real>
ST_FN Real solve_ellipsoid_section(const Vec3<Real>& mu, const Vec3<Real>& z) {
  Real theta = Real(0);
  for (int step = 0; step < kMostEllipseSteps; ++step) {
    Real square = Real(0), bend = Real(0);
    for (int axis = 0; axis < 3; ++axis) {
      const Real a = mu[axis] * mu[axis] + theta, m = mu[axis] * z[axis] / a;
      square += m * m, bend += m * m / a;
    }
    const Real outside = std::sqrt(square) - Real(1);
    if (!(outside > kOnEllipse<Real>)) break;
    theta += outside * square / bend;
  }
  return theta;
}

/// (1) from the nearest point m of the section, with its d and K.
template <class Real>
ST_FN ContactResponse<Real> respond_from_section(Real z_n, const Vec3<Real>& m, const Vec3<Real>& d,
                                                 const Sym3<Real>& K) {
  const ContactVector<Real> one{Real(1), d.x, d.y, d.z};
  const Sym4<Real> inner{{Real(0), Real(0), Real(0), K.nn, K.nt, K.tt}, {Real(0), K.no, K.to, K.oo}};
  return {{z_n, m.x, m.y, m.z}, scaled_outer(Real(1), one) + inner, {Real(0), -d.x, -d.y, -d.z}};
}

/// The response with friction along all three axes; the entries of K are those of t, o, r, although its fields are
/// named n, t, o.
template <class Real>
ST_FN ContactResponse<Real> respond_on_ellipsoid(const Vec3<Real>& mu, Real z_n, const Vec3<Real>& z_f) {
  const Real unit = larger(z_n, norm(z_f) / kFarOutside<Real>);
  const Vec3<Real> z = (Real(1) / unit) * z_f, reach{z.x / mu.x, z.y / mu.y, z.z / mu.z};
  const Vec3<Real> none{Real(0), Real(0), Real(0)};
  if (!(norm_squared(reach) > Real(1)))
    return respond_from_section(z_n, z_f, none, {Real(1), Real(0), Real(0), Real(1), Real(0), Real(1)});
  const Real theta = solve_ellipsoid_section(mu, z);
  Vec3<Real> m, normal, e, f;
  for (int axis = 0; axis < 3; ++axis) normal[axis] = z[axis] / (mu[axis] * mu[axis] + theta);
  for (int axis = 0; axis < 3; ++axis) m[axis] = mu[axis] * mu[axis] * normal[axis];
  cone_detail::span_normal_plane(normal, e, f);
  const auto bend = [&](const Vec3<Real>& a, const Vec3<Real>& b) {
    const Real A = a.x * b.x / (mu.x * mu.x) + a.y * b.y / (mu.y * mu.y) + a.z * b.z / (mu.z * mu.z);
    return dot(a, b) + theta * A;
  };
  const Real ee = bend(e, e), ef = bend(e, f), ff = bend(f, f), inverse = Real(1) / (ee * ff - ef * ef);
  const Vec3<Real> x = inverse * (ff * e - ef * f), y = inverse * (ee * f - ef * e);
  const Sym3<Real> K{x.x * e.x + y.x * f.x, x.x * e.y + y.x * f.y, x.x * e.z + y.x * f.z,
                     x.y * e.y + y.y * f.y, x.y * e.z + y.y * f.z, x.z * e.z + y.z * f.z};
  const Vec3<Real> d = m - (dot(e, m) * x + dot(f, m) * y);
  return respond_from_section(z_n, z_n * m, d, K);
}

}  // namespace section_detail

/// λ for z under Coulomb's law, with its derivative, for μ_r > 0.
template <class Real>
ST_APART ContactResponse<Real> resolve_coulomb_torsion(const FacetTable<Real>& table, Friction<Real> mu,
                                                       ContactVector<Real> z) {
  if (!(z.n > Real(0))) return {};
  const bool slides_t = mu.mu_t > Real(0), slides_o = mu.mu_o > Real(0);
  if (slides_t && slides_o)
    return section_detail::respond_on_ellipsoid({mu.mu_t, mu.mu_o, mu.mu_r}, z.n, {z.t, z.o, z.r});
  const Real none = Real(0);
  if (slides_o) {  // r in place of t
    const auto p = resolve_coulomb(table, mu.mu_r, mu.mu_o, {z.n, z.r, z.o});
    const Sym3<Real>& w = p.weight;
    return {{p.lambda.x, none, p.lambda.z, p.lambda.y},
            {{w.nn, none, w.no, none, none, w.oo}, {w.nt, none, w.to, w.tt}},
            {none, none, p.slope_o, p.slope_t}};
  }
  const auto p = resolve_coulomb(table, mu.mu_t, mu.mu_r, {z.n, z.t, z.r});  // r in place of o
  const Sym3<Real>& w = p.weight;
  return {{p.lambda.x, p.lambda.y, none, p.lambda.z},
          {{w.nn, w.nt, none, w.tt, none, none}, {w.no, w.to, none, w.oo}},
          {none, p.slope_t, none, p.slope_o}};
}

/// λ for z under Coulomb's law, with its derivative, for any contact.
template <class Real>
ST_FN ContactResponse<Real> resolve_coulomb(const FacetTable<Real>& table, const Friction<Real>& mu,
                                            const ContactVector<Real>& z) {
  if (mu.mu_r > Real(0)) return resolve_coulomb_torsion(table, mu, z);
  const auto p = resolve_coulomb(table, mu.mu_t, mu.mu_o, z.nto());
  return {without_torsion(p.lambda), {p.weight, {}}, {Real(0), p.slope_t, p.slope_o, Real(0)}};
}

}  // namespace stiction
