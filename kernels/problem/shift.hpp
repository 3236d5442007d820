// The support function of the friction section at −u_t:
//
//   s(u_t) = max { −(λ_t u_t + λ_o u_o) : (1, λ_t, λ_o) ∈ K }                                       (1)
//   facets     max_k −D_k·u_t                       (pyramid: the polyhedral norm; box: μ_t|u_t| + μ_o|u_o|)
//   quadratic  √(μ_t²u_t² + μ_o²u_o² + μ_r²u_r²)
//
// Under Coulomb's law it is De Saxcé's shift of the normal velocity. Under every law it describes the dual cone:
//
//   u ∈ K*  ⇔  u_n >= s(u_t)                                                                        (2)
//
// With û = u + (φ/h + s) e_n the condition û ∈ K* is therefore u_n + φ/h >= 0: there is no boundary layer.
#pragma once

#include "kernels/problem/contact_vector.hpp"
#include "kernels/problem/facets.hpp"

namespace stiction {

/// (1) for u = (n, t, o) [m/s]
template <class Real>
ST_FN Real support_friction(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& u) {
  if (table.cone == ConeType::kQuadratic) {
    const Real t = mu_t * u.y, o = mu_o * u.z;
    return std::sqrt(t * t + o * o);
  }
  Real largest = -(mu_t * table.cosine[0] * u.y + mu_o * table.sine[0] * u.z);
  for (int k = 1; k < table.facets; ++k) {
    const Real along = -(mu_t * table.cosine[k] * u.y + mu_o * table.sine[k] * u.z);
    largest = (along > largest || along != along) ? along : largest;
  }
  return largest;
}

/// (1) for a contact that may have torsion [m/s]
template <class Real>
ST_PHASE Real support_friction(const FacetTable<Real>& table, Friction<Real> mu, ContactVector<Real> u) {
  if (!(mu.mu_r > Real(0))) return support_friction(table, mu.mu_t, mu.mu_o, u.nto());
  const Real t = mu.mu_t * u.t, o = mu.mu_o * u.o, r = mu.mu_r * u.r;
  return std::sqrt(t * t + o * o + r * r);
}

/// s_i of the law: (1) under Coulomb's law, otherwise 0 [m/s]
template <class Real>
ST_FN Real shift_gap(ContactLaw law, const FacetTable<Real>& table, const Friction<Real>& mu,
                     const ContactVector<Real>& u) {
  return law == ContactLaw::kCoulomb ? support_friction(table, mu, u) : Real(0);
}

/// How far u is outside of K*, by (2) [m/s]
template <class Real>
ST_FN Real dual_cone_violation(const FacetTable<Real>& table, const Friction<Real>& mu, const ContactVector<Real>& u) {
  const Real outside = support_friction(table, mu, u) - u.n;
  return (outside >= Real(0) || outside != outside) ? outside : Real(0);
}

}  // namespace stiction
