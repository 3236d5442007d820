// De Saxcé's shift of the normal velocity, and the dual cone, both by the support function of the friction section:
//
//   s(u_t) = max { −(λ_t u_t + λ_o u_o) : (1, λ_t, λ_o) ∈ K }                                       (1)
//   facets     max_k −D_k·u_t                       (pyramid: the polyhedral norm; box: μ_t|u_t| + μ_o|u_o|)
//   quadratic  √(μ_t²u_t² + μ_o²u_o² + μ_r²u_r²)
//
//   u ∈ K*  ⇔  u_n >= s(u_t)                            under every law                             (2)
//
// With û = u + (φ/h + s) e_n the condition û ∈ K* is therefore u_n + φ/h >= 0: there is no boundary layer.
#pragma once

#include "kernels/problem/cone.hpp"

namespace stiction {

/// s_i of the law: (1) under Coulomb's law, otherwise 0 [m/s]
template <class Real>
ST_FN Real shift_gap(ContactLaw law, const FacetTable<Real>& table, const Friction<Real>& mu,
                     const ContactVector<Real>& u) {
  return shifts_gap(law) ? support_friction(table, mu, u) : Real(0);
}

/// How far u is outside of K*, by (2) [m/s]
template <class Real>
ST_FN Real dual_cone_violation(const FacetTable<Real>& table, const Friction<Real>& mu, const ContactVector<Real>& u) {
  const Real outside = support_friction(table, mu, u) - u.n;
  return (outside >= Real(0) || outside != outside) ? outside : Real(0);
}

}  // namespace stiction
