// The impulse of one contact by its law, if a penalty ρ ties it to the velocity: λ⁺ = f(λ − ρ u), with its derivative.
#pragma once

#include "kernels/problem/coulomb_impulse.hpp"
#include "kernels/solver/ground/scaled_problem.hpp"

namespace stiction {

/// f(λ − ρ u) of contact i, with u = J v + b + φ/h e_n; f: the projection onto the cone, under Coulomb's law that of
/// coulomb_impulse.hpp.
template <class Real>
ST_FN ContactResponse<Real> resolve_contact(const ScaledProblem<Real>& s, ContactLaw law,
                                            const ContactVector<Real>& lambda, const ContactVector<Real>& Jv, Real rho,
                                            int i) {
  const ContactVector<Real> z = lambda - rho * (Jv + s.load(s.offset, i));
  if (shifts_gap(law)) return resolve_coulomb(s.table, s.friction(i), z);
  const auto p = project_to_cone(s.table, s.friction(i), z);
  return {p.point, p.derivative, {}};
}

}  // namespace stiction
