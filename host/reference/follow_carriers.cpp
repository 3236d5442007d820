#include "host/reference/follow_carriers.hpp"

#include "host/reference/free_spin.hpp"

namespace stiction::reference {
namespace {

using Eigen::Vector3d;

constexpr double kLoadedForce = 1e-3;  // least force of a loaded contact [N]
constexpr double kCarried = 1.0 / 8.0;

/// The free joint of the free body that `body` is part of, or -1.
int free_joint(const Model& m, int body) {
  const int tree = m.body_tree[body];
  if (tree < 0 || m.tree_dof_num[tree] != 6) return -1;
  const int joint = m.dof_joint[m.tree_dof_adr[tree]];
  return static_cast<JointType>(m.joint_type[joint]) == JointType::kFree ? joint : -1;
}

}  // namespace

Eigen::VectorXd follow_carriers(const Model& m, const Kinematics& before, const std::vector<ContactInput>& points,
                                const DenseProblem& problem, const DenseSolution& solution,
                                const Eigen::VectorXd& taken, const std::vector<double>& mocap_pose,
                                const Eigen::VectorXd& qpos) {
  const Kinematics after = forward_kinematics(m, qpos, mocap_pose);
  const Eigen::VectorXd& v = solution.v;
  std::vector<Vector3d> pull(m.njoint, Vector3d::Zero());
  std::vector<double> load(m.njoint, 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Index row = problem.dimension * static_cast<Eigen::Index>(i);
    const double lambda = solution.lambda[row];
    if (!(lambda > problem.step_size * kLoadedForce)) continue;
    const Vector3d at = contact_frame(m, points[i]).position;
    const Vector3d slide = problem.J.middleRows(row, 3) * v + problem.offset.segment<3>(row);
    for (int side = 0; side < 2; ++side) {
      const int body = m.geom_body[m.pair_geom[2 * points[i].pair + side]];
      const int A = m.geom_body[m.pair_geom[2 * points[i].pair + 1 - side]], joint = free_joint(m, body);
      if (joint < 0 || moves_frozen(m, m.joint_dof_adr[joint])) continue;
      load[joint] += lambda;
      if (m.body_tree[A] < 0 || free_joint(m, A) >= 0) continue;
      if (slide.norm() > kCarried * (body_jacobian(m, before, A, at).topRows(3) * v).norm()) continue;
      const Vector3d p = flying_center(m, before, joint);
      const Vector3d arc = after.body[A].p + after.body[A].R * before.body[A].R.transpose() * (p - before.body[A].p);
      const Vector3d tangent = p + problem.step_size * body_jacobian(m, before, A, p).topRows(3) * taken;
      pull[joint] += lambda * (arc - tangent);
    }
  }
  Eigen::VectorXd moved = qpos;
  for (int j = 0; j < m.njoint; ++j)
    if (load[j] > 0.0) moved.segment<3>(m.joint_qpos_adr[j]) += pull[j] / load[j];
  return moved;
}

}  // namespace stiction::reference
