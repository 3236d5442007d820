// The motion of trees by their velocity terms alone. Single bodies are in free_spin.hpp. Linkages, that is, trees of
// several dofs that are not one body, move by
//
//   w' = −M(q)⁻¹ c(q, w),  q' = w      from u over h, by the classic Runge-Kutta method in n parts; ends at (q_f, u_f)
//   ū                                  the velocity with q ⊞ h ū = q_f
//
// n = ⌈4 h ω⌉ (at least 1, at most 64), with ω the fastest spin of a body at u. n is doubled while the energy ½ wᵀMw
// after a part differs from that of u by more than 1e-4, relative. After a part that gained energy, w is scaled down to
// the energy of u. Where h ω ≤ 1/32, one part by Heun's method of third order is tried first, and stands if it changes
// the energy by at most 1e-6.
//
// u solves H u = g without velocity terms. These add M (ū − u) to g, and s (u_f − ū) to the velocity v at the end of
// the step, s = (vᵀMū / ūᵀMū)² between 0 and 1. With τ = h Σ |spin of a dof| at the start, c is explicit if
//
//   τ ≤ 1e-3,  or  τ ≤ 0.5 and one of:  H_kk ≥ (1 + 2 τ) M_kk for all k;  dry friction exceeds c at some dof;
//              a coupling, a limited or dry tendon or an actuator of limited force acts on the tree;
//              q_f is outside the range of a limited joint
#pragma once

#include "host/reference/kinematics.hpp"

namespace stiction::reference {

/// A tree that moved: its n dofs from `first` on, of which those from `from` on count in s.
struct MovedTree {
  int tree, first, n, from;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // rotational inertia of a single body; else unused [kg m²]
  double given = 0.0;  // ½ uᵀIu − ½ ūᵀIū of a single body, which the spin at the end gets back [J]
};

/// A linkage: its n dofs from `first` on.
struct Linkage {
  int tree, first, n;
  bool passive;        // true: only weight drives it
  bool moved = false;  // true: it moved freely; false: c is explicit, or not there
};

/// The effect of velocity terms on the trees of a model; zero for all other dofs.
struct FreeMotions {
  Eigen::VectorXd impulse;  // to be added to g (nv)
  Eigen::VectorXd start;    // u of linkages that moved (nv)
  Eigen::VectorXd mean;     // ū (nv)
  Eigen::VectorXd carry;    // u_f − ū (nv)
  Eigen::MatrixXd M;        // at q (nv, nv)
  std::vector<MovedTree> trees;
  std::vector<Linkage> linkages;
  bool beyond = false;  // true: the motion goes too far for the order of the method
};

/// h Σ |spin of a dof| of the n dofs from `first` on [rad].
double turn_of(const Kinematics& kinematics, int first, int n, const Eigen::VectorXd& v, double h);

/// The free motion of all trees; H and g are those without velocity terms.
FreeMotions move_freely(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qpos,
                        const Eigen::VectorXd& qvel, const Eigen::MatrixXd& H, const Eigen::VectorXd& g, double h);

/// The velocity at the end of the step with velocity v; for free bodies, that of the origin at `after`.
Eigen::VectorXd velocity_at_the_end(const Model& model, const FreeMotions& motions, const Kinematics& after,
                                    const Eigen::VectorXd& v);

}  // namespace stiction::reference
