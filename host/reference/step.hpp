// One environment, stepped by the reference: kinematics, contacts, rows, H and g, the contact problem, integration.
//
// The caller chooses the source of the contact points. The step looks for contacts up to one distance for all pairs.
// After the solve, φ > (1 + μ) × (relative displacement) must hold for every pair left out; otherwise the step looks
// twice as far and solves again. Rows of pairs that turn out to be far away do not change the solution of a convex
// problem.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "host/reference/contact_solver.hpp"
#include "host/reference/dynamics.hpp"
#include "host/reference/overlap.hpp"
#include "host/reference/start.hpp"

namespace stiction::reference {

/// The velocities that all bodies would have if nothing touched them: they decide which points of a foot are contacts
/// (ADR 0304).
struct FreeVelocity {
  Eigen::VectorXd dofs;       // [m/s], [rad/s] (nv)
  std::vector<double> mocap;  // linear and angular velocity of scripted bodies (nmocap, 6)
};

/// All contact points of the model's candidate pairs with gap <= reach [m], in the order of the pairs.
using ContactSource = std::function<std::vector<ContactInput>(const Model& model, const Kinematics& kinematics,
                                                              const FreeVelocity& free, double reach)>;

/// What a contact of the last step has in every array of kernels/model/contact_fields.inc: int geom[2], double gap, ...
struct ContactReadout {
  using Real = double;
#define ST_CONTACT(value, name, padding, unit, part, meaning) std::type_identity_t<value> name;
#include "kernels/model/contact_fields.inc"
#undef ST_CONTACT
};

class ReferenceEnvironment {
 public:
  /// Starts at the scene's initial state and follows its command until `ctrl` is set.
  ReferenceEnvironment(const Scene& scene, ContactSource source);

  /// One step of the scene's size; returns the status bits. A failed step may keep the state (status::kStateKept).
  std::uint32_t step();

  /// Finds the contacts of the present state, without a step; their forces are zero.
  void forward();

  /// The poses of all bodies and geoms.
  Kinematics poses() const { return forward_kinematics(model, qpos, mocap_pose); }

  const CommandKnots& command() const { return command_; }

  Eigen::VectorXd qpos, qvel;                // state (nq), (nv)
  double time = 0.0;                         // [s]
  std::optional<Eigen::VectorXd> ctrl;       // (nu); none: the scene's command at t + h
  std::optional<Eigen::VectorXd> last_ctrl;  // drive of the last step (nu); none: that of the next step
  Eigen::VectorXd act;                       // activations (na)
  std::vector<double> mocap_pose;            // (nmocap, 7); scripted bodies: at the end of the last step
  std::vector<double> mocap_velocity;        // velocity of mocap bodies in the step (nmocap, 6)
  std::vector<double> applied_wrench;        // force [N], torque [N m] at the centres of mass, world axes (nbody, 6)
  Model model;                               // this environment's own: masses and friction may be changed

  // results of the last step
  std::uint32_t status = 0;
  double residual = 0.0;
  double violation = 0.0;          // infeasible: least total overlap [m]
  double position_residual = 0.0;  // residual of the problem that parts overlaps; 0: there was none
  double penetration = 0.0;        // deepest overlap after the step [m]
  double hover = 0.0;              // thickest gap over which a contact carries force after the step [m]
  int rows = 0;                    // facets of all contacts and general rows
  std::vector<ContactReadout> contacts;
  DenseProblem problem;  // the problem of the velocity
  ContactAnswer answer;

  /// Status bits with which a step leaves the state unchanged.
  std::uint32_t keeps_state() const { return keeps_state_; }

 private:
  Eigen::VectorXd asked_ctrl() const;
  MotionState start_of_step() const;
  bool is_finite(const MotionState& state) const;
  void place_scripted_bodies(double t);
  void move_scripted_bodies(double t);
  DenseProblem assemble(const Kinematics& kinematics, const std::vector<ContactInput>& points,
                        const MotionState& state);
  FreeVelocity free_velocity(const Kinematics& kinematics, const MotionState& state);
  std::vector<ContactInput> find_points(const Kinematics& kinematics, const FreeVelocity& free, double reach) const;
  double first_reach(const Kinematics& kinematics, const MotionState& state) const;
  double reach_needed(const Kinematics& kinematics) const;
  std::uint32_t solve_with_enough_reach(const Kinematics& kinematics, const MotionState& state,
                                        std::vector<ContactInput>& points);
  Eigen::VectorXd part(const Kinematics& kinematics, const std::vector<ContactInput>& points, const MotionState& state);
  DenseProblem velocity_problem(const Kinematics& kinematics, const std::vector<ContactInput>& points,
                                const MotionState& state);
  void read_out(const std::vector<ContactInput>& points);
  void measure_penetration();

  PhysicsConfig physics_;
  CommandKnots command_;
  std::vector<MocapTrack> tracks_;
  std::vector<Impulse> impulses_;
  Eigen::VectorXd start_;  // [solver] start
  double step_size_, tolerance_;
  bool merges_regions_;
  std::uint32_t keeps_state_ = status::kStateKept;
  ContactSource source_;
  FreeMotions free_;  // free motions of the last problem
};

}  // namespace stiction::reference
