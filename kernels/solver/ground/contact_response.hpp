// The impulse of one contact by its law, if a penalty ρ ties it to the velocity: λ⁺ = f(λ − ρ u), with its derivative.
#pragma once

#include "kernels/problem/coulomb_impulse.hpp"
#include "kernels/solver/ground/scaled_problem.hpp"

namespace stiction {

/// f(z): the projection onto the cone of contact i; under Coulomb's law that of coulomb_impulse.hpp.
template <class Real>
ST_FN ContactResponse<Real> resolve_contact(const ScaledProblem<Real>& s, ContactLaw law, const ContactVector<Real>& z,
                                            int i) {
  if (shifts_gap(law)) return resolve_coulomb(s.table, s.friction(i), z);
  const auto p = project_to_cone(s.table, s.friction(i), z);
  return {p.point, p.derivative, {}};
}

}  // namespace stiction
