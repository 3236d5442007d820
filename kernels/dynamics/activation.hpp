// Activations: states between controls and actuators, as in MuJoCo.
//
//   integrator   a⁺ = a + h u                        filter   a⁺ = u + (a − u) exp(−h/τ)
//   drive        u without an activation; a⁺ if the actuator acts early, else a
//
// The filter is solved exactly, so that a step may be longer than τ (MuJoCo's filterexact; its filter has 1 − h/τ for
// the exponential). u and a⁺ are kept in their ranges.
//
//   symbol   variable   shape   unit
//   a        act        (na)    that of the control, or its integral
//   τ        act_time   (na)    [s]
#pragma once

#include "kernels/model/env_view.hpp"
#include "kernels/model/lengths.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// a⁺ of actuator a with control u.
template <class Real>
ST_FN Real next_activation(const ModelView<Real>& model, int a, Real act, Real u, Real h) {
  const int i = model.actuator_act[a];
  const Real asked = limited_ctrl(model, a, u);
  const bool filters = static_cast<ActivationDynamics>(model.act_dynamics[i]) == ActivationDynamics::kFilter;
  const Real next = filters ? asked + (act - asked) * std::exp(-h / model.act_time[i]) : act + h * asked;
  return model.act_limited[i] ? clamped(next, model.act_range[2 * i], model.act_range[2 * i + 1]) : next;
}

/// Writes what the actuators act with in the step.
template <class Team, class Real>
ST_FN void drive_actuators(Team team, const ModelView<Real>& model, Real h, EnvView<Real>& env) {
  team.each(model.nu, [&](int a) {
    const int i = model.actuator_act[a];
    const bool early = i >= 0 && model.act_early[i];
    env.drive[a] = i < 0 ? env.ctrl[a] : (early ? next_activation(model, a, env.act[i], env.ctrl[a], h) : env.act[i]);
  });
}

/// Activations at the end of the step.
template <class Team, class Real>
ST_FN void advance_activations(Team team, const ModelView<Real>& model, Real h, EnvView<Real>& env) {
  if (model.na == 0) return;
  team.each(model.nu, [&](int a) {
    const int i = model.actuator_act[a];
    if (i >= 0) env.act[i] = next_activation(model, a, env.act[i], env.ctrl[a], h);
  });
}

}  // namespace stiction
