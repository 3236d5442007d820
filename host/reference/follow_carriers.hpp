// Free bodies that a body with joints holds move along the arc of that body.
//
//   c = Σ_carried λ_i a_i / Σ_loaded λ_i,   a = X⁺ X⁻¹ p − p − h v_A(p)
//
// p is the body's centre of mass, A the body on the other side of contact i. A contact is loaded if λ > h · 1 mN. It is
// carried if A is part of a tree that is no free body, and if ‖J v + b‖ at the contact is at most an eighth of ‖v_A‖
// there.
#pragma once

#include "host/reference/contact_rows.hpp"
#include "host/reference/residual.hpp"

namespace stiction::reference {

/// Shifts the carried free bodies after a step from `before` to qpos (nq) along the motion `taken`, which may also part
/// overlaps; returns the new qpos. `mocap_pose` is that at the end of the step.
Eigen::VectorXd follow_carriers(const Model& model, const Kinematics& before, const std::vector<ContactInput>& points,
                                const DenseProblem& problem, const DenseSolution& solution,
                                const Eigen::VectorXd& taken, const std::vector<double>& mocap_pose,
                                const Eigen::VectorXd& qpos);

}  // namespace stiction::reference
