// Dual active set (Goldfarb, Idnani, Math. Programming 27, 1983) on the whitened rows of active_set_state.hpp: for few
// velocities the fastest way, above all where most rows work as they did a step before.
//
//   w = y + Σ β a;  value of a row  a·w + c + R β:  0 between its bounds, >= 0 at the lower, <= 0 at the upper    (1)
//   rows that work   (A Aᵀ + R) β* = −(c + A y),  the others at a bound                                          (2)
//   β ← β + α (β* − β) to the first bound that is met; that row stops working, and (2) again                     (3)
//   then the row that violates (1) most begins to work; one that depends on those that do moves β along the null
//   vector of (2) until a row meets its bound and makes room                                                     (4)
//   where a tree needs Q: v_c ← v until Q (v − v_c) is gone                                                      (5)
//
// β keeps its bounds throughout and every step lowers the dual objective, from any β to begin with: that of the last
// step's impulses, each spread on three generators of its cone. The run is given up when it takes too many changes or
// when (4) meets no bound, which is the case of no solution; the interior point then says more.
#pragma once

#include "kernels/solver/active_set_state.hpp"

namespace stiction {

namespace active_set_detail {

/// Share of a row's square that must not depend on the other rows.
template <class Real>
constexpr Real kIndependent = sizeof(Real) == 8 ? Real(1e-11) : Real(1e-5);

/// (1) holds to this share of the tolerance.
template <class Real>
constexpr Real kEnough = Real(0.2);

template <class Real>
ST_FN int row_of_facets(const ScaledProblem<Real>& s) {
  return s.num_contacts * s.facets;
}

/// a of a contact's row g·(n, t, o), or of a general row, in a dense vector that is 0 elsewhere.
template <class Real>
ST_FN void spread_row(const ScaledProblem<Real>& white, int group, const Vec3<Real>& g, Real* out) {
  const bool contact = group < white.num_contacts;
  for (int side = 0; side < 2; ++side) {
    const int b = white.group_block[2 * group + side];
    if (b < 0) continue;
    const int n = white.block_size[b];
    const Real* J = white.jacobian(group, side);
    Real* a = out + white.block_adr[b];
    for (int j = 0; j < n; ++j) a[j] = contact ? J[j] * g.x + J[n + j] * g.y + J[2 * n + j] * g.z : J[j];
  }
}

/// Writes row `number` into a slot; its constant is c alone.
template <class Real>
ST_FN void describe_row(const ActiveSetState<Real>& x, int number, int slot) {
  const ScaledProblem<Real>& s = *x.white;
  Real* a = x.row + slot * s.nv;
  for (int j = 0; j < s.nv; ++j) a[j] = Real(0);
  x.number[slot] = number;
  const int r = number - row_of_facets(s);
  if (r < 0) {
    const int i = number / s.facets;
    const Vec3<Real> g = s.generator(i, number - i * s.facets);
    spread_row(s, i, g, a);
    x.constant[slot] = dot(g, load3(s.offset + 3 * i));
    x.compliance[slot] = x.lower[slot] = Real(0), x.upper[slot] = Real(INFINITY);
  } else {
    spread_row(s, s.num_contacts + r, Vec3<Real>{}, a);
    x.constant[slot] = s.row_offset[r];
    x.compliance[slot] = s.row_compliance[r], x.lower[slot] = s.row_lower[r], x.upper[slot] = s.row_upper[r];
  }
}

/// y += β a, and the constants of the rows that work with it.
template <class Real>
ST_FN void add_to_base(const ActiveSetState<Real>& x, Real beta, const Real* a) {
  const int n = x.white->nv;
  if (beta == Real(0)) return;
  add_scaled(n, beta, a, x.y);
  for (int k = 0; k < x.gram.size; ++k) {
    const int slot = x.slot[k];
    x.constant[slot] += beta * dot_rows(n, a, x.row + slot * n);
  }
}

/// The working row k stops at a bound.
template <class Real>
ST_FN void leave_row(ActiveSetState<Real>& x, int k, RowPlace place) {
  const int slot = x.slot[k];
  const Real bound = place == RowPlace::kLower ? x.lower[slot] : x.upper[slot];
  x.place[x.number[slot]] = place;
  drop_gram_row(x.gram, k);
  for (int j = k; j < x.gram.size; ++j) x.slot[j] = x.slot[j + 1];
  x.slot[x.gram.size] = slot;
  add_to_base(x, bound, x.row + slot * x.white->nv);
}

/// Share of its square from which on a row is independent. Where as many rigid rows work as there are velocities, or
/// as the factor has room for, one more is not, whatever rounding left of it.
template <class Real>
ST_FN Real least_share(const ActiveSetState<Real>& x, Real compliance) {
  int rigid = 0;
  for (int k = 0; k < x.gram.size; ++k) rigid += x.compliance[x.slot[k]] > Real(0) ? 0 : 1;
  const bool full = x.gram.size + 1 == x.gram.capacity || (rigid == x.white->nv && !(compliance > Real(0)));
  return full ? Real(1) : kIndependent<Real>;
}

/// Adds a row, which is at β, to the factor. Returns false if it depends on those that work: its pivot is 0 then.
template <class Real>
ST_FN bool join_row(ActiveSetState<Real>& x, int number, Real beta) {
  const int n = x.white->nv, slot = x.slot[x.gram.size];
  describe_row(x, number, slot);
  const Real* a = x.row + slot * n;
  if (x.place[number] != RowPlace::kWorks) add_to_base(x, -beta, a);
  x.constant[slot] += dot_rows(n, a, x.y);
  x.beta[slot] = beta;
  x.place[number] = RowPlace::kWorks;
  for (int k = 0; k < x.gram.size; ++k) x.product[k] = dot_rows(n, a, x.row + x.slot[k] * n);
  const Real square = dot_rows(n, a, a) + x.compliance[slot], least = least_share(x, x.compliance[slot]);
  return add_gram_row(x.gram, x.product, square, least) > least;
}

/// The bound that β meets on its way along `rate`, and after which share of it.
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

/// (2) and (3); false where the changes are used up.
template <class Real>
ST_FN bool settle_multipliers(ActiveSetState<Real>& x, int most_changes) {
  for (;;) {
    if (++x.now->changes > most_changes) return false;
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
    leave_row(x, first.k, first.place);
  }
}

/// (4): the last working row depends on the others. False if nothing makes room.
template <class Real>
ST_FN bool make_room(ActiveSetState<Real>& x, Real sign) {
  while (x.gram.size > 0 && !(x.gram.pivot[x.gram.size - 1] > Real(0))) {
    const int last = x.gram.size - 1;
    for (int k = 0; k < last; ++k) x.target[k] = -sign * x.gram.below(k)[last];
    solve_gram_backward(x.gram, last, x.target);
    x.target[last] = sign;
    Meeting<Real> first{Real(INFINITY), -1, RowPlace::kLower};
    for (int k = 0; k <= last; ++k) meet_bound(x, k, x.target[k], kIndependent<Real>, first);
    if (first.k < 0) return false;
    for (int k = 0; k <= last; ++k) x.beta[x.slot[k]] += first.share * x.target[k];
    leave_row(x, first.k, first.place);
    if (first.k == last) return true;
  }
  return true;
}

/// The row of x.now->worst begins to work.
template <class Real>
ST_FN bool enter_row(ActiveSetState<Real>& x) {
  const int number = x.now->worst.index, r = number - row_of_facets(*x.white);
  const bool at_upper = x.place[number] == RowPlace::kUpper;
  const Real beta = r < 0 ? Real(0) : (at_upper ? x.white->row_upper[r] : x.white->row_lower[r]);
  return join_row(x, number, beta) || make_room(x, at_upper ? Real(-1) : Real(1));
}

/// Calls f(facet, β) for up to three generators whose sum is λ: those that enclose it, and the one across.
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

/// A row that presses with β at the start. Where it depends on the others, they share β out: Σ β a stays (4). False if
/// none meets a bound either way.
template <class Real>
ST_FN bool start_row(ActiveSetState<Real>& x, int number, Real beta) {
  x.place[number] = RowPlace::kWorks;  // at no bound: y has nothing of it
  return join_row(x, number, beta) || make_room(x, Real(-1)) || make_room(x, Real(1));
}

/// A general row that starts at a bound.
template <class Real>
ST_FN void start_at_bound(ActiveSetState<Real>& x, int r, RowPlace place) {
  const int number = row_of_facets(*x.white) + r, slot = x.slot[x.gram.size];
  describe_row(x, number, slot);
  x.place[number] = place;
  add_to_base(x, place == RowPlace::kUpper ? x.upper[slot] : x.lower[slot], x.row + slot * x.white->nv);
}

/// What x.lambda and x.row_lambda press with works, as far as it is independent. False where rows without bounds are
/// not, and where an impulse is no number.
template <class Real>
ST_FN bool start_rows(ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.white;
  const int facets = row_of_facets(s);
  x.gram.size = 0;
  for (int k = 0; k < x.gram.capacity; ++k) x.slot[k] = k;
  for (int k = 0; k < facets; ++k) x.place[k] = RowPlace::kLower;
  for (int r = 0; r < s.num_rows; ++r) {
    const Real low = s.row_lower[r], high = s.row_upper[r], beta = clamped(x.row_lambda[r], low, high);
    if (!(beta > low)) {
      start_at_bound(x, r, RowPlace::kLower);
    } else if (!(beta < high)) {
      start_at_bound(x, r, RowPlace::kUpper);
    } else if (!start_row(x, facets + r, beta)) {
      return false;
    }
  }
  bool started = true;
  for (int i = 0; i < s.num_contacts; ++i) {
    const Vec3<Real> lambda = load3(x.lambda + 3 * i);
    if (!(lambda.x > Real(0))) continue;
    split_impulse(s, i, lambda, [&](int facet, Real beta) {
      if (started && beta > Real(1e-9) * lambda.x) started = start_row(x, i * s.facets + facet, beta);
    });
  }
  return started;
}

/// w = y + Σ β a
template <class Team, class Real>
ST_FN void find_motion(const Team& team, const ActiveSetState<Real>& x) {
  const int n = x.white->nv;
  team.once([&] {
    for (int j = 0; j < n; ++j) x.w[j] = x.y[j];
    for (int k = 0; k < x.gram.size; ++k) add_scaled(n, x.beta[x.slot[k]], x.row + x.slot[k] * n, x.w);
  });
  multiply_J(team, *x.white, x.w, x.u, x.u_row);
}

/// The least value of contact i's facets that do not work, 0 if none is less.
template <class Real>
ST_FN Indexed<Real> worst_facet(const ScaledProblem<Real>& s, const ActiveSetState<Real>& x, int i) {
  Indexed<Real> worst{Real(0), -1};
  const Vec3<Real> u = load3(x.u + 3 * i) + load3(s.offset + 3 * i);
  const Real mu_t = s.mu[2 * i], mu_o = s.mu[2 * i + 1];
  for (int f = 0; f < s.facets; ++f) {
    const Real value = dot(facet_generator(s.table, f, mu_t, mu_o), u);
    if (value < worst.value && x.place[i * s.facets + f] != RowPlace::kWorks) worst = {value, i * s.facets + f};
  }
  return worst;
}

/// Minus how much a general row violates (1).
template <class Real>
ST_FN Real row_violation(const ScaledProblem<Real>& s, const ActiveSetState<Real>& x, int r) {
  const RowPlace place = x.place[row_of_facets(s) + r];
  if (place == RowPlace::kWorks) return Real(0);
  const Real beta = place == RowPlace::kLower ? s.row_lower[r] : s.row_upper[r];
  const Real value = x.u_row[r] + s.row_offset[r] + s.row_compliance[r] * beta;
  return smaller(place == RowPlace::kLower ? value : -value, Real(0));
}

/// The row that violates (1) most.
template <class Team, class Real>
ST_FN void find_worst(const Team& team, const ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.white;
  const Indexed<Real> contact = team.argmin(s.num_contacts, Real(0), [&](int i) { return worst_facet(s, x, i).value; });
  const Indexed<Real> row = team.argmin(s.num_rows, Real(0), [&](int r) { return row_violation(s, x, r); });
  team.once([&] {
    x.now->worst = {Real(0), -1};
    if (row.value < Real(0) && !(contact.value < row.value))
      x.now->worst = {row.value, row_of_facets(s) + row.index};
    else if (contact.value < Real(0))
      x.now->worst = worst_facet(s, x, contact.index);
  });
}

/// v = U⁻¹ w
template <class Team, class Real>
ST_FN void write_motion(const Team& team, const ActiveSetState<Real>& x) {
  team.each(x.white->num_blocks, [&](int b) { unwhiten_tree(*x.white, b, x); });
}

/// λ = Σ β g
template <class Team, class Real>
ST_FN void write_impulses(const Team& team, const ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.white;
  const int facets = row_of_facets(s);
  team.each(3 * s.num_contacts, [&](int k) { x.lambda[k] = Real(0); });
  team.each(s.num_rows, [&](int r) {
    x.row_lambda[r] = x.place[facets + r] == RowPlace::kUpper ? s.row_upper[r] : s.row_lower[r];
  });
  team.once([&] {
    for (int k = 0; k < x.gram.size; ++k) {
      const int slot = x.slot[k], number = x.number[slot];
      if (number >= facets) {
        x.row_lambda[number - facets] = x.beta[slot];
      } else {
        const int i = number / s.facets;
        const Vec3<Real> lambda = load3(x.lambda + 3 * i) + x.beta[slot] * s.generator(i, number - i * s.facets);
        store3(x.lambda + 3 * i, lambda);
      }
    }
  });
}

/// (5): the centre moves to v; false if it is there already.
template <class Team, class Real>
ST_FN bool move_center(const Team& team, Real tolerance, const ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.white;
  const Real pull = team.max(s.num_blocks, Real(0), [&](int b) {
    Real largest = Real(0);
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j)
      largest = larger(largest, x.epsilon[b] * std::fabs(x.v[j] - x.center[j]));
    return largest;
  });
  if (pull <= tolerance) return false;
  team.each(s.num_blocks, [&](int b) {
    const int adr = s.block_adr[b], n = s.block_size[b];
    if (!(x.epsilon[b] > Real(0))) return;
    for (int j = adr; j < adr + n; ++j) x.w[j] = x.epsilon[b] * (x.v[j] - x.center[j]), x.center[j] = x.v[j];
    whiten_tree(s, b, 1, x, x.w + adr);
    for (int j = adr; j < adr + n; ++j) x.y[j] += x.w[j];
  });
  team.once([&] {
    for (int k = 0; k < x.gram.size; ++k) {
      const int slot = x.slot[k];
      const Real* a = x.row + slot * s.nv;
      for (int b = 0; b < s.num_blocks; ++b)
        if (x.epsilon[b] > Real(0))
          x.constant[slot] += dot_rows(s.block_size[b], a + s.block_adr[b], x.w + s.block_adr[b]);
    }
  });
  return true;
}

/// Rows that press with no more than `least` stop working.
template <class Real>
ST_FN void release_weak_rows(ActiveSetState<Real>& x, Real least) {
  for (int k = x.gram.size - 1; k >= 0; --k) {
    const int slot = x.slot[k];
    if (x.beta[slot] - x.lower[slot] <= least)
      leave_row(x, k, RowPlace::kLower);
    else if (x.upper[slot] - x.beta[slot] <= least)
      leave_row(x, k, RowPlace::kUpper);
  }
}

/// A contact that presses with two generators across each other, inside its cone, holds along the third direction too.
template <class Real>
ST_FN void hold_inside_cones(ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.white;
  const int pressing = x.gram.size;
  for (int k = 0; k < pressing; ++k)
    for (int l = k + 1; l < pressing; ++l) {
      const int first = x.number[x.slot[k]], second = x.number[x.slot[l]], i = first / s.facets;
      const int apart = first < second ? second - first : first - second;
      if (first >= row_of_facets(s) || second / s.facets != i || apart == 1 || apart + 1 == s.facets) continue;
      const int between = i * s.facets + (first + 1 - i * s.facets) % s.facets;
      if (x.place[between] != RowPlace::kWorks && !join_row(x, between, Real(0))) {
        --x.gram.size;
        x.place[between] = RowPlace::kLower;
      }
    }
}

/// True if a tree whose H is singular can move where nothing that presses holds it: then v is one of several. In the
/// whitened space that is what is left of its coordinates e_j beside the rows: 1 − ‖L⁻¹A e_j‖² with the weights 1/d. A
/// free direction has at least 1/nv of one.
template <class Real>
ST_FN bool is_loose(ActiveSetState<Real>& x, Real tolerance) {
  const ScaledProblem<Real>& s = *x.white;
  release_weak_rows(x, tolerance);
  hold_inside_cones(x);
  for (int b = 0; b < s.num_blocks; ++b) {
    if (!(x.epsilon[b] > Real(0))) continue;
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j) {
      Real left = Real(1);
      for (int k = 0; k < x.gram.size; ++k) x.product[k] = x.row[x.slot[k] * s.nv + j];
      for (int k = 0; k < x.gram.size; ++k) {
        const Real l = x.product[k];
        add_scaled(x.gram.size - k - 1, -l, x.gram.below(k) + k + 1, x.product + k + 1);
        left -= l * l / x.gram.pivot[k];
      }
      if (left > Real(0.5) / s.nv) return true;
    }
  }
  return false;
}

/// u_0
template <class Team, class Real>
ST_FN Real largest_speed(const Team& team, Real speed_floor, const ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.white;
  const Real speed = team.max(s.num_contacts, Real(0), [&](int i) { return contact_speed(s, x.u, i); });
  const Real row_speed = team.max(s.num_rows, Real(0), [&](int r) { return std::fabs(x.u_row[r]); });
  return larger(larger(speed, row_speed), speed_floor);
}

}  // namespace active_set_detail

/// From (v, λ) in the state; the answer is left there, x.now->solved says whether it is one.
template <class Team, class Real>
ST_PHASE void run_active_set(const Team& team, const ScaledProblem<Real>& s, Real tolerance, Real speed_floor,
                             int most_changes, ActiveSetState<Real>& x) {
  using namespace active_set_detail;
  team.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
  whiten_problem(team, s, x);
  team.once([&] { x.now->lost = !start_rows(x); });
  for (;;) {
    team.once([&] { x.now->lost = x.now->lost || !settle_multipliers(x, most_changes); });
    if (x.now->lost) return;
    find_motion(team, x);
    find_worst(team, x);
    const Real violation = -x.now->worst.value;
    const bool small = violation <= Real(0.01);
    if (small && violation <= kEnough<Real> * tolerance * largest_speed(team, speed_floor, x)) {
      write_motion(team, x);
      if (x.now->regular || !move_center(team, kEnough<Real> * tolerance, x)) break;
      continue;
    }
    team.once([&] { x.now->lost = !enter_row(x); });
    if (x.now->lost) return;
  }
  write_impulses(team, x);
  const Real speed = largest_speed(team, speed_floor, x);
  team.once(
      [&] { x.now->solved = true, x.now->speed = speed, x.now->loose = !x.now->regular && is_loose(x, tolerance); });
}

}  // namespace stiction
