// Which dofs have a given velocity in a step, and how H and g leave them out.
//
//   p: dofs that follow a command exactly (kinematic.hpp), and dofs that move a frozen body, with v̄ = 0
//   f: all others
//
//   H_ff v_f = g_f − H_fp v̄ + Σ J_fᵀ λ,   J v + b = J_f v_f + (J_p v̄ + b)                       (1)
//
// Forces balance only on the rows f; the rows p are held by whatever force that takes. So that all solvers read the
// same form, the rows p stay in the problem as d v_p = d v̄ with nothing else in them,
//
//   H_pp = d = r_p² G/V,  H_fp = 0,  g_p = d v̄                                                  (2)
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

/// Names the dofs p of the step.
template <class Team, class Real>
ST_FN void choose_prescribed(Team team, const ModelView<Real>& model, Dynamics dynamics, PrescribedDofs& prescribed) {
  const int* driven = follows_exactly(dynamics) ? model.dof_actuated : nullptr;
  const int frozen = team.sum(model.nbody, 0, [&](int b) { return model.body_frozen[b] != Real(0) ? 1 : 0; });
  team.once([&] {
    prescribed.frozen = frozen > 0;
    prescribed.chosen = frozen > 0 ? prescribed.with_frozen.data() : driven;
  });
  if (frozen == 0) return;
  team.each(model.nv, [&](int k) {
    prescribed.with_frozen[k] = driven ? driven[k] : 0;
    prescribed.velocity[k] = 0.0;
  });
  team.once([&] {
    for (int b = 0; b < model.nbody; ++b)
      for (int k = model.body_frozen[b] != Real(0) ? model.body_last_dof[b] : -1; k >= 0; k = model.dof_parent[k])
        prescribed.with_frozen[k] = kFrozen;
  });
}

namespace dynamics_detail {

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

/// (2): the block of the prescribed dofs becomes the diagonal r² `weight`.
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

/// Takes the dofs p out of H and g.
template <class Team, class Real>
ST_FN void leave_out_prescribed(Team team, const ModelView<Real>& model, Real step_size, MotionTerms<Real>& terms) {
  const PrescribedDofs& prescribed = terms.prescribed;
  team.each(model.ntree, [&](int t) { dynamics_detail::move_prescribed_columns(model, t, terms); });
  const double h = static_cast<double>(step_size);
  const double load = team.max(model.nv, h * double(1e-3), [&](int k) {
    return prescribed.chosen[k] ? 0.0 : std::fabs(terms.g[k]) / terms.dof_radius[k];
  });
  const double speed = team.max(model.nv, double(1e-3) / h, [&](int k) {
    return prescribed.chosen[k] ? std::fabs(prescribed.velocity[k]) * terms.dof_radius[k] : 0.0;
  });
  team.each(model.ntree, [&](int t) { dynamics_detail::write_prescribed_rows(model, load / speed, t, terms); });
}

/// What frozen dofs would do without contact: nothing.
template <class Team, class Real>
ST_FN void hold_frozen(Team team, const ModelView<Real>& model, MotionTerms<Real>& terms) {
  team.each(model.nv, [&](int k) {
    if (is_frozen(terms.prescribed, k)) terms.g[k] = 0.0, terms.free_velocity[k] = Real(0);
  });
}

}  // namespace stiction
