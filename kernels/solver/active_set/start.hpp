// The start of the active set: the rows with which a given answer presses work, as far as they are independent.
#pragma once

#include "kernels/solver/active_set/rows.hpp"

namespace stiction::active_set_detail {

/// Calls f(facet, β) for up to three generators such that Σ β g = λ: the two that enclose λ and the one opposite.
template <class Real, class F>
ST_FN void split_impulse(const ScaledProblem<Real>& s, int i, const Vec3<Real>& lambda, F f) {
  const FacetTable<Real>& table = s.table;
  const int k = table.facets;
  const Real mu_t = s.mu[2 * i], mu_o = s.mu[2 * i + 1];
  if (k == 1) return f(0, lambda.x);
  const Real t = mu_t > Real(0) ? lambda.y / mu_t : Real(0), o = mu_o > Real(0) ? lambda.z / mu_o : Real(0);
  const auto along = [&](int j) { return table.cosine[j] * t + table.sine[j] * o; };
  int a = 0;
  for (int j = 1; j < k; ++j) a = along(j) > along(a) ? j : a;
  const int next = a + 1 < k ? a + 1 : 0, before = a > 0 ? a - 1 : k - 1;
  const bool up = along(next) >= along(before);
  const int b = up ? next : before, c = k == 2 ? b : (a + (up ? (k + 1) / 2 : k - (k + 1) / 2)) % k;
  if (k == 2) {
    const Real high = Real(0.5) * (lambda.x + table.cosine[a] * t);
    f(a, high), f(b, lambda.x - high);
    return;
  }
  const Real ba = table.cosine[b] - table.cosine[a], bs = table.sine[b] - table.sine[a];
  const Real ca = table.cosine[c] - table.cosine[a], cs = table.sine[c] - table.sine[a];
  const Real x = t - lambda.x * table.cosine[a], y = o - lambda.x * table.sine[a], det = ba * cs - bs * ca;
  const Real beta_b = (x * cs - y * ca) / det, beta_c = (ba * y - bs * x) / det;
  f(a, lambda.x - beta_b - beta_c), f(b, beta_b), f(c, beta_c);
}

/// Makes a row work that presses with β at the start. If it depends on the others, its β is distributed over them,
/// which leaves Σ β a unchanged. False if none of them meets a bound in either direction.
template <class Real>
ST_FN bool start_row(int number, Real beta, ActiveSetState<Real>& x) {
  if (is_crowded(x)) return false;
  x.place[number] = RowPlace::kWorks;  // the row is at no bound, so y holds no part of it
  return join_row(number, beta, x) || make_room(Real(-1), x) || make_room(Real(1), x);
}

/// Starts a general row at a bound.
template <class Real>
ST_FN void start_at_bound(int r, RowPlace place, ActiveSetState<Real>& x) {
  const int number = row_of_facets(*x.problem) + r, slot = x.slot[x.gram.size];
  const Real bound = place == RowPlace::kUpper ? x.problem->row_upper[r] : x.problem->row_lower[r];
  x.place[number] = place;
  if (bound == Real(0)) return;
  describe_row(number, slot, x);
  add_to_base(bound, x.row + slot * x.problem->nv, x);
}

/// Makes the rows work with which x.lambda and x.row_lambda press, as far as they are independent. False if rows
/// without bounds are dependent, or if an impulse is not a number.
template <class Real>
ST_FN bool start_rows(ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  const int facets = row_of_facets(s);
  x.gram.size = 0;
  for (int k = 0; k < x.gram.capacity; ++k) x.slot[k] = k;
  for (int k = 0; k < facets; ++k) x.place[k] = RowPlace::kLower;
  for (int r = 0; r < s.num_rows; ++r) {
    const Real low = s.row_lower[r], high = s.row_upper[r], beta = clamped(x.row_lambda[r], low, high);
    if (!(beta > low)) {
      start_at_bound(r, RowPlace::kLower, x);
    } else if (!(beta < high)) {
      start_at_bound(r, RowPlace::kUpper, x);
    } else if (!start_row(facets + r, beta, x)) {
      return false;
    }
  }
  bool started = true;
  for (int i = 0; i < s.num_contacts; ++i) {
    const Vec3<Real> lambda = load3(x.lambda + 3 * i);
    if (!(lambda.x > Real(0))) continue;
    split_impulse(s, i, lambda, [&](int facet, Real beta) {
      if (started && beta > Real(1e-9) * lambda.x) started = start_row(i * s.facets + facet, beta, x);
    });
  }
  return started;
}

}  // namespace stiction::active_set_detail
