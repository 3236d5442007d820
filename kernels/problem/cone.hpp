// The cone of a contact: the only place that chooses its kind (cone_answers.hpp).
#pragma once

#include "kernels/problem/cone_facets_torsion.hpp"
#include "kernels/problem/cone_torsion.hpp"

namespace stiction {

/// use(kind) for the kind of all contacts of a problem that have no torsion.
template <class Real, class Use>
ST_FN auto with_cone(const FacetTable<Real>& table, Use use) {
  if (is_round(table.cone)) return use(QuadraticCone<Real>{});
  return use(FacetCone<Real>{});
}

/// use(kind) for the kind of all contacts of a problem that have torsion.
template <class Real, class Use>
ST_FN auto with_torsion_cone(const FacetTable<Real>& table, Use use) {
  if (is_round(table.cone)) return use(TorsionCone<Real>{});
  return use(FacetTorsionCone<Real>{});
}

/// P_K(x) and its derivative, for x = (n, t, o).
template <class Real>
ST_FN ConeProjection<Real> project_to_cone(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& x) {
  return with_cone(table, [&](auto cone) { return cone.project(table, mu_t, mu_o, x); });
}

/// The same for a contact that may have torsion; without torsion r = 0.
template <class Real>
ST_PHASE ContactProjection<Real> project_to_cone(const FacetTable<Real>& table, Friction<Real> mu,
                                                 ContactVector<Real> x) {
  if (mu.mu_r > Real(0)) return with_torsion_cone(table, [&](auto cone) { return cone.project(table, mu, x); });
  const auto p = project_to_cone(table, mu.mu_t, mu.mu_o, x.nto());
  return {without_torsion(p.point), {p.derivative, {}}};
}

/// P_K(x) alone, which takes less than its derivative.
template <class Real>
ST_PHASE ContactVector<Real> project_point_to_cone(const FacetTable<Real>& table, Friction<Real> mu,
                                                   ContactVector<Real> x) {
  if (mu.mu_r > Real(0)) return with_torsion_cone(table, [&](auto cone) { return cone.project_point(table, mu, x); });
  return without_torsion(project_to_cone(table, mu.mu_t, mu.mu_o, x.nto()).point);
}

/// s(u_t) for u = (n, t, o) [m/s]
template <class Real>
ST_FN Real support_friction(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& u) {
  return with_cone(table, [&](auto cone) { return cone.support(table, mu_t, mu_o, u); });
}

/// The same for a contact that may have torsion [m/s].
template <class Real>
ST_PHASE Real support_friction(const FacetTable<Real>& table, Friction<Real> mu, ContactVector<Real> u) {
  if (mu.mu_r > Real(0)) return with_torsion_cone(table, [&](auto cone) { return cone.support(table, mu, u); });
  return support_friction(table, mu.mu_t, mu.mu_o, u.nto());
}

/// s with its corners rounded off by δ, and its slope.
template <class Real>
ST_FN SmoothSupport<Real> smooth_support(const FacetTable<Real>& table, const Friction<Real>& mu,
                                         const ContactVector<Real>& u, Real delta) {
  const SmoothSupport<Real> s = with_cone(table, [&](auto cone) { return cone.smooth(table, mu, u, delta); });
  if (is_round(table.cone) || !(mu.mu_r > Real(0))) return s;
  return cone_detail::join_twist_support(s, mu.mu_r, u.r, delta);
}

}  // namespace stiction
