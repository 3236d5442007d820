// The contact problem seen from a start v_s, so that the least motion is the one nearest to it.
//
//   v = v_s + d:   H d = (g − H v_s) + Jᵀλ,   u = J d + (b + J v_s),   and of several d the one of least dᵀ M d
#pragma once

#include "host/reference/contact_solver.hpp"

namespace stiction::reference {

/// The answer whose motion is the nearest to `start` (nv); empty: to rest.
ContactAnswer solve_contacts_near(const DenseProblem& problem, const Eigen::VectorXd& start);

}  // namespace stiction::reference
