// LU factors of a small dense matrix by one lane, with rows exchanged for the largest pivot: P A = L U.
#pragma once

#include "kernels/linalg/long_rows.hpp"
#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

/// L and U overwrite the row-major (n, n) matrix A, the diagonal of L is 1; row i was exchanged with row[i] (n). False
/// if A is singular or not finite.
template <class F>
ST_FN bool factor_rows(F* A, int n, int* row) {
  for (int k = 0; k < n; ++k) {
    int most = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(A[i * n + k]) > std::fabs(A[most * n + k])) most = i;
    row[k] = most;
    for (int j = 0; j < n && most != k; ++j) {
      const F other = A[k * n + j];
      A[k * n + j] = A[most * n + j], A[most * n + j] = other;
    }
    const F pivot = A[k * n + k];
    if (!(std::fabs(pivot) > F(0)) || !std::isfinite(pivot)) return false;
    for (int i = k + 1; i < n; ++i) {
      const F share = A[i * n + k] / pivot;
      A[i * n + k] = share;
      if (share != F(0)) add_scaled(n - k - 1, -share, A + k * n + k + 1, A + i * n + k + 1);
    }
  }
  return true;
}

/// b (n) becomes A⁻¹ b.
template <class F>
ST_FN void solve_rows(const F* A, int n, const int* row, F* b) {
  for (int k = 0; k < n; ++k) {
    const F other = b[k];
    b[k] = b[row[k]], b[row[k]] = other;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) b[i] -= A[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

}  // namespace stiction
