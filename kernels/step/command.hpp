// The control of a step: sampled from the scene's knots at the end of the step, until the user writes ctrl.
#pragma once

#include "kernels/model/env_view.hpp"
#include "kernels/step/config.hpp"
#include "kernels/team/team.hpp"

namespace stiction {

/// Index of the last of `count` knots at or before t; -1 if t is before the first.
ST_FN int knot_before(const double* time, int count, double t) {
  int low = -1, high = count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (time[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// True if ctrl differs from what the knots gave last: the user wrote it, and the knots no longer change it.
template <class Team, class Real>
ST_FN bool ctrl_was_written(Team team, const ModelView<Real>& model, const EnvView<Real>& env) {
  return team.sum(model.nu, 0, [&](int a) { return env.ctrl[a] == env.sampled_ctrl[a] ? 0 : 1; }) > 0;
}

/// Calls write(a, ctrl_a(t)) for every actuator, ctrl(t) = (1 − w) knot_k + w knot_{k+1}.
template <class Team, class Real, class Write>
ST_FN void sample_command(Team team, const CommandView<Real>& command, int nu, double t, Write write) {
  const int before = knot_before(command.time, command.num_knots, t);
  const int first = before < 0 ? 0 : before;
  const int second = first + 1 < command.num_knots ? first + 1 : first;
  const double span = command.time[second] - command.time[first];
  const double share = before < 0 || span <= 0.0 ? 0.0 : (t - command.time[first]) / span;
  const Real weight = static_cast<Real>(share);
  team.each(nu, [&](int a) {
    const Real from = command.ctrl[first * nu + a], to = command.ctrl[second * nu + a];
    write(a, from + weight * (to - from));
  });
}

/// Samples the knots at the end of a step from t to t + h, unless the user has written ctrl; with `both` also at its
/// start.
template <class Team, class Real>
ST_FN void follow_command(Team team, const ModelView<Real>& model, const CommandView<Real>& command, double t, double h,
                          bool both, EnvView<Real>& env) {
  if (command.num_knots == 0 || *env.holds_ctrl) return;
  if (ctrl_was_written(team, model, env)) {
    team.once([&] { *env.holds_ctrl = 1; });
    return;
  }
  sample_command(team, command, model.nu, t + h, [&](int a, Real value) { env.ctrl[a] = env.sampled_ctrl[a] = value; });
  if (!both) return;
  sample_command(team, command, model.nu, t, [&](int a, Real value) {
    if (model.actuator_act[a] < 0) env.last_ctrl[a] = value;  // an activation is kept as the last step left it
  });
}

}  // namespace stiction
