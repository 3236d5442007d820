// The last digits of an answer: Newton's method on the conditions themselves, as the residual states them.
//
//   H v − g − Jᵀλ − Jᵣᵀλᵣ = 0
//   λ_i − P_K(λ_i − ρ û_i) = 0,     û_i = J_i v + b_i + (φ_i/h + s_i) e_n, s_i the shift of the law
//   λᵣ − P_C(λᵣ − ρᵣ ûᵣ) = 0,       ûᵣ = Jᵣ v + bᵣ + Rᵣ λᵣ,  ρᵣ = ρ radius²
//
// with the derivative of P_K that belongs to the face, or the line of the curved surface, that the iterate projects to
// (Alart and Curnier 1991). The system may be singular: every correction is the one of least norm, so that what is not
// determined stays where it is. It finds an answer only from near by; who calls it brings the iterate there.
#pragma once

#include "host/reference/residual.hpp"

namespace stiction::reference {

/// The iterate of least residual, at worst `start` itself.
DenseSolution refine_contacts(const DenseProblem& problem, const DenseSolution& start);

}  // namespace stiction::reference
