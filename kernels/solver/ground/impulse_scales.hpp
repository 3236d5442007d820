// S_B of problem/residual.hpp in the units of ScaledProblem: the scale to which an impulse is compared depends on the
// kinematic tree that it acts on.
//
//   S_B = max(‖g_B‖∞, ‖(Jᵀλ)_B‖∞, κ Λ_B, floor)                                     scale (blocks)
//   S_i = the smaller S_B of the blocks that group i acts on; max(‖λ_i‖∞, floor) if it acts on no block
#pragma once

#include "kernels/problem/residual.hpp"
#include "kernels/solver/ground/reduced_products.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

/// ‖λ‖∞ of a group
template <class Real>
ST_FN Real group_impulse(const ScaledProblem<Real>& s, int group, Pointer<const Real> lambda,
                         Pointer<const Real> row_lambda) {
  if (group >= s.num_contacts) return std::fabs(row_lambda[group - s.num_contacts]);
  Real size = Real(0);
  ST_ROLLED
  for (int a = s.dim * group; a < s.dim * (group + 1); ++a) size = larger(size, std::fabs(lambda[a]));
  return size;
}

/// Λ_B of block b: the largest entry of an impulse that acts on it
template <class Real, class Factor>
ST_FN Real squeeze_of_block(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, int b,
                            Pointer<const Real> lambda, Pointer<const Real> row_lambda) {
  const int slot = system.pattern.row_start[system.pattern.position[b]];
  Real squeeze = Real(0);
  ST_ROLLED
  for (int k = system.source_start[slot]; k < system.source_start[slot + 1]; ++k)
    squeeze = larger(squeeze, group_impulse(s, system.source[k] >> 2, lambda, row_lambda));
  return squeeze;
}

/// Writes S_B of all blocks to `scale`, from λ and force = Jᵀλ.
template <class Team, class Real, class Factor>
ST_PHASE void measure_scales(const Team& team, const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system,
                             Pointer<const Real> lambda, Pointer<const Real> row_lambda, Pointer<const Real> force,
                             Pointer<Real> scale) {
  team.each(s.num_blocks, [&](int b) {
    const Real squeeze = kShareOfSqueeze<Real> * squeeze_of_block(s, system, b, lambda, row_lambda);
    Real largest = larger(squeeze, s.impulse_floor);
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j)
      largest = larger(largest, larger(std::fabs(s.g[j]), std::fabs(force[j])));
    scale[b] = largest;
  });
}

/// S_i, where `own` is ‖λ_i‖∞
template <class Real>
ST_FN Real group_scale(const ScaledProblem<Real>& s, Pointer<const Real> scale, int group, Real own) {
  const int a = s.group_block[2 * group], b = s.group_block[2 * group + 1];
  if (a < 0 && b < 0) return larger(own, s.impulse_floor);
  return smaller(scale[a >= 0 ? a : b], scale[b >= 0 ? b : a]);
}

/// max_B ‖x_B‖∞/S_B with the entries x(j); NaN if any entry is NaN.
template <class Team, class Real, class F>
ST_FN Real largest_relative(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> scale, F x) {
  return team.max(s.num_blocks, Real(0), [&](int b) {
    Real largest = Real(0);
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j)
      largest = larger_or_nan(largest, std::fabs(x(j)));
    return largest / scale[b];
  });
}

}  // namespace stiction
