// LU factors of a small dense matrix by one lane, with rows exchanged for the largest pivot: P A = L U.
#pragma once

#include "kernels/linalg/long_rows.hpp"
#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

namespace lu_detail {

/// Brings the largest entry of column k to the diagonal. False if there is none, or no number.
template <class F>
ST_FN bool bring_pivot(F* A, int n, int k, int* row) {
  int most = k;
  for (int i = k + 1; i < n; ++i)
    if (std::fabs(A[i * n + k]) > std::fabs(A[most * n + k])) most = i;
  row[k] = most;
  for (int j = 0; j < n && most != k; ++j) {
    const F other = A[k * n + j];
    A[k * n + j] = A[most * n + j], A[most * n + j] = other;
  }
  const F pivot = std::fabs(A[k * n + k]);
  return pivot > F(0) && std::isfinite(pivot);
}

/// y −= a x + b z
template <class F>
ST_FN void subtract_two(int n, F a, const F* x, F b, const F* z, F* y) {
  for (int j = 0; j < n; ++j) y[j] = y[j] - a * x[j] - b * z[j];
}

}  // namespace lu_detail

/// L and U overwrite the row-major (n, n) matrix A, the diagonal of L is 1; row i was exchanged with row[i] (n). False
/// if A is singular or not finite. Two columns are eliminated at once. Shares are quotients, not products with 1/pivot:
/// of two equal rows the second then vanishes exactly.
template <class F>
ST_FN bool factor_rows(F* A, int n, int* row) {
  using namespace lu_detail;
  for (int k = 0; k < n; k += 2) {
    if (!bring_pivot(A, n, k, row)) return false;
    const F* first = A + k * n;
    for (int i = k + 1; i < n; ++i) A[i * n + k] /= first[k];
    if (k + 1 == n) return true;
    for (int i = k + 1; i < n; ++i) A[i * n + k + 1] -= A[i * n + k] * first[k + 1];
    if (!bring_pivot(A, n, k + 1, row)) return false;
    F* second = A + (k + 1) * n;
    const int left = n - k - 2;
    if (second[k] != F(0)) add_scaled(left, -second[k], first + k + 2, second + k + 2);
    for (int i = k + 2; i < n; ++i) {
      F* to = A + i * n;
      to[k + 1] /= second[k + 1];
      if (to[k] != F(0) || to[k + 1] != F(0))
        subtract_two(left, to[k], first + k + 2, to[k + 1], second + k + 2, to + k + 2);
    }
  }
  return true;
}

/// b (n) becomes A⁻¹ b. Sums go in one order, not in partial sums: with these, Newton's method on impulses of contacts
/// that depend on each other took 24 steps instead of 1.
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
