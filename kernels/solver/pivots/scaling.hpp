// Scaling of an LCP to balanced numbers: M' = s R M C, q' = t R q, so that z = (s/t) C z' and w = R⁻¹ w'/t.
//
// R and C are diagonal matrices of powers of two, found by a few rounds in which every row and column is divided by the
// square root of its largest entry. s = 1, and t makes ‖q'‖∞ about 1. Positive scales do not affect complementarity,
// and powers of two lose no digits.
#pragma once

#include "kernels/problem/lcp.hpp"
#include "kernels/solver/pivots/basis.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

struct LemkeScales {
  Array<double> row;     // (n) R
  Array<double> column;  // (n) C
  Array<double> unit;    // (1) t
};

ST_FN LemkeScales take_lemke_scales(int n, Arena& arena) {
  const std::size_t size = static_cast<std::size_t>(n);
  return {arena.take<double>(size), arena.take<double>(size), arena.take<double>(1)};
}

namespace lemke_detail {

/// The largest power of two that is at most x > 0; 1 if x is 0 or not finite.
ST_FN double power_of_two(double x) {
  if (!(x > 0.0) || std::isinf(x)) return 1.0;
  int exponent;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

/// Number of balancing rounds; each about halves the logarithm of the spread.
constexpr int kBalanceRounds = 5;

template <class Team, class Real>
ST_FN void balance(const Team& team, const LcpProblem<Real>& p, LemkeScales& scales) {
  const auto entry = [&](int i, int j) {
    return std::fabs(static_cast<double>(p.at(i, j))) * scales.row[i] * scales.column[j];
  };
  team.each(p.size, [&](int i) { scales.row[i] = scales.column[i] = 1.0; });
  for (int round = 0; round < kBalanceRounds; ++round) {
    team.each(p.size, [&](int i) {
      double largest = 0.0;
      for (int j = 0; j < p.size; ++j) largest = larger(largest, entry(i, j));
      scales.row[i] /= power_of_two(std::sqrt(largest));
    });
    team.each(p.size, [&](int j) {
      double largest = 0.0;
      for (int i = 0; i < p.size; ++i) largest = larger(largest, entry(i, j));
      scales.column[j] /= power_of_two(std::sqrt(largest));
    });
  }
}

/// Chooses t so that ‖t R q‖∞ is about 1, and writes q'.
template <class Team, class Real>
ST_FN void scale_rhs(const Team& team, const LcpProblem<Real>& p, LemkeScales& scales, LemkeSystem& out) {
  const double largest =
      team.max(p.size, 0.0, [&](int i) { return std::fabs(static_cast<double>(p.q[i])) * scales.row[i]; });
  team.once([&] { *scales.unit = 1.0 / power_of_two(largest); });
  team.each(p.size, [&](int i) { out.q[i] = static_cast<double>(p.q[i]) * scales.row[i] * *scales.unit; });
}

}  // namespace lemke_detail

/// Fills the scales `s` and the scaled system `out` from `p`.
template <class Team, class Real>
ST_PHASE void scale_lcp(const Team& team, LcpProblem<Real> p, LemkeScales& scales, LemkeSystem& out) {
  const int n = p.size;
  lemke_detail::balance(team, p, scales);
  team.each(n, [&](int j) {
    for (int i = 0; i < n; ++i)
      out.columns[static_cast<std::ptrdiff_t>(j) * n + i] =
          static_cast<double>(p.at(i, j)) * scales.row[i] * scales.column[j];
  });
  lemke_detail::scale_rhs(team, p, scales, out);
}

}  // namespace stiction
