// Cholesky factor of a small dense symmetric matrix by one lane: A = L Lᵀ, with L in the lower triangle of A.
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

/// L overwrites the lower triangle of the row-major (n, n) matrix A; false if A is not positive definite.
template <class F>
ST_FN bool factor_lower(F* A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      F sum = A[i * n + j];
      for (int k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > F(0))) return false;
      A[i * n + j] = i == j ? std::sqrt(sum) : sum / A[j * n + j];
    }
  return true;
}

/// b becomes (L Lᵀ)⁻¹ b.
template <class F>
ST_FN void solve_lower(const F* L, int n, F* b) {
  for (int i = 0; i < n; ++i) {
    F sum = b[i];
    for (int k = 0; k < i; ++k) sum -= L[i * n + k] * b[k];
    b[i] = sum / L[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    F sum = b[i];
    for (int k = i + 1; k < n; ++k) sum -= L[k * n + i] * b[k];
    b[i] = sum / L[i * n + i];
  }
}

}  // namespace stiction
