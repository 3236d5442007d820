// Bodies that spin without torque, with the velocity of a second-order step in world axes.
//
//   free body       v⁺_C = v_C           I ω⁺ = I ω − h ω̄ × I ω̄,  ω̄ = (ω + ω⁺)/2,  I about the centre of mass C
//   about a pivot                        the same, I about the pivot
//
// as n = ⌈h ‖ω‖⌉ ≤ 64 steps of h/n or of 1/‖ω‖, whichever is less; linkages: free_motion.hpp.
#pragma once

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

/// Of one tree: nothing, or the velocity of its dofs after a step without torque.
struct FreeSpin {
  bool known = false;
  Eigen::VectorXd velocity;  // (n)
};

FreeSpin spin_on(const Model& model, const Kinematics& kinematics, int tree, const Eigen::VectorXd& qvel, double h);

/// Centre of mass, in the world, of the bodies that free joint `joint` moves, if nothing but it moves them; else of its
/// body alone.
Eigen::Vector3d flying_center(const Model& model, const Kinematics& kinematics, int joint);

/// The velocity at the end of a step from `before` to `after`: of free bodies the origin's, which has turned about C.
Eigen::VectorXd carried_velocity(const Model& model, const Kinematics& before, const Kinematics& after,
                                 const Eigen::VectorXd& qvel);

}  // namespace stiction::reference
