#include "host/reference/activation.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::reference {

using Eigen::VectorXd;

VectorXd next_activations(const Model& m, const VectorXd& act, const VectorXd& ctrl, double h) {
  VectorXd next = act;
  for (int a = 0; a < m.nu; ++a) {
    const int i = m.actuator_act[a];
    if (i < 0) continue;
    double u = ctrl[a];
    if (m.actuator_ctrl_limited[a]) u = std::clamp(u, m.actuator_ctrl_range[2 * a], m.actuator_ctrl_range[2 * a + 1]);
    const bool integrates = static_cast<ActivationDynamics>(m.act_dynamics[i]) == ActivationDynamics::kIntegrator;
    next[i] += integrates ? h * u : -std::expm1(-h / m.act_time[i]) * (u - act[i]);
    if (m.act_limited[i]) next[i] = std::clamp(next[i], m.act_range[2 * i], m.act_range[2 * i + 1]);
  }
  return next;
}

VectorXd drive(const Model& m, const VectorXd& act, const VectorXd& ctrl, double h) {
  const VectorXd next = next_activations(m, act, ctrl, h);
  VectorXd driven = ctrl;
  for (int a = 0; a < m.nu; ++a)
    if (const int i = m.actuator_act[a]; i >= 0) driven[a] = m.act_early[i] ? next[i] : act[i];
  return driven;
}

}  // namespace stiction::reference
