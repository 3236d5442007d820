// Impulse of springs and dampers over a step, for every dynamics.
//
//   p = h f(q, u_σ) − b (w ẋ⁺ + (1 − w) ẋ⁻),   b = h d + σ h² k,   u_σ = u⁻ + σ (u − u⁻)
//
// x a length, ẋ⁻ and ẋ⁺ its rates in the last step and in this one, u⁻ and u the control at the step's ends. All but
// `dynamic_fitted` have σ = w = 1: backward Euler. `dynamic_fitted` compares with the solution of m ẍ + d ẋ + k x = 0,
// m, d and k the diagonals of M, D and K, which falls by exp(−s₁) and exp(−s₂) over a step, s₁ + s₂ = h d/m,
// s₁ s₂ = h² k/m (complex: both h √(k/m)). With
//
//   δ = exp(−s₁ − s₂),   H = m s₁ s₂ / ((1 − exp(−s₁)) (1 − exp(−s₂)))
//   b = (1 − δ) H,       2 w − 1 = ((1 + δ) H − 2 m) / b
//
// (m + w b) x⁺ − (2 m + (2 w − 1) b − h² k) x + (m − (1 − w) b) x⁻ = 0 has the roots exp(−s₁) and exp(−s₂). A length of
// several dofs takes the largest σ and w of them. In each tree the masses are quartered, at most 12 times and then
// without limit, until 7/2 M + Σ (2 (2 w − 1) b − h² k) c cᵀ is positive definite.
#pragma once

#include <Eigen/Dense>

#include "host/model/model.hpp"

namespace stiction::reference {

/// An impulse that falls with the rate of its length: p = impulse − slope ẋ⁺.
struct SpringImpulse {
  double slope, impulse;
};

struct SpringRule {
  double step_size;             // h [s]
  Eigen::VectorXd shift, next;  // σ, w (nv)
  Eigen::VectorXd rate;         // velocity of the last step, zero without momentum (nv)
  Eigen::VectorXd ctrl;         // what the actuators are asked for (nu)

  /// Of the length with this gradient; `force` at rest with `ctrl`.
  SpringImpulse act(const Eigen::VectorXd& gradient, double k, double d, double force) const;
};

/// What a step starts from, as far as springs go.
struct SpringState {
  Eigen::VectorXd qpos, qvel;       // (nq), (nv)
  Eigen::VectorXd ctrl, last_ctrl;  // at the end of the step and at its start (nu)
};

/// `M` (nv, nv) is read with fitted springs only.
SpringRule spring_rule(const Model& model, const Eigen::MatrixXd& M, const SpringState& state, Dynamics dynamics,
                       double step_size);

}  // namespace stiction::reference
