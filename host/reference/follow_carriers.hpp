// Free bodies that something with joints holds move along its arc.
//
//   c = Σ_carried λ_i a_i / Σ_loaded λ_i,   a = X⁺ X⁻¹ p − p − h v_A(p)
//
// p the body's centre of mass, A what is on the other side of contact i. Loaded: λ > h · 1 mN. Carried: A is part of a
// tree that is no free body, and ‖J v + b‖ at the contact is at most an eighth of ‖v_A‖ there.
#pragma once

#include "host/reference/contact_rows.hpp"
#include "host/reference/residual.hpp"

namespace stiction::reference {

/// A step from `before` to qpos (nq) along the motion `taken`, which may also part overlaps; returns qpos with the free
/// bodies shifted. `mocap_pose` is that at the end.
Eigen::VectorXd follow_carriers(const Model& model, const Kinematics& before, const std::vector<ContactInput>& points,
                                const DenseProblem& problem, const DenseSolution& solution,
                                const Eigen::VectorXd& taken, const std::vector<double>& mocap_pose,
                                const Eigen::VectorXd& qpos);

}  // namespace stiction::reference
