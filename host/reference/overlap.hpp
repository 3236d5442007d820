// Overlaps and exceeded limits at the start of a step with momentum, as the reference treats them: the problem of the
// velocity does not correct them, and the positions are then moved by the motion u nearest to v, in the norm of the
// mass, that leaves no limit exceeded.
//
//   velocity   a pair that overlaps by a > δ:    its contacts have max((φ + a)/h, 0) in place of φ/h
//              a pair that overlaps by less:     (φ + min(a, ε))/h
//              limits and couplings off by > δ:  0 in place of gap/h, error/h
//              limits and couplings off by less: only the part beyond ε
//   position   min ½ (u − v)ᵀ M (u − v)   s.t.  n·(J u + b) + φ/h >= 0 for every contact, limits alike, couplings = 0
//   q⁺ = q ⊞ h u,   v⁺ = v
//   longest    |u_j − v_j| r_j <= (r_j/10 + 10 Σ overlaps)/h. A longer u is replaced by that of the least overlap, and
//              shortened if that is too long as well; the step then counts as infeasible
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

/// The problem of the velocity, made from the whole problem. Contacts of bodies that meet within the step begin with no
/// overlap.
DenseProblem hold_overlaps(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                           const DeadBand& dead);

/// True if a pair or row that begins beyond its limit by more than `band` is still so after the motion v.
bool leaves_overlap(const Model& model, const DenseProblem& whole, const std::vector<ContactInput>& contacts,
                    const Eigen::VectorXd& v, double band);

/// The motion u for the whole problem. kInfeasible: some overlap is left, `violation` in sum.
ContactAnswer part_overlaps(const DenseProblem& whole, const Eigen::MatrixXd& mass, const Eigen::VectorXd& v);

}  // namespace stiction::reference
