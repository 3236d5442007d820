// Dynamic: second order, implicit in velocities, springs and dampers.
//
//   H = M + h D + h² K
//   g = M v + h (τ + K (q̄⁺ − q) + kv v̄ − c)                    (M v⁺ − M v = h × forces at the end of the step)
//
// D and K hold the passive dampers and springs and the actuators' kv and kp. c is the Coriolis, centrifugal and
// gyroscopic force over the step (velocity_force.hpp, free_motion.hpp). The weight, less what gravcomp carries, is in
// τ. Limits, dry friction, couplings and actuators with a force range are rows (general_rows.hpp). (Miller &
// Christensen 2003, (17), with the springs of Pang & Tedrake 2021, (4).)
//
//   symbol  variable       shape          unit
//   M       inertia.M      blocks (n, n)  [kg], [kg m²]
//   c       inertia.bias   (nv)           [N], [N m]
#pragma once

#include "kernels/dynamics/motion_terms.hpp"
#include "kernels/dynamics/velocity_force.hpp"

namespace stiction {

template <class Team, class Real>
ST_FN void assemble_dynamic(Team team, const ModelView<Real>& model, const Poses<Real>& poses,
                            const MotionInputs<Real>& in, Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  update_velocity_force(team, model, poses, in.qvel, in.step_size, inertia);
  const double h = static_cast<double>(in.step_size);
  team.each(tree_block_values(model), [&](int i) { terms.H[i] += static_cast<double>(inertia.M[i]); });
  team.each(model.nv, [&](int k) {
    const int tree = model.dof_tree[k], n = model.tree_dof_num[tree], first = model.tree_dof_adr[tree];
    const Real* row = inertia.M + inertia.tree_adr[tree] + (k - first) * n;
    double momentum = 0.0;
    for (int j = 0; j < n; ++j) momentum += static_cast<double>(row[j]) * static_cast<double>(in.qvel[first + j]);
    terms.g[k] += momentum - h * static_cast<double>(inertia.bias[k]);
  });
}

}  // namespace stiction
