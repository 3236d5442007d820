// Whether the impulses that the active set found are the only ones that cause its motion.
//
// Rows that work are independent. If at every contact as many facets hold and work as λ_i has free directions
// (free_directions.hpp), these rows span them, so that no other impulses press the bodies in the same way.
#pragma once

#include "kernels/solver/active_set/state.hpp"
#include "kernels/solver/ground/free_directions.hpp"

namespace stiction {

/// Velocities below this share of (tolerance × the fastest) count as zero where impulses are compared [-].
template <class Real>
constexpr Real kStillShare = Real(0.4);

namespace active_set_detail {

/// Rows count as independent here if at least this share of the square of each does not depend on those before it [-].
template <class Real>
constexpr Real kFirmly = sizeof(Real) == 8 ? Real(1e-6) : Real(1e-3);

template <class Real>
ST_FN bool is_firm(const ActiveSetState<Real>& x) {
  const int n = x.problem->nv;
  for (int k = 0; k < x.gram.size; ++k) {
    const int slot = x.slot[k];
    const Real* a = x.row + slot * n;
    if (!(x.gram.pivot[k] > kFirmly<Real> * (dot_rows(n, a, a) + x.compliance[slot]))) return false;
  }
  return true;
}

/// True if no other impulses of the contacts that take part cause the same motion. Velocities up to `least` count as
/// zero.
template <class Real>
ST_FN bool is_unique(Real least, const ActiveSetState<Real>& x) {
  const ScaledProblem<Real>& s = *x.problem;
  for (int i = 0; i < s.num_contacts; ++i) {
    const Vec3<Real> u = load3(x.u + 3 * i) + load3(s.offset + 3 * i);
    int missing = count_free_directions(s, u, least, i).rank;
    for (int f = 0; f < s.facets && missing > 0; ++f)
      if (x.place[i * s.facets + f] == RowPlace::kWorks && dot(s.generator(i, f), u) <= least) --missing;
    if (missing > 0) return false;
  }
  return is_firm(x);
}

}  // namespace active_set_detail
}  // namespace stiction
