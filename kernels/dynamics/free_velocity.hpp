// The velocity that every dof would have if nothing touched it: it decides how far the step has to look for contacts.
// An estimate is enough: if the solved motion goes farther, the step looks for contacts again.
//
//   v_free = v + diag(H)⁻¹ (g − H v)        one Jacobi step from the velocity at the start; v = 0 without momentum
//
// An actuator with a force range is a row, and not in H and g. Here it adds the rate at which its force would be zero;
// with momentum, the change of velocity that its force, limited to the range, causes.
#pragma once

#include "kernels/dynamics/motion_terms.hpp"

namespace stiction {

namespace dynamics_detail {

/// Change of velocity of dof k by the force of actuator a, whose length has the coefficient c for it [m/s] or [rad/s].
template <class Real>
ST_FN Real limited_rate(const ModelView<Real>& model, const MotionInputs<Real>& in, Dynamics dynamics, int a, int k,
                        Real c, MotionTerms<Real>& terms) {
  const ActuatorLaw<Real> law = actuator_law(model, in.qpos, terms.fit.asked(in.ctrl), dynamics, a);
  if (!has_momentum(dynamics)) return commanded_rate(model, law, in.step_size, a) / c;
  const Real h = in.step_size, lever = model.actuator_gear[a] * c;
  const Real inertia = static_cast<Real>(entry(model, terms, k, k));
  const Real give = inertia + lever * lever * h * (h * law.stiffness + law.damping);
  const Real asked = law.force - law.damping * lever * in.qvel[k];
  const Real held = allowed_force(model, a, asked);
  const Real yielding = std::fabs(h * lever * asked / give), pushed = std::fabs(h * lever * held / inertia);
  const Real size = inertia > Real(0) ? smaller(yielding, pushed) : yielding;
  return lever * held < Real(0) ? -size : size;
}

}  // namespace dynamics_detail

/// Writes free_velocity; without momentum it is 0 for a dof that nothing holds or drives.
template <class Team, class Real>
ST_FN void predict_free_velocity(Team team, const ModelView<Real>& model, const MotionInputs<Real>& in,
                                 Dynamics dynamics, MotionTerms<Real>& terms) {
  const bool moving = has_momentum(dynamics);
  team.each(model.nv, [&](int k) {
    const int tree = model.dof_tree[k], first = model.tree_dof_adr[tree], n = model.tree_dof_num[tree];
    const double* row = terms.H + terms.tree_adr[tree] + (k - first) * n;
    double rest = terms.g[k];
    for (int j = 0; moving && j < n; ++j) rest -= row[j] * static_cast<double>(in.qvel[first + j]);
    const Real start = moving ? in.qvel[k] : Real(0);
    terms.free_velocity[k] = row[k - first] > 0.0 ? start + static_cast<Real>(rest / row[k - first]) : start;
  });
  team.once([&] {
    for (int a = 0; a < model.nu; ++a) {
      if (!is_force_row(model, dynamics, a)) continue;
      for_each_term(model, model.actuator_length[a], [&](int k, Real c) {
        terms.free_velocity[k] += dynamics_detail::limited_rate(model, in, dynamics, a, k, c, terms);
      });
    }
  });
}

}  // namespace stiction
