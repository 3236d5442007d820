// Cholesky factor of a small dense symmetric matrix by one lane: A = UᵀU, with U in the upper triangle of A. Every loop
// goes along a row.
#pragma once

#include "kernels/linalg/long_rows.hpp"
#include "kernels/linalg/scalar.hpp"
#include "kernels/team/config.hpp"

namespace stiction {

/// U overwrites the upper triangle of the row-major (n, n) matrix A; false if A is not positive definite.
template <class F>
ST_FN bool factor_upper(F* A, int n) {
  for (int k = 0; k < n; ++k) {
    F* row = A + k * n;
    if (!(row[k] > F(0))) return false;
    row[k] = std::sqrt(row[k]);
    for (int j = k + 1; j < n; ++j) row[j] /= row[k];
    for (int i = k + 1; i < n; ++i)
      if (row[i] != F(0)) add_scaled(n - i, -row[i], row + i, A + i * n + i);
  }
  return true;
}

/// b becomes (UᵀU)⁻¹ b.
template <class F>
ST_FN void solve_upper(const F* U, int n, F* b) {
  for (int i = 0; i < n; ++i) {
    b[i] /= U[i * n + i];
    add_scaled(n - i - 1, -b[i], U + i * n + i + 1, b + i + 1);
  }
  for (int i = n - 1; i >= 0; --i) b[i] = (b[i] - dot_rows(n - i - 1, U + i * n + i + 1, b + i + 1)) / U[i * n + i];
}

}  // namespace stiction
