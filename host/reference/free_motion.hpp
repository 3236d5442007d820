// Linkages that move on by their velocity terms alone: trees of several dofs that are not one body.
//
//   w' = −M(q)⁻¹ c(q, w),  q' = w      from u over h, by the classic Runge-Kutta method in n parts; ends at (q_f, u_f)
//   ū                                  the velocity with q ⊞ h ū = q_f
//   n = ⌈4 h ω⌉ (at least 1, at most 64), ω the fastest spin of a body at u; doubled while a part's energy ½ wᵀMw is
//   off that of u by more than 1e-4, relative; w is scaled down to that energy after a part that gained
//
// u is where H u = g without velocity terms; they add M (ū − u) to g, and s (u_f − ū) to the velocity v that the step
// ends with, s = (vᵀMū / ūᵀMū)² between 0 and 1. Where the turn
// τ = h Σ |spin of a dof| at the start is at most 1e-3, or at most 0.5 and H_kk ≥ (1 + 2 τ) M_kk for all k, c is
// explicit.
#pragma once

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

/// What velocity terms do to the linkages of a model; zero on all other dofs.
struct LinkageMotion {
  Eigen::VectorXd impulse;                 // adds to g (nv)
  Eigen::VectorXd mean;                    // ū (nv)
  Eigen::VectorXd carry;                   // u_f − ū (nv)
  Eigen::MatrixXd M;                       // at q (nv, nv)
  std::vector<std::pair<int, int>> trees;  // first dof and their number of those that move
  bool beyond = false;                     // a step that its order can not do
};

/// H and g as they are without velocity terms of linkages.
LinkageMotion move_linkages(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qpos,
                            const Eigen::VectorXd& qvel, const Eigen::MatrixXd& H, const Eigen::VectorXd& g, double h);

/// The velocity at the end of the step with velocity v.
Eigen::VectorXd velocity_at_the_end(const LinkageMotion& motion, const Eigen::VectorXd& v);

}  // namespace stiction::reference
