#include "host/reference/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::reference {
namespace {

using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::VectorXd;

/// Force at the present configuration, and its rates with position and velocity.
struct Forces {
  VectorXd tau;   // (nv)
  MatrixXd K, D;  // (nv, nv)
};

void add_actuators(const Model& m, const VectorXd& q, const VectorXd& ctrl, Forces& forces) {
  for (int a = 0; a < m.nu; ++a) {
    if (is_actuator_row(m, a)) continue;
    const ActuatorForce f = actuator_force(m, q, ctrl, a);
    forces.tau += f.force * f.gradient;
    forces.K += f.kp * f.gradient * f.gradient.transpose();
    forces.D += f.kv * f.gradient * f.gradient.transpose();
  }
}

/// The rotation vector, in body axes, that turns the rest orientation into the present one.
Eigen::Vector3d deflection(const double* q, const double* rest) {
  const Quaterniond now(q[0], q[1], q[2], q[3]), then(rest[0], rest[1], rest[2], rest[3]);
  const Eigen::AngleAxisd turn(then.normalized().conjugate() * now.normalized());
  return turn.angle() * turn.axis();
}

void add_joint_springs(const Model& m, const VectorXd& q, Forces& forces) {
  for (int j = 0; j < m.njoint; ++j) {
    const double k = m.joint_stiffness[j];
    if (k == 0.0) continue;
    const int qa = m.joint_qpos_adr[j], da = m.joint_dof_adr[j];
    const auto type = static_cast<JointType>(m.joint_type[j]);
    const bool turns = type == JointType::kFree || type == JointType::kBall;
    const int shifts = type == JointType::kFree ? 3 : (turns ? 0 : 1);
    for (int i = 0; i < shifts; ++i) forces.tau[da + i] -= k * (q[qa + i] - m.qpos_spring[qa + i]);
    if (turns)
      forces.tau.segment<3>(da + shifts) -= k * deflection(q.data() + qa + shifts, &m.qpos_spring[qa + shifts]);
    forces.K.diagonal().segment(da, shifts + (turns ? 3 : 0)).array() += k;
  }
}

/// A tendon's spring pulls outside its rest interval only.
void add_tendons(const Model& m, const VectorXd& q, Forces& forces) {
  for (int t = 0; t < m.ntendon; ++t) {
    const Length length = length_of(m, q, m.tendon_length[t]);
    const double rest = std::clamp(length.value, m.tendon_rest[2 * t], m.tendon_rest[2 * t + 1]);
    const MatrixXd square = length.gradient * length.gradient.transpose();
    forces.D += m.tendon_damping[t] * square;
    if (length.value == rest) continue;
    forces.tau -= m.tendon_stiffness[t] * (length.value - rest) * length.gradient;
    forces.K += m.tendon_stiffness[t] * square;
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
      least = std::min(least, -m.actuator_bias[3 * a + 1] * m.actuator_gear[a] * m.actuator_gear[a]);
  return least;
}

/// ε of the quasidynamic step.
double mass_share(const Model& m, const MatrixXd& M_u, double s, double h) {
  const double stiffness = least_stiffness(m), mass = m.nv > 0 ? M_u.diagonal().maxCoeff() : 0.0;
  if (s == 0.0 || std::isinf(stiffness) || mass == 0.0) return 1.0;
  return stiffness * h * h / (s * mass);
}

}  // namespace

void write_motion(const Model& m, const Kinematics& k, const VectorXd& q, const VectorXd& ctrl,
                  const PhysicsConfig& physics, DenseProblem& problem) {
  const double h = problem.step_size;
  Forces forces{weight_force(m, k) + compensation_force(m, k), MatrixXd::Zero(m.nv, m.nv), MatrixXd::Zero(m.nv, m.nv)};
  forces.D.diagonal() += Eigen::Map<const VectorXd>(m.dof_damping.data(), m.nv);
  add_actuators(m, q, ctrl, forces);
  add_joint_springs(m, q, forces);
  add_tendons(m, q, forces);
  problem.M = unactuated_mass(m, k);
  problem.H = h * h * forces.K + h * forces.D;
  problem.g = h * forces.tau;
  problem.dof_radius = Eigen::Map<const VectorXd>(m.dof_radius.data(), m.nv);
  if (physics.dynamics == Dynamics::kQuasidynamic)
    problem.H += mass_share(m, problem.M, physics.mass_ratio, h) * problem.M;
}

}  // namespace stiction::reference
