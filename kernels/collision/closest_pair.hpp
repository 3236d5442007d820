// Signed distance of any two convex shapes: the only caller of GJK and of the expanding polytope, where no face tells
// it.
//
//   shapes = cores ⊕ balls:   gap = gap of the cores − r_A − r_B,   p_A = core's + r_A n,   p_B = core's − r_B n
//
// It is not inlined: all pairs of shapes share one compiled copy per precision.
#pragma once

#include "kernels/collision/face_pair.hpp"
#include "kernels/collision/gjk.hpp"
#include "kernels/collision/penetration.hpp"

namespace stiction {

/// The closest points of two separated cores, from the last simplex of GJK.
ST_FN ClosestPair separated_pair(const Simplex& simplex) {
  const SupportPoint nearest = blend(simplex);
  const double distance = norm(nearest.w);
  return {(-1.0 / distance) * nearest.w, nearest.a, nearest.b, distance};
}

/// Returns false if the gap exceeds max_gap. Points are relative to A's position.
template <template <class> class Shape, class Real>
__attribute__((noinline)) ST_FN bool find_closest_pair(const Shape<Real>& shape_A, const Shape<Real>& shape_B,
                                                       Real max_gap, CollisionScratch<Real>& scratch,
                                                       ClosestPair& pair) {
  ConvexCore<Real> A = make_core(shape_A, shape_A.position), B = make_core(shape_B, shape_A.position);
  const double radii = A.radius + B.radius;
  const double farthest = double(max_gap) + radii;
  const Vec3<double> guess = widened(scratch.guess);
  const double tie = 0.25 * double(kept_of(shape_A) ? kept_tie<Real>() : gap_tie<Real>());
  const DirectPair direct = find_pair_on_any_face(A, B, farthest, tie, guess, pair);
  if (direct == DirectPair::kApart) return false;
  if (direct == DirectPair::kNone) {
    const Proximity proximity = find_distance(A, B, farthest, guess, scratch.previous_simplex, scratch.simplex);
    if (proximity == Proximity::kApart) return false;
    pair = proximity == Proximity::kSeparated ? separated_pair(scratch.simplex)
                                              : find_penetration(A, B, kept_of(shape_A) != nullptr, scratch.polytope);
  }
  pair.p_A += A.radius * pair.normal;
  pair.p_B -= B.radius * pair.normal;
  pair.gap -= radii;
  return pair.gap <= double(max_gap);
}

}  // namespace stiction
