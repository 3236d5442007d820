// Impulse of springs and dampers over a step, for every dynamics.
//
//   p = h f(q, u_σ) − b (w ẋ⁺ + (1 − w) ẋ⁻),   b = h d + σ h² k,   u_σ = u⁻ + σ (u − u⁻)
//
// x is a length, ẋ⁻ and ẋ⁺ are its rates in the last step and in this one, u⁻ and u the control at the step's ends. All
// dynamics but `dynamic_fitted` have σ = w = 1: backward Euler. `dynamic_fitted` fits the solution of m ẍ + d ẋ + k x =
// 0, where m, d and k are the diagonals of M, D and K. This solution decays by exp(−s₁) and exp(−s₂) over a step, with
// s₁ + s₂ = h d/m and s₁ s₂ = h² k/m (if they are complex, both are h √(k/m)). With
//
//   δ = exp(−s₁ − s₂),   H = m s₁ s₂ / ((1 − exp(−s₁)) (1 − exp(−s₂)))
//   b = (1 − δ) H,       2 w − 1 = ((1 + δ) H − 2 m) / b
//
// (m + w b) x⁺ − (2 m + (2 w − 1) b − h² k) x + (m − (1 − w) b) x⁻ = 0 has the roots exp(−s₁) and exp(−s₂). A length of
// several dofs takes the largest σ and w of these. In each tree the masses are quartered until
// 7/2 M + Σ (2 (2 w − 1) b − h² k) c cᵀ is positive definite: at most 12 times, after which the mass is taken as 0.
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
  Eigen::VectorXd ctrl;         // commands at which the actuators act (nu)

  /// The impulse of a spring k and damper d on the length with this gradient; `force` is that at rest with `ctrl`.
  SpringImpulse act(const Eigen::VectorXd& gradient, double k, double d, double force) const;
};

/// The part of the state at the start of a step on which springs depend.
struct SpringState {
  Eigen::VectorXd qpos, qvel;       // (nq), (nv)
  Eigen::VectorXd ctrl, last_ctrl;  // at the end of the step and at its start (nu)
};

/// The rule for a step; `M` (nv, nv) is read for fitted springs only.
SpringRule spring_rule(const Model& model, const Eigen::MatrixXd& M, const SpringState& state, Dynamics dynamics,
                       double step_size);

}  // namespace stiction::reference
