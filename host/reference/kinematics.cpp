#include "host/reference/kinematics.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/free_spin.hpp"

namespace stiction::reference {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d vec3(const std::vector<double>& field, int i) {
  return Vector3d(field[3 * i], field[3 * i + 1], field[3 * i + 2]);
}

Quaterniond quat(const double* q) { return Quaterniond(q[0], q[1], q[2], q[3]).normalized(); }

Pose compose(const Pose& a, const Vector3d& p, const Quaterniond& q) {
  return {a.p + a.R * p, a.R * q.toRotationMatrix()};
}

Matrix3d turn(const Vector3d& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

/// Rotates the body about a point fixed in it.
void rotate_about(const Vector3d& anchor, const Vector3d& local_anchor, const Matrix3d& rotation, Pose& body) {
  body.R = body.R * rotation;
  body.p = anchor - body.R * local_anchor;
}

void set_dof(Kinematics& k, int dof, const Vector3d& axis, const Vector3d& anchor, bool rotational) {
  k.axis[dof] = axis;
  k.anchor[dof] = anchor;
  k.rotational[dof] = rotational;
}

/// Writes the three rotations of a ball or free joint, which turn about the body's own axes.
void set_ball_dofs(Kinematics& k, int first, const Matrix3d& R, const Vector3d& anchor) {
  for (int i = 0; i < 3; ++i) set_dof(k, first + i, R.col(i), anchor, true);
}

/// Moves `body` by one joint and writes the axes of its dofs.
void apply_joint(const Model& m, int joint, const VectorXd& q, Pose& body, Kinematics& k) {
  const int qa = m.joint_qpos_adr[joint], da = m.joint_dof_adr[joint];
  const Vector3d local_axis = vec3(m.joint_axis, joint), local_anchor = vec3(m.joint_pos, joint);
  const Vector3d axis = body.R * local_axis, anchor = body.p + body.R * local_anchor;
  switch (static_cast<JointType>(m.joint_type[joint])) {
    case JointType::kFree:
      body = {q.segment<3>(qa), quat(q.data() + qa + 3).toRotationMatrix()};
      for (int i = 0; i < 3; ++i) set_dof(k, da + i, Vector3d::Unit(i), body.p, false);
      set_ball_dofs(k, da + 3, body.R, body.p);
      break;
    case JointType::kBall:
      rotate_about(anchor, local_anchor, quat(q.data() + qa).toRotationMatrix(), body);
      set_ball_dofs(k, da, body.R, anchor);
      break;
    case JointType::kSlide:
      body.p += axis * (q[qa] - m.qpos0[qa]);
      set_dof(k, da, axis, anchor, false);
      break;
    case JointType::kHinge:
      rotate_about(anchor, local_anchor, turn(local_axis, q[qa] - m.qpos0[qa]), body);
      set_dof(k, da, axis, anchor, true);
      break;
  }
}

Pose place_body(const Model& m, int b, const VectorXd& q, const std::vector<double>& mocap, Kinematics& k) {
  if (m.body_mocap[b] >= 0) {
    const double* pose = mocap.data() + 7 * m.body_mocap[b];
    return {Vector3d(pose[0], pose[1], pose[2]), quat(pose + 3).toRotationMatrix()};
  }
  Pose body = compose(k.body[m.body_parent[b]], vec3(m.body_pos, b), quat(&m.body_quat[4 * b]));
  for (int j = 0; j < m.body_joint_num[b]; ++j) apply_joint(m, m.body_joint_adr[b] + j, q, body, k);
  return body;
}

/// The dofs that move a body, from the root outwards.
std::vector<int> chain(const Model& m, int body) {
  std::vector<int> dofs;
  for (int dof = m.body_last_dof[body]; dof >= 0; dof = m.dof_parent[dof]) dofs.push_back(dof);
  std::reverse(dofs.begin(), dofs.end());
  return dofs;
}

/// Velocity of a point that the first `count` dofs of a chain move, and the angular velocity there.
struct Motion {
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
};

Motion motion_of(const Kinematics& k, const std::vector<int>& dofs, int count, const Vector3d& point,
                 const VectorXd& v) {
  Motion sum;
  for (int i = 0; i < count; ++i) {
    const int j = dofs[i];
    if (k.rotational[j]) {
      sum.angular += k.axis[j] * v[j];
      sum.linear += k.axis[j].cross(point - k.anchor[j]) * v[j];
    } else {
      sum.linear += k.axis[j] * v[j];
    }
  }
  return sum;
}

/// How many dofs of the chain move the frame in which the axis of dof i is fixed: for hinges and slides, those before
/// its joint; for the body axes of a ball, those up to the last dof of its joint; for the world axes of a free
/// translation, none.
int dofs_of_axis_frame(const Model& m, const Kinematics& k, const std::vector<int>& dofs, int i) {
  const int joint = m.dof_joint[dofs[i]];
  const auto type = static_cast<JointType>(m.joint_type[joint]);
  if (type == JointType::kHinge || type == JointType::kSlide) return i;
  if (!k.rotational[dofs[i]]) return 0;
  const int last = m.joint_dof_adr[joint] + (type == JointType::kFree ? 5 : 2);
  return i + last - dofs[i] + 1;
}

/// J̇ v of a body at its centre of mass: linear and angular acceleration with no joint acceleration.
Motion velocity_product(const Model& m, const Kinematics& k, int body, const VectorXd& v) {
  const std::vector<int> dofs = chain(m, body);
  const Vector3d point = k.com[body];
  const Vector3d point_rate = motion_of(k, dofs, dofs.size(), point, v).linear;
  Motion sum;
  for (int i = 0; i < static_cast<int>(dofs.size()); ++i) {
    const int j = dofs[i], framed = dofs_of_axis_frame(m, k, dofs, i);
    const Vector3d axis_rate = motion_of(k, dofs, framed, point, v).angular.cross(k.axis[j]);
    if (!k.rotational[j]) {
      sum.linear += axis_rate * v[j];
      continue;
    }
    const Vector3d anchor_rate = motion_of(k, dofs, i, k.anchor[j], v).linear;
    sum.angular += axis_rate * v[j];
    sum.linear += (axis_rate.cross(point - k.anchor[j]) + k.axis[j].cross(point_rate - anchor_rate)) * v[j];
  }
  return sum;
}

/// ∫₀¹ exp(s θ) ds: the left Jacobian V of SE(3).
Matrix3d mean_rotation(const Vector3d& theta) {
  const double angle = theta.norm();
  Matrix3d skew;
  skew << 0, -theta.z(), theta.y(), theta.z(), 0, -theta.x(), -theta.y(), theta.x(), 0;
  double first = 0.5 - angle * angle / 24.0, second = 1.0 / 6.0 - angle * angle / 120.0;
  if (angle > 1e-3) {
    const double s = std::sin(0.5 * angle);
    first = 2.0 * s * s / (angle * angle);
    second = (angle - std::sin(angle)) / (angle * angle * angle);
  }
  return Matrix3d::Identity() + first * skew + second * skew * skew;
}

Quaterniond exp_rotation(const Vector3d& theta) {
  const double angle = theta.norm();
  return angle > 0.0 ? Quaterniond(Eigen::AngleAxisd(angle, theta / angle)) : Quaterniond::Identity();
}

void store(const Quaterniond& q, double* out) { out[0] = q.w(), out[1] = q.x(), out[2] = q.y(), out[3] = q.z(); }

}  // namespace

Kinematics forward_kinematics(const Model& m, const VectorXd& qpos, const std::vector<double>& mocap_pose) {
  Kinematics k;
  k.body.resize(m.nbody), k.com.resize(m.nbody), k.inertia.resize(m.nbody);
  k.axis.resize(m.nv), k.anchor.resize(m.nv), k.rotational.resize(m.nv);
  const std::vector<double>& mocap = mocap_pose.empty() ? m.mocap_pose0 : mocap_pose;
  for (int b = 0; b < m.nbody; ++b) {
    if (b > 0) k.body[b] = place_body(m, b, qpos, mocap, k);
    const Pose principal = compose(k.body[b], vec3(m.body_ipos, b), quat(&m.body_iquat[4 * b]));
    k.com[b] = principal.p;
    k.inertia[b] = principal.R * vec3(m.body_inertia, b).asDiagonal() * principal.R.transpose();
  }
  for (int g = 0; g < m.ngeom; ++g)
    k.geom.push_back(compose(k.body[m.geom_body[g]], vec3(m.geom_pos, g), quat(&m.geom_quat[4 * g])));
  return k;
}

MatrixXd body_jacobian(const Model& m, const Kinematics& k, int body, const Vector3d& point) {
  MatrixXd J = MatrixXd::Zero(6, m.nv);
  for (int j : chain(m, body)) {
    J.col(j).head<3>() = k.rotational[j] ? k.axis[j].cross(point - k.anchor[j]) : k.axis[j];
    if (k.rotational[j]) J.col(j).tail<3>() = k.axis[j];
  }
  return J;
}

MatrixXd mass_matrix(const Model& m, const Kinematics& k) {
  MatrixXd M = Eigen::Map<const VectorXd>(m.dof_armature.data(), m.nv).asDiagonal();
  for (int b = 1; b < m.nbody; ++b) {
    const MatrixXd J = body_jacobian(m, k, b, k.com[b]);
    M += m.body_mass[b] * J.topRows(3).transpose() * J.topRows(3);
    M += J.bottomRows(3).transpose() * k.inertia[b] * J.bottomRows(3);
  }
  return M;
}

VectorXd bias_force(const Model& m, const Kinematics& k, const VectorXd& v) {
  VectorXd c = -weight_force(m, k);
  for (int b = 1; b < m.nbody; ++b) {
    const MatrixXd J = body_jacobian(m, k, b, k.com[b]);
    const Motion product = velocity_product(m, k, b, v);
    const Vector3d omega = J.bottomRows(3) * v;
    c += J.topRows(3).transpose() * (m.body_mass[b] * product.linear);
    c += J.bottomRows(3).transpose() * (k.inertia[b] * product.angular + omega.cross(k.inertia[b] * omega));
  }
  return c;
}

VectorXd weight_force(const Model& m, const Kinematics& k) {
  const Vector3d gravity(m.gravity[0], m.gravity[1], m.gravity[2]);
  VectorXd force = VectorXd::Zero(m.nv);
  for (int b = 1; b < m.nbody; ++b)
    force += body_jacobian(m, k, b, k.com[b]).topRows(3).transpose() * (m.body_mass[b] * gravity);
  return force;
}

VectorXd compensation_force(const Model& m, const Kinematics& k) {
  const Vector3d gravity(m.gravity[0], m.gravity[1], m.gravity[2]);
  VectorXd force = VectorXd::Zero(m.nv);
  for (int b = 1; b < m.nbody; ++b)
    force -= body_jacobian(m, k, b, k.com[b]).topRows(3).transpose() * (m.body_gravcomp[b] * m.body_mass[b] * gravity);
  return force;
}

VectorXd integrate(const Model& m, const VectorXd& qpos, const VectorXd& v, double h, FreeMotion motion) {
  VectorXd q = qpos;
  for (int j = 0; j < m.njoint; ++j) {
    const int qa = m.joint_qpos_adr[j], da = m.joint_dof_adr[j];
    const auto type = static_cast<JointType>(m.joint_type[j]);
    if (type == JointType::kSlide || type == JointType::kHinge) {
      q[qa] += h * v[da];
      continue;
    }
    const int quat_adr = type == JointType::kFree ? qa + 3 : qa, omega_adr = type == JointType::kFree ? da + 3 : da;
    const Quaterniond turned = quat(qpos.data() + quat_adr);
    const Vector3d theta = h * v.segment<3>(omega_adr);  // body axes
    const Quaterniond next = (turned * exp_rotation(theta)).normalized();
    store(next, q.data() + quat_adr);
    if (type != JointType::kFree) continue;
    const Vector3d turn = turned * theta;
    if (motion == FreeMotion::kTwist) {  // all points have the same twist: take the origin
      q.segment<3>(qa) += h * mean_rotation(turn) * v.segment<3>(da);
    } else {
      const Vector3d com_now = flying_center(m, forward_kinematics(m, qpos), j);
      const Vector3d com = turned.conjugate() * (com_now - qpos.segment<3>(qa));
      const Vector3d com_next = com_now + h * v.segment<3>(da) + turn.cross(turned * com);
      q.segment<3>(qa) = com_next - next * com;
    }
  }
  return q;
}

bool moves_frozen(const Model& m, int dof) {
  for (int b = 1; b < m.nbody; ++b) {
    const std::vector<int> dofs = chain(m, b);
    if (m.body_frozen[b] != 0.0 && std::find(dofs.begin(), dofs.end(), dof) != dofs.end()) return true;
  }
  return false;
}

void keep_apart_frozen(const Model& m, int first, Eigen::MatrixXd& matrix) {
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    if (!moves_frozen(m, first + static_cast<int>(j))) continue;
    const double own = matrix(j, j);
    matrix.row(j).setZero();
    matrix.col(j).setZero();
    matrix(j, j) = own;
  }
}

}  // namespace stiction::reference
