// Contact points and everything that limits single motions, as dense rows.
//
//   contact   J_i = (n t o)ᵀ (J_B(m) − J_A(m)),  m the midpoint of the witnesses;  φ = n·(p_B − p_A) − margin
//             b_i = (n t o)ᵀ (s_B(m) − s_A(m)),  s = v + ω × (m − p) of the script that moves the body, if any
//             of bodies that meet later in the step J and s are those at m less the way of either side until then
//   torsion   row r (dimension 4): J = a n·(ω_B − ω_A),  b = a n·(ω of the scripts),  μ_r/a,  a the least dof_radius of
//             the rotations that move either body
//   frame     t = e − (n·e) n normalised, e = y if |n_y| < ½ else z;  o = n × t
//   limit     ℓ >= lower or ℓ <= upper:    J = ±∂ℓ/∂v,  b = gap/h,  λ in [0, ∞)
//   ball      angle <= range:              J = −axis (body axes),  b = gap/h
//   coupling  ℓ₁ − r₁ = poly(ℓ₂ − r₂):     J = ∂ℓ₁/∂v − poly′ ∂ℓ₂/∂v,  b = error/h,  λ in ℝ
//   dry       |λ| <= h frictionloss:       J = ∂ℓ/∂v
//   actuator with a force range (design: general row):  J = gear ∂ℓ/∂v,  λ in h [f_lower, f_upper],
//             R = 1/slope,  b = −impulse R  (springs.hpp): 1/(h² kp + h kv), −h f₀ R by backward Euler
//             f₀ its force at the present length and at rest
//
// Prescribed velocities v̄ (kinematic) leave the rows: b += J_p v̄, J_p = 0. Where nothing else is left in a row, no
// impulse of it matters: a contact keeps its normal condition, without friction; a limit or coupling that v̄ obeys, and
// every dry friction, gets the bounds 0; what v̄ breaks by more than 1 nm stays, and has no solution.
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
  // how far the joints of either side have come when they meet; 0: at the start of the step [m]
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

/// Rows of a contact: 4 where there is torsional friction that the law and the cone have.
int contact_dimension(const Model& model, const PhysicsConfig& physics);

/// Velocity that a script gives to the point of `body` at `point`: linear, then angular, world axes. `mocap_velocity`
/// as below.
Eigen::Matrix<double, 6, 1> scripted_twist(const Model& model, const Kinematics& kinematics,
                                           const std::vector<double>& mocap_velocity, int body,
                                           const Eigen::Vector3d& point);

/// Fills J, gap_rate, offset, mu and radius. `mocap_velocity`: linear and angular velocity of every mocap body (nmocap,
/// 6); empty: they stand still.
void write_contact_rows(const Model& model, const Kinematics& kinematics, const std::vector<ContactInput>& contacts,
                        const std::vector<double>& mocap_velocity, DenseProblem& problem);

/// Fills the row_* arrays: joint limits, tendon limits, couplings, dry friction, actuators with a force range.
void write_general_rows(const Model& model, const Eigen::VectorXd& qpos, const SpringRule& springs, Dynamics dynamics,
                        DenseProblem& problem);

/// Contacts whose normal no dof moves, and other rows that none moves, carry nothing and forbid nothing: their impulses
/// are not determined, and no motion ends their overlap. What prescribed dofs move is moved: this comes first.
void release_unmoved_rows(DenseProblem& problem);

/// Takes the prescribed dofs of problem.prescribed out of all rows.
void prescribe_rows(DenseProblem& problem);

/// Value and gradient of a length: Σ coefficient × joint coordinate.
struct Length {
  double value;
  Eigen::VectorXd gradient;  // (nv)
};
Length length_of(const Model& model, const Eigen::VectorXd& qpos, int length);

/// An actuator at the present length and at rest: force f₀, and how it falls with length (kp) and rate (kv), all on
/// the actuator's side of the gear. Of a position actuator's law only kp counts without momentum: Pang and Tedrake (5)
/// drop the velocity terms of (4). In `kinematic` both kinds prescribe a motion instead.
struct ActuatorForce {
  double force, kp, kv;
  Eigen::VectorXd gradient;  // gear ∂ℓ/∂v (nv)
};
ActuatorForce actuator_force(const Model& model, const Eigen::VectorXd& qpos, const Eigen::VectorXd& ctrl,
                             Dynamics dynamics, int actuator);

/// What becomes of an actuator: H and g, a row because of its force range (a motor's force is just clipped), or a
/// velocity that its joint takes whatever it costs.
enum class ActuatorRole { kForce, kRow, kPrescribed };
ActuatorRole actuator_role(const Model& model, Dynamics dynamics, int actuator);

}  // namespace stiction::reference
