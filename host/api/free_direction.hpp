// Why a problem with a dense singular H has no solution. The kernels look for a direction of zero cost in H itself,
// where rounding makes it cost something; here it is looked for in the null space of H.
//
//   d = N w,  H N = 0;   w = argmin ½ ‖w‖² − (Nᵀg)ᵀw + Σ_r σ_r(N w),  J N w ∈ K*                        (1)
//   σ_r(d) = max over λ in [l_r, u_r] of −λ J_r d                                                       (2)
//
// so that gᵀd − Σ σ_r(d) = ‖w‖²: the problem is unbounded exactly if w is not 0. σ is infinite where λ has no bound: a
// limit then requires J_r d >= 0, an equation J_r d = 0. A compliance yields to any finite λ and does not matter.
#pragma once

#include <vector>

#include "kernels/problem/contact_problem.hpp"

namespace stiction {

/// A direction d with H d = 0, gᵀd − Σ σ_r(d) > 0 and J d ∈ K*, checked; empty if none was found. Only looked for if H
/// is one block and contacts have a single friction coefficient and no torsion.
std::vector<double> find_free_direction(const ContactProblem<double>& problem);

}  // namespace stiction
