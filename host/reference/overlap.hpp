// What a step with momentum begins with beyond its limits, as the reference sees it: the velocity's problem holds it
// where it is, and the positions end where the motion nearest to v, in the mass, leaves nothing beyond.
//
//   velocity   (φ + a)/h of the contacts of a pair that overlaps by a, where that is more than δ at least 0; where it
//   is
//              less with min(a, ε) in place of a
//              limits and couplings that are off by more than δ: 0 in place of gap/h, error/h; less: as far as beyond ε
//   position   min ½ (u − v)ᵀ M (u − v)   s.t.  n·(J u + b) + φ/h >= 0 of every contact, limits too, couplings = 0
//   q⁺ = q ⊞ h u,   v⁺ = v
//   δ = max(min(1 µm, h · 0.1 mm/s), 2 tolerance · 1 mm),  ε = δ/2
#pragma once

#include "host/reference/contact_rows.hpp"
#include "host/reference/contact_solver.hpp"

namespace stiction::reference {

/// δ and ε [m], [rad]
struct DeadBand {
  double band, slop;
};
DeadBand dead_band(double step_size, double tolerance);

/// The velocity's problem from the whole one. Contacts of bodies that meet on their way begin with no overlap.
DenseProblem hold_overlaps(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                           const DeadBand& dead);

/// True if something that begins beyond its limit by more than `band` stays so in the motion v.
bool leaves_overlap(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                    const Eigen::VectorXd& v, double band);

/// u of the whole problem.
ContactAnswer part_overlaps(const DenseProblem& whole, const Eigen::MatrixXd& mass, const Eigen::VectorXd& v);

}  // namespace stiction::reference
