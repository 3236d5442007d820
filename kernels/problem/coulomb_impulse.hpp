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
//   with torsion                     d, K: cone_torsion.hpp, cone_facets_torsion.hpp
//
// m and θ: cone_quadratic.hpp, (4).
#pragma once

#include "kernels/problem/cone.hpp"

namespace stiction {

/// (1) and (2)
template <class Real>
struct ContactImpulse {
  Vec3<Real> lambda;
  Sym3<Real> weight;      // W
  Real slope_t, slope_o;  // σ
};

/// The same with torsion.
template <class Real>
struct ContactResponse {
  ContactVector<Real> lambda;
  Sym4<Real> weight;          // W
  ContactVector<Real> slope;  // σ
};

/// λ for z = λ − ρ y under Coulomb's law, with its derivative.
template <class Real>
ST_PHASE ContactImpulse<Real> resolve_coulomb(const FacetTable<Real>& table, Real mu_t, Real mu_o, Vec3<Real> z) {
  if (!(z.x > Real(0))) return {};
  const auto p = with_cone(table, [&](auto cone) { return cone.nearest(table, mu_t, mu_o, z); });
  const Sym3<Real> weight{Real(1), p.d_t, p.d_o, p.tt + p.d_t * p.d_t, p.to + p.d_t * p.d_o, p.oo + p.d_o * p.d_o};
  return {{z.x, p.t, p.o}, weight, -p.d_t, -p.d_o};
}

/// The same for μ_r > 0.
template <class Real>
ST_APART ContactResponse<Real> resolve_coulomb_torsion(const FacetTable<Real>& table, Friction<Real> mu,
                                                       ContactVector<Real> z) {
  if (!(z.n > Real(0))) return {};
  const auto [point, d, K] = with_torsion_cone(table, [&](auto cone) { return cone.nearest(table, mu, z); });
  const ContactVector<Real> one{Real(1), d.x, d.y, d.z};
  const Sym4<Real> inner{{Real(0), Real(0), Real(0), K.nn, K.nt, K.tt}, {Real(0), K.no, K.to, K.oo}};
  return {{z.n, point.x, point.y, point.z}, scaled_outer(Real(1), one) + inner, {Real(0), -d.x, -d.y, -d.z}};
}

/// The same for any contact.
template <class Real>
ST_FN ContactResponse<Real> resolve_coulomb(const FacetTable<Real>& table, const Friction<Real>& mu,
                                            const ContactVector<Real>& z) {
  if (mu.mu_r > Real(0)) return resolve_coulomb_torsion(table, mu, z);
  const auto p = resolve_coulomb(table, mu.mu_t, mu.mu_o, z.nto());
  return {without_torsion(p.lambda), {p.weight, {}}, {Real(0), p.slope_t, p.slope_o, Real(0)}};
}

}  // namespace stiction
