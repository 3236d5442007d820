// Dense operations on the blocks of a factorisation, row-major with a leading dimension; loops over blocks of size 6
// (free bodies) are unrolled.
//
//   factor_diagonal    S = UᵀU        in place, upper triangle; 1/U_ii in a separate array
//   solve_rows         C ← U⁻ᵀ C      C (m, n)
//
// A pivot that is lost in rounding is replaced by a very large one: a solve then leaves this direction unchanged.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

/// Least pivot that counts, relative to the diagonal entry before the elimination [-].
template <class F>
ST_FN F least_pivot_ratio();
template <>
ST_FN double least_pivot_ratio<double>() {
  return 1e-15;
}
template <>
ST_FN float least_pivot_ratio<float>() {
  return 1e-6f;
}

/// Cholesky factor of the upper triangle of S (n, n); writes 1/U_ii to `inverse_diagonal`. kSize 6: a free body, and
/// loops are unrolled; 0: any size.
template <int kSize, class F>
ST_FN void factor_sized(F* s, int ld_any, int size, F* inverse_diagonal) {
  const int n = kSize > 0 ? kSize : size, ld = kSize > 0 ? kSize : ld_any;
  for (int i = 0; i < n; ++i) {
    const F original = inverse_diagonal[i];  // the caller leaves the unreduced diagonal here
    F pivot = s[i * ld + i];
    if (!(pivot > least_pivot_ratio<F>() * original)) pivot = F(1e30);
    const F inverse = F(1) / std::sqrt(pivot);
    inverse_diagonal[i] = inverse;
    for (int j = i; j < n; ++j) s[i * ld + j] *= inverse;
    for (int r = i + 1; r < n; ++r) {
      const F f = s[i * ld + r];
      for (int j = r; j < n; ++j) s[r * ld + j] -= f * s[i * ld + j];
    }
  }
}

template <class F>
ST_FN void factor_diagonal(F* s, int ld, int n, F* inverse_diagonal) {
  n == 6 && ld == 6 ? factor_sized<6>(s, ld, n, inverse_diagonal) : factor_sized<0>(s, ld, n, inverse_diagonal);
}

/// C ← U⁻ᵀ C for N columns of C; U (m, m) is an upper triangle.
template <int N, class F>
ST_FN void solve_rows_fixed(const F* u, int ldu, const F* inverse_diagonal, int m, F* c, int ldc) {
  for (int i = 0; i < m; ++i) {
    F row[N];
    for (int j = 0; j < N; ++j) row[j] = c[i * ldc + j];
    for (int k = 0; k < i; ++k) {
      const F f = u[k * ldu + i];
      for (int j = 0; j < N; ++j) row[j] -= f * c[k * ldc + j];
    }
    for (int j = 0; j < N; ++j) c[i * ldc + j] = row[j] * inverse_diagonal[i];
  }
}

template <class F>
ST_FN void solve_rows(const F* u, int ldu, const F* inverse_diagonal, int m, F* c, int ldc, int n) {
  int j = 0;
  for (; j + 4 <= n; j += 4) solve_rows_fixed<4>(u, ldu, inverse_diagonal, m, c + j, ldc);
  for (; j + 2 <= n; j += 2) solve_rows_fixed<2>(u, ldu, inverse_diagonal, m, c + j, ldc);
  for (; j < n; ++j) solve_rows_fixed<1>(u, ldu, inverse_diagonal, m, c + j, ldc);
}

}  // namespace stiction
