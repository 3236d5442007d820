// The rows of the active set that work: their multipliers, and how rows begin and stop working.
//
//   (A Aᵀ + R) β* = −(c + A y)                                                                  (1)
//   β ← β + α (β* − β) to the first bound that is met; that row stops working, and (1) again    (2)
//   if a row depends on those that work, β moves along the null vector of (1) until one of them meets its bound and
//   makes room                                                                                  (3)
//
// y holds what the working rows do not change: the base of the problem and the rows at a bound that is not 0.
#pragma once

#include "kernels/solver/active_set/state.hpp"

namespace stiction::active_set_detail {

/// A row is independent if more than this share of its square does not depend on the other rows.
template <class Real>
constexpr Real kIndependent = sizeof(Real) == 8 ? Real(1e-11) : Real(1e-5);

template <class Real>
ST_FN int row_of_facets(const ScaledProblem<Real>& s) {
  return s.num_contacts * s.facets;
}

/// Writes a of a contact's row g·(n, t, o), or of a general row, to the dense vector `out`.
template <class Real>
ST_FN void whiten_row(const ScaledProblem<Real>& s, int group, const Vec3<Real>& g, const TreeFactors<Real>& trees,
                      Real* out) {
  const bool contact = group < s.num_contacts;
  for (int j = 0; j < s.nv; ++j) out[j] = Real(0);
  for (int side = 0; side < 2; ++side) {
    const int b = s.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = s.block_size[b];
    const Real* J = s.jacobian(group, side);
    Real* a = out + s.block_adr[b];
    for (int j = 0; j < n; ++j) a[j] = contact ? J[j] * g.x + J[n + j] * g.y + J[2 * n + j] * g.z : J[j];
    whiten_tree(s, b, 1, trees, a);
  }
}

/// Writes row `number` into a slot; `constant` is set to c, without a·y.
template <class Real>
ST_FN void describe_row(int number, int slot, ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  Real* a = x.row + slot * s.nv;
  x.number[slot] = number;
  const int r = number - row_of_facets(s);
  if (r < 0) {
    const int i = number / s.facets;
    const Vec3<Real> g = s.generator(i, number - i * s.facets);
    whiten_row(s, i, g, x.trees, a);
    x.constant[slot] = dot(g, load3(s.offset + 3 * i));
    x.compliance[slot] = x.lower[slot] = Real(0), x.upper[slot] = Real(INFINITY);
  } else {
    whiten_row(s, s.num_contacts + r, Vec3<Real>{}, x.trees, a);
    x.constant[slot] = s.row_offset[r];
    x.compliance[slot] = s.row_compliance[r], x.lower[slot] = s.row_lower[r], x.upper[slot] = s.row_upper[r];
  }
}

/// y += β a; updates the constants of the rows that work.
template <class Real>
ST_FN void add_to_base(Real beta, const Real* a, ActiveSetState<Real>& x) {
  const int n = x.problem->nv;
  if (beta == Real(0)) return;
  add_scaled(n, beta, a, x.y);
  for (int k = 0; k < x.gram.size; ++k) {
    const int slot = x.slot[k];
    x.constant[slot] += beta * dot_rows(n, a, x.row + slot * n);
  }
}

/// Makes row k of the factor stop working, at a bound.
template <class Real>
ST_FN void leave_row(int k, RowPlace place, ActiveSetState<Real>& x) {
  const int slot = x.slot[k];
  const Real bound = place == RowPlace::kLower ? x.lower[slot] : x.upper[slot];
  x.place[x.number[slot]] = place;
  drop_gram_row(k, x.gram);
  for (int j = k; j < x.gram.size; ++j) x.slot[j] = x.slot[j + 1];
  x.slot[x.gram.size] = slot;
  add_to_base(bound, x.row + slot * x.problem->nv, x);
}

/// The share of its square above which a row counts as independent. If as many rigid rows work as there are velocities,
/// or as many rows as the factor has room for, no further row is independent, whatever share rounding left it.
template <class Real>
ST_FN Real least_share(const ActiveSetState<Real>& x, Real compliance) {
  int rigid = 0;
  for (int k = 0; k < x.gram.size; ++k) rigid += x.compliance[x.slot[k]] > Real(0) ? 0 : 1;
  const bool full = x.gram.size + 1 == x.gram.capacity || (rigid == x.problem->nv && !(compliance > Real(0)));
  return full ? Real(1) : kIndependent<Real>;
}

/// True if there is no room for another row that works: the method is then given up.
template <class Real>
ST_FN bool is_crowded(const ActiveSetState<Real>& x) {
  return x.gram.size + 1 == x.gram.capacity && x.problem->num_rows > ActiveSetLimit::kWorking;
}

/// Makes a row work, with the multiplier β, and adds it to the factor. False if it depends on the rows that work; its
/// pivot is then 0.
template <class Real>
ST_FN bool join_row(int number, Real beta, ActiveSetState<Real>& x) {
  const int n = x.problem->nv, slot = x.slot[x.gram.size];
  describe_row(number, slot, x);
  const Real* a = x.row + slot * n;
  if (x.place[number] != RowPlace::kWorks) add_to_base(-beta, a, x);
  x.constant[slot] += dot_rows(n, a, x.y.data());
  x.beta[slot] = beta;
  x.place[number] = RowPlace::kWorks;
  for (int k = 0; k < x.gram.size; ++k) x.product[k] = dot_rows(n, a, x.row + x.slot[k] * n);
  const Real square = dot_rows(n, a, a) + x.compliance[slot], least = least_share(x, x.compliance[slot]);
  return add_gram_row(square, least, x.gram, x.product) > least;
}

/// The first bound that β meets on its way, and the share of the way after which it does.
template <class Real>
struct Meeting {
  Real share;
  int k;  // place in the factor; -1: none
  RowPlace place;
};

template <class Real>
ST_FN void meet_bound(const ActiveSetState<Real>& x, int k, Real rate, Real least_rate, Meeting<Real>& first) {
  const int slot = x.slot[k];
  if (!(std::fabs(rate) > least_rate)) return;
  const bool falls = rate < Real(0);
  const Real room = falls ? x.beta[slot] - x.lower[slot] : x.upper[slot] - x.beta[slot];
  const Real share = larger(room, Real(0)) / std::fabs(rate);
  if (share < first.share) first = {share, k, falls ? RowPlace::kLower : RowPlace::kUpper};
}

/// Repeats (1) and (2) until no bound is met; false if the changes are used up.
template <class Real>
ST_FN bool settle_multipliers(int most_changes, ActiveSetState<Real>& x) {
  for (;;) {
    if (x.now->changes >= most_changes) return false;
    ++x.now->changes;
    const int size = x.gram.size;
    for (int k = 0; k < size; ++k) x.target[k] = -x.constant[x.slot[k]];
    solve_gram(x.gram, x.target);
    Meeting<Real> first{Real(1), -1, RowPlace::kLower};
    for (int k = 0; k < size; ++k) meet_bound(x, k, x.target[k] - x.beta[x.slot[k]], Real(0), first);
    for (int k = 0; k < size; ++k) {
      const int slot = x.slot[k];
      x.beta[slot] = first.k < 0 ? x.target[k] : x.beta[slot] + first.share * (x.target[k] - x.beta[slot]);
    }
    if (first.k < 0) return true;
    leave_row(first.k, first.place, x);
  }
}

/// (3), where the last row in the factor depends on the others. False if no row makes room.
template <class Real>
ST_FN bool make_room(Real sign, ActiveSetState<Real>& x) {
  while (x.gram.size > 0 && !(x.gram.pivot[x.gram.size - 1] > Real(0))) {
    const int last = x.gram.size - 1;
    for (int k = 0; k < last; ++k) x.target[k] = -sign * x.gram.below(k)[last];
    solve_gram_backward(x.gram, last, x.target);
    x.target[last] = sign;
    Meeting<Real> first{Real(INFINITY), -1, RowPlace::kLower};
    for (int k = 0; k <= last; ++k) meet_bound(x, k, x.target[k], kIndependent<Real>, first);
    if (first.k < 0) return false;
    for (int k = 0; k <= last; ++k) x.beta[x.slot[k]] += first.share * x.target[k];
    leave_row(first.k, first.place, x);
    if (first.k == last) return true;
  }
  return true;
}

}  // namespace stiction::active_set_detail
