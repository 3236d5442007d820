// Springs and dampers whose decay over a step is exact: exponential fitting of second-order steps.
//
//   p = h f(q, u_σ) − b (w ẋ⁺ + (1 − w) ẋ⁻),   b = h d + σ h² k,   u_σ = u⁻ + σ (u − u⁻)                   (1)
//
// is the impulse of a spring k and damper d on a length x over a step; ẋ⁻ and ẋ⁺ are the mean rates of the last step
// and of this one, u⁻ and u what the actuator is asked for at the step's ends. σ = w = 1 is backward Euler, σ = 0, w =
// 1/2 the central difference. Alone with its mass m, whose motion decays by exp(−s₁) and exp(−s₂) over a step,
//
//   s₁ + s₂ = h d/m,   s₁ s₂ = h² k/m,   L(y) = coth y − 1/y,   L_i = L(s_i/2)
//   σ = (L₁ + L₂)/2,   2 w − 1 = (s₁ L₁ + s₂ L₂ + s₁ s₂ (1 + L₁ L₂)/2) / (s₁ + s₂ + σ s₁ s₂)               (2)
//
// make x exact at the ends of steps for any h, as long as other forces and the rate of u do not change. An oscillation
// has no such exponents: it takes those of critical damping, s₁ = s₂ = h √(k/m). Both tend to the central difference
// for small h, so that the step is of second order in any system, and to backward Euler for large.
//
// In a system of dofs, each dof takes its m, d and k from the diagonals of M, D and K. A linear system without forces
// is stable if
//
//   S = 7/2 M + Σ (2 (2 w − 1) b − h² k) c cᵀ >= 0                                                           (3)
//
// summed over its lengths x = cᵀ q. With 4 M in place of 7/2 M the condition would do; the difference is margin. While
// S does not satisfy (3), the masses in (2) are quartered.
//
//   symbol  variable  shape  unit
//   σ, w    -         1      1
//   k, d    -         1      [N/m], [N s/m] or [N m/rad], [N m s/rad]
#pragma once

#include <cmath>

#include "kernels/linalg/scalar.hpp"

namespace stiction {

/// Backward Euler unless said otherwise.
struct SpringWeights {
  double shift = 1.0;  // σ
  double next = 1.0;   // w
};

/// (1) as p = impulse − slope ẋ⁺.
struct SpringImpulse {
  double slope, impulse;
};

/// `force`: f(q, u_σ) at rest; `rate`: ẋ⁻.
ST_FN SpringImpulse spring_impulse(const SpringWeights& weights, double h, double k, double d, double force,
                                   double rate) {
  const double b = weights.shift * (h * h * k) + h * d;
  return {weights.next * b, h * force - (1.0 - weights.next) * b * rate};
}

namespace model_detail {

/// L(y) = coth y − 1/y, y >= 0: from y/3 to 1.
ST_FN double langevin(double y) {
  const double s = y * y;
  if (y < double(0.1)) return y * (1.0 / 3 - s * (1.0 / 45 - s * (double(2) / 945 - s / double(4725))));
  return 1.0 / std::tanh(y) - 1.0 / y;
}

}  // namespace model_detail

/// (2); backward Euler where nothing moves or nothing acts.
ST_FN SpringWeights fitted_weights(double h, double m, double k, double d) {
  if (!(m > 0.0) || !(k > 0.0 || d > 0.0)) return {};
  const double product = h * h * k / m;
  const double half = larger(h * d / (double(2) * m), std::sqrt(product));  // (s₁ + s₂)/2
  if (!(half > 0.0)) return {};
  const double s2 = half + std::sqrt(larger(half * half - product, 0.0));
  const double s1 = product / s2;
  const double l1 = model_detail::langevin(s1 / double(2)), l2 = model_detail::langevin(s2 / double(2));
  const double shift = (l1 + l2) / double(2);
  const double lean = (s1 * l1 + s2 * l2 + s1 * s2 * (1.0 + l1 * l2) / double(2)) / (s1 + s2 + shift * s1 * s2);
  return {shift, (1.0 + lean) / double(2)};
}

}  // namespace stiction
