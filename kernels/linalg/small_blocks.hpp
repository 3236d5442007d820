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

/// 1/U_ii from what the elimination left of S_ii, whose `original` the caller keeps in the inverse diagonal until then.
template <class F>
ST_FN F inverse_pivot(F left, F original) {
  return F(1) / std::sqrt(left > least_pivot_ratio<F>() * original ? left : F(1e30));
}

/// Cholesky factor of the upper triangle of S (n, n); writes 1/U_ii to `inverse_diagonal`. kSize 6: a free body, and
/// loops are unrolled; 0: any size.
template <int kSize, class F>
ST_FN void factor_sized(F* s, int ld_any, int size, F* inverse_diagonal) {
  const int n = kSize > 0 ? kSize : size, ld = kSize > 0 ? kSize : ld_any;
  for (int i = 0; i < n; ++i) {
    const F inverse = inverse_pivot(s[i * ld + i], inverse_diagonal[i]);
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

/// x ← U⁻ᵀ x with U (n, n); `inverse_diagonal` holds 1/U_ii
template <int kSize, class F, class Real>
ST_FN void solve_transposed_triangle(const F* u, const F* inverse_diagonal, int size, Real* x) {
  const int n = kSize > 0 ? kSize : size;
  for (int i = 0; i < n; ++i) {
    x[i] *= inverse_diagonal[i];
    for (int j = i + 1; j < n; ++j) x[j] -= u[i * n + j] * x[i];
  }
}

/// x ← U⁻¹ x; the last entry is subtracted from all others first.
template <int kSize, class F, class Real>
ST_FN void solve_upper_triangle(const F* u, const F* inverse_diagonal, int size, Real* x) {
  const int n = kSize > 0 ? kSize : size;
  for (int i = n - 1; i >= 0; --i) {
    Real sum = x[i];
    for (int j = n - 1; j > i; --j) sum -= u[i * n + j] * x[j];
    x[i] = sum * inverse_diagonal[i];
  }
}

/// Calls solve(y) with a copy y of x (kSize entries, `step` apart), which stays in registers, and writes it back.
template <int kSize, class Real, class F>
ST_FN void solve_copy(Real* x, int step, F solve) {
  Real y[kSize];
  for (int i = 0; i < kSize; ++i) y[i] = x[i * step];
  solve(y);
  for (int i = 0; i < kSize; ++i) x[i * step] = y[i];
}

/// c ← U⁻ᵀ c for one column of C (m, n), whose entries are ldc apart
template <class F>
ST_FN void solve_column(const F* u, const F* inverse_diagonal, int m, F* c, int ldc) {
  if (m == 6)
    solve_copy<6>(c, ldc, [&](F* y) { solve_transposed_triangle<6>(u, inverse_diagonal, 6, y); });
  else
    solve_rows_fixed<1>(u, m, inverse_diagonal, m, c, ldc);
}

}  // namespace stiction
