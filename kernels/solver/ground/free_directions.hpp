// The directions in which a contact's impulse may vary without pushing where the contact opens or slides.
//
//   û_i            λ_i is free         P_i                rank
//   0, stuck       in the cone         I                  3
//   along a face   on the face         I − û ûᵀ/|û|²      2
//   along a ray    on the ray of g     g gᵀ/|g|²          1
//   inside, open   not at all          0                  0
//
// The generators g that hold a contact are those with g·û = 0. Contacts that lack friction along an axis do not take
// part: P_i = 0.
#pragma once

#include "kernels/solver/ground/scaled_problem.hpp"

namespace stiction {

template <class Real>
ST_FN bool takes_part(const ScaledProblem<Real>& s, int i) {
  return s.facets == 1 || (s.facets > 2 && s.mu[2 * i] > Real(0) && s.mu[2 * i + 1] > Real(0));
}

/// The rank of P_i, and the last generator that holds the contact; -1: none.
struct FreeDirections {
  int rank, last;
};

/// Counts the free directions of λ_i, where a velocity g·û up to `least` counts as 0.
template <class Real>
ST_FN FreeDirections count_free_directions(const ScaledProblem<Real>& s, const Vec3<Real>& u, Real least, int i) {
  FreeDirections free{0, -1};
  if (!takes_part(s, i)) return free;
  for (int k = 0; k < s.facets; ++k)
    if (dot(s.generator(i, k), u) <= least) ++free.rank, free.last = k;
  if (free.rank > 2 || (free.rank == 2 && !(norm(u) > least))) free.rank = 3;
  return free;
}

/// P_i, where a velocity g·û up to `least` counts as 0.
template <class Real>
ST_FN Sym3<Real> free_directions(const ScaledProblem<Real>& s, const Vec3<Real>& u, Real least, int i) {
  const FreeDirections free = count_free_directions(s, u, least, i);
  if (free.rank == 0) return {};
  const Vec3<Real> g = s.generator(i, free.last);
  if (free.rank == 1) return scaled_outer(Real(1) / norm_squared(g), g);
  Sym3<Real> P = free.rank == 2 ? scaled_outer(Real(-1) / norm_squared(u), u) : Sym3<Real>{};
  P.nn += Real(1), P.tt += Real(1), P.oo += Real(1);
  return P;
}

}  // namespace stiction
