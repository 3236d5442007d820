// Quasidynamic: quasistatic, except that un-actuated dofs resist with a weighted mass; every step begins without
// momentum.
//
//   H += ε M_u,   ε = min(K) h² / (s max diag M_u)        s = [physics] mass_ratio; s = 0, or no K: ε = 1
//
// K are the stiffnesses of the position actuators. (Pang, Suh, Yang & Tedrake 2023, CQDC.)
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

namespace dynamics_detail {

/// min(K) over the position actuators, on the joint's side of the gear; 0 if there are none.
template <class Team, class Real>
ST_FN Real smallest_stiffness(Team team, const ModelView<Real>& model) {
  const Real negated = team.max(model.nu, -Real(INFINITY), [&](int a) {
    const Real gear = model.actuator_gear[a];
    const bool position = static_cast<ActuatorKind>(model.actuator_kind[a]) == ActuatorKind::kPosition;
    return position ? -model.actuator_kp[a] * gear * gear : -Real(INFINITY);
  });
  return negated > -Real(INFINITY) ? -negated : Real(0);
}

}  // namespace dynamics_detail

template <class Team, class Real>
ST_FN void assemble_quasidynamic(Team team, const ModelView<Real>& model, const Poses<Real>&,
                                 const MotionInputs<Real>& in, const Inertia<Real>&, MotionTerms<Real>& terms) {
  const double stiffness = static_cast<double>(dynamics_detail::smallest_stiffness(team, model));
  const double heaviest = team.max(model.nv, 0.0, [&](int k) {
    const int tree = model.dof_tree[k], n = model.tree_dof_num[tree], i = k - model.tree_dof_adr[tree];
    return terms.M_u[terms.tree_adr[tree] + i * n + i];
  });
  const bool weighted = in.mass_ratio > Real(0) && stiffness > 0.0 && heaviest > 0.0;
  const double squared = static_cast<double>(in.step_size) * static_cast<double>(in.step_size);
  const double epsilon = weighted ? stiffness * squared / (static_cast<double>(in.mass_ratio) * heaviest) : 1.0;
  team.each(tree_block_values(model), [&](int i) { terms.H[i] += epsilon * terms.M_u[i]; });
}

}  // namespace stiction
