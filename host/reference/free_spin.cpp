#include "host/reference/free_spin.hpp"

#include <cmath>

namespace stiction::reference {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

enum class Hold { kFree, kPivot, kChain };

Hold hold_of(const Model& m, int tree) {
  const int dofs = m.tree_dof_num[tree];
  const auto type = static_cast<JointType>(m.joint_type[m.dof_joint[m.tree_dof_adr[tree]]]);
  if (dofs == 6 && type == JointType::kFree) return Hold::kFree;
  return dofs == 3 && type == JointType::kBall ? Hold::kPivot : Hold::kChain;
}

Vector3d center_of_tree(const Model& m, const Kinematics& k, int tree) {
  double mass = 0.0;
  Vector3d moment = Vector3d::Zero(), first = Vector3d::Zero();
  int bodies = 0;
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_tree[b] != tree) continue;
    mass += m.body_mass[b], moment += m.body_mass[b] * k.com[b];
    if (bodies++ == 0) first = k.com[b];
  }
  return bodies > 1 && mass > 0.0 ? Vector3d(moment / mass) : first;
}

Matrix3d inertia_about(const Model& m, const Kinematics& k, int tree, const Vector3d& center) {
  Matrix3d sum = Matrix3d::Zero();
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_tree[b] != tree) continue;
    const Vector3d d = k.com[b] - center;
    sum += k.inertia[b] + m.body_mass[b] * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
  }
  return sum + m.dof_armature[m.tree_dof_adr[tree] + m.tree_dof_num[tree] - 1] * Matrix3d::Identity();
}

Matrix3d skew(const Vector3d& a) {
  Matrix3d out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

/// The spin of a body over a time, in the body's axes: the constant spin that turns the body by the same, and the spin
/// at the end.
struct Spin {
  Vector3d mean, end;
};

/// One implicit midpoint step, by Newton's method on ω⁺ itself.
Vector3d midpoint_step(const Matrix3d& I, const Vector3d& omega, double h) {
  Vector3d next = omega;
  for (int k = 0; k < 30; ++k) {
    const Vector3d mean = 0.5 * (omega + next), L = I * mean;
    const Matrix3d J = I + 0.5 * h * (skew(mean) * I - skew(L));
    const Vector3d change = J.fullPivLu().solve(I * (next - omega) + h * mean.cross(L));
    next -= change;
    if (change.norm() <= 1e-15 * next.norm()) break;
  }
  return next;
}

/// Cayley's rotation cay(θ).
Matrix3d cayley(const Vector3d& theta) {
  const Matrix3d half = 0.5 * skew(theta), one = Matrix3d::Identity();
  return (one - half).inverse() * (one + half);
}

bool is_off_axis(const Matrix3d& I, const Vector3d& omega) {
  return omega.cross(I * omega).norm() > 4e-15 * omega.norm() * (I * omega).norm();
}

Spin torque_free(const Matrix3d& inertia, const Vector3d& omega, double h) {
  if (!(inertia.trace() > 0.0) || !is_off_axis(inertia, omega)) return {omega, omega};
  const Matrix3d I = inertia / inertia.trace();
  const double rate = omega.norm(), time = std::fmin(h, 64.0 / rate);
  const int parts = static_cast<int>(std::fmin(std::ceil(h * rate), 64.0));
  Vector3d next = omega, way = Vector3d::Zero();
  Matrix3d turned = Matrix3d::Identity();
  const double stretched = 2.0 * std::tan(0.5 * rate * time / parts) / rate;
  for (int i = 0; i < parts; ++i) {
    const Vector3d end = midpoint_step(I, next, stretched), mean = 0.5 * (next + end);
    turned = turned * cayley(stretched * mean);
    way += time / parts * mean;
    next = end;
  }
  return {whole_turn(turned, way) / time, next};
}

}  // namespace

Vector3d whole_turn(const Matrix3d& rotation, const Vector3d& way) {
  const Eigen::AngleAxisd turn(Eigen::Quaterniond(rotation).normalized());
  if (turn.angle() == 0.0) return way;
  const double full = 2.0 * std::acos(-1.0);
  return (turn.angle() + full * std::round((way.dot(turn.axis()) - turn.angle()) / full)) * turn.axis();
}

std::optional<int> spinning_dofs(const Model& m, int tree) {
  const Hold hold = hold_of(m, tree);
  if (hold == Hold::kChain) return std::nullopt;
  return m.tree_dof_adr[tree] + (hold == Hold::kFree ? 3 : 0);
}

FreeSpin spin_on(const Model& m, const Kinematics& k, int tree, const VectorXd& qvel, const VectorXd& u, double h) {
  FreeSpin spin{false, u, VectorXd::Zero(m.nv)};
  const int turns = spinning_dofs(m, tree).value(), first = m.tree_dof_adr[tree];
  const bool flies = turns > first;
  const Vector3d center = center_of_tree(m, k, tree), fixed = flies ? center : k.anchor[turns];
  Matrix3d axes;
  for (int i = 0; i < 3; ++i) axes.col(i) = k.axis[turns + i];
  const Matrix3d I = inertia_about(m, k, tree, fixed);
  if (!is_off_axis(I, axes * qvel.segment<3>(turns))) return spin;
  const Vector3d omega = axes * u.segment<3>(turns);
  const Spin motion = torque_free(I, omega, h);
  spin.changes = true;
  spin.inertia = axes.transpose() * I * axes;
  spin.mean.segment<3>(turns) += axes.transpose() * (motion.mean - omega);
  if (flies) spin.mean.segment<3>(first) -= (motion.mean - omega).cross(center - k.anchor[turns]);
  spin.carry.segment<3>(turns) = axes.transpose() * (motion.end - motion.mean);
  return spin;
}

Vector3d flying_center(const Model& m, const Kinematics& k, int joint) {
  const int body = m.joint_body[joint], tree = m.body_tree[body];
  return hold_of(m, tree) == Hold::kFree ? center_of_tree(m, k, tree) : k.com[body];
}

VectorXd carried_velocity(const Model& m, const Kinematics& before, const Kinematics& after, const VectorXd& qvel) {
  VectorXd v = qvel;
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (hold_of(m, tree) != Hold::kFree) continue;
    const int first = m.tree_dof_adr[tree], body = m.dof_body[first];
    const Vector3d arm_before = center_of_tree(m, before, tree) - before.body[body].p;
    const Vector3d arm_after = center_of_tree(m, after, tree) - after.body[body].p;
    const Vector3d omega = qvel.segment<3>(first + 3);  // stays in the body's axes
    v.segment<3>(first) +=
        (before.body[body].R * omega).cross(arm_before) - (after.body[body].R * omega).cross(arm_after);
  }
  return v;
}

}  // namespace stiction::reference
