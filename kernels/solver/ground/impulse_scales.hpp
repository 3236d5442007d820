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

/// Writes ‖λ‖∞ of every group to system.impulse.
template <class Team, class Real, class Factor>
ST_FN void measure_squeeze(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> lambda,
                           Pointer<const Real> row_lambda, ReducedSystem<Real, Factor>& system) {
  team.each(s.num_groups, [&](int i) { system.impulse[i] = group_impulse(s, i, lambda, row_lambda); });
}

/// The largest entry of the impulses that act on block b, of every `step`-th group from the first one on, after
/// measure_squeeze; of all of them it is Λ_B.
template <class Real, class Factor>
ST_FN Real squeeze_of_block(const ReducedSystem<Real, Factor>& system, int b, int first = 0, int step = 1) {
  const int slot = system.block_slot[b], end = system.source_start[slot + 1];
  Real squeeze = Real(0);
  ST_ROLLED
  for (int k = system.source_start[slot] + first; k < end; k += step)
    squeeze = larger(squeeze, system.impulse[system.source[k] >> 2]);
  return squeeze;
}

/// What the dofs of a range add to S_B: their entries of g and Jᵀλ, and of Λ_B every `step`-th group.
template <class Real, class Factor>
ST_FN Real scale_of_dofs(const ScaledProblem<Real>& s, const ReducedSystem<Real, Factor>& system, const DofRange& dofs,
                         int step, Pointer<const Real> force) {
  const Real squeeze = squeeze_of_block(system, dofs.block, dofs.begin - s.block_adr[dofs.block], step);
  Real largest = larger(kShareOfSqueeze<Real> * squeeze, s.impulse_floor);
  for (int j = dofs.begin; j < dofs.end; ++j) largest = larger(largest, larger(std::fabs(s.g[j]), std::fabs(force[j])));
  return largest;
}

/// Writes S_B of all blocks to `scale`, from λ and force = Jᵀλ. Of several lanes each takes a dof, and as many of the
/// groups that touch its block as the other dofs of the block.
template <class Team, class Real, class Factor>
ST_PHASE void measure_scales(const Team& team, const ScaledProblem<Real>& s, Pointer<const Real> lambda,
                             Pointer<const Real> row_lambda, Pointer<const Real> force,
                             ReducedSystem<Real, Factor>& system, Pointer<Real> scale) {
  measure_squeeze(team, s, lambda, row_lambda, system);
  if constexpr (Team::kLanes == 1) {
    team.each(s.num_blocks, [&](int b) { scale[b] = scale_of_dofs(s, system, dofs_of_block(s, b), 1, force); });
  } else {
    each_dofs(team, s, [&](const DofRange& dof) {
      system.share[dof.begin] = scale_of_dofs(s, system, dof, s.block_size[dof.block], force);
    });
    team.each(s.num_blocks, [&](int b) {
      const DofRange dofs = dofs_of_block(s, b);
      Real largest = s.impulse_floor;
      for (int j = dofs.begin; j < dofs.end; ++j) largest = larger(largest, system.share[j]);
      scale[b] = largest;
    });
  }
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
  return largest_of_dofs(team, s, Real(0), [&](const DofRange& dofs) {
    Real largest = Real(0);
    for (int j = dofs.begin; j < dofs.end; ++j) largest = larger_or_nan(largest, std::fabs(x(j)));
    return largest / scale[dofs.block];
  });
}

}  // namespace stiction
