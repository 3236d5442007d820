// The last digits of an answer: Newton's method on what each contact and row does.
//
//   open      λ = 0
//   held      û = 0 across the face of K that λ lies in:  Bᵀ û = 0,  λ in the span of B
//   sliding   on a curved cone, w = (μ_t u_t, μ_o u_o):
//             û_n = ‖w‖,  λ_t ‖w‖ + λ_n μ_t w_t = 0,  λ_o ‖w‖ + λ_n μ_o w_o = 0
//   row       λ at a bound of its interval, or û = 0
//   and       H v − g − Jᵀλ = 0,   û of residual.hpp with the shift of the law
//
// Which of these holds is read off the natural map λ − ρû of the answer that it starts from. The system may be
// singular: every correction is the one of least norm, so that what is not determined stays where it is.
#pragma once

#include "host/reference/residual.hpp"

namespace stiction::reference {

/// The iterate of least residual, at worst `start` itself.
DenseSolution refine_contacts(const DenseProblem& problem, const DenseSolution& start);

}  // namespace stiction::reference
