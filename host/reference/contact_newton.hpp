// The last digits of an answer, by Newton's method on the conditions in the form in which the residual states them.
//
//   H v − g − Jᵀλ − Jᵣᵀλᵣ = 0
//   λ_i − P_K(λ_i − ρ û_i) = 0,     û_i = J_i v + b_i + (φ_i/h + s_i) e_n, s_i the shift of the law
//   λᵣ − P_C(λᵣ − ρᵣ ûᵣ) = 0,       ûᵣ = Jᵣ v + bᵣ + Rᵣ λᵣ,  ρᵣ = ρ radius²
//
// with the derivative of P_K on the face, or at the line of the curved surface, to which the iterate projects (Alart
// and Curnier 1991). The system may be singular. Every correction is the one of least norm, so that unknowns that are
// not determined do not change. The method converges only from an iterate that is near; the caller has to provide one.
#pragma once

#include "host/reference/residual.hpp"

namespace stiction::reference {

/// The iterate with the least residual, at worst `start` itself.
DenseSolution refine_contacts(const DenseProblem& problem, const DenseSolution& start);

}  // namespace stiction::reference
