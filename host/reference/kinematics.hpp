// Kinematics and rigid-body terms by body Jacobians, dense and plain.
//
//   X_WB by composing joints from the root; a dof j moves a point p of its subtree by
//     rotation     (ω, ṗ) = (a_j, a_j × (p − o_j)) v_j        translation  (0, a_j) v_j
//   M = Σ_b J_bᵀ diag(m, I_W) J_b + diag(armature)
//   c = Σ_b J_bᵀ (m a_b ; I_W α_b + ω × I_W ω) − Σ_b J_bᵀ m g,   a_b, α_b = J̇ v from the explicit derivative of each
//       column: ȧ_j = ω_frame × a_j, d/dt (p − o_j) = ṗ − ȯ_j
//
//   symbol   variable      shape          unit
//   X_WB     body          (nbody)        [m], rotation
//   c_b      com           (nbody, 3)     centre of mass [m]
//   a_j o_j  axis, anchor  (nv, 3)        [-], [m], world
//   J_b      -             (6, nv)        rows 0-2 linear, 3-5 angular, at the centre of mass
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "host/model/model.hpp"

namespace stiction::reference {

struct Pose {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
};

struct Kinematics {
  std::vector<Pose> body;                // X_WB (nbody)
  std::vector<Pose> geom;                // X_WG (ngeom)
  std::vector<Eigen::Vector3d> com;      // (nbody)
  std::vector<Eigen::Matrix3d> inertia;  // about the centre of mass, world axes [kg m²] (nbody)
  std::vector<Eigen::Vector3d> axis;     // axis of a dof, world (nv)
  std::vector<Eigen::Vector3d> anchor;   // point about which a rotational dof turns, world [m] (nv)
  std::vector<bool> rotational;          // (nv)
};

/// `mocap_pose` holds position and quaternion of every mocap body (nmocap, 7); empty: those of the model.
Kinematics forward_kinematics(const Model& model, const Eigen::VectorXd& qpos,
                              const std::vector<double>& mocap_pose = {});

/// True if the dof moves a frozen body.
bool moves_frozen(const Model& model, int dof);

/// Sets what couples dofs that move a frozen body with others to zero in a matrix of the dofs from `first` on.
void keep_apart_frozen(const Model& model, int first, Eigen::MatrixXd& matrix);

/// Velocity of the point of `body` that is at `point` [m, world]: rows 0-2 linear, 3-5 angular, world axes.  (6, nv)
Eigen::MatrixXd body_jacobian(const Model& model, const Kinematics& kinematics, int body, const Eigen::Vector3d& point);

/// Joint-space inertia with armature [kg], [kg m], [kg m²].  (nv, nv)
Eigen::MatrixXd mass_matrix(const Model& model, const Kinematics& kinematics);

/// Coriolis, centrifugal and gyroscopic forces minus the full weight: M v̇ + c = τ. [N], [N m]  (nv)
Eigen::VectorXd bias_force(const Model& model, const Kinematics& kinematics, const Eigen::VectorXd& qvel);

/// Generalised weight of all bodies, and the share of it that gravity compensation carries (pointing up). (nv)
Eigen::VectorXd weight_force(const Model& model, const Kinematics& kinematics);
Eigen::VectorXd compensation_force(const Model& model, const Kinematics& kinematics);

/// How the centre of mass of a free body moves with (v, ω) in a step, in world axes.
enum class FreeMotion {
  kTwist,     // p + h V(h ω) v: along the constant twist
  kStraight,  // p + h v
};

/// q ⊞ h v: q + h v for hinges and slides, exp(h ω) for balls; `motion` decides for free bodies.
Eigen::VectorXd integrate(const Model& model, const Eigen::VectorXd& qpos, const Eigen::VectorXd& qvel, double h,
                          FreeMotion motion = FreeMotion::kTwist);

}  // namespace stiction::reference
