// Lemke's complementary pivots on I w − M z − d z0 = q (Cottle, Pang, Stone, section 4.4), from a complementary basis.
//
//   start   z0 enters; the variable at the position of least [x_p, E_p]/(B⁻¹d)_p leaves               (1)
//   pivot   the complement of the variable that left enters, with c = B⁻¹a; of the restricted positions with
//           c_p > 0, the variable at that of least [x_p, E_p]/c_p leaves                              (2)
//   end     if z0 leaves, the problem is solved; if no c_p > 0, there is a ray
//
// E = B⁻¹ B_start. The rows [x_p, E_p] are compared lexicographically, so that no basis comes twice. Only tied
// positions are compared, one column of E at a time. A column is e_p if the variable of the starting basis is basic at
// p, else it takes one more solution with B. x is solved from q at every pivot.
//
//   symbol   variable   shape
//   x        x          (n)
//   c        c          (n)
//   tied     tied       (n) 1 where a position takes part in the comparison
#pragma once

#include "kernels/solver/pivots/start.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

struct LemkeWork {
  Array<double> x, c, lexico;  // (n) values of the basis; the last column B⁻¹a; scratch, such as a column of E
  Array<int> tied;             // (n) see the table; valid during a comparison
  Array<int> start_variable;   // (n) variables of the starting basis, set at the start of a run
};

ST_FN LemkeWork take_lemke_work(int n, Arena& arena) {
  const std::size_t size = static_cast<std::size_t>(n);
  return {arena.take<double>(size), arena.take<double>(size), arena.take<double>(size), arena.take<int>(size),
          arena.take<int>(size)};
}

enum class LemkeEnd { kSolved, kRay, kPivotLimit, kSingular };

struct LemkeRun {
  LemkeEnd end;
  int pivots;
  int entering;  // of a ray: the variable that grows without bound, along (1, −c); else -1
};

namespace lemke_detail {

constexpr double kLeastPivot = 1e-9;    // least c_p at which a variable may leave; rows and columns are balanced to 1
constexpr double kFeasible = 1e-11;     // x_p >= −kFeasible counts as not negative; q is balanced to 1
constexpr double kTie = 1e-11;          // ratios that differ by less, relative to 1 + the ratio, are tied
constexpr int kPivotsPerVariable = 12;  // random contact LCPs take about 1, Murty's exponential example 2^n / n

template <class Team>
ST_FN int count_tied(const Team& team, int n, const LemkeWork& w) {
  return team.sum(n, 0, [&](int p) { return w.tied[p]; });
}

/// Keeps tied only those positions whose value(p)/scale(p) is the least.
template <class Team, class Value, class Scale>
ST_FN void keep_least(const Team& team, int n, LemkeWork& w, Value value, Scale scale) {
  const auto least = team.argmin(n, 1e300, [&](int p) { return w.tied[p] ? value(p) / scale(p) : 1e300; });
  const double limit = least.value + kTie * (1.0 + std::fabs(least.value));
  team.each(n, [&](int p) { w.tied[p] = w.tied[p] && value(p) / scale(p) <= limit; });
}

/// Compares the tied positions by one column of E.
template <class Team, class Scale>
ST_FN void compare_column(const Team& team, const LemkeSystem& system, int variable, LemkeBasis& basis, LemkeWork& w,
                          Scale scale) {
  const int p = basis.position[variable];
  if (p >= 0) {
    team.once([&] { w.tied[p] = 0; });  // the column is 1 at p and 0 elsewhere; the caller knows that others are tied
    return;
  }
  solve_column(team, system, variable, basis, w.lexico);
  keep_least(
      team, system.n, w, [&](int i) { return w.lexico[i]; }, scale);
}

/// The tied position whose row of E, divided by scale, is the least; -1 if none is tied.
template <class Team, class Scale>
ST_FN int break_ties(const Team& team, const LemkeSystem& system, LemkeBasis& basis, LemkeWork& w, Scale scale) {
  int count = count_tied(team, system.n, w);
  for (int k = 0; k < system.n && count > 1; ++k) {
    const int variable = w.start_variable[k], p = basis.position[variable];
    if (p >= 0 && !w.tied[p]) continue;
    compare_column(team, system, variable, basis, w, scale);
    count = count_tied(team, system.n, w);
  }
  // rounding may leave several equal rows; the one with the largest pivot is taken
  const auto best = team.argmin(system.n, 1.0, [&](int p) { return w.tied[p] ? -scale(p) : 1.0; });
  return best.value < 0.0 ? best.index : -1;
}

/// The position that z0 takes in (1); c holds −B⁻¹(column of z0) = B⁻¹d.
template <class Team>
ST_FN int choose_start(const Team& team, const LemkeSystem& system, LemkeBasis& basis, LemkeWork& w) {
  const auto scale = [&](int p) { return w.c[p]; };
  team.each(system.n, [&](int p) { w.tied[p] = system.restricted(basis.variable[p]) && w.c[p] > kLeastPivot; });
  keep_least(
      team, system.n, w, [&](int p) { return w.x[p]; }, scale);
  return break_ties(team, system, basis, w, scale);
}

/// The position whose variable leaves in (2), which is that of z0 if z0 is among the tied; -1: there is a ray.
template <class Team>
ST_FN int choose_leaving(const Team& team, const LemkeSystem& system, LemkeBasis& basis, LemkeWork& w) {
  const auto scale = [&](int p) { return w.c[p]; };
  team.each(system.n, [&](int p) { w.tied[p] = system.restricted(basis.variable[p]) && w.c[p] > kLeastPivot; });
  keep_least(
      team, system.n, w, [&](int p) { return larger(w.x[p], 0.0); }, scale);
  const int p0 = basis.position[2 * system.n];
  if (p0 >= 0 && w.tied[p0]) return p0;
  return break_ties(team, system, basis, w, scale);
}

template <class Team>
ST_FN void solve_values(const Team& team, const LemkeSystem& system, LemkeBasis& basis, LemkeWork& w) {
  solve_basis(team, system, system.q, basis, w.x);
}

template <class Team>
ST_FN double least_restricted(const Team& team, const LemkeSystem& system, const LemkeBasis& basis,
                              const LemkeWork& w) {
  return team.argmin(system.n, 0.0, [&](int p) { return system.restricted(basis.variable[p]) ? w.x[p] : 0.0; }).value;
}

/// Makes z0 basic. Returns the variable that left, −1 if the basis is lost.
template <class Team>
ST_FN int enter_cover(const Team& team, const LemkeSystem& system, LemkeBasis& basis, LemkeWork& w) {
  solve_basis(team, system, system.cover, basis, w.c);
  const int r = choose_start(team, system, basis, w);
  if (r < 0) return -1;
  const int left = basis.variable[r];
  team.fence();  // all lanes have read what the exchange changes
  team.each(system.n, [&](int p) { w.c[p] = -w.c[p]; });
  return exchange(team, system, 2 * system.n, r, w.c, basis) ? left : -1;
}

}  // namespace lemke_detail

/// The complement of a variable: z_j of w_j and w_j of z_j
ST_FN int complement_of(const LemkeSystem& system, int variable) {
  return variable < system.n ? variable + system.n : variable - system.n;
}

/// Runs from the factored basis in `basis`, with the covering vector system.cover, for at most `most` pivots.
template <class Team>
ST_PHASE LemkeRun run_lemke(const Team& team, const LemkeSystem& system, int most, LemkeBasis& basis, LemkeWork& w) {
  using namespace lemke_detail;
  const int n = system.n, limit = smaller(most, kPivotsPerVariable * n + 50);
  team.each(n, [&](int p) { w.start_variable[p] = basis.variable[p]; });
  solve_values(team, system, basis, w);
  if (least_restricted(team, system, basis, w) >= -kFeasible) return {LemkeEnd::kSolved, 0, -1};

  int left = enter_cover(team, system, basis, w);
  for (int pivots = 1; left >= 0; ++pivots) {
    if (pivots > limit) return {LemkeEnd::kPivotLimit, limit, -1};
    const int entering = complement_of(system, left);
    solve_values(team, system, basis, w);
    solve_column(team, system, entering, basis, w.c);
    const int r = choose_leaving(team, system, basis, w);
    if (r < 0) return {LemkeEnd::kRay, pivots, entering};
    left = basis.variable[r];
    team.fence();  // all lanes have read what the exchange changes
    if (!exchange(team, system, entering, r, w.c, basis)) return {LemkeEnd::kSingular, pivots, -1};
    if (left == 2 * n) return {LemkeEnd::kSolved, pivots, -1};
  }
  return {LemkeEnd::kSingular, 0, -1};
}

/// Factors the final basis anew and solves for x, with one step of refinement, r = q − B x; x is left in w.x.
template <class Team>
ST_PHASE bool polish_basis(const Team& team, const LemkeSystem& system, LemkeBasis& basis, LemkeWork& w) {
  const int n = system.n;
  if (!factor_basis(team, system, basis)) return false;
  lemke_detail::solve_values(team, system, basis, w);
  team.each(n, [&](int i) { w.lexico[i] = system.q[i]; });
  for (int p = 0; p < n; ++p) {
    const int variable = basis.variable[p];
    const double x = w.x[p];
    if (x == 0.0) continue;
    team.each(n, [&](int i) { w.lexico[i] -= system.entry(variable, i) * x; });
  }
  solve_basis(team, system, w.lexico, basis, w.c);
  team.each(n, [&](int p) { w.x[p] += w.c[p]; });
  return true;
}

}  // namespace stiction
