// Quasistatic: forces balance in every step, nothing has momentum.
//
//   H = h² K on actuated, 0 on un-actuated dofs;   g = h [K Δq̄ + τ_a ; τ_u]      (Pang & Tedrake 2021, (6), (10))
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

/// Adds nothing: quasistatic steps consist of the terms that all dynamics share.
template <class Team, class Real>
ST_FN void assemble_quasistatic(Team, const ModelView<Real>&, const Poses<Real>&, const MotionInputs<Real>&,
                                const Inertia<Real>&, const MotionTerms<Real>&) {}

}  // namespace stiction
