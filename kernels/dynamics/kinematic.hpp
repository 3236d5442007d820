// Kinematic: the commanded dofs follow exactly, forces balance on the others, nothing has momentum.
//
//   v_p = v̄,   v̄ = (ctrl − q)/h (position) or ctrl (velocity)                                   (1)
//   H_ff v_f = g_f − H_fp v̄ + Σ J_fᵀ λ,   J v + b = J_f v_f + (J_p v̄ + b)                       (2)
//
// (Trinkle, Berard & Pang 2005; Pang & Tedrake 2021, (1).) Forces balance only on the rows f, which are not prescribed;
// the rows p are held by whatever force that takes. H_ff holds the terms of springs and dampers, otherwise it is 0. So
// that all solvers read the same form, the rows p stay in the problem as d v_p = d v̄ with nothing else in them,
//
//   H_pp = d = r_p² G/V,  H_fp = 0,  g_p = d v̄                                                  (3)
//   G = max(max_f |g_f|/r_f, h · 1 mN),  V = max(max_p r_p |v̄_p|, 1 mm/h)
//
// with d such that these rows neither set the scale of the residual (|g_p|/r_p <= G) nor vanish in it. J_p has left the
// contact rows already, so the accuracy of the solved v_p affects nothing else, and v_p = v̄ overwrites it.
//
//   symbol  variable              shape  unit
//   v̄       prescribed.velocity   (nv)   [m/s], [rad/s]
//   r       dof_radius            (nv)   [m], 1 for translations
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

namespace dynamics_detail {

/// (1)
template <class Real>
ST_FN void write_prescribed_velocities(const ModelView<Real>& model, const MotionInputs<Real>& in,
                                       PrescribedDofs& prescribed) {
  for (int a = 0; a < model.nu; ++a) {
    if (!prescribes_motion(model, Dynamics::kKinematic, a)) continue;
    const ActuatorLaw<Real> law = actuator_law(model, in.qpos, in.ctrl, Dynamics::kKinematic, a);
    const Real rate = commanded_rate(model, law, in.step_size, a);
    for_each_term(model, model.actuator_length[a],
                  [&](int k, Real c) { prescribed.velocity[k] = static_cast<double>(rate / c); });
  }
}

/// g_f −= H_fp v̄, H_fp = H_pf = 0 in one tree's block.
template <class Real>
ST_FN void move_prescribed_columns(const ModelView<Real>& model, int tree, MotionTerms<Real>& terms) {
  const int* chosen = terms.prescribed.chosen;
  const int first = model.tree_dof_adr[tree], end = first + model.tree_dof_num[tree];
  for (int f = first; f < end; ++f) {
    if (chosen[f]) continue;
    for (int p = first; p < end; ++p) {
      if (!chosen[p]) continue;
      terms.g[f] -= entry(model, terms, f, p) * terms.prescribed.velocity[p];
      entry(model, terms, f, p) = entry(model, terms, p, f) = 0.0;
    }
  }
}

/// (3): the block of the prescribed dofs becomes the diagonal r² `weight`.
template <class Real>
ST_FN void write_prescribed_rows(const ModelView<Real>& model, double weight, int tree, MotionTerms<Real>& terms) {
  const int first = model.tree_dof_adr[tree], end = first + model.tree_dof_num[tree];
  for (int p = first; p < end; ++p) {
    if (!terms.prescribed.chosen[p]) continue;
    for (int k = first; k < end; ++k) entry(model, terms, p, k) = 0.0;
    const double d = weight * terms.dof_radius[p] * terms.dof_radius[p];
    entry(model, terms, p, p) = d;
    terms.g[p] = d * terms.prescribed.velocity[p];
  }
}

}  // namespace dynamics_detail

template <class Team, class Real>
ST_FN void assemble_kinematic(Team team, const ModelView<Real>& model, const Poses<Real>&, const MotionInputs<Real>& in,
                              const Inertia<Real>&, MotionTerms<Real>& terms) {
  PrescribedDofs& prescribed = terms.prescribed;
  team.once([&] { dynamics_detail::write_prescribed_velocities(model, in, prescribed); });
  team.each(model.ntree, [&](int t) { dynamics_detail::move_prescribed_columns(model, t, terms); });
  const double h = static_cast<double>(in.step_size);
  const double load = team.max(model.nv, h * double(1e-3), [&](int k) {
    return prescribed.chosen[k] ? 0.0 : std::fabs(terms.g[k]) / terms.dof_radius[k];
  });
  const double speed = team.max(model.nv, double(1e-3) / h, [&](int k) {
    return prescribed.chosen[k] ? std::fabs(prescribed.velocity[k]) * terms.dof_radius[k] : 0.0;
  });
  team.each(model.ntree, [&](int t) { dynamics_detail::write_prescribed_rows(model, load / speed, t, terms); });
}

}  // namespace stiction
