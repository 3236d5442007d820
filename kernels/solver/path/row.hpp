// One general row in a Newton step of the interior point. With s⁻ = λ − l, s⁺ = u − λ and the row's residual
// r = J v + b + R λ − z⁻ + z⁺:
//
//   D = 1/(R + δ + z⁻/s⁻ + z⁺/s⁺),  q = −r + (t⁻/s⁻ − z⁻) − (t⁺/s⁺ − z⁺)               (1)
//   Δλ = D (q − J Δv),  f = λ + D q                                                     (2)
//   Δz⁻ = (t⁻ − z⁻ Δλ)/s⁻ − z⁻,  Δz⁺ = (t⁺ + z⁺ Δλ)/s⁺ − z⁺                             (3)
//
// A bound that is infinite has no z. A row without finite bounds is a coupling, and δ > 0 keeps its D finite. A row
// with l = u has D = 0.
#pragma once

#include "kernels/solver/path/state.hpp"

namespace stiction {

template <class Real>
ST_FN Real weigh_row(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int r) {
  if (is_fixed(s, r)) return Real(0);
  Real inverse = s.row_compliance[r];
  if (has_low(s, r)) inverse += x.z_low[r] / (x.row_lambda[r] - s.row_lower[r]);
  if (has_high(s, r)) inverse += x.z_high[r] / (s.row_upper[r] - x.row_lambda[r]);
  if (is_coupling(s, r)) inverse += coupling_compliance<Real>();
  return Real(1) / inverse;
}

/// J v + b + R λ − z⁻ + z⁺
template <class Real>
ST_FN Real row_residual(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int r) {
  if (is_fixed(s, r)) return Real(0);
  Real w = x.u_row[r] + s.row_offset[r] + s.row_compliance[r] * x.row_lambda[r];
  if (has_low(s, r)) w -= x.z_low[r];
  if (has_high(s, r)) w += x.z_high[r];
  return w;
}

/// Returns f of (2); D q of (1) is left in d_row_lambda.
template <class Real>
ST_FN Real row_force_target(const ScaledProblem<Real>& s, Real weight, int r, InteriorPointState<Real>& x) {
  Real q = -row_residual(s, x, r);
  if (has_low(s, r)) q += x.target_low[r] / (x.row_lambda[r] - s.row_lower[r]) - x.z_low[r];
  if (has_high(s, r)) q -= x.target_high[r] / (s.row_upper[r] - x.row_lambda[r]) - x.z_high[r];
  x.d_row_lambda[r] = is_fixed(s, r) ? Real(0) : weight * q;
  return x.row_lambda[r] + x.d_row_lambda[r];
}

/// Δλ of (2), Δz⁻ and Δz⁺ of (3)
template <class Real>
ST_FN void row_direction(const ScaledProblem<Real>& s, Real weight, int r, InteriorPointState<Real>& x) {
  x.d_row_lambda[r] -= weight * x.du_row[r];
  x.dz_low[r] = x.dz_high[r] = Real(0);
  if (is_fixed(s, r)) return;
  const Real d = x.d_row_lambda[r];
  if (has_low(s, r)) x.dz_low[r] = (x.target_low[r] - x.z_low[r] * d) / (x.row_lambda[r] - s.row_lower[r]) - x.z_low[r];
  if (has_high(s, r))
    x.dz_high[r] = (x.target_high[r] + x.z_high[r] * d) / (s.row_upper[r] - x.row_lambda[r]) - x.z_high[r];
}

template <class Real>
ST_FN Real row_shrinkage(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, int r) {
  if (is_fixed(s, r)) return Real(0);
  Real worst = Real(0);
  const auto shrink = [&](Real change, Real value) {
    const Real a = -change / value;
    worst = a > worst ? a : worst;
  };
  if (has_low(s, r)) shrink(x.d_row_lambda[r], x.row_lambda[r] - s.row_lower[r]), shrink(x.dz_low[r], x.z_low[r]);
  if (has_high(s, r)) shrink(-x.d_row_lambda[r], s.row_upper[r] - x.row_lambda[r]), shrink(x.dz_high[r], x.z_high[r]);
  return worst;
}

template <class Real>
ST_FN Real row_gap(const ScaledProblem<Real>& s, const InteriorPointState<Real>& x, Real alpha, int r) {
  if (is_fixed(s, r)) return Real(0);
  const Real lambda = x.row_lambda[r] + alpha * x.d_row_lambda[r];
  Real sum = Real(0);
  if (has_low(s, r)) sum += (lambda - s.row_lower[r]) * (x.z_low[r] + alpha * x.dz_low[r]);
  if (has_high(s, r)) sum += (s.row_upper[r] - lambda) * (x.z_high[r] + alpha * x.dz_high[r]);
  return sum;
}

template <class Real>
ST_FN int row_products(const ScaledProblem<Real>& s, int r) {
  if (is_fixed(s, r)) return 0;
  return (has_low(s, r) ? 1 : 0) + (has_high(s, r) ? 1 : 0);
}

template <class Real>
ST_FN void correct_row_target(const ScaledProblem<Real>&, Real centered, int r, InteriorPointState<Real>& x) {
  x.target_low[r] = centered - x.d_row_lambda[r] * x.dz_low[r];
  x.target_high[r] = centered + x.d_row_lambda[r] * x.dz_high[r];
}

template <class Real>
ST_FN void step_row(Real alpha, int r, InteriorPointState<Real>& x) {
  x.row_lambda[r] += alpha * x.d_row_lambda[r];
  x.z_low[r] += alpha * x.dz_low[r];
  x.z_high[r] += alpha * x.dz_high[r];
  x.u_row[r] += alpha * x.du_row[r];
}

}  // namespace stiction
