// H and g of a step, for every dynamics.
//
//   without momentum   H = h² K + h D  [+ ε M_u]          g = h (K (q̄ − q) + τ) + p
//   dynamic            H = M + h D + h² K                 g = M v + h (K (q̄ − q) + τ − c) + p
//   dynamic_fitted     as dynamic, with the slopes and impulses of springs.hpp in place of h D + h² K and h K (q̄ − q)
//   kinematic          the rows and columns of the prescribed dofs are taken out of H and g:
//                      g_f −= H_fp v̄,  H_pp = diag(d), g_p = d v̄,  d_p = r_p² G/V
//                      G = max(max_f |g_f|/r_f, h · 1 mN),  V = max(max_p r_p |v̄_p|, 1 mm/h)
//
//   K  position actuators kp gear² ∇ℓ∇ℓᵀ, joint and tendon springs      q̄  their targets and rest positions
//   D  kv gear² ∇ℓ∇ℓᵀ of velocity actuators (dynamic: of position actuators too), joint and tendon damping
//   τ  weight, its compensation, motors, kv v̄                            c  Coriolis, centrifugal, gyroscopic force
//      over the step: − h c is the impulse of free_motion.hpp
//   drag of a fluid: H += h Jᵀ B J, g += h Jᵀ B wind (fluid.hpp)
//   p  impulses of the step, J_Cᵀ (linear; angular)
//   ε  min(K) h² / (s max diag M_u), min over the position actuators' kp gear²; 1 if s = 0 or there is no such actuator
//   M_u  mass matrix of the un-actuated dofs, zero elsewhere: also the weight of the least-motion choice
//   v̄  (ctrl target − q)/h for a position actuator, the target rate for a velocity actuator
//
// Actuators with a force range are rows (contact_rows.hpp) and not in H and g. Quasistatic: (6), (10) of Pang and
// Tedrake (2021); kinematic: their (1); dynamic: (17) of Miller and Christensen (2003).
#pragma once

#include "host/reference/contact_rows.hpp"
#include "host/reference/free_motion.hpp"
#include "host/scene/scene.hpp"

namespace stiction::reference {

/// The state from which a step starts.
struct MotionState {
  SpringState springs;
  std::vector<Impulse> impulses;  // impulses of this step
};

/// How springs act in a step, and how trees move without forces.
struct Motion {
  SpringRule springs;
  FreeMotions free;
};

/// Fills H, g, M, dof_radius and the prescribed velocities; problem.step_size is given.
Motion write_motion(const Model& model, const Kinematics& kinematics, const MotionState& state,
                    const PhysicsConfig& physics, DenseProblem& problem);

/// Mechanical energy [J].
struct Energy {
  double potential;  // energy of the weight, less what compensation carries, and of joint and tendon springs
  double kinetic;    // ½ vᵀ M v
};

Energy measure_energy(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qpos,
                      const Eigen::VectorXd& qvel);

}  // namespace stiction::reference
