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

/// Newton on ω⁺ itself.
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

Vector3d torque_free(const Matrix3d& inertia, const Vector3d& omega, double h) {
  if (!(inertia.trace() > 0.0)) return omega;
  const Matrix3d I = inertia / inertia.trace();
  const double rate = omega.norm();
  if (omega.cross(I * omega).norm() <= 4e-15 * rate * (I * omega).norm()) return omega;  // about a principal axis
  const int parts = static_cast<int>(std::fmin(std::ceil(h * rate), 64.0));
  Vector3d next = omega;
  for (int i = 0; i < parts; ++i) next = midpoint_step(I, next, std::fmin(h, 64.0 / rate) / parts);
  return next;
}

}  // namespace

FreeSpin spin_on(const Model& m, const Kinematics& k, int tree, const VectorXd& qvel, double h) {
  const Hold hold = hold_of(m, tree);
  if (hold == Hold::kChain) return {};
  const int first = m.tree_dof_adr[tree], turns = first + (hold == Hold::kFree ? 3 : 0);
  const Vector3d center = center_of_tree(m, k, tree), fixed = hold == Hold::kFree ? center : k.anchor[turns];
  Matrix3d axes;
  for (int i = 0; i < 3; ++i) axes.col(i) = k.axis[turns + i];
  const Vector3d omega = axes * qvel.segment<3>(turns);
  const Vector3d change = torque_free(inertia_about(m, k, tree, fixed), omega, h) - omega;
  FreeSpin spin{true, qvel.segment(first, m.tree_dof_num[tree])};
  spin.velocity.tail<3>() += axes.transpose() * change;
  if (hold == Hold::kFree) spin.velocity.head<3>() -= change.cross(center - k.anchor[turns]);
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
