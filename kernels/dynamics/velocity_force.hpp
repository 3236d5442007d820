// c of a second-order step: what velocity alone does to momentum, as a force.
//
//   free body       c = (0, I (ω − ω⁺)/h)      I about the centre of mass, which flies straight: no force on it
//   pivoted body    c = I (ω − ω⁺)/h           I about the pivot, a tree's block of M
//   linkages        c of the velocity at the start (inertia.hpp), explicit, where they hardly turn; else
//   free_motion.hpp
//
// ω⁺ is the spin after a step without torque (spin.hpp), so that M v − h c is the momentum of that spin for any size of
// step. Armature counts in I: it is the same about every axis of a joint.
#pragma once

#include "kernels/dynamics/free_motion_scratch.hpp"
#include "kernels/dynamics/spin.hpp"
#include "kernels/kinematics/free_body.hpp"
#include "kernels/kinematics/inertia.hpp"

namespace stiction {

namespace detail {

/// A linkage that turns by less in a step keeps an explicit c, which adds some (h ω)² to the energy per step [rad].
template <class Real>
constexpr Real kStillTurn = Real(1e-3);

/// c of the three rotations that begin with dof `first`.
template <class Real>
ST_FN void write_spin_force(const Mat3<Real>& inertia, const Real* qvel, Real h, int first, Real* bias) {
  const Vec3<Real> spin = load3(qvel + first);
  const Vec3<Real> change = inertia * (spin - spin_without_torque(inertia, spin, h));
  store3(bias + first, (Real(1) / h) * change);
}

template <class Real>
ST_FN void free_body_force(const ModelView<Real>& model, const Real* qvel, Real h, int tree, Real* bias) {
  const int first = model.tree_dof_adr[tree], root = model.dof_body[first];
  Mat3<Real> inertia = free_body_inertia(model, root, free_body_com(model, root));
  for (int i = 0; i < 3; ++i) {
    inertia(i, i) += model.dof_armature[first + 3 + i];
    bias[first + i] = Real(0);
  }
  write_spin_force(inertia, qvel, h, first + 3, bias);
}

template <class Real>
ST_FN void pivoted_body_force(const ModelView<Real>& model, const Real* qvel, Real h, int tree,
                              const Inertia<Real>& out) {
  Mat3<Real> inertia;
  for (int i = 0; i < 9; ++i) inertia.m[i] = out.M[out.tree_adr[tree] + i];
  write_spin_force(inertia, qvel, h, model.tree_dof_adr[tree], out.bias);
}

}  // namespace detail

/// h Σ |ω_k|: what any body of the tree turns by in a step, or less [rad].
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

/// True for a linkage that turns.
template <class Real>
ST_FN bool moves_freely(const ModelView<Real>& model, const Real* qvel, Real h, int tree) {
  return is_linkage(model, tree) && turn_of_tree(model, qvel, h, tree) > detail::kStillTurn<Real>;
}

/// Writes bias from qvel (nv), given M.
template <class Team, class Real>
ST_FN void update_velocity_force(Team team, const ModelView<Real>& model, const Poses<Real>& poses, const Real* qvel,
                                 Real h, const Inertia<Real>& out) {
  team.each(model.ntree, [&](int tree) {
    if (is_free_body(model, tree))
      detail::free_body_force(model, qvel, h, tree, out.bias);
    else if (is_pivoted_body(model, tree))
      detail::pivoted_body_force(model, qvel, h, tree, out);
    else if (moves_freely(model, qvel, h, tree))
      for (int k = 0; k < model.tree_dof_num[tree]; ++k) out.bias[model.tree_dof_adr[tree] + k] = Real(0);
    else
      detail::tree_bias(model, poses, qvel, tree, out);
  });
}

}  // namespace stiction
