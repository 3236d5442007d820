// A kinematic tree that is one free rigid body: a free joint, and other bodies only welded to the first.
//
//   m = Σ_b m_b,   c = Σ_b m_b c_b / m,   I = Σ_b I_b + m_b (‖c_b − c‖² 1 − (c_b − c)(c_b − c)ᵀ)
//
//   symbol  variable  shape    unit
//   c       com       (3)      centre of mass in the frame of the first body [m]
//   I       inertia   (3, 3)   about c, in the axes of the first body [kg m²]
#pragma once

#include "kernels/kinematics/spatial.hpp"
#include "kernels/model/model_view.hpp"

namespace stiction {

namespace kinematics_detail {

template <class Real>
ST_FN bool tree_is_one_joint(const ModelView<Real>& model, int tree, JointType type, int dofs) {
  const int joint = model.dof_joint[model.tree_dof_adr[tree]];
  return model.tree_dof_num[tree] == dofs && static_cast<JointType>(model.joint_type[joint]) == type;
}

/// Centre of mass and principal axes of a body in the frame of another body, `root`, to which it is welded.
template <class Real>
struct PrincipalFrame {
  Vec3<Real> com;   // [m]
  Quat<Real> quat;  // rotation from the principal axes to the frame of `root`
};

template <class Real>
ST_FN PrincipalFrame<Real> principal_frame(const ModelView<Real>& model, int b, int root) {
  PrincipalFrame<Real> f = {load3(model.body_ipos + 3 * b), load_quat(model.body_iquat + 4 * b)};
  for (; b > root; b = model.body_parent[b]) {
    const Quat<Real> turn = load_quat(model.body_quat + 4 * b);
    f = {load3(model.body_pos + 3 * b) + rotate(turn, f.com), turn * f.quat};
  }
  return f;
}

template <class Real>
ST_FN int end_of_tree(const ModelView<Real>& model, int root) {
  int end = root + 1;
  while (end < model.nbody && model.body_tree[end] == model.body_tree[root]) ++end;
  return end;
}

}  // namespace kinematics_detail

template <class Real>
ST_FN bool is_free_body(const ModelView<Real>& model, int tree) {
  return kinematics_detail::tree_is_one_joint(model, tree, JointType::kFree, 6);
}

/// True for a tree that is one rigid body on a single ball joint: it turns about a point of the world.
template <class Real>
ST_FN bool is_pivoted_body(const ModelView<Real>& model, int tree) {
  return kinematics_detail::tree_is_one_joint(model, tree, JointType::kBall, 3);
}

/// c of the free body that begins with body `root`. For a single body these are the very bits of the model's value.
template <class Real>
ST_FN Vec3<Real> free_body_com(const ModelView<Real>& model, int root) {
  const int end = kinematics_detail::end_of_tree(model, root);
  const Vec3<Real> own = load3(model.body_ipos + 3 * root);
  Real mass = model.body_mass[root];
  Vec3<Real> offset = {Real(0), Real(0), Real(0)};  // Σ m_b (c_b − c_root)
  for (int b = root + 1; b < end; ++b) {
    mass += model.body_mass[b];
    offset += model.body_mass[b] * (kinematics_detail::principal_frame(model, b, root).com - own);
  }
  return end > root + 1 && mass > Real(0) ? own + (Real(1) / mass) * offset : own;
}

/// I about `com`.
template <class Real>
ST_FN Mat3<Real> free_body_inertia(const ModelView<Real>& model, int root, const Vec3<Real>& com) {
  SpatialInertia<Real> sum = {};
  for (int b = root; b < kinematics_detail::end_of_tree(model, root); ++b) {
    const kinematics_detail::PrincipalFrame<Real> f = kinematics_detail::principal_frame(model, b, root);
    sum += body_inertia_about(model.body_mass[b], load3(model.body_inertia + 3 * b), to_matrix(f.quat), f.com - com);
  }
  return {{sum.xx, sum.xy, sum.xz, sum.xy, sum.yy, sum.yz, sum.xz, sum.yz, sum.zz}};
}

}  // namespace stiction
