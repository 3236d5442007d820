// Dual active set (Goldfarb, Idnani, Math. Programming 27, 1983) on the whitened rows of active_set/state.hpp. With few
// velocities it is the fastest method, above all if most of the rows that work (the active ones) are those of the last
// time step.
//
//   w = y + Σ β a;  value of a row  a·w + c + R β:  0 between its bounds, >= 0 at the lower, <= 0 at the upper    (1)
//   rows that work   (A Aᵀ + R) β* = −(c + A y),  the others are at a bound                                      (2)
//   β ← β + α (β* − β) to the first bound that is met; that row stops working, and (2) is solved again           (3)
//   then the row that violates (1) most begins to work; if it depends on the rows that work, β moves along the
//   null vector of (2) until a row meets its bound and makes room                                                (4)
//   where a tree needs Q: v_c ← v until Q (v − v_c) is negligible                                                (5)
//
// β stays within its bounds throughout, and every step lowers the dual objective, whatever β the run begins with. It
// begins with that of the last time step's impulses, each split over at most three generators of its cone. The run is
// given up when it takes too many changes, or when (4) meets no bound, which means that there is no solution. The
// interior point method then finds out more.
#pragma once

#include "kernels/solver/active_set/loose.hpp"
#include "kernels/solver/active_set/start.hpp"
#include "kernels/solver/active_set/unique.hpp"

namespace stiction {

namespace active_set_detail {

/// The share of the tolerance to which (1) has to hold.
template <class Real>
constexpr Real kEnough = Real(0.2);

/// Makes the row of x.now->worst work. False if it depends on the rows that work and none of them makes room.
template <class Real>
ST_FN bool enter_row(ActiveSetState<Real>& x) {
  if (is_crowded(x)) return false;
  const int number = x.now->worst.index, r = number - row_of_facets(*x.problem);
  const bool at_upper = x.place[number] == RowPlace::kUpper;
  const Real beta = r < 0 ? Real(0) : (at_upper ? x.problem->row_upper[r] : x.problem->row_lower[r]);
  return join_row(number, beta, x) || make_room(at_upper ? Real(-1) : Real(1), x);
}

/// v = U⁻¹ w
template <class Team, class Real>
ST_FN void write_motion(const Team& team, ActiveSetState<Real>& x) {
  team.each(x.problem->num_blocks, [&](int b) {
    const DofRange dofs = dofs_of_block(*x.problem, b);
    for (int j = dofs.begin; j < dofs.end; ++j) x.v[j] = x.w[j];
    unwhiten_tree(*x.problem, b, x.trees, x.v + dofs.begin);
  });
}

/// w = y + Σ β a, v and J v
template <class Team, class Real>
ST_FN void find_motion(const Team& team, ActiveSetState<Real>& x) {
  const int n = x.problem->nv;
  team.once([&] {
    for (int j = 0; j < n; ++j) x.w[j] = x.y[j];
    for (int k = 0; k < x.gram.size; ++k) add_scaled(n, x.beta[x.slot[k]], x.row + x.slot[k] * n, x.w);
  });
  write_motion(team, x);
  multiply_J(team, *x.problem, x.v, x.u, x.u_row);
}

/// The least value among the facets of contact i that do not work, with its row; 0 if none is negative.
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

/// The violation of (1) by a general row, with a negative sign; 0 if there is none. A row whose bounds are equal, such
/// as one that is released, obeys (1) at every value.
template <class Real>
ST_FN Real row_violation(const ScaledProblem<Real>& s, const ActiveSetState<Real>& x, int r) {
  const RowPlace place = x.place[row_of_facets(s) + r];
  if (place == RowPlace::kWorks || s.row_lower[r] == s.row_upper[r]) return Real(0);
  const Real beta = place == RowPlace::kLower ? s.row_lower[r] : s.row_upper[r];
  const Real value = x.u_row[r] + s.row_offset[r] + s.row_compliance[r] * beta;
  return smaller(place == RowPlace::kLower ? value : -value, Real(0));
}

/// Finds the row that violates (1) most.
template <class Team, class Real>
ST_FN void find_worst(const Team& team, ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  team.once([&] {
    Indexed<Real> worst{Real(0), -1};
    for (int r = 0; r < s.num_rows; ++r) {
      const Real value = row_violation(s, x, r);
      if (value < worst.value) worst = {value, row_of_facets(s) + r};
    }
    for (int i = 0; i < s.num_contacts; ++i) {
      const Indexed<Real> facet = worst_facet(s, x, i);
      if (facet.value < worst.value) worst = facet;
    }
    x.now->worst = worst;
  });
}

/// λ = Σ β g
template <class Team, class Real>
ST_FN void write_impulses(const Team& team, ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
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

/// S_B of a tree with Q, with Jᵀλ taken from its balance H v = g + Jᵀλ.
template <class Real>
ST_FN Real proximal_scale(const ScaledProblem<Real>& s, const ActiveSetState<Real>& x, int b) {
  const int n = s.block_size[b], adr = s.block_adr[b];
  const Real* H = s.H + s.H_adr[b];
  Real scale = s.impulse_floor;
  for (int i = 0; i < n; ++i) {
    Real force = -s.g[adr + i];
    for (int j = 0; j < n && !s.H_zero[adr + i]; ++j) force += H[i * n + j] * x.v[adr + j];
    scale = larger(scale, larger(std::fabs(s.g[adr + i]), std::fabs(force)));
  }
  return scale;
}

/// (5): moves the centre to v. False if it is already there within the tolerance.
template <class Team, class Real>
ST_FN bool move_center(const Team& team, Real tolerance, ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  const Real pull = team.max(s.num_blocks, Real(0), [&](int b) {
    Real largest = Real(0);
    if (!(x.epsilon[b] > Real(0))) return largest;
    for (int j = s.block_adr[b]; j < s.block_adr[b] + s.block_size[b]; ++j)
      largest = larger(largest, x.epsilon[b] * std::fabs(x.v[j] - x.center[j]));
    return largest / proximal_scale(s, x, b);
  });
  if (pull <= tolerance) return false;
  team.each(s.num_blocks, [&](int b) {
    const int adr = s.block_adr[b], n = s.block_size[b];
    if (!(x.epsilon[b] > Real(0))) return;
    for (int j = adr; j < adr + n; ++j) x.w[j] = x.epsilon[b] * (x.v[j] - x.center[j]), x.center[j] = x.v[j];
    whiten_tree(s, b, 1, x.trees, x.w + adr);
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

}  // namespace active_set_detail

/// Starts from (v, λ) in the state and leaves the answer there; x.now->solved tells whether it is a solution.
template <class Team, class Real>
ST_PHASE void run_active_set(const Team& team, const ScaledProblem<Real>& s, Real tolerance, Real speed_floor,
                             int most_changes, ActiveSetState<Real>& x) {
  using namespace active_set_detail;
  team.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
  whiten_problem(team, s, x);
  team.once([&] { x.now->lost = !start_rows(x); });
  for (;;) {
    team.once([&] { x.now->lost = x.now->lost || !settle_multipliers(most_changes, x); });
    if (x.now->lost) return;
    find_motion(team, x);
    find_worst(team, x);
    const Real violation = -x.now->worst.value;
    const Real speed = violation <= Real(0.01) ? largest_speed(team, s, x.u, x.u_row, speed_floor) : Real(0);
    if (violation <= kEnough<Real> * tolerance * speed) {
      team.once([&] { x.now->speed = speed; });
      if (x.now->regular || !move_center(team, kEnough<Real> * tolerance, x)) break;
      continue;
    }
    team.once([&] { x.now->lost = !enter_row(x); });
    if (x.now->lost) return;
  }
  write_impulses(team, x);
  team.once([&] {
    x.now->solved = true;
    x.now->unique = is_unique(kStillShare<Real> * tolerance * x.now->speed, x);
    x.now->loose = !x.now->regular && is_loose(tolerance, x);
  });
}

}  // namespace stiction
