// P_K and its derivative for every cone: the only place where solvers and the residual choose by kind of cone.
#pragma once

#include "kernels/problem/ellipsoid_projection.hpp"

namespace stiction {

/// The point of the cone of (μ_t, μ_o) that is nearest to x, with the symmetric derivative there.
template <class Real>
ST_FN ConeProjection<Real> project_to_cone(const FacetTable<Real>& table, Real mu_t, Real mu_o, const Vec3<Real>& x) {
  if (table.cone == ConeType::kQuadratic) return project_to_quadratic(mu_t, mu_o, x);
  return project_to_pyramid(table, mu_t, mu_o, x);
}

/// The same for a contact that may have torsion; without torsion r = 0.
template <class Real>
ST_PHASE ContactProjection<Real> project_to_cone(const FacetTable<Real>& table, Friction<Real> mu,
                                                 ContactVector<Real> x) {
  if (mu.mu_r > Real(0)) return project_to_ellipsoid(mu, x);
  const auto p = project_to_cone(table, mu.mu_t, mu.mu_o, x.nto());
  return {without_torsion(p.point), {p.derivative, {}}};
}

}  // namespace stiction
