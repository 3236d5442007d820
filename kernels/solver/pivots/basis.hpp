// A basis of Lemke's method, its factors and the solution of B x = b. There is no tableau that could accumulate errors.
//
//   I w − M z − d z0 = q                                                                               (1)
//
// A variable is identified by a number: j is z_j, n + j is w_j, 2n is z0. Position p of the basis holds one variable,
// with the value x_p. Columns of w need no arithmetic. Without them a kernel of k rows and columns is left,
//
//   B = [I X; 0 Y] P,   Y = L U (partial pivoting),   B⁻¹b: y = Y⁻¹ b_Y, then x_w = b_w − X y            (2)
//
// where k is the number of basic z, z0 included. A pivot at position r with column c = B⁻¹a is stored as a product-form
// update
//
//   x_r ← x_r / c_r,   x_p ← x_p − c_p x_r                                                             (3)
//
// and the kernel is factored anew every kUpdates pivots.
//
//   symbol   variable          shape          note
//   M        columns           (n, n)         column after column, scaled
//   d        cover             (n)            covering vector
//   Y        kernel            (k, k)         column after column
//   c        update            (kUpdates, n)
#pragma once

#include <cstddef>

#include "kernels/linalg/scalar.hpp"
#include "kernels/model/arena.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

struct LemkeSystem {
  int n;
  Array<double> columns;  // (n, n) M, column after column
  Array<double> q;        // (n)
  Array<double> cover;    // (n) d
  const int* is_free;     // (n) 1: z_j is free and w_j = 0; null: no variable is free

  ST_FN bool is_free_at(int i) const { return is_free != nullptr && is_free[i] != 0; }
  /// Entry of a variable's column in (1).
  ST_FN double entry(int variable, int row) const {
    if (variable < n) return -columns[static_cast<std::ptrdiff_t>(variable) * n + row];
    if (variable < 2 * n) return variable - n == row ? 1.0 : 0.0;
    return -cover[row];
  }
  /// True for a variable that must not be negative: all but free z and the w of their rows.
  ST_FN bool restricted(int variable) const {
    return variable == 2 * n || !is_free_at(variable < n ? variable : variable - n);
  }
};

struct LemkeBasis {
  static constexpr int kUpdates = 16;

  Array<int> variable;         // (n) variable at a position
  Array<int> position;         // (2n + 1) position of a variable; -1: it is not basic
  Array<int> factored;         // (n) variable at a position when Y was last factored
  Array<int> kernel_position;  // (k) positions of the kernel's columns
  Array<int> kernel_row;       // (k) rows of the kernel, in the order of the pivots
  Array<int> slack_position;   // (n) position of a row's w when Y was last factored; -1: the row is in the kernel
  Array<double> kernel;        // (k, k) factors of Y
  Array<double> update;        // (kUpdates, n) c of every pivot since Y was last factored
  Array<int> update_position;  // (kUpdates) r of these pivots
  Array<int> counts;           // (2) k; number of updates
  Array<double> rhs;           // (n) scratch of solve_basis
  Array<double> gathered;      // (n) a column, scratch of solve_column

  ST_FN int kernel_size() const { return counts[0]; }
  ST_FN int updates() const { return counts[1]; }
};

ST_FN LemkeBasis take_lemke_basis(int n, Arena& arena) {
  const std::size_t size = static_cast<std::size_t>(n), updates = LemkeBasis::kUpdates;
  LemkeBasis basis{};
  basis.variable = arena.take<int>(size);
  basis.position = arena.take<int>(2 * size + 1);
  basis.factored = arena.take<int>(size);
  basis.kernel_position = arena.take<int>(size);
  basis.kernel_row = arena.take<int>(size);
  basis.slack_position = arena.take<int>(size);
  basis.kernel = arena.take<double>(size * size);
  basis.update = arena.take<double>(updates * size);
  basis.update_position = arena.take<int>(updates);
  basis.counts = arena.take<int>(2);
  basis.rhs = arena.take<double>(size);
  basis.gathered = arena.take<double>(size);
  return basis;
}

/// Makes every w basic.
template <class Team>
ST_FN void start_with_slacks(const Team& team, int n, LemkeBasis& basis) {
  team.each(2 * n + 1,
            [&](int variable) { basis.position[variable] = variable >= n && variable < 2 * n ? variable - n : -1; });
  team.each(n, [&](int p) { basis.variable[p] = n + p; });
}

namespace lemke_detail {

/// Lists the rows and positions that make up the kernel.
ST_FN void list_kernel(int n, LemkeBasis& basis) {
  int k = 0;
  for (int i = 0; i < n; ++i) basis.slack_position[i] = -1;
  for (int p = 0; p < n; ++p) {
    const int variable = basis.factored[p] = basis.variable[p];
    if (variable >= n && variable < 2 * n)
      basis.slack_position[variable - n] = p;
    else
      basis.kernel_position[k++] = p;
  }
  k = 0;
  for (int i = 0; i < n; ++i)
    if (basis.slack_position[i] < 0) basis.kernel_row[k++] = i;
  basis.counts[0] = k, basis.counts[1] = 0;
}

/// Swaps row c of the kernel with the row that has the largest entry of column c at or below the diagonal. Returns that
/// entry.
template <class Team>
ST_FN double choose_pivot_row(const Team& team, int k, int c, LemkeBasis& basis) {
  double* column = basis.kernel + static_cast<std::ptrdiff_t>(c) * k;
  const auto best = team.argmin(k - c, 0.0, [&](int i) { return -std::fabs(column[c + i]); });
  const int row = c + best.index;
  if (row != c) {
    team.each(k, [&](int j) {
      double* a = basis.kernel + static_cast<std::ptrdiff_t>(j) * k;
      const double kept = a[c];
      a[c] = a[row], a[row] = kept;
    });
    team.once([&] {
      const int kept = basis.kernel_row[c];
      basis.kernel_row[c] = basis.kernel_row[row], basis.kernel_row[row] = kept;
    });
  }
  return column[c];
}

/// column_j −= l_c u_cj
ST_FN void eliminate_column(double* column, const double* pivot_column, int c, int k) {
  const double f = column[c];
  if (f == 0.0) return;
  for (int i = c + 1; i < k; ++i) column[i] -= pivot_column[i] * f;
}

}  // namespace lemke_detail

/// Factors Y = L U of the present basis; false if a pivot is at most `least` times the largest entry of its column.
template <class Team>
ST_PHASE bool factor_basis(const Team& team, const LemkeSystem& system, LemkeBasis& basis) {
  using namespace lemke_detail;
  const double least = 1e-13;
  team.once([&] { list_kernel(system.n, basis); });
  const int k = basis.kernel_size();
  team.each(k * k, [&](int e) {
    basis.kernel[e] = system.entry(basis.factored[basis.kernel_position[e / k]], basis.kernel_row[e % k]);
  });
  for (int c = 0; c < k; ++c) {
    double* column = basis.kernel + static_cast<std::ptrdiff_t>(c) * k;
    const double size = team.max(k, 0.0, [&](int i) { return std::fabs(column[i]); });
    const double pivot = choose_pivot_row(team, k, c, basis);
    if (!(std::fabs(pivot) > least * size)) return false;
    team.each(k - c - 1, [&](int i) { column[c + 1 + i] /= pivot; });
    team.each(k - c - 1, [&](int j) {
      eliminate_column(basis.kernel + static_cast<std::ptrdiff_t>(c + 1 + j) * k, column, c, k);
    });
  }
  return true;
}

namespace lemke_detail {

/// y ← Y⁻¹ y, where y is basis.rhs
template <class Team>
ST_FN void solve_kernel(const Team& team, LemkeBasis& basis) {
  const int k = basis.kernel_size();
  double* y = basis.rhs;
  for (int c = 0; c < k; ++c) {
    const double* column = basis.kernel + static_cast<std::ptrdiff_t>(c) * k;
    const double f = y[c];
    team.each(k - c - 1, [&](int i) { y[c + 1 + i] -= column[c + 1 + i] * f; });
  }
  for (int c = k - 1; c >= 0; --c) {
    const double* column = basis.kernel + static_cast<std::ptrdiff_t>(c) * k;
    team.once([&] { y[c] /= column[c]; });
    const double f = y[c];
    team.each(c, [&](int i) { y[i] -= column[i] * f; });
  }
}

/// Applies (3) for all updates
template <class Team>
ST_FN void apply_updates(const Team& team, int n, const LemkeBasis& basis, double* x) {
  for (int e = 0; e < basis.updates(); ++e) {
    const double* c = basis.update + static_cast<std::ptrdiff_t>(e) * n;
    const int r = basis.update_position[e];
    const double f = x[r] / c[r];
    if (f == 0.0) continue;
    team.each(n, [&](int p) { x[p] = p == r ? f : x[p] - c[p] * f; });
  }
}

}  // namespace lemke_detail

/// x = B⁻¹ a; a and x must not overlap.
template <class Team>
ST_PHASE void solve_basis(const Team& team, const LemkeSystem& system, const double* a, LemkeBasis& basis, double* x) {
  const int n = system.n, k = basis.kernel_size();
  team.each(k, [&](int i) { basis.rhs[i] = a[basis.kernel_row[i]]; });
  lemke_detail::solve_kernel(team, basis);
  team.each(n, [&](int i) {
    if (basis.slack_position[i] >= 0) x[basis.slack_position[i]] = a[i];
  });
  for (int c = 0; c < k; ++c) {
    const int variable = basis.factored[basis.kernel_position[c]];
    const double y = basis.rhs[c];
    if (y == 0.0) continue;
    const double* column = variable < n ? system.columns + static_cast<std::ptrdiff_t>(variable) * n : system.cover;
    team.each(n, [&](int i) {
      if (basis.slack_position[i] >= 0) x[basis.slack_position[i]] += column[i] * y;
    });
  }
  team.each(k, [&](int c) { x[basis.kernel_position[c]] = basis.rhs[c]; });
  lemke_detail::apply_updates(team, n, basis, x);
}

/// c = B⁻¹ (column of a variable)
template <class Team>
ST_FN void solve_column(const Team& team, const LemkeSystem& system, int variable, LemkeBasis& basis, double* c) {
  team.each(system.n, [&](int row) { basis.gathered[row] = system.entry(variable, row); });
  solve_basis(team, system, basis.gathered, basis, c);
}

/// Replaces the variable at position r by `entering`, whose column B⁻¹a is c. False if a new factorisation is due and
/// finds the basis singular.
template <class Team>
ST_FN bool exchange(const Team& team, const LemkeSystem& system, int entering, int r, const double* c,
                    LemkeBasis& basis) {
  const int n = system.n, e = basis.updates();
  const bool full = e == LemkeBasis::kUpdates;
  team.once([&] {
    basis.position[basis.variable[r]] = -1;
    basis.variable[r] = entering;
    basis.position[entering] = r;
  });
  if (full) return factor_basis(team, system, basis);
  team.each(n, [&](int p) { basis.update[static_cast<std::ptrdiff_t>(e) * n + p] = c[p]; });
  team.once([&] { basis.update_position[e] = r, basis.counts[1] = e + 1; });
  return true;
}

}  // namespace stiction
