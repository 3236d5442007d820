#include "host/reference/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/fluid.hpp"
#include "host/reference/free_motion.hpp"

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::VectorXd;

/// Adds the terms of springs, dampers and motors to H and g.
struct Springs {
  const SpringRule& rule;
  DenseProblem& problem;

  void add(const VectorXd& gradient, double k, double d, double force) {
    const SpringImpulse spring = rule.act(gradient, k, d, force);
    problem.H += spring.slope * gradient * gradient.transpose();
    problem.g += spring.impulse * gradient;
  }
};

void add_actuators(const Model& m, const VectorXd& q, Dynamics dynamics, Springs& springs) {
  for (int a = 0; a < m.nu; ++a) {
    if (actuator_role(m, dynamics, a) != ActuatorRole::kForce) continue;
    const ActuatorForce f = actuator_force(m, q, springs.rule.ctrl, dynamics, a);
    springs.add(f.gradient, f.kp, f.kv, f.force);
  }
}

/// The rotation vector, in body axes, that turns the rest orientation into the present one.
Eigen::Vector3d deflection(const double* q, const double* rest) {
  const Quaterniond now(q[0], q[1], q[2], q[3]), then(rest[0], rest[1], rest[2], rest[3]);
  const Eigen::AngleAxisd turn(then.normalized().conjugate() * now.normalized());
  return turn.angle() * turn.axis();
}

void add_joint_springs(const Model& m, const VectorXd& q, Springs& springs) {
  const auto dof = [&](int i) { return VectorXd::Unit(m.nv, i); };
  for (int j = 0; j < m.njoint; ++j) {
    const double k = m.joint_stiffness[j];
    if (k == 0.0) continue;
    const int qa = m.joint_qpos_adr[j], da = m.joint_dof_adr[j];
    const auto type = static_cast<JointType>(m.joint_type[j]);
    const bool turns = type == JointType::kFree || type == JointType::kBall;
    const int shifts = type == JointType::kFree ? 3 : (turns ? 0 : 1);
    for (int i = 0; i < shifts; ++i) springs.add(dof(da + i), k, 0.0, -k * (q[qa + i] - m.qpos_spring[qa + i]));
    if (!turns) continue;
    const Eigen::Vector3d turned = deflection(q.data() + qa + shifts, &m.qpos_spring[qa + shifts]);
    for (int i = 0; i < 3; ++i) springs.add(dof(da + shifts + i), k, 0.0, -k * turned[i]);
  }
}

/// A tendon's spring pulls outside its rest interval only.
void add_tendons(const Model& m, const VectorXd& q, Springs& springs) {
  for (int t = 0; t < m.ntendon; ++t) {
    if (pulls_trees(m, t)) continue;
    const Length length = length_of(m, q, m.tendon_length[t]);
    const double rest = std::clamp(length.value, m.tendon_rest[2 * t], m.tendon_rest[2 * t + 1]);
    const double k = length.value == rest ? 0.0 : m.tendon_stiffness[t];
    springs.add(length.gradient, k, m.tendon_damping[t], -k * (length.value - rest));
  }
}

MatrixXd unactuated_mass(const Model& m, const Kinematics& k) {
  MatrixXd M = mass_matrix(m, k);
  for (int j = 0; j < m.nv; ++j) {
    if (!m.dof_actuated[j]) continue;
    M.row(j).setZero();
    M.col(j).setZero();
  }
  return M;
}

double least_stiffness(const Model& m) {
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < m.nu; ++a)
    if (static_cast<ActuatorKind>(m.actuator_kind[a]) == ActuatorKind::kPosition)
      least = std::min(least, m.actuator_kp[a] * m.actuator_gear[a] * m.actuator_gear[a]);
  return least;
}

/// ε of the quasidynamic step.
double mass_share(const Model& m, const MatrixXd& M_u, double s, double h) {
  const double stiffness = least_stiffness(m), mass = m.nv > 0 ? M_u.diagonal().maxCoeff() : 0.0;
  if (s == 0.0 || std::isinf(stiffness) || mass == 0.0) return 1.0;
  return stiffness * h * h / (s * mass);
}

VectorXd impulse_of(const Model& m, const Kinematics& k, const Impulse& impulse) {
  const Eigen::Map<const Eigen::Matrix<double, 6, 1>> value(impulse.value.data());
  return body_jacobian(m, k, impulse.body, k.com[impulse.body]).transpose() * value;
}

/// Finds v̄ of the dofs that follow an actuator, from the length that the actuator must have at the end of the step or
/// from its rate.
void find_prescribed(const Model& m, const MotionState& state, DenseProblem& problem) {
  for (int a = 0; a < m.nu; ++a) {
    if (actuator_role(m, Dynamics::kKinematic, a) != ActuatorRole::kPrescribed) continue;
    const ActuatorForce f = actuator_force(m, state.springs.qpos, state.springs.ctrl, Dynamics::kKinematic, a);
    const bool position = static_cast<ActuatorKind>(m.actuator_kind[a]) == ActuatorKind::kPosition;
    const double rate = position ? f.force / f.kp / problem.step_size : f.force / f.kv;
    Eigen::Index dof = 0;
    const double lever = f.gradient.cwiseAbs().maxCoeff(&dof);
    problem.prescribed[dof] = true;
    problem.prescribed_velocity[dof] = rate / std::copysign(lever, f.gradient[dof]);
  }
}

void prescribe_motion(DenseProblem& p) {
  const VectorXd& v = p.prescribed_velocity;
  double load = p.step_size * 1e-3, speed = 1e-3 / p.step_size;
  p.g -= p.H * v;  // for the free rows; the prescribed rows are overwritten below
  for (int j = 0; j < p.nv(); ++j) {
    if (p.prescribed[j]) speed = std::max(speed, p.dof_radius[j] * std::abs(v[j]));
    if (!p.prescribed[j]) load = std::max(load, std::abs(p.g[j]) / p.dof_radius[j]);
  }
  for (int j = 0; j < p.nv(); ++j) {
    if (!p.prescribed[j]) continue;
    p.H.row(j).setZero();
    p.H.col(j).setZero();
    p.H(j, j) = p.dof_radius[j] * p.dof_radius[j] * load / speed;
    p.g[j] = p.H(j, j) * v[j];
  }
}

/// Takes the dofs that follow an actuator, and those that move a frozen body, out of H and g.
void leave_out_prescribed(const Model& m, const MotionState& state, Dynamics dynamics, DenseProblem& problem) {
  problem.prescribed.assign(static_cast<std::size_t>(m.nv), false);
  problem.prescribed_velocity = VectorXd::Zero(m.nv);
  if (dynamics == Dynamics::kKinematic) find_prescribed(m, state, problem);
  bool any = dynamics == Dynamics::kKinematic;
  for (int j = 0; j < m.nv; ++j) {
    if (!moves_frozen(m, j)) continue;
    problem.prescribed[j] = any = true;
    problem.prescribed_velocity[j] = 0.0;
  }
  if (any)
    prescribe_motion(problem);
  else
    problem.prescribed.clear();
}

}  // namespace

Motion write_motion(const Model& m, const Kinematics& k, const MotionState& state, const PhysicsConfig& physics,
                    DenseProblem& problem) {
  const double h = problem.step_size;
  Motion motion{spring_rule(m, mass_matrix(m, k), state.springs, physics.dynamics, h), {}};
  problem.M = unactuated_mass(m, k);
  problem.H = MatrixXd::Zero(m.nv, m.nv);
  problem.g = h * (weight_force(m, k) + compensation_force(m, k));
  Springs springs{motion.springs, problem};
  for (int j = 0; j < m.nv; ++j) springs.add(VectorXd::Unit(m.nv, j), 0.0, m.dof_damping[j], 0.0);
  add_actuators(m, state.springs.qpos, physics.dynamics, springs);
  add_joint_springs(m, state.springs.qpos, springs);
  add_tendons(m, state.springs.qpos, springs);
  const Drag drag = fluid_drag(m, k, state.springs.qvel);
  problem.H += h * drag.damping;
  problem.g += h * drag.push;
  for (const Impulse& impulse : state.impulses) problem.g += impulse_of(m, k, impulse);
  problem.dof_radius = Eigen::Map<const VectorXd>(m.dof_radius.data(), m.nv);
  switch (physics.dynamics) {
    case Dynamics::kQuasistatic:
      break;
    case Dynamics::kQuasidynamic:
      problem.H += mass_share(m, problem.M, physics.mass_ratio, h) * problem.M;
      break;
    case Dynamics::kKinematic:
      break;
    case Dynamics::kDynamic:
    case Dynamics::kDynamicFitted:
      problem.H += mass_matrix(m, k);
      problem.g += mass_matrix(m, k) * state.springs.qvel;
      break;
  }
  leave_out_prescribed(m, state, physics.dynamics, problem);
  if (!has_momentum(physics.dynamics)) return motion;
  motion.free = move_freely(m, k, state.springs.qpos, state.springs.qvel, problem.H, problem.g, h);
  for (int j = 0; j < m.nv; ++j)
    if (!moves_frozen(m, j)) problem.g[j] += motion.free.impulse[j];
  return motion;
}

Energy measure_energy(const Model& m, const Kinematics& k, const VectorXd& qpos, const VectorXd& qvel) {
  const Eigen::Map<const Eigen::Vector3d> gravity(m.gravity.data());
  Energy energy{0.0, 0.5 * qvel.dot(mass_matrix(m, k) * qvel)};
  for (std::size_t b = 0; b < k.com.size(); ++b)
    energy.potential -= m.body_mass[b] * (1.0 - m.body_gravcomp[b]) * gravity.dot(k.com[b]);
  for (int j = 0; j < m.njoint; ++j) {
    const double *q = qpos.data() + m.joint_qpos_adr[j], *rest = &m.qpos_spring[m.joint_qpos_adr[j]];
    const auto type = static_cast<JointType>(m.joint_type[j]);
    const bool turns = type == JointType::kFree || type == JointType::kBall;
    const int shifts = type == JointType::kFree ? 3 : (turns ? 0 : 1);
    double square = turns ? deflection(q + shifts, rest + shifts).squaredNorm() : 0.0;
    for (int i = 0; i < shifts; ++i) square += std::pow(q[i] - rest[i], 2);
    energy.potential += 0.5 * m.joint_stiffness[j] * square;
  }
  for (int t = 0; t < m.ntendon; ++t) {
    const double length = length_of(m, qpos, m.tendon_length[t]).value;
    const double rest = std::clamp(length, m.tendon_rest[2 * t], m.tendon_rest[2 * t + 1]);
    energy.potential += 0.5 * m.tendon_stiffness[t] * std::pow(length - rest, 2);
  }
  return energy;
}

}  // namespace stiction::reference
