// Linear complementarity problems, plain and mixed, and their residual.
//
//   w = M z + q,   w_i = 0 for free i,   otherwise 0 <= w_i ⊥ z_i >= 0                              (1)
//   r = max_i |min(z_i / z_0, w_i / w_0)|   (free i: |w_i| / w_0),   w_0 = ‖q‖∞,  z_0 = w_0 / ‖M‖max  (2)
//
//   symbol   variable   shape
//   M        M          (n, n) row-major
//   q        q          (n)
//   i free   is_free    (n) 1 or 0; null: no index is free
//   z        z          (n)
//
// (2) has no unit: it is the same for (s M, t q). The units w_0 and z_0 depend on the problem and not on the answer, so
// that a large z along a ray of the homogeneous problem gains nothing.
//
// A certificate that there is no solution is a y with y_i >= 0 (free i: any), (Mᵀy)_i <= 0 (free i: = 0) and qᵀy < 0,
// because then for every feasible z: 0 <= yᵀw = (Mᵀy)ᵀz + qᵀy < 0.                                   (3)
#pragma once

#include <cstddef>

#include "kernels/linalg/scalar.hpp"
#include "kernels/team/array.hpp"

namespace stiction {

template <class Real>
struct LcpProblem {
  int size;
  const Real* M;
  const Real* q;
  const int* is_free;

  ST_FN bool is_free_at(int i) const { return is_free != nullptr && is_free[i] != 0; }
  ST_FN Real at(int i, int j) const { return M[static_cast<std::ptrdiff_t>(i) * size + j]; }
};

namespace lcp_detail {

/// (M z + q)_i
template <class Real>
ST_FN Real complement(const LcpProblem<Real>& p, const Real* z, int i) {
  Real w = p.q[i];
  for (int j = 0; j < p.size; ++j) w += p.at(i, j) * z[j];
  return w;
}

/// ‖M‖max
template <class Team, class Real>
ST_FN Real largest_entry(const Team& team, const LcpProblem<Real>& p) {
  return team.max(p.size, Real(0), [&](int i) {
    Real largest = Real(0);
    for (int j = 0; j < p.size; ++j) largest = larger(largest, std::fabs(p.at(i, j)));
    return largest;
  });
}

template <class Real>
ST_FN Real or_one(Real x) {
  return x > Real(0) ? x : Real(1);
}

}  // namespace lcp_detail

/// (2); NaN stays NaN
template <class Team, class Real>
ST_PHASE Real compute_lcp_residual(const Team& team, LcpProblem<Real> p, Pointer<const Real> z) {
  using namespace lcp_detail;
  const Real w_0 = or_one(team.max(p.size, Real(0), [&](int i) { return std::fabs(p.q[i]); }));
  const Real z_0 = w_0 / or_one(largest_entry(team, p));
  return team.max(p.size, Real(0), [&](int i) {
    const Real w = complement(p, z, i) / w_0;
    if (p.is_free_at(i) || w != w) return std::fabs(w);
    return std::fabs(smaller(z[i] / z_0, w));
  });
}

/// How well y satisfies (3).
template <class Real>
struct LcpCertificate {
  Real violation;  // how far y and Mᵀy violate their signs, relative to ‖y‖∞ and ‖M‖max ‖y‖₁
  Real gain;       // −qᵀy / (‖q‖∞ ‖y‖₁); the certificate holds exactly if violation = 0 and gain > 0
};

template <class Team, class Real>
ST_PHASE LcpCertificate<Real> check_lcp_certificate(const Team& team, LcpProblem<Real> p, Pointer<const Real> y) {
  using namespace lcp_detail;
  const Real size = or_one(team.max(p.size, Real(0), [&](int i) { return std::fabs(y[i]); }));
  const Real total = or_one(team.sum(p.size, Real(0), [&](int i) { return std::fabs(y[i]); }));
  const Real q_max = or_one(team.max(p.size, Real(0), [&](int i) { return std::fabs(p.q[i]); }));
  const Real unit = or_one(largest_entry(team, p)) * total;
  const Real negative =
      team.max(p.size, Real(0), [&](int i) { return p.is_free_at(i) ? Real(0) : larger(-y[i], Real(0)); });
  const Real product = team.max(p.size, Real(0), [&](int j) {
    Real sum = Real(0);
    for (int i = 0; i < p.size; ++i) sum += p.at(i, j) * y[i];
    return p.is_free_at(j) ? std::fabs(sum) : larger(sum, Real(0));
  });
  const Real gain = -team.sum(p.size, Real(0), [&](int i) { return p.q[i] * y[i]; });
  return {larger(negative / size, product / unit), gain / (q_max * total)};
}

}  // namespace stiction
