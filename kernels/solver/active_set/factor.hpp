// The factorisation D = L diag(d) Lᵀ of the working rows' products, updated when a row is added or dropped (Gill,
// Golub, Murray, Saunders, Math. Comp. 28, 1974):
//
//   add    L l = D_W,p,  then l_k ← l_k/d_k,  d_p = D_pp − Σ l_k² d_k
//   drop   D without row k:  L' d' L'ᵀ = L_33 d_33 L_33ᵀ + d_k l lᵀ,  l: the entries of column k below k (their C1)
//
//   symbol   variable   shape
//   Lᵀ       upper      (capacity, capacity) row-major: row j is column j of L; the unit diagonal is not stored
//   d        pivot      (capacity)
#pragma once

#include "kernels/linalg/long_rows.hpp"
#include "kernels/model/arena.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct GramFactor {
  int capacity;
  int size;  // number of rows in the factor
  Array<Real> upper;
  Array<Real> pivot;
  Array<Real> column;  // (capacity) scratch of `drop_gram_row`

  ST_FN Real* below(int j) { return upper + j * capacity; }
  ST_FN const Real* below(int j) const { return upper + j * capacity; }
};

template <class Real>
ST_FN GramFactor<Real> take_gram_factor(int capacity, Arena& arena) {
  const std::size_t n = static_cast<std::size_t>(capacity);
  return {capacity, 0, arena.take<Real>(n * n), arena.take<Real>(n), arena.take<Real>(n)};
}

/// Adds a row. Its products with the others are in `product` (size), which is overwritten; its product with itself is
/// `square`. Returns the share of `square` that does not depend on the others; if that is at most `least`, the pivot is
/// set to 0.
template <class Real>
ST_FN Real add_gram_row(Real square, Real least, GramFactor<Real>& factor, Pointer<Real> product) {
  const int p = factor.size;
  Real pivot = square;
  for (int k = 0; k < p; ++k) {
    const Real l = product[k];
    add_scaled(p - k - 1, -l, factor.below(k) + k + 1, product + k + 1);
    const Real scaled = l / factor.pivot[k];
    factor.below(k)[p] = scaled;
    pivot -= l * scaled;
  }
  const Real share = pivot / square;
  factor.pivot[p] = share > least ? pivot : Real(0);
  ++factor.size;
  return share;
}

/// Removes row k; the rows behind it move up.
template <class Real>
ST_FN void drop_gram_row(int k, GramFactor<Real>& factor) {
  const int n = factor.size;
  Real alpha = factor.pivot[k];
  for (int r = k + 1; r < n; ++r) factor.column[r] = factor.below(k)[r];
  for (int j = 0; j < k; ++j)
    for (int r = k; r + 1 < n; ++r) factor.below(j)[r] = factor.below(j)[r + 1];
  for (int j = k + 1; j < n; ++j) {
    const Real p = factor.column[j], pivot = factor.pivot[j] + alpha * p * p;
    const Real beta = pivot > Real(0) ? p * alpha / pivot : Real(0);
    alpha = pivot > Real(0) ? factor.pivot[j] * alpha / pivot : alpha;
    factor.pivot[j - 1] = pivot;
    const Real* from = factor.below(j);
    Real* to = factor.below(j - 1);
    for (int r = j + 1; r < n; ++r) {
      factor.column[r] -= p * from[r];
      to[r - 1] = from[r] + beta * factor.column[r];
    }
  }
  --factor.size;
}

/// x ← L⁻ᵀ x of the first n rows
template <class Real>
ST_FN void solve_gram_backward(const GramFactor<Real>& factor, int n, Pointer<Real> x) {
  for (int j = n - 1; j >= 0; --j) x[j] -= dot_rows(n - j - 1, factor.below(j) + j + 1, x + j + 1);
}

/// x ← D⁻¹ x
template <class Real>
ST_FN void solve_gram(const GramFactor<Real>& factor, Pointer<Real> x) {
  for (int j = 0; j < factor.size; ++j) add_scaled(factor.size - j - 1, -x[j], factor.below(j) + j + 1, x + j + 1);
  for (int j = 0; j < factor.size; ++j) x[j] /= factor.pivot[j];
  solve_gram_backward(factor, factor.size, x);
}

}  // namespace stiction
