// Distance of two disjoint convex cores: the point v of A − B nearest to the origin (Gilbert, Johnson, Keerthi).
//
//   v_k nearest point of a simplex in A − B,   w_k = s_{A−B}(−v_k)
//   |v*| ≤ |v_k|,   |v*| ≥ v_k·w_k / |v_k|          the two bounds close on the distance; the second holds for any v_k
//
// The search begins along a guess of the normal: if the pair is separated along it, the search ends there. If a
// tetrahedron encloses the origin, or |v| is too short to give a direction, the expanding polytope does the rest.
#pragma once

#include <cmath>

#include "kernels/collision/simplex.hpp"

namespace stiction {

enum class Proximity { kApart, kSeparated, kOverlap };

/// If |v| is below this share of the size of A − B, its direction is rounding error [-].
constexpr double kTouchingShare = 1e-7;
/// The two bounds count as equal if they differ by less than this share: a hundred roundings of a coordinate [-].
constexpr double kDistanceShare = 2e-14;

ST_FN bool is_corner(const Simplex& simplex, const Vec3<double>& w) {
  for (int i = 0; i < simplex.count; ++i) {
    const Vec3<double>& c = simplex.corner[i].w;
    if (c.x == w.x && c.y == w.y && c.z == w.z) return true;
  }
  return false;
}

/// The first v: against `guess`, or if there is none, from B's position to A's.
template <class Real>
ST_FN Vec3<double> first_direction(const ConvexCore<Real>& A, const ConvexCore<Real>& B, const Vec3<double>& guess) {
  if (norm_squared(guess) > 0.0) return -guess;
  const Vec3<double> between = A.position - B.position;
  return norm_squared(between) > 0.0 ? between : Vec3<double>{1.0, 0.0, 0.0};
}

/// Fills `simplex` with the corners and weights of the nearest point; kApart as soon as the distance must exceed
/// `max_distance` [m]. `guess`, a guess of the normal from A to B or 0 for none, need not be a unit vector.
template <class Real>
ST_FN Proximity find_distance(ConvexCore<Real>& A, ConvexCore<Real>& B, double max_distance, const Vec3<double>& guess,
                              Simplex& previous, Simplex& simplex) {
  constexpr int kMaxIterations = 160;
  Vec3<double> v = first_direction(A, B, guess);
  simplex.count = 1;
  simplex.corner[0] = support_difference(A, B, -v);
  simplex.weight[0] = 1.0;
  if (dot(v, simplex.corner[0].w) > max_distance * norm(v)) return Proximity::kApart;
  v = simplex.corner[0].w;
  double size = norm(v), squared = norm_squared(v);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double touching = kTouchingShare * size;
    if (!(squared > touching * touching)) return Proximity::kOverlap;
    const SupportPoint s = support_difference(A, B, -v);
    const double vw = dot(v, s.w), distance = std::sqrt(squared);
    size = larger(size, norm(s.w));
    if (vw > max_distance * distance) return Proximity::kApart;
    if (squared - vw <= kDistanceShare * size * distance || is_corner(simplex, s.w)) break;
    previous = simplex;
    simplex.corner[simplex.count++] = s;
    const NearestPoint nearest = nearest_on_simplex(simplex);
    // a plane that separates the origin from A − B decides: a flat simplex may enclose the origin by rounding only
    if (nearest.encloses_origin && !(vw > touching * distance)) return Proximity::kOverlap;
    drop_idle_corners(nearest, simplex);
    const Vec3<double> closer = blend(simplex).w;
    if (!(nearest.distance_squared < squared && norm_squared(closer) < squared)) {
      simplex = previous;  // rounding: the last answer is the best possible
      break;
    }
    v = closer;
    squared = norm_squared(v);
  }
  return Proximity::kSeparated;
}

}  // namespace stiction
