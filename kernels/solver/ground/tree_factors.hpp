// Cholesky factors of the motion's matrix by kinematic tree, for methods that work with impulses on a single lane:
//
//   H + ε = UᵀU,   a = U⁻ᵀ x (whitening),   x = U⁻¹ a                                                     (1)
//
//   symbol   variable           shape
//   U        upper              blocks as H
//   1/U_jj   inverse_diagonal   (nv)
#pragma once

#include "kernels/linalg/small_blocks.hpp"
#include "kernels/solver/ground/scaled_problem.hpp"

namespace stiction {

template <class Real>
struct TreeFactors {
  Array<Real> upper, inverse_diagonal;
};

/// Takes the memory for `entries` numbers of the blocks and `nv` velocities.
template <class Real>
ST_FN TreeFactors<Real> take_tree_factors(int entries, int nv, Arena& arena) {
  return {arena.take<Real>(static_cast<std::size_t>(entries)), arena.take<Real>(static_cast<std::size_t>(nv))};
}

/// A factor counts as regular if no pivot of H is below this share of its diagonal entry.
template <class Real>
constexpr Real kRegularPivot = sizeof(Real) == 8 ? Real(1e-10) : Real(1e-4);

/// Computes U of tree b for a given ε; false if a pivot is nothing but rounding.
template <class Real>
ST_FN bool factor_tree(const ScaledProblem<Real>& s, Real epsilon, int b, TreeFactors<Real>& trees) {
  const int n = s.block_size[b];
  const Real* H = s.H + s.H_adr[b];
  Real *U = trees.upper + s.H_adr[b], *inverse = trees.inverse_diagonal + s.block_adr[b];
  for (int ij = 0; ij < n * n; ++ij) U[ij] = H[ij];
  for (int j = 0; j < n; ++j) inverse[j] = U[j * n + j] += epsilon;
  factor_diagonal(U, n, n, inverse);
  bool regular = true;
  for (int j = 0; j < n; ++j) {
    const Real original = H[j * n + j] + epsilon;
    regular = regular && original * inverse[j] * inverse[j] * kRegularPivot<Real> < Real(1) && inverse[j] > Real(1e-12);
  }
  return regular;
}

/// x ← U⁻ᵀ x of one tree, `count` vectors one after the other.
template <class Real>
ST_FN void whiten_tree(const ScaledProblem<Real>& s, int b, int count, const TreeFactors<Real>& trees,
                       Pointer<Real> vectors) {
  const int n = s.block_size[b];
  const Real *U = trees.upper + s.H_adr[b], *inverse = trees.inverse_diagonal + s.block_adr[b];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < count; ++k) {
      Real* a = vectors + k * n;
      const Real entry = a[i] *= inverse[i];
      if (entry == Real(0)) continue;
      for (int j = i + 1; j < n; ++j) a[j] -= U[i * n + j] * entry;
    }
}

/// x ← U⁻¹ x of one tree; x is its part of a vector (nv).
template <class Real>
ST_FN void unwhiten_tree(const ScaledProblem<Real>& s, int b, const TreeFactors<Real>& trees, Pointer<Real> x) {
  solve_upper_triangle<0>(trees.upper + s.H_adr[b], trees.inverse_diagonal + s.block_adr[b], s.block_size[b], x);
}

}  // namespace stiction
