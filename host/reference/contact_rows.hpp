// Contact points, and all other conditions on motions and actuators, as dense rows.
//
//   contact   J_i = (n t o)ᵀ (J_B(m) − J_A(m)),  m the midpoint of the witnesses;  φ = n·(p_B − p_A) − margin
//             b_i = (n t o)ᵀ (s_B(m) − s_A(m)),  s = v + ω × (m − p) of the script that moves the body, if any
//             for bodies that meet later in the step, J and s of a side are taken at m − way (ContactInput)
//   torsion   row r (dimension 4): J = a n·(ω_B − ω_A),  b = a n·(ω of the scripts),  μ_r/a,  a the least dof_radius of
//             the rotations that move either body
//   frame     t = e − (n·e) n normalised, e = y if |n_y| < ½ else z;  o = n × t
//   limit     ℓ >= lower or ℓ <= upper:    J = ±∂ℓ/∂v,  b = gap/h,  λ in [0, ∞)
//   ball      angle <= range:              J = −axis (body axes),  b = gap/h
//   coupling  ℓ₁ − r₁ = poly(ℓ₂ − r₂):     J = ∂ℓ₁/∂v − poly′ ∂ℓ₂/∂v,  b = error/h,  λ in ℝ
//   dry       |λ| <= h frictionloss:       J = ∂ℓ/∂v
//   actuator with a force range (design: general row):  J = gear ∂ℓ/∂v,  λ in h [f_lower, f_upper],
//             R = 1/slope,  b = −impulse R  (springs.hpp): 1/(h² kp + h kv), −h f₀ R by backward Euler
//             f₀: its force at the present length and at rest
//   weld      p₁ − p₂ and log(R₁R₂ᵀ) of two frames:  J, b₀ their relative velocity, world axes
//             hard:   b = b₀ + error/h              soft (MuJoCo's solref, solimp), with the error e⁺ = e + h u⁺ and
//             the speed u⁺ at the end:  (u⁺ − u)/h = −β u⁺ − κ d e⁺ − (1 − d)/d Â λ/h,  u = J v + b₀
//
// Prescribed velocities v̄ (kinematic) are taken out of the rows: b += J_p v̄, J_p = 0. If nothing else is left in a row,
// its impulse has no effect. Then a contact keeps its normal condition, without friction; a limit or coupling that v̄
// satisfies, and every dry friction, gets the bounds 0; a row that v̄ violates by more than 1 nm stays, without a
// solution.
#pragma once

#include <vector>

#include "host/reference/dense_problem.hpp"
#include "host/reference/kinematics.hpp"
#include "host/reference/springs.hpp"
#include "host/scene/scene.hpp"

namespace stiction::reference {

/// One contact point as the narrow phase reports it.
struct ContactInput {
  int pair = -1;             // candidate pair of the model
  Eigen::Vector3d p_A, p_B;  // witnesses on the pair's first and second geom [m]
  Eigen::Vector3d normal;    // from the first to the second
  // how far the joints of each side have moved when the bodies meet; 0: they meet at the start of the step [m]
  Eigen::Vector3d way_A = Eigen::Vector3d::Zero(), way_B = Eigen::Vector3d::Zero();
};

struct ContactFrame {
  Eigen::Vector3d position;  // midpoint [m]
  Eigen::Matrix3d rows;      // n, t, o
  double gap;                // φ [m]
};

ContactFrame contact_frame(const Model& model, const ContactInput& contact);

/// Friction of a candidate pair: along t and o [-], about n [m].
Eigen::Vector3d friction_of(const Model& model, int pair);

/// Rows per contact: 4 if a pair has torsional friction and law and cone support it, else 3.
int contact_dimension(const Model& model, const PhysicsConfig& physics);

/// Velocity that a script gives to the point of `body` at `point`: linear, then angular, world axes. `mocap_velocity`
/// is that of write_contact_rows.
Eigen::Matrix<double, 6, 1> scripted_twist(const Model& model, const Kinematics& kinematics,
                                           const std::vector<double>& mocap_velocity, int body,
                                           const Eigen::Vector3d& point);

/// Fills J, gap_rate, offset, mu and radius. `mocap_velocity` is the linear and angular velocity of every mocap body
/// (nmocap, 6); empty: they stand still.
void write_contact_rows(const Model& model, const Kinematics& kinematics, const std::vector<ContactInput>& contacts,
                        const std::vector<double>& mocap_velocity, DenseProblem& problem);

/// Gives contacts of materials kinetic friction where their sides pass each other at `threshold` [m/s] or faster with
/// the velocity qvel (nv) of the step's start (2003, (13)).
void let_slide(const Model& model, const std::vector<ContactInput>& contacts, const Eigen::VectorXd& qvel,
               double threshold, DenseProblem& problem);

/// What welds need to know.
struct WeldState {
  const Kinematics& kinematics;
  const std::vector<double>& mocap_velocity;  // that of write_contact_rows
  const Eigen::VectorXd& qvel;                // where the step begins (nv)
  bool momentum;                              // false: the dynamics forget qvel
  Equality equality;
};

/// Fills the row_* arrays: joint limits, tendon limits, couplings, dry friction, actuators with a force range, welds.
void write_general_rows(const Model& model, const Eigen::VectorXd& qpos, const SpringRule& springs, Dynamics dynamics,
                        const WeldState& welds, DenseProblem& problem);

/// Makes contacts whose normal row no dof moves, and other rows that no dof moves, carry nothing and forbid nothing:
/// their impulses are not determined, and no motion ends their overlap. It has to be called before prescribe_rows, as
/// rows that prescribed dofs move count as moved.
void release_unmoved_rows(DenseProblem& problem);

/// Takes the dofs that move a frozen body out of all rows.
void drop_frozen_columns(const Model& model, DenseProblem& problem);

/// Takes the prescribed dofs of problem.prescribed out of all rows.
void prescribe_rows(DenseProblem& problem);

/// Value and gradient of a length: Σ coefficient × joint coordinate, or the path of a spatial tendon.
struct Length {
  double value;
  Eigen::VectorXd gradient;  // (nv)
};
Length length_of(const Model& model, const Eigen::VectorXd& qpos, int length);

/// True if the length has dofs of several trees: springs and actuators on it are rows.
bool spans_trees(const Model& model, int length);

/// True if the tendon has a spring or damper between trees.
bool pulls_trees(const Model& model, int tendon);

/// An actuator at the present length and at rest: its force f₀, and how the force falls with length (kp) and rate (kv),
/// all on the actuator's side of the gear. Without momentum only kp of a position actuator counts: Pang and Tedrake (5)
/// drop the velocity terms of (4). In `kinematic`, position and velocity actuators prescribe a motion instead.
struct ActuatorForce {
  double force, kp, kv;
  Eigen::VectorXd gradient;  // gear ∂ℓ/∂v (nv)
};
ActuatorForce actuator_force(const Model& model, const Eigen::VectorXd& qpos, const Eigen::VectorXd& ctrl,
                             Dynamics dynamics, int actuator);

/// How an actuator enters the problem: as terms of H and g, as a row because of its force range or because it acts on
/// two trees (a motor's force is
/// just clipped), or as a velocity that its joint takes with any force.
enum class ActuatorRole { kForce, kRow, kPrescribed };
ActuatorRole actuator_role(const Model& model, Dynamics dynamics, int actuator);

}  // namespace stiction::reference
