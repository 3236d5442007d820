// Dynamic with fitted springs: second order in h with one solve per step, where `dynamic` is of first order.
//
//   H = M + Σ w b c cᵀ
//   g = M v + h (τ + Σ k (ℓ*_σ − ℓ) c − c) − Σ (1 − w) b (cᵀv) c
//
// The sums run over springs and dampers on lengths ℓ = cᵀq, with the σ, w and b of spring_weights.hpp; v is the mean
// velocity of a step, as in the other dynamics. The forces of a step are those at its beginning, which is midway
// between two mean velocities; backward Euler takes them half a step late.
//
//   symbol  variable     shape          unit
//   M       inertia.M    blocks (n, n)  [kg], [kg m²]
//   S       terms.H      blocks (n, n)  stability matrix of spring_weights.hpp; H uses the same memory later
#pragma once

#include "kernels/dynamics/motion_terms.hpp"
#include "kernels/linalg/small_cholesky.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

namespace dynamics_detail {

/// Calls f(scale, length, k, d) for every tendon, and for every actuator with a spring k or damper d, which acts on
/// scale · length.
template <class Real, class F>
ST_FN void for_each_length_spring(const ModelView<Real>& model, const Real* qpos, F f) {
  for (int t = 0; t < model.ntendon; ++t)
    f(Real(1), model.tendon_length[t], tendon_stretch(model, qpos, t).stiffness, model.tendon_damping[t]);
  for (int a = 0; a < model.nu; ++a)
    if (!is_motor(model, a))
      f(model.actuator_gear[a], model.actuator_length[a], model.actuator_kp[a], model.actuator_kd[a]);
}

/// Writes the diagonals of K and D to fit.stiffness and fit.damping.
template <class Real>
ST_FN void sum_springs(const ModelView<Real>& model, Pointer<const Real> qpos, SpringFit<Real>& fit) {
  for (int i = 0; i < model.nv; ++i) {
    fit.stiffness[i] = static_cast<double>(model.joint_stiffness[model.dof_joint[i]]);
    fit.damping[i] = static_cast<double>(model.dof_damping[i]);
  }
  for_each_length_spring(model, qpos, [&](Real scale, int length, Real k, Real d) {
    for_each_term(model, length, [&](int i, Real c) {
      const double square = static_cast<double>(scale) * scale * c * c;
      fit.stiffness[i] += square * static_cast<double>(k);
      fit.damping[i] += square * static_cast<double>(d);
    });
  });
}

/// 2 (2 w − 1) b − h² k, the share of a spring in S.
ST_FN double stability_share(const SpringWeights& weights, double h, double k, double d) {
  const double square = h * h * k;
  return double(2) * (double(2) * weights.next - 1.0) * (weights.shift * square + h * d) - square;
}

/// Writes S of a tree to its block of terms.H.
template <class Real>
ST_FN void write_stability(const ModelView<Real>& model, const MotionInputs<Real>& in, const Inertia<Real>& inertia,
                           int tree, MotionTerms<Real>& terms) {
  const double h = static_cast<double>(in.step_size);
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree], at = terms.tree_adr[tree];
  for (int i = 0; i < n * n; ++i) terms.H[at + i] = double(3.5) * static_cast<double>(inertia.M[at + i]);
  for (int i = first; i < first + n; ++i)
    entry(model, terms, i, i) +=
        stability_share(terms.fit.of_dof(i), h, static_cast<double>(model.joint_stiffness[model.dof_joint[i]]),
                        static_cast<double>(model.dof_damping[i]));
  for_each_length_spring(model, in.qpos, [&](Real scale, int length, Real k, Real d) {
    const double share =
        stability_share(terms.fit.of_length(model, length), h, static_cast<double>(k), static_cast<double>(d));
    const double square = static_cast<double>(scale) * scale * share;
    for_each_term(model, length, [&](int i, Real c_i) {
      if (model.dof_tree[i] != tree) return;
      for_each_term(model, length, [&](int j, Real c_j) {
        if (model.dof_tree[j] == tree) entry(model, terms, i, j) += square * static_cast<double>(c_i * c_j);
      });
    });
  });
}

constexpr int kLighterMasses = 12;  // how often the mass is quartered before backward Euler is taken

/// Writes the weights of a tree's dofs: the mass for which they are fitted is quartered until S has a factor.
template <class Real>
ST_FN void fit_tree(const ModelView<Real>& model, const MotionInputs<Real>& in, const Inertia<Real>& inertia, int tree,
                    MotionTerms<Real>& terms) {
  SpringFit<Real>& fit = terms.fit;
  const int first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree], at = terms.tree_adr[tree];
  double share = 1.0;
  for (int attempt = 0; attempt <= kLighterMasses; ++attempt, share *= double(0.25)) {
    bool sprung = false;
    for (int i = 0; i < n; ++i) {
      const double mass = attempt < kLighterMasses ? share * static_cast<double>(inertia.M[at + i * n + i]) : 0.0;
      const SpringWeights w =
          fitted_weights(static_cast<double>(in.step_size), mass, fit.stiffness[first + i], fit.damping[first + i]);
      fit.shift[first + i] = w.shift;
      fit.next[first + i] = w.next;
      sprung = sprung || fit.stiffness[first + i] > 0.0;
    }
    if (!sprung) return;
    write_stability(model, in, inertia, tree, terms);
    if (factor_upper(terms.H + at, n)) return;
  }
}

/// Writes the command at which an actuator acts: u_σ for a position, u_{w−1/2} for a rate; a force is taken unchanged.
template <class Real>
ST_FN void write_asked(const ModelView<Real>& model, const MotionInputs<Real>& in, int a, SpringFit<Real>& fit) {
  const Real last = acting_ctrl(model, a, in.last_ctrl[a]), next = acting_ctrl(model, a, in.ctrl[a]);
  const SpringWeights w = fit.of_length(model, model.actuator_length[a]);
  const ActuatorKind kind = static_cast<ActuatorKind>(model.actuator_kind[a]);
  const double share = kind == ActuatorKind::kPosition ? w.shift : w.next - double(0.5);
  fit.ctrl[a] = kind == ActuatorKind::kMotor ? next : last + static_cast<Real>(share) * (next - last);
}

}  // namespace dynamics_detail

/// Writes terms.fit. It comes before the springs are added to H, because it uses H as working memory.
template <class Team, class Real>
ST_FN void fit_springs(Team team, const ModelView<Real>& model, const MotionInputs<Real>& in,
                       const Inertia<Real>& inertia, MotionTerms<Real>& terms) {
  team.once([&] { dynamics_detail::sum_springs(model, in.qpos, terms.fit); });
  team.each(model.ntree, [&](int t) { dynamics_detail::fit_tree(model, in, inertia, t, terms); });
  team.each(model.nu, [&](int a) { dynamics_detail::write_asked(model, in, a, terms.fit); });
}

}  // namespace stiction
