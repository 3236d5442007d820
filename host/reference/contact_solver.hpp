// A contact problem of any law and cone, solved densely. Coulomb's law is the fixed point
//
//   s ← σ(u(s)),   u(s) the motion of the convex problem (convex_contacts.hpp) with gaps φ/h + s
//
//   σ(u)_i  the shift of friction_cone.hpp  [m/s]
//
// accelerated by Anderson's method (1965); Newton's method (contact_newton.hpp) starts from every round's answer. A
// larger s only relaxes the conditions, so that under Coulomb's law a problem is infeasible exactly if it is infeasible
// without friction. If the fixed point does not converge, the status is kIterationLimit: no solution was found.
#pragma once

#include "host/reference/convex_contacts.hpp"

namespace stiction::reference {

ContactAnswer solve_contacts(const DenseProblem& problem);

}  // namespace stiction::reference
