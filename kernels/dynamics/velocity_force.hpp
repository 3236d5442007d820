// c of a second-order step where it is explicit: the change of momentum that velocity alone causes, as a force.
//
//   linkages that hardly turn   c from the velocity at the start (inertia.hpp)
//   other trees                 none: their motion over the step takes its place (free_motion.hpp)
//
#pragma once

#include "kernels/dynamics/free_motion_scratch.hpp"
#include "kernels/dynamics/spin.hpp"
#include "kernels/kinematics/free_body.hpp"
#include "kernels/kinematics/inertia.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

/// A linkage that turns by less than this per step has an explicit c, which adds about (h ω)² to its energy per step,
/// relative [rad].
template <class Real>
constexpr Real kStillTurn = Real(1e-3);

/// I about `com`, in body axes [kg m²], with the armature of the three dofs from `turns` on, which is the same for
/// every axis of a joint.
template <class Real>
ST_FN Mat3<Real> flying_inertia(const ModelView<Real>& model, int root, const Vec3<Real>& com, int turns) {
  Mat3<Real> inertia = free_body_inertia(model, root, com);
  for (int i = 0; i < 3; ++i) inertia(i, i) += model.dof_armature[turns + i];
  return inertia;
}

/// I about the pivot [kg m²]: the tree's block of M.
template <class Real>
ST_FN Mat3<Real> pivoted_inertia(const Inertia<Real>& all, int tree) {
  Mat3<Real> inertia;
  for (int i = 0; i < 9; ++i) inertia.m[i] = all.M[all.tree_adr[tree] + i];
  return inertia;
}

}  // namespace dynamics_detail

/// h Σ |ω_k|: an upper bound of the angle by which any body of the tree turns in a step [rad].
template <class Real>
ST_FN Real turn_of_tree(const ModelView<Real>& model, const Real* qvel, Real h, int tree) {
  const int first = model.tree_dof_adr[tree];
  Real rate = Real(0);
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) {
    const int j = model.dof_joint[k];
    const JointType type = static_cast<JointType>(model.joint_type[j]);
    const bool shifts = type == JointType::kSlide || (type == JointType::kFree && k < model.joint_dof_adr[j] + 3);
    rate += shifts ? Real(0) : std::fabs(qvel[k]);
  }
  return h * rate;
}

/// True for a linkage that turns by more than kStillTurn.
template <class Real>
ST_FN bool moves_freely(const ModelView<Real>& model, const Real* qvel, Real h, int tree) {
  return is_linkage(model, tree) && turn_of_tree(model, qvel, h, tree) > dynamics_detail::kStillTurn<Real>;
}

/// Writes bias from qvel (nv).
template <class Team, class Real>
ST_FN void update_velocity_force(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                                 Pointer<const Real> qvel, Real h, Inertia<Real>& out) {
  team.each(model.ntree, [&](int tree) {
    const bool acts = !is_free_body(model, tree) && !is_pivoted_body(model, tree);
    if (acts && !moves_freely(model, qvel, h, tree)) return tree_bias(model, poses, qvel, tree, out);
    for (int k = 0; k < model.tree_dof_num[tree]; ++k) out.bias[model.tree_dof_adr[tree] + k] = Real(0);
  });
}

}  // namespace stiction
