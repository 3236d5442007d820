// Dense pieces of a block factorisation, row-major with a leading dimension; sizes of 6 (free bodies) are unrolled.
//
//   subtract_product   C −= Aᵀ B      A (k, m), B (k, n), C (m, n)
//   factor_diagonal    S = UᵀU        in place, upper triangle; 1/U_ii beside it
//   solve_rows         C ← U⁻ᵀ C      C (m, n)
//
// A pivot that rounding has eaten is replaced by a very large one: the direction then stays where it is.
#pragma once

#include "kernels/team/config.hpp"

namespace stiction {

/// Least pivot that counts, relative to the diagonal entry it came from.
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

/// C −= Aᵀ B with sizes known to the compiler.
template <int M, int N, int K, class F>
ST_FN void subtract_product_fixed(const F* a, int lda, const F* b, int ldb, F* c, int ldc) {
  F bk[K][N];
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < N; ++j) bk[k][j] = b[k * ldb + j];
  for (int i = 0; i < M; ++i) {
    F row[N];
    for (int j = 0; j < N; ++j) row[j] = c[i * ldc + j];
    for (int k = 0; k < K; ++k) {
      const F s = a[k * lda + i];
      for (int j = 0; j < N; ++j) row[j] -= s * bk[k][j];
    }
    for (int j = 0; j < N; ++j) c[i * ldc + j] = row[j];
  }
}

template <class F>
ST_FN void subtract_product(const F* a, int lda, const F* b, int ldb, F* c, int ldc, int m, int n, int k_count) {
  if (m == 6 && n == 6 && k_count == 6) return subtract_product_fixed<6, 6, 6>(a, lda, b, ldb, c, ldc);
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < k_count; ++k) {
      const F s = a[k * lda + i];
      for (int j = 0; j < n; ++j) c[i * ldc + j] -= s * b[k * ldb + j];
    }
}

/// Cholesky factor of the upper triangle of S (n, n); writes 1/U_ii to `inverse_diagonal`. Returns pivots replaced.
template <class F>
ST_FN int factor_diagonal(F* s, int ld, int n, F* inverse_diagonal) {
  int replaced = 0;
  for (int i = 0; i < n; ++i) {
    const F original = inverse_diagonal[i];  // the caller leaves the unreduced diagonal here
    F pivot = s[i * ld + i];
    if (!(pivot > least_pivot_ratio<F>() * original)) pivot = F(1e30), ++replaced;
    const F inverse = F(1) / std::sqrt(pivot);
    inverse_diagonal[i] = inverse;
    for (int j = i; j < n; ++j) s[i * ld + j] *= inverse;
    for (int r = i + 1; r < n; ++r) {
      const F f = s[i * ld + r];
      for (int j = r; j < n; ++j) s[r * ld + j] -= f * s[i * ld + j];
    }
  }
  return replaced;
}

/// C ← U⁻ᵀ C, U (m, m) upper.
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
  if (n == 6) return solve_rows_fixed<6>(u, ldu, inverse_diagonal, m, c, ldc);
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) {
      const F f = u[k * ldu + i];
      for (int j = 0; j < n; ++j) c[i * ldc + j] -= f * c[k * ldc + j];
    }
    for (int j = 0; j < n; ++j) c[i * ldc + j] *= inverse_diagonal[i];
  }
}

}  // namespace stiction
