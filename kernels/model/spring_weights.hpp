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
// Of a system of dofs each has the m, d and k of the diagonals of M, D and K. A linear one without forces is stable if
//
//   S = 7/2 M + Σ (2 (2 w − 1) b − h² k) c cᵀ >= 0                                                           (3)
//
// over its lengths x = cᵀ q; 4 M would do, the half is margin; where S is not, the masses of (2) are quartered until it
// is.
//
//   symbol  variable  shape  unit
//   σ, w    -         1      1
//   k, d    -         1      [N/m], [N s/m] or [N m/rad], [N m s/rad]
#pragma once

#include <cmath>

#include "kernels/linalg/scalar.hpp"

namespace stiction {

/// Backward Euler unless said otherwise.
template <class Solve>
struct SpringWeights {
  Solve shift = Solve(1);  // σ
  Solve next = Solve(1);   // w
};

/// (1) as p = impulse − slope ẋ⁺.
template <class Solve>
struct SpringImpulse {
  Solve slope, impulse;
};

/// `force`: f(q, u_σ) at rest; `rate`: ẋ⁻.
template <class Solve>
ST_FN SpringImpulse<Solve> spring_impulse(const SpringWeights<Solve>& w, Solve h, Solve k, Solve d, Solve force,
                                          Solve rate) {
  const Solve b = w.shift * (h * h * k) + h * d;
  return {w.next * b, h * force - (Solve(1) - w.next) * b * rate};
}

namespace model_detail {

/// L(y) = coth y − 1/y, y >= 0: from y/3 to 1.
template <class Solve>
ST_FN Solve langevin(Solve y) {
  const Solve s = y * y;
  if (y < Solve(0.1)) return y * (Solve(1) / 3 - s * (Solve(1) / 45 - s * (Solve(2) / 945 - s / Solve(4725))));
  return Solve(1) / std::tanh(y) - Solve(1) / y;
}

}  // namespace model_detail

/// (2); backward Euler where nothing moves or nothing acts.
template <class Solve>
ST_FN SpringWeights<Solve> fitted_weights(Solve h, Solve m, Solve k, Solve d) {
  if (!(m > Solve(0)) || !(k > Solve(0) || d > Solve(0))) return {};
  const Solve product = h * h * k / m;
  const Solve half = larger(h * d / (Solve(2) * m), std::sqrt(product));  // (s₁ + s₂)/2
  if (!(half > Solve(0))) return {};
  const Solve s2 = half + std::sqrt(larger(half * half - product, Solve(0)));
  const Solve s1 = product / s2;
  const Solve l1 = model_detail::langevin(s1 / Solve(2)), l2 = model_detail::langevin(s2 / Solve(2));
  const Solve shift = (l1 + l2) / Solve(2);
  const Solve lean = (s1 * l1 + s2 * l2 + s1 * s2 * (Solve(1) + l1 * l2) / Solve(2)) / (s1 + s2 + shift * s1 * s2);
  return {shift, (Solve(1) + lean) / Solve(2)};
}

}  // namespace stiction
