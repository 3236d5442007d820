// A plane, the half-space {x : n·(x − p) ≤ 0}, against every shape: exact, with contact points on the feature of the
// other shape that faces the plane.
#pragma once

#include "kernels/collision/manifold.hpp"
#include "kernels/collision/support.hpp"

namespace stiction {

/// Makes a point of the other shape's surface, relative to the plane's position, a candidate.
template <class Real>
ST_FN void add_over_plane(const Vec3<Real>& p, const Vec3<Real>& n, Real max_gap, ContactCandidates<Real>& out) {
  add_candidate(p - dot(n, p) * n, p, n, max_gap, out);
}

/// Adds one candidate per end of a capsule: the end's lowest point if the end faces the plane, otherwise the end of the
/// side line.
template <class Real>
ST_FN void capsule_over_plane(const PlacedShape<Real>& capsule, const Vec3<Real>& center, const Vec3<Real>& n,
                              Real max_gap, ContactCandidates<Real>& out) {
  const Vec3<Real> axis = capsule.rotation.column(2);
  const Real along = -dot(n, axis);  // component along the axis of the direction to the plane
  const Vec3<Real> side = -n - along * axis;
  const Real across = norm(side);
  for (int end = -1; end <= 1; end += 2) {
    const Vec3<Real> core = center + Real(end) * capsule.size.y * axis;
    if (Real(end) * along >= Real(0))
      add_over_plane(core - capsule.size.x * n, n, max_gap, out);
    else if (across > Real(kAxisTie))
      add_over_plane(core + (capsule.size.x / across) * side, n, max_gap, out);
  }
}

/// The lowest point of a shape over the plane, relative to `origin`.
template <class Real>
ST_PHASE Vec3<Real> lowest_point(const PlacedShape<Real>& shape, Vec3<Real> n, Vec3<Real> origin) {
  ConvexCore<Real> core = make_core(shape, origin);
  const Vec3<double> down = -widened(n);
  return rounded<Real>(support(core, down) + core.radius * down);
}

template <template <class> class Shape, class Real>
ST_FN void collide_plane(const Shape<Real>& plane, const Shape<Real>& shape, Real max_gap,
                         CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  const Vec3<Real> n = plane.rotation.column(2), origin = plane.position, center = shape.position - origin;
  const GeomType type = static_cast<GeomType>(shape.type);
  ContactCandidates<Real>& candidates = scratch.candidates;
  candidates.count = 0;
  if (type == GeomType::kCapsule) {
    capsule_over_plane(shape, center, n, max_gap, candidates);
  } else if (is_round(type)) {
    add_over_plane(lowest_point(shape, n, origin), n, max_gap, candidates);
  } else {
    SurfaceFeature<Real>& feature = scratch.feature_B;
    find_surface_feature(shape, -n, origin, feature);
    for (int k = 0; k < feature.count; ++k) add_over_plane(feature.corner[k], n, max_gap, candidates);
  }
  for (int i = 0; kept_of(shape) && i < kept_of(shape)->count; ++i) {
    const auto add = [&](const Vec3<Real>& p) { add_over_plane(p, n, max_gap, candidates); };
    if (is_corner(shape, kept_of(shape)->point[i])) add_kept(kept_of(shape)->point[i] - origin, add, candidates);
  }
  const Real tie = tie_of(shape);
  int first = deepest_candidate(candidates, tie);
  // the lowest vertex of a hull need not be on the face that faces the plane best, and the lowest point of a rim need
  // not be among the rim's points
  if (is_foot(type)) {
    const Vec3<Real> p = lowest_point(shape, n, origin);
    const Real gap = dot(n, p);
    if (gap <= max_gap && (first < 0 || gap < candidates.gap[first] - tie)) {
      put_first(p - gap * n, p, n, Real(0), candidates);
      first = 0;
    }
  }
  if (first >= 0) choose_points(plane, shape, n, first, candidates, out);
}

}  // namespace stiction
