// Products and sums of rows of numbers by one lane, in an order that a compiler may keep side by side.
#pragma once

#include "kernels/team/array.hpp"

namespace stiction {

/// Σ a_j b_j in four partial sums.
template <class Real>
ST_FN Real dot_rows(int n, const Real* a, const Real* b) {
  Real sum[4] = {Real(0), Real(0), Real(0), Real(0)};
  int j = 0;
  for (; j + 4 <= n; j += 4)
    for (int k = 0; k < 4; ++k) sum[k] += a[j + k] * b[j + k];
  for (; j < n; ++j) sum[0] += a[j] * b[j];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/// y += scale x
template <class Real>
ST_FN void add_scaled(int n, Real scale, Pointer<const Real> x, Pointer<Real> y) {
  for (int j = 0; j < n; ++j) y[j] += scale * x[j];
}

}  // namespace stiction
