// H and g of a step without momentum: quasistatic (6), (10) of Pang and Tedrake (2021), and quasidynamic.
//
//   H = h² K + h D  [+ ε M_u]        g = h (K (q̄ − q) + τ)
//
//   K  position actuators kp gear² ∇ℓ∇ℓᵀ, joint and tendon springs      q̄  their targets and rest positions
//   D  velocity actuators kv gear² ∇ℓ∇ℓᵀ, joint and tendon damping      τ  weight, its compensation, motors, kv v̄
//   ε  min(K) h² / (s max diag M_u), min over the position actuators' kp gear²; s = 0 or no such actuator: 1
//   M_u  mass matrix of the un-actuated dofs, zero elsewhere: also the weight of the least-motion choice
//
// Actuators with a force range leave H and g (contact_rows.hpp).
#pragma once

#include "host/reference/contact_rows.hpp"
#include "host/scene/scene.hpp"

namespace stiction::reference {

/// Fills H, g, M and dof_radius; problem.step_size is given.
void write_motion(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qpos,
                  const Eigen::VectorXd& ctrl, const PhysicsConfig& physics, DenseProblem& problem);

}  // namespace stiction::reference
