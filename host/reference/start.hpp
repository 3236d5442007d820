// The contact problem relative to a start v_s, so that the least motion is the motion nearest to v_s.
//
//   v = v_s + d:   H d = (g − H v_s) + Jᵀλ,   u = J d + (b + J v_s);   of several d, the one with the least dᵀ M d
#pragma once

#include "host/reference/contact_solver.hpp"

namespace stiction::reference {

/// The answer whose motion is nearest to `start` (nv); an empty start means rest.
ContactAnswer solve_contacts_near(const DenseProblem& problem, const Eigen::VectorXd& start);

}  // namespace stiction::reference
