// Anderson acceleration (type II) of a fixed-point map T on x (n), with memory kDepth:
//
//   f_k = T(x_k) − x_k,   γ = argmin ‖f_k − ΔF γ‖² in the norm of the weights,   x_k+1 = T(x_k) − ΔT γ      (1)
//
// ΔF, ΔT hold the last differences of f and of T(x). A guard protects the map: when the next ‖f‖ has grown by more than
// kGrowth (splitting/admm.hpp), the extrapolated step is replaced by T(x_k) and the memory is emptied.
//
//   symbol    variable       shape
//   T(x_k)    last_image     (n)
//   f_k       last_residual  (n)
//   ΔT, ΔF    image, residual  (kDepth, n)
//   ΔFᵀΔF     products       (kDepth, kDepth)   one row and column change per step
#pragma once

#include "kernels/linalg/scalar.hpp"
#include "kernels/model/arena.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct Anderson {
  static constexpr int kDepth = 10;  // docs/adr/0602-admm-anderson.md

  int n;
  Array<Real> last_image, last_residual, image, residual;
  Array<Real> products;
  Array<Real> gram;   // (kDepth, kDepth + 1) normal equations, then γ in the last column
  Array<int> counts;  // (2) number of columns in use; the next column to overwrite

  ST_FN int columns() const { return counts[0]; }
};

template <class Real>
ST_FN Anderson<Real> take_anderson(int n, Arena& arena) {
  const std::size_t size = static_cast<std::size_t>(n), depth = Anderson<Real>::kDepth;
  Anderson<Real> a{};
  a.n = n;
  a.last_image = arena.take<Real>(size), a.last_residual = arena.take<Real>(size);
  a.image = arena.take<Real>(depth * size), a.residual = arena.take<Real>(depth * size);
  a.products = arena.take<Real>(depth * depth);
  a.gram = arena.take<Real>(depth * (depth + 1));
  a.counts = arena.take<int>(2);
  return a;
}

template <class Team, class Real>
ST_FN void forget(const Team& team, Anderson<Real>& anderson) {
  team.once([&] { anderson.counts[0] = anderson.counts[1] = 0; });
}

namespace anderson_detail {

/// Solves the normal equations by Cholesky and leaves γ in the last column; false if they are not definite.
template <class Real>
ST_FN bool solve_normal_equations(int m, Real* g) {
  constexpr int ld = Anderson<Real>::kDepth + 1, last = Anderson<Real>::kDepth;
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) {
      for (int j = i; j < m; ++j) g[i * ld + j] -= g[k * ld + i] * g[k * ld + j];
      g[i * ld + last] -= g[k * ld + i] * g[k * ld + last];
    }
    if (!(g[i * ld + i] > Real(0))) return false;
    const Real inverse = Real(1) / std::sqrt(g[i * ld + i]);
    for (int j = i; j < m; ++j) g[i * ld + j] *= inverse;
    g[i * ld + last] *= inverse;
  }
  for (int i = m - 1; i >= 0; --i) {
    for (int j = i + 1; j < m; ++j) g[i * ld + last] -= g[i * ld + j] * g[j * ld + last];
    g[i * ld + last] /= g[i * ld + i];
  }
  return true;
}

/// Regularisation of the normal equations, relative to their trace.
template <class Real>
ST_FN Real regularisation() {
  return sizeof(Real) == 8 ? Real(1e-10) : Real(1e-5);
}

/// Updates the row and the column of ΔFᵀΔF that belong to the slot that was written last.
template <class Team, class Real>
ST_FN void update_products(const Team& team, const Real* weight, int slot, Anderson<Real>& anderson) {
  constexpr int ld = Anderson<Real>::kDepth;
  const Real* f = anderson.residual + static_cast<std::ptrdiff_t>(slot) * anderson.n;
  for (int j = 0; j < anderson.columns(); ++j) {
    const Real* fj = anderson.residual + static_cast<std::ptrdiff_t>(j) * anderson.n;
    const Real sum = team.sum(anderson.n, Real(0), [&](int k) { return weight[k] * f[k] * fj[k]; });
    team.once([&] { anderson.products[slot * ld + j] = anderson.products[j * ld + slot] = sum; });
  }
}

/// Computes γ of (1) and leaves it in the last column of gram; γ = 0 where the normal equations are not definite.
template <class Team, class Real>
ST_FN void fit_residual(const Team& team, const Real* weight, Anderson<Real>& anderson) {
  constexpr int depth = Anderson<Real>::kDepth, ld = depth + 1;
  const int m = anderson.columns();
  for (int j = 0; j < m; ++j) {
    const Real* fj = anderson.residual + static_cast<std::ptrdiff_t>(j) * anderson.n;
    const Real sum =
        team.sum(anderson.n, Real(0), [&](int k) { return weight[k] * fj[k] * anderson.last_residual[k]; });
    team.once([&] { anderson.gram[j * ld + depth] = sum; });
  }
  team.once([&] {
    Real trace = Real(0);
    for (int i = 0; i < m; ++i) trace += anderson.products[i * depth + i];
    for (int i = 0; i < m; ++i)
      for (int j = i; j < m; ++j)
        anderson.gram[i * ld + j] =
            anderson.products[i * depth + j] + (i == j ? regularisation<Real>() * trace : Real(0));
    if (!solve_normal_equations(m, anderson.gram.data()))
      for (int i = 0; i < m; ++i) anderson.gram[i * ld + depth] = Real(0);
  });
}

}  // namespace anderson_detail

/// Adds the pair (x, T(x)) to the memory and sets x to x_k+1 of (1); `image` is T(x). `first`: there is no earlier
/// pair.
template <class Team, class Real>
ST_PHASE void extrapolate(const Team& team, Pointer<const Real> weight, Pointer<const Real> image, bool first,
                          Anderson<Real>& anderson, Pointer<Real> x) {
  constexpr int ld = Anderson<Real>::kDepth + 1, last = Anderson<Real>::kDepth;
  const int next = anderson.counts[1];
  const std::ptrdiff_t slot = static_cast<std::ptrdiff_t>(next) * anderson.n;
  team.each(anderson.n, [&](int k) {
    const Real f = image[k] - x[k];
    if (!first)
      anderson.image[slot + k] = image[k] - anderson.last_image[k],
                            anderson.residual[slot + k] = f - anderson.last_residual[k];
    anderson.last_image[k] = image[k], anderson.last_residual[k] = f;
  });
  if (!first) {
    team.once([&] {
      anderson.counts[1] = (next + 1) % Anderson<Real>::kDepth;
      if (anderson.counts[0] < Anderson<Real>::kDepth) ++anderson.counts[0];
    });
    anderson_detail::update_products(team, weight, next, anderson);
  }
  anderson_detail::fit_residual(team, weight, anderson);
  const int m = anderson.columns();
  team.each(anderson.n, [&](int k) {
    Real sum = image[k];
    for (int j = 0; j < m; ++j)
      sum -= anderson.gram[j * ld + last] * anderson.image[static_cast<std::ptrdiff_t>(j) * anderson.n + k];
    x[k] = sum;
  });
}

}  // namespace stiction
