// Why a problem with a dense singular H has no solution: the kernels look for a direction that costs nothing in H as it
// stands, where rounding costs; here it is looked for in the null space of H.
//
//   d = N w,  H N = 0;   w = argmin ½ ‖w‖² − (Nᵀg)ᵀw,  J N w ∈ K*                                        (1)
//
// so that gᵀd = ‖w‖²: unbounded exactly if w is not 0.
#pragma once

#include <vector>

#include "kernels/problem/contact_problem.hpp"

namespace stiction {

/// d with H d = 0, gᵀd > 0, J d ∈ K* and the like for rows J d >= 0, checked; empty if there is none. It is looked for
/// where H is one block, contacts have one friction and no torsion, and rows are limits or equations.
std::vector<double> find_free_direction(const ContactProblem<double>& problem);

}  // namespace stiction
