// Bodies that spin without torque over a step, with velocities in world axes.
//
//   I (ω⁺ − ω) + σ ω̄ × I ω̄ = 0,  ω̄ = (ω + ω⁺)/2        in every part p, I about the centre of mass or the pivot
//   σ = 2 tan(p ‖ω‖/2)/‖ω‖ of the ω at the start of the step, p to second order
//   R⁺ = R cay(σ ω̄),  cay(θ) = (1 − ½[θ]×)⁻¹ (1 + ½[θ]×)  with which R I ω stays
//
// as n = ⌈h ‖ω‖⌉ ≤ 64 parts of h/n or of 1/‖ω‖, whichever is less. The mean spin turns the body as all parts do.
#pragma once

#include <optional>

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

/// Of a tree that is one body: velocities of its dofs (nv), in the model's axes.
struct FreeSpin {
  bool changes;                                       // false: about a principal axis at `qvel`, or not at all
  Eigen::VectorXd mean;                               // from u on; of a free body the centre flies as with u
  Eigen::VectorXd carry;                              // the spin at the end less the mean one
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre or the pivot, of the dofs that turn
};

FreeSpin spin_on(const Model& model, const Kinematics& kinematics, int tree, const Eigen::VectorXd& qvel,
                 const Eigen::VectorXd& u, double h);

/// The first of the three dofs that turn a tree of one body; none for other trees.
std::optional<int> spinning_dofs(const Model& model, int tree);

/// The rotation vector with as many whole turns as makes it nearest to `way`.
Eigen::Vector3d whole_turn(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& way);

/// Centre of mass, in the world, of the bodies that free joint `joint` moves, if nothing but it moves them; else of its
/// body alone.
Eigen::Vector3d flying_center(const Model& model, const Kinematics& kinematics, int joint);

/// The velocity at the end of a step from `before` to `after`: of free bodies the origin's, which has turned about C.
Eigen::VectorXd carried_velocity(const Model& model, const Kinematics& before, const Kinematics& after,
                                 const Eigen::VectorXd& qvel);

}  // namespace stiction::reference
