// Lengths of joints and tendons, and the actuators on them: contact_rows.hpp.
#include <algorithm>

#include "host/reference/contact_rows.hpp"

namespace stiction::reference {

using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

/// A path of straight segments, and how every dof changes it.
Length path_of(const Model& m, const VectorXd& q, int length) {
  const Kinematics k = forward_kinematics(m, q);
  Length sum{0.0, VectorXd::Zero(m.nv)};
  const auto site = [&](int i) -> Vector3d {
    const Pose& body = k.body[m.point_body[i]];
    return body.p + body.R * Vector3d(&m.point_pos[3 * i]);
  };
  const int first = m.length_point_adr[length], last = first + m.length_point_num[length] - 1;
  for (int i = first; i < last; ++i) {
    const Vector3d from = site(i), to = site(i + 1);
    const double distance = (to - from).norm();
    sum.value += distance;
    if (distance <= 1e-12) continue;
    const Vector3d along = (to - from) / distance;
    sum.gradient += body_jacobian(m, k, m.point_body[i + 1], to).topRows(3).transpose() * along;
    sum.gradient -= body_jacobian(m, k, m.point_body[i], from).topRows(3).transpose() * along;
  }
  return sum;
}

}  // namespace

Length length_of(const Model& m, const VectorXd& q, int length) {
  if (m.length_point_num[length] > 0) return path_of(m, q, length);
  Length sum{0.0, VectorXd::Zero(m.nv)};
  for (int i = 0; i < m.length_term_num[length]; ++i) {
    const int term = m.length_term_adr[length] + i;
    sum.value += m.term_coef[term] * q[m.term_qpos[term]];
    sum.gradient[m.term_dof[term]] += m.term_coef[term];
  }
  return sum;
}

bool spans_trees(const Model& m, int length) {
  const int begin = m.length_term_adr[length], end = begin + m.length_term_num[length];
  return std::any_of(m.term_dof.begin() + begin, m.term_dof.begin() + end,
                     [&](int dof) { return m.dof_tree[dof] != m.dof_tree[m.term_dof[begin]]; });
}

bool pulls_trees(const Model& m, int tendon) {
  return (m.tendon_stiffness[tendon] > 0.0 || m.tendon_damping[tendon] > 0.0) &&
         spans_trees(m, m.tendon_length[tendon]);
}

ActuatorForce actuator_force(const Model& m, const VectorXd& q, const VectorXd& ctrl, Dynamics dynamics, int a) {
  const Length length = length_of(m, q, m.actuator_length[a]);
  const double gear = m.actuator_gear[a];
  double u = ctrl[a];
  if (m.actuator_act[a] < 0 && m.actuator_ctrl_limited[a])
    u = std::clamp(u, m.actuator_ctrl_range[2 * a], m.actuator_ctrl_range[2 * a + 1]);
  const double asked = m.actuator_gain[a] * u + m.actuator_bias[a], kp = m.actuator_kp[a], kd = m.actuator_kd[a];
  ActuatorForce out{asked, 0.0, 0.0, gear * length.gradient};
  switch (static_cast<ActuatorKind>(m.actuator_kind[a])) {
    case ActuatorKind::kPosition:
      out.force = kp * asked - kp * gear * length.value;
      out.kp = kp;
      if (has_momentum(dynamics)) out.kv = kd;
      break;
    case ActuatorKind::kVelocity:
      out.force = kd * asked;
      out.kv = kd;
      break;
    case ActuatorKind::kMotor:
      if (m.actuator_force_limited[a])
        out.force = std::clamp(out.force, m.actuator_force_range[2 * a], m.actuator_force_range[2 * a + 1]);
      break;
  }
  return out;
}

ActuatorRole actuator_role(const Model& m, Dynamics dynamics, int a) {
  if (static_cast<ActuatorKind>(m.actuator_kind[a]) == ActuatorKind::kMotor) return ActuatorRole::kForce;
  if (follows_exactly(dynamics)) return ActuatorRole::kPrescribed;
  const bool row = m.actuator_force_limited[a] || spans_trees(m, m.actuator_length[a]);
  return row ? ActuatorRole::kRow : ActuatorRole::kForce;
}

}  // namespace stiction::reference
