// What the inner problems of the polish and of `newton` have in common: how strong their proximal terms are, how long a
// step is and when the multipliers move on.
//
//   γ_b = largest impulse that acts on block b     ρ_i = ρ min(γ_a, γ_b)        Q_b = ε γ_b / u_0
//
//   symbol   variable       shape
//   γ        block_force    (blocks)
//   ρ_i/ρ    stiffness      (groups)
//   Q        proximal       blocks (n, n) of ReducedSystem
#pragma once

#include "kernels/solver/polish/terms.hpp"

namespace stiction {

/// Limit on the projections in one line search.
constexpr int kSearchTrials = 24;

/// A slope counts as flat below this share of the first one.
template <class Real>
constexpr Real kFlat = Real(0.1);

/// Finds a point where the slope is flat, given −descent at 0 and `slope_high` > 0 at 1. Regula falsi (Illinois), with
/// every third trial a bisection, which halves the logarithm while the ends are far apart: the slope may jump by orders
/// of magnitude where a contact closes.
template <class Real, class Slope>
ST_FN Real find_flat_point(Real descent, Real slope_high, Slope slope_at) {
  Real low = Real(0), high = Real(1), slope_low = -descent;
  const Real enough = kFlat<Real> * descent;
  Real alpha = Real(1);
  for (int trial = 0; trial < kSearchTrials; ++trial) {
    const bool halve = trial % 3 == 2;
    const bool far_apart = low > Real(0) && high > Real(16) * low;
    const Real middle = far_apart ? std::sqrt(low * high) : Real(0.5) * (low + high);
    alpha = halve ? middle : low - slope_low * (high - low) / (slope_high - slope_low);
    const Real slope = slope_at(alpha);
    if (std::fabs(slope) <= enough) return alpha;
    if (slope > Real(0)) {
      high = alpha, slope_high = slope, slope_low *= Real(0.5);
    } else {
      low = alpha, slope_low = slope, slope_high *= Real(0.5);
    }
  }
  return alpha;
}

/// Step along a direction whose slope at 0 is −descent: 1 unless the slope there is clearly positive.
template <class Real, class Slope>
ST_FN Real find_flat_step(Real descent, Slope slope_at) {
  const Real slope = slope_at(Real(1));
  return slope > kFlat<Real> * descent ? find_flat_point(descent, slope, slope_at) : Real(1);
}

/// γ_b at the start of a run, at least least_impulse.
template <class Real, class Factor>
ST_FN Real measure_block_force(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int b) {
  Real force = larger(least_impulse(s, b), squeeze_of_block(system, b));
  for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) force = larger(force, std::fabs(s.g[j]));
  return force;
}

/// Scales ρ_i and Q to the impulses on the bodies on which they act; `weight` = ε / u_0.
template <class Team, class Real, class Factor>
ST_FN void scale_to_blocks(const Team& team, const ScaledProblem<Real>& s, Real weight,
                           ReducedSystem<Real, Factor>& system, PolishState<Real>& x) {
  measure_squeeze(team, s, x.lambda, x.row_lambda, system);
  team.each(s.num_blocks, [&](int b) { x.block_force[b] = measure_block_force(s, system, b); });
  team.each(s.H_entries, [&](int ij) { system.proximal[ij] = Real(0); });
  set_proximal_diagonal(
      team, s, [&](int b) { return weight * x.block_force[b]; }, system);
  team.each(s.num_groups, [&](int i) {
    const int a = s.group_block[2 * i], b = s.group_block[2 * i + 1];
    const Real force_a = x.block_force[a >= 0 ? a : (b >= 0 ? b : 0)];
    const Real force_b = x.block_force[b >= 0 ? b : (a >= 0 ? a : 0)];
    x.stiffness[i] = smaller(force_a, force_b);
  });
}

/// The proximal term is not weakened below this ε, because the matrix has to stay regular in double.
template <class Real>
constexpr Real kLeastProximal = Real(1e-9);

/// Q ← factor Q
template <class Team, class Real, class Factor>
ST_FN void scale_proximal(const Team& team, const ScaledProblem<Real>& s, Real factor,
                          ReducedSystem<Real, Factor>& system) {
  team.each(s.H_entries, [&](int ij) { system.proximal[ij] *= factor; });
}

/// The imbalance of an inner problem, relative to the impulses of a block, up to which it may be rounding only.
template <class Real>
constexpr Real kRoundingImbalance = sizeof(Real) == 8 ? Real(1e-7) : Real(1e-3);

/// λ ← λ⁺
template <class Team, class Real>
ST_FN void accept_multipliers(const Team& team, const ScaledProblem<Real>& s, PolishState<Real>& x) {
  team.each(s.dim * s.num_contacts, [&](int i) { x.lambda[i] = x.trial[i]; });
  team.each(s.num_rows, [&](int r) { x.row_lambda[r] = x.row_trial[r]; });
}

}  // namespace stiction
