// Quasistatic: forces balance in every step, nothing has momentum.
//
//   H = h² K on actuated, 0 on un-actuated dofs;   g = h [K Δq̄ + τ_a ; τ_u]      (Pang & Tedrake 2021, (6), (10))
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

template <class Team, class Real, class Solve>
ST_FN void assemble_quasistatic(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                                const MotionInputs<Real>& in, const Inertia<Real>& inertia,
                                const MotionTerms<Real, Solve>& terms) {
  add_common_terms(team, model, poses, in, Dynamics::kQuasistatic, inertia, terms);
}

}  // namespace stiction
