// Drag of the fluid on every body: Jᵀ B J and Jᵀ B wind, with B of the velocities at the start of a step.
//
//   one body    V = R_Wᵀ (J q̇ − wind): six velocities at the centre of mass along its principal axes
//               B_i = viscous share + ρ c_i |V_i|,   c of the box with the body's mass and moments (MuJoCo)
#pragma once

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

struct Drag {
  Eigen::MatrixXd damping;  // Jᵀ B J  (nv, nv) [kg/s], [N m s]
  Eigen::VectorXd push;     // Jᵀ B wind  (nv) [N], [N m]
};

Drag fluid_drag(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qvel);

}  // namespace stiction::reference
