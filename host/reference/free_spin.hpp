// Bodies that spin without torque over a step, with velocities in world axes.
//
//   I (ω⁺ − ω) + σ ω̄ × I ω̄ = 0,  ω̄ = (ω + ω⁺)/2        in every part, of duration p; I about the centre or the pivot
//   σ = 2 tan(p ‖ω‖/2)/‖ω‖ with ω at the start of the step; σ = p to second order
//   R⁺ = R cay(σ ω̄),  cay(θ) = (1 − ½[θ]×)⁻¹ (1 + ½[θ]×)  which keeps R I ω
//
// The step is divided into n = ⌈h ‖ω‖⌉ ≤ 64 parts of h/n or 1/‖ω‖, whichever is less. The mean spin turns the body as
// all parts together do.
#pragma once

#include <optional>

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

/// The free motion of a tree that is one body: velocities of its dofs (nv), in the model's axes.
struct FreeSpin {
  bool changes;           // false: at `qvel` it spins about a principal axis, or not at all
  Eigen::VectorXd mean;   // mean velocity from u on; the centre of a free body moves as with u
  Eigen::VectorXd carry;  // the spin at the end less the mean spin
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre or the pivot, for the dofs that turn [kg m²]
};

FreeSpin spin_on(const Model& model, const Kinematics& kinematics, int tree, const Eigen::VectorXd& qvel,
                 const Eigen::VectorXd& u, double h);

/// The first of the three dofs that turn a tree of one body; none for other trees.
std::optional<int> spinning_dofs(const Model& model, int tree);

/// The rotation vector with as many whole turns added as bring it nearest to `way` [rad].
Eigen::Vector3d whole_turn(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& way);

/// Centre of mass, in the world, of all bodies that the free joint `joint` moves, if no other joint moves any of them;
/// otherwise of its body alone [m].
Eigen::Vector3d flying_center(const Model& model, const Kinematics& kinematics, int joint);

/// The velocity at the end of a step from `before` to `after`: for free bodies that of the origin, which has turned
/// about the centre of mass.
Eigen::VectorXd carried_velocity(const Model& model, const Kinematics& before, const Kinematics& after,
                                 const Eigen::VectorXd& qvel);

}  // namespace stiction::reference
