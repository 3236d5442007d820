// The complementary basis from which Lemke's method starts, and the covering vector.
//
// Without free variables all w are basic. A free z_j has to be basic in place of the w_i of a free row i (w_i = 0):
//
//   1. z_j enters in place of the w_i of that free row with the largest entry in B⁻¹ a_j                      (1)
//   2. if no free row has a pivot (a singular block, such as H of a body without stiffness): z_j enters in place of a
//      w_k that is not free, and z_k in place of the w_i of a free row, so that the pair k stays complementary  (2)
//
// A free row without a pivot is a dependent equation. Its w_i stays basic, and the residual tells whether it is zero.
// The covering vector is d = Σ B_p weight_p over the restricted positions, so that B⁻¹ d is the weight at these
// positions and 0 at free ones.
#pragma once

#include "kernels/solver/pivots/basis.hpp"

namespace stiction {

namespace lemke_detail {

/// A pseudo-random number, uniform in (0, 1), that depends on the arguments only.
ST_FN double counter_random(std::uint64_t stream, std::uint64_t index) {
  std::uint64_t x = (stream << 32) + index + 0x9e3779b97f4a7c15ull * (stream + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return (static_cast<double>(x >> 11) + 0.5) * 0x1.0p-53;
}

/// The weights of the covering vectors: all ones at the first attempt, random between 1/4 and 1 at later ones.
ST_FN double cover_weight(int attempt, int i) {
  if (attempt == 0) return 1.0;
  return 0.25 + 0.75 * counter_random(static_cast<std::uint64_t>(attempt), static_cast<std::uint64_t>(i));
}

/// Least entry of a column that may serve as the pivot for a free variable.
constexpr double kLeastStartPivot = 1e-8;

/// Position of the slack w_i with the largest |c|, among free rows if `of_free_row`, else among the others; -1 if none
/// is above the least pivot.
template <class Team>
ST_FN int find_slack(const Team& team, const LemkeSystem& system, const LemkeBasis& basis, bool of_free_row,
                     const double* c) {
  const int n = system.n;
  const auto best = team.argmin(n, 1.0, [&](int p) {
    const int variable = basis.variable[p];
    const bool slack = variable >= n && variable < 2 * n && system.is_free_at(variable - n) == of_free_row;
    return slack ? -std::fabs(c[p]) : 1.0;
  });
  return best.index >= 0 && best.value < -kLeastStartPivot ? best.index : -1;
}

/// Exchange (1); false if there is no pivot.
template <class Team>
ST_FN bool enter_free(const Team& team, const LemkeSystem& system, int j, LemkeBasis& basis, double* c) {
  solve_column(team, system, j, basis, c);
  const int p = find_slack(team, system, basis, true, c);
  return p >= 0 && exchange(team, system, j, p, c, basis);
}

/// Exchanges (2); false, with the basis unchanged, if there is no such pair.
template <class Team>
ST_FN bool enter_free_with_pair(const Team& team, const LemkeSystem& system, int j, LemkeBasis& basis, double* c) {
  const int n = system.n;
  const int p = find_slack(team, system, basis, false, c);
  if (p < 0) return false;
  const int pair = basis.variable[p] - n;
  if (!exchange(team, system, j, p, c, basis)) return false;
  if (enter_free(team, system, pair, basis, c)) return true;
  solve_column(team, system, n + pair, basis, c);
  exchange(team, system, n + pair, p, c, basis);
  return false;
}

}  // namespace lemke_detail

/// Builds and factors the starting basis; `c` (n) is scratch.
template <class Team>
ST_PHASE bool start_lemke_basis(const Team& team, const LemkeSystem& system, LemkeBasis& basis, double* c) {
  using namespace lemke_detail;
  start_with_slacks(team, system.n, basis);
  if (!factor_basis(team, system, basis)) return false;
  if (system.is_free == nullptr) return true;
  for (int j = 0; j < system.n; ++j)
    if (system.is_free_at(j)) enter_free(team, system, j, basis, c);
  for (int j = 0; j < system.n; ++j) {
    if (!system.is_free_at(j) || basis.position[j] >= 0) continue;
    if (!enter_free(team, system, j, basis, c)) enter_free_with_pair(team, system, j, basis, c);
  }
  return factor_basis(team, system, basis);
}

/// Sets d for the present basis.
template <class Team>
ST_FN void choose_cover(const Team& team, const LemkeBasis& basis, int attempt, LemkeSystem& system) {
  team.each(system.n, [&](int row) {
    double sum = 0.0;
    for (int p = 0; p < system.n; ++p) {
      const int variable = basis.variable[p];
      if (system.restricted(variable)) sum += lemke_detail::cover_weight(attempt, p) * system.entry(variable, row);
    }
    system.cover[row] = sum;
  });
}

}  // namespace stiction
