// Trees that move on by their velocity terms alone. Single bodies: free_spin.hpp. Linkages, trees of several dofs that
// are not one body:
//
//   w' = −M(q)⁻¹ c(q, w),  q' = w      from u over h, by the classic Runge-Kutta method in n parts; ends at (q_f, u_f)
//   ū                                  the velocity with q ⊞ h ū = q_f
//   n = ⌈4 h ω⌉ (at least 1, at most 64), ω the fastest spin of a body at u; doubled while a part's energy ½ wᵀMw is
//   off that of u by more than 1e-4, relative; w is scaled down to that energy after a part that gained
//
// u is where H u = g without velocity terms; they add M (ū − u) to g, and s (u_f − ū) to the velocity v that the step
// ends with, s = (vᵀMū / ūᵀMū)² between 0 and 1. With τ = h Σ |spin of a dof| at the start, c is explicit where
//
//   τ ≤ 1e-3,  or  τ ≤ 0.5 and one of:  H_kk ≥ (1 + 2 τ) M_kk for all k;  dry friction exceeds c at some dof;
//              a coupling, a limited or dry tendon or an actuator of limited force acts on the tree;
//              q_f is outside the range of a limited joint
#pragma once

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

/// A tree that moved: its dofs, and from which one on its velocity counts in s.
struct MovedTree {
  int tree, first, n, from;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // of a body that turns; else unused
  double given = 0.0;  // its ½ uᵀIu less ½ ūᵀIū, which the spin at the end has again
};

/// What velocity terms do to the trees of a model; zero on all other dofs.
struct FreeMotions {
  Eigen::VectorXd impulse;  // adds to g (nv)
  Eigen::VectorXd mean;     // ū (nv)
  Eigen::VectorXd carry;    // u_f − ū (nv)
  Eigen::MatrixXd M;        // at q (nv, nv)
  std::vector<MovedTree> trees;
  bool beyond = false;  // a step that its order can not do
};

/// H and g as they are without velocity terms.
FreeMotions move_freely(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qpos,
                        const Eigen::VectorXd& qvel, const Eigen::MatrixXd& H, const Eigen::VectorXd& g, double h);

/// The velocity at the end of the step with velocity v; of free bodies that of the origin at `after`.
Eigen::VectorXd velocity_at_the_end(const Model& model, const FreeMotions& motions, const Kinematics& after,
                                    const Eigen::VectorXd& v);

}  // namespace stiction::reference
