// What acts on a tree of joints besides contact: such a tree does not move as it would without forces
// (tree_motion.hpp).
//
//   bound     a coupling, a weld, a limited or dry tendon, an actuator of limited force, or a spring or actuator across
//             trees acts on one of its dofs
//   stopped   its motion without forces would leave a joint's range
//   driven    an actuator, or the spring of a joint or tendon acts on it: its energy is not conserved
#pragma once

#include "kernels/contact/general_rows.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

/// True if a dof of the tree is a term of the length; -1: no length.
template <class Real>
ST_FN bool has_length(const ModelView<Real>& model, int tree, int length) {
  if (length < 0) return false;
  const int first = model.length_term_adr[length], begin = model.tree_dof_adr[tree];
  for (int i = first; i < first + model.length_term_num[length]; ++i)
    if (model.term_dof[i] >= begin && model.term_dof[i] < begin + model.tree_dof_num[tree]) return true;
  return false;
}

template <class Real>
ST_FN bool is_bound(const ModelView<Real>& model, int tree) {
  for (int c = 0; c < 2 * model.ncoupling; ++c)
    if (has_length(model, tree, model.coupling_length[c])) return true;
  for (int i = 0; i < 2 * model.nweld; ++i)
    if (model.body_tree[model.weld_body[i]] == tree) return true;
  for (int t = 0; t < model.ntendon; ++t) {
    const bool holds = model.tendon_limited[t] || model.tendon_frictionloss[t] > Real(0) || is_spring_row(model, t);
    if (holds && has_length(model, tree, model.tendon_length[t])) return true;
  }
  for (int a = 0; a < model.nu; ++a)
    if (is_force_row(model, Dynamics::kDynamic, a) && has_length(model, tree, model.actuator_length[a])) return true;
  return false;
}

/// True if a joint of the tree is beyond its range at qpos (nq).
template <class Real>
ST_FN bool is_stopped(const ModelView<Real>& model, int tree, Pointer<const Real> qpos) {
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k) {
    const int j = model.dof_joint[k];
    if (!model.joint_limited[j]) continue;
    const Real *q = qpos + model.joint_qpos_adr[j], *range = model.joint_range + 2 * j;
    const bool ball = static_cast<JointType>(model.joint_type[j]) == JointType::kBall;
    const Real at = ball ? norm(rotation_vector(normalise(load_quat(q)))) : q[0];
    if (at > range[1] || (!ball && at < range[0])) return true;
  }
  return false;
}

template <class Real>
ST_FN bool is_driven(const ModelView<Real>& model, int tree) {
  const int first = model.tree_dof_adr[tree];
  for (int k = first; k < first + model.tree_dof_num[tree]; ++k)
    if (model.joint_stiffness[model.dof_joint[k]] > Real(0)) return true;
  for (int t = 0; t < model.ntendon; ++t)
    if (model.tendon_stiffness[t] > Real(0) && has_length(model, tree, model.tendon_length[t])) return true;
  for (int a = 0; a < model.nu; ++a)
    if (has_length(model, tree, model.actuator_length[a])) return true;
  return false;
}

}  // namespace dynamics_detail

}  // namespace stiction
