// What a step with momentum begins with beyond its limits, as the reference sees it: the velocity's problem holds it
// where it is, and the positions end where the motion nearest to v, in the mass, leaves nothing beyond.
//
//   velocity   max(φ + a, 0)/h of the contacts of a pair that overlaps, a its deepest overlap where that is more than
//              δ, else 0; limits and couplings that are off: 0 in place of gap/h, error/h
//   position   min ½ (u − v)ᵀ M (u − v)   s.t.  n·(J u + b) + φ/h >= 0 of every contact, limits too, couplings = 0
//   q⁺ = q ⊞ h u,   v⁺ = v
//   δ = max(min(1 µm, h · 0.1 mm/s), 2 tolerance · 1 mm)
#pragma once

#include "host/reference/contact_rows.hpp"
#include "host/reference/contact_solver.hpp"

namespace stiction::reference {

/// δ [m], [rad]
double overlap_band(double step_size, double tolerance);

/// The velocity's problem from the whole one. Contacts of bodies that meet on their way begin with no overlap.
DenseProblem hold_overlaps(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                           double band);

/// True if something that `held` holds where it is stays beyond its limit by more than `band` in the motion v.
bool leaves_overlap(const DenseProblem& whole, const DenseProblem& held, const Eigen::VectorXd& v, double band);

/// u of the whole problem.
ContactAnswer part_overlaps(const DenseProblem& whole, const Eigen::MatrixXd& mass, const Eigen::VectorXd& v);

}  // namespace stiction::reference
