// Any two convex shapes: the closest pair (closest_pair.hpp), then the manifold along its normal. Where the rounds of a
// step find its end, the normal is refined to rounding first (exact_normal.hpp).
#pragma once

#include "kernels/collision/cap_candidates.hpp"
#include "kernels/collision/closest_pair.hpp"
#include "kernels/collision/exact_normal.hpp"
#include "kernels/collision/manifold.hpp"

namespace stiction {

/// A normal this close to a face's normal (or to the plane perpendicular to an axis) is replaced by it, if the gap
/// agrees [-].
constexpr double kSnapAngle = 1e-5;
/// The same at a step's end, where normals of polytopes are exact already [-].
constexpr double kKeptSnapAngle = 1e-9;

/// The unit direction next to n in which the shape is flat: the normal of a face, or on a round side the direction
/// perpendicular to its axis.
template <class Real>
ST_FN Vec3<Real> flat_direction(const PlacedShape<Real>& shape, const SurfaceFeature<Real>& feature,
                                const Vec3<Real>& n) {
  if (feature.count > 2) return feature.normal;
  if (feature.count < 2) return n;
  const Vec3<Real> axis = shape.rotation.column(2), across = n - dot(n, axis) * axis;
  return (Real(1) / norm(across)) * across;
}

/// Replaces the normal by `direction` if the two are close and `direction` is no worse: along it the shapes overlap by
/// at most `most` [m].
template <template <class> class Shape, class Real>
ST_PHASE void snap_normal(const Shape<Real>& A, const Shape<Real>& B, Vec3<Real> direction, double most,
                          ClosestPair& pair) {
  const Vec3<double> wide = widened(direction), n = (1.0 / norm(wide)) * wide;
  const double tilt = norm(n - pair.normal);
  if (!(tilt > 0.0 && tilt < (kept_of(A) && kept_of(B) ? kKeptSnapAngle : kSnapAngle))) return;
  ConvexCore<Real> core_A = make_core(A, A.position), core_B = make_core(B, A.position);
  const double depth = dot(n, support_difference(core_A, core_B, n).w) + core_A.radius + core_B.radius;
  if (depth > most) return;
  pair.normal = n;
  pair.gap = dot(n, pair.p_B - pair.p_A);
}

/// Tries round sides first, then faces, and A's face last: where a face touches a round side, the normal is then the
/// face's, to the last bit. The features along the normal are in the scratch after it.
template <template <class> class Shape, class Real>
ST_FN void snap_to_features(const Shape<Real>& A, const Shape<Real>& B, CollisionScratch<Real>& scratch,
                            ClosestPair& pair) {
  const Vec3<Real> n = rounded<Real>(pair.normal);
  const double most = 0.25 * double(gap_tie<Real>()) - pair.gap;
  SurfaceFeature<Real>&on_A = scratch.feature_A, &on_B = scratch.feature_B;
  find_features(A, B, n, A.position, scratch);
  if (on_B.count == 2) snap_normal(A, B, -flat_direction(B, on_B, -n), most, pair);
  if (on_A.count == 2) snap_normal(A, B, flat_direction(A, on_A, n), most, pair);
  if (on_B.count > 2) snap_normal(A, B, -flat_direction(B, on_B, -n), most, pair);
  if (on_A.count > 2) snap_normal(A, B, flat_direction(A, on_A, n), most, pair);
  const Vec3<Real> snapped = rounded<Real>(pair.normal);
  if (snapped.x != n.x || snapped.y != n.y || snapped.z != n.z) find_features(A, B, snapped, A.position, scratch);
}

/// How far a capsule's lowest point is from the end of its side line, seen along n [m]. The two count as one contact.
template <class Real>
ST_FN Real rounding_reach(const PlacedShape<Real>& shape, const Vec3<Real>& n) {
  if (static_cast<GeomType>(shape.type) != GeomType::kCapsule) return Real(0);
  return Real(1.5) * shape.size.x * std::fabs(dot(shape.rotation.column(2), n));
}

/// The manifold along the normal of the closest pair, whose features are in the scratch, with the pair itself as its
/// first point.
template <template <class> class Shape, class Real>
ST_PHASE void build_manifold(const Shape<Real>& A, const Shape<Real>& B, const ClosestPair& pair, Real max_gap,
                             CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  const Vec3<Real> n = rounded<Real>(pair.normal), p_A = rounded<Real>(pair.p_A), p_B = rounded<Real>(pair.p_B);
  ContactCandidates<Real>& candidates = scratch.candidates;
  if (kept_of(A) && kept_of(B))
    find_end_candidates(A, B, n, max_gap, scratch);
  else
    find_candidates(n, max_gap, scratch);
  const Real tie = larger(tie_of(A), tie_of(B));
  int first = deepest_candidate(candidates, tie);
  if (!attains(candidates, first, n, Real(pair.gap), tie)) {
    const Real merge = larger(clip_slack<Real>(), rounding_reach(A, n) + rounding_reach(B, n));
    put_first(p_A, p_B, n, merge, candidates);
    first = 0;
  }
  choose_points(A, B, n, first, candidates, out);
}

/// Makes the normal of a step's end exact where the two features that touch allow it; otherwise, and in every other
/// search, gives it the direction of a face or of a round side. The features along it are in the scratch afterwards.
template <template <class> class Shape, class Real>
ST_FN void settle_normal(const Shape<Real>& A, const Shape<Real>& B, CollisionScratch<Real>& scratch,
                         ClosestPair& pair) {
  if (kept_of(A) && kept_of(B) && refine_pair(A, B, pair))
    find_features(A, B, rounded<Real>(pair.normal), A.position, scratch);
  else
    snap_to_features(A, B, scratch, pair);
}

template <template <class> class Shape, class Real>
ST_PHASE void collide_convex(const Shape<Real>& A, const Shape<Real>& B, Real max_gap, CollisionScratch<Real>& scratch,
                             Manifold<Real>& out) {
  ClosestPair pair;
  if (!find_closest_pair(A, B, max_gap, scratch, pair)) return;
  settle_normal(A, B, scratch, pair);
  build_manifold(A, B, pair, max_gap, scratch, out);
}

}  // namespace stiction
