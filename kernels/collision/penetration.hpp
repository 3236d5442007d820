// Depth of two overlapping convex cores: the shortest translation that separates them (expanding polytope).
//
//   depth = min over unit n of s(n),   s(n) = n·s_{A−B}(n)  the support function of A − B
//   polytope inside A − B:   min over faces of the offset ≤ depth ≤ s(n_face)       both bounds are exact
//
// The search starts from a fat tetrahedron that it chooses itself and that need not contain the origin: a face with the
// origin outside has a negative offset and is expanded first. Cores that touch or are slightly separated therefore have
// an answer too: the direction n, with the gap −s(n). The search keeps the best s(n) that it meets; if it ends for lack
// of memory, that is still a direction with a depth that the shapes attain.
#pragma once

#include <cmath>

#include "kernels/collision/polytope.hpp"

namespace stiction {

/// Closest or deepest points of two shapes, relative to the common origin of their cores.
struct ClosestPair {
  Vec3<double> normal;    // unit, from A to B
  Vec3<double> p_A, p_B;  // [m]
  double gap;             // [m]
};

/// Displacement of the vertices, as a share of the size of A − B [-].
constexpr double kJitterShare = 1e-11;
/// The two bounds agree if they differ by less than this share of the size of A − B [-].
constexpr double kDepthShare = 1e-10;

struct PolytopeSearch {
  Growth end;            // kGrown: the bounds met
  double size;           // largest extent of A − B [m]
  double depth;          // best s(n) so far [m]
  Vec3<double> normal;   // the n of `depth`
  SupportPoint support;  // the support point of that n
  int face;              // nearest face when the bounds met
};

/// Support point of A − B along n; keeps n if its depth s(n) is the best so far.
template <class Real>
ST_PHASE SupportPoint try_direction(ConvexCore<Real>& A, ConvexCore<Real>& B, Vec3<double> n, PolytopeSearch& search) {
  const SupportPoint s = support_difference(A, B, n);
  const double depth = dot(n, s.w);
  if (depth < search.depth) search.depth = depth, search.normal = n, search.support = s;
  return s;
}

/// A unit vector perpendicular to a unit vector.
ST_FN Vec3<double> unit_across(const Vec3<double>& n) {
  const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
  const Vec3<double> e = x <= y && x <= z ? Vec3<double>{1.0, 0.0, 0.0}
                                          : (y <= z ? Vec3<double>{0.0, 1.0, 0.0} : Vec3<double>{0.0, 0.0, 1.0});
  const Vec3<double> c = cross(n, e);
  return (1.0 / norm(c)) * c;
}

/// Adds the two opposite support points of that coordinate axis along which they are farthest apart; sets the size.
template <class Real>
ST_FN void add_longest_extent(ConvexCore<Real>& A, ConvexCore<Real>& B, double share, PolytopeSearch& search,
                              Polytope& poly) {
  SupportPoint low = {}, high = {};
  search.size = -1.0;
  for (int i = 0; i < 3; ++i) {
    Vec3<double> axis = {0.0, 0.0, 0.0};
    axis[i] = 1.0;
    const SupportPoint up = try_direction(A, B, axis, search), down = try_direction(A, B, -axis, search);
    const double extent = up.w[i] - down.w[i];
    if (extent > search.size) search.size = extent, high = up, low = down;
  }
  add_vertex(low, share * search.size, poly);
  add_vertex(high, share * search.size, poly);
}

/// Adds the third vertex, far from the line through the first two.
template <class Real>
ST_FN void add_off_line(ConvexCore<Real>& A, ConvexCore<Real>& B, double jitter, PolytopeSearch& search,
                        Polytope& poly) {
  const Vec3<double> e = poly.w[1] - poly.w[0], u = (1.0 / norm(e)) * e;
  const Vec3<double> side = unit_across(u), other = cross(u, side);
  SupportPoint best = {};
  double farthest = -1.0;
  for (int i = 0; i < 4; ++i) {
    const Vec3<double> d = (i % 2 == 0 ? 1.0 : -1.0) * (i < 2 ? side : other);
    const SupportPoint s = try_direction(A, B, d, search);
    const double away = norm(cross(s.w - poly.w[0], u));
    if (away > farthest) farthest = away, best = s;
  }
  add_vertex(best, jitter, poly);
}

/// Adds the fourth vertex, far from the plane of the first three. Returns its height over that plane.
template <class Real>
ST_FN double add_off_plane(ConvexCore<Real>& A, ConvexCore<Real>& B, double jitter, PolytopeSearch& search,
                           Polytope& poly) {
  const Vec3<double> c = cross(poly.w[1] - poly.w[0], poly.w[2] - poly.w[0]);
  const double length = norm(c);
  if (!(length > 0.0)) return 0.0;
  const Vec3<double> m = (1.0 / length) * c;
  const SupportPoint up = try_direction(A, B, m, search), down = try_direction(A, B, -m, search);
  const double above = dot(m, up.w - poly.w[0]), below = -dot(m, down.w - poly.w[0]);
  add_vertex(above >= below ? up : down, jitter, poly);
  return larger(above, below);
}

/// Grows the polytope until its nearest face supports A − B.
template <class Real>
ST_FN void expand(ConvexCore<Real>& A, ConvexCore<Real>& B, double share, PolytopeSearch& search, Polytope& poly) {
  poly.num_vertices = 0;
  add_longest_extent(A, B, share, search, poly);
  const double jitter = share * search.size, tolerance = larger(kDepthShare, 10.0 * share) * search.size;
  add_off_line(A, B, jitter, search, poly);
  search.end = Growth::kTangled;
  search.face = -1;
  if (add_off_plane(A, B, jitter, search, poly) < 10.0 * jitter) return;  // A − B is flat: its normal has been tried
  start_polytope(poly);
  while (true) {
    const int face = nearest_face(poly);
    search.end = Growth::kTangled;
    if (face < 0) return;
    const Vec3<double> n = poly.normal[face];
    const SupportPoint s = try_direction(A, B, n, search);
    if (dot(n, s.w) - poly.offset[face] <= tolerance) {
      search.end = Growth::kGrown;
      search.face = face;
      return;
    }
    search.end = Growth::kFull;
    if (poly.num_vertices == kMaxPolytopeVertices) return;
    search.end = grow(face, add_vertex(s, jitter, poly), poly);
    if (search.end != Growth::kGrown) return;
  }
}

/// Tries the directions in which a round core is flat: its axis, and the perpendicular to its axis that is nearest to
/// n.
template <class Real>
ST_FN void try_flat_directions(const ConvexCore<Real>& round, ConvexCore<Real>& A, ConvexCore<Real>& B,
                               PolytopeSearch& search) {
  if (round.type != GeomType::kCylinder && round.type != GeomType::kCapsule) return;
  const Vec3<double> axis = round.rotation.column(2), n = search.normal;
  try_direction(A, B, axis, search);
  try_direction(A, B, -axis, search);
  const Vec3<double> across = n - dot(n, axis) * axis;
  const double length = norm(across);
  if (length > 0.5) try_direction(A, B, (1.0 / length) * across, search);
}

/// The axis of a round core if n is perpendicular to it, otherwise zero: there s has a crease, and the descent must
/// stay on it.
template <class Real>
ST_FN Vec3<double> crease_axis(const ConvexCore<Real>& core, const Vec3<double>& n) {
  const Vec3<double> axis = core.rotation.column(2);
  const bool round = core.type == GeomType::kCylinder || core.type == GeomType::kCapsule;
  return round && std::fabs(dot(axis, n)) < kJitterShare ? axis : Vec3<double>{0.0, 0.0, 0.0};
}

/// Gradient of s on the unit sphere along its creases: the part of the support point that is perpendicular to n and to
/// the axes of the creases.
ST_FN Vec3<double> slope_at(const Vec3<double>& n, const Vec3<double>& w, const Vec3<double>& axis_A,
                            const Vec3<double>& axis_B) {
  const Vec3<double> across = w - dot(n, w) * n, along = across - dot(axis_A, across) * axis_A;
  return along - dot(axis_B, along) * axis_B;
}

/// Lowers s(n) from the best direction met, by gradient steps whose length follows from the change of the gradient
/// (Barzilai and Borwein). It is needed where symmetry makes a whole ring of directions nearly equal and the polytope
/// runs out of memory before the bounds meet.
template <class Real>
ST_FN void polish_direction(ConvexCore<Real>& A, ConvexCore<Real>& B, PolytopeSearch& search) {
  constexpr int kMaxSteps = 100;
  try_flat_directions(A, A, B, search);
  try_flat_directions(B, A, B, search);
  const double shortest = 1e-3 / search.size, longest = 1e6 / search.size;
  double rate = 0.5 / search.size;
  Vec3<double> n = search.normal;
  const Vec3<double> axis_A = crease_axis(A, n), axis_B = crease_axis(B, n);
  Vec3<double> slope = slope_at(n, search.support.w, axis_A, axis_B);
  for (int step = 0; step < kMaxSteps && norm(slope) > kJitterShare * search.size; ++step) {
    const Vec3<double> target = n - clamped(rate, shortest, 0.3 / norm(slope)) * slope;
    const Vec3<double> moved = (1.0 / norm(target)) * target;
    const Vec3<double> moved_slope = slope_at(moved, try_direction(A, B, moved, search).w, axis_A, axis_B);
    const Vec3<double> dn = moved - n, dslope = moved_slope - slope;
    const double curvature = dot(dn, dslope);
    rate = curvature > 0.0 ? clamped(norm_squared(dn) / curvature, shortest, longest) : 2.0 * rate;
    n = moved, slope = moved_slope;
  }
}

/// Witnesses on the nearest face: its point nearest to the origin, and the points of A and B with the same weights.
template <class Real>
ST_FN ClosestPair witnesses_on_face(ConvexCore<Real>& A, ConvexCore<Real>& B, const Polytope& poly, bool exact,
                                    PolytopeSearch& search) {
  const short* v = poly.vertex[search.face];
  const Vec3<double> p = poly.a[v[0]] - poly.b[v[0]], q = poly.a[v[1]] - poly.b[v[1]], r = poly.a[v[2]] - poly.b[v[2]];
  const Vec3<double> c = cross(q - p, r - p);
  const double length = norm(c);
  // try the normal of the face before its corners were displaced
  if (length > 1e-6 * norm(q - p) * norm(r - p)) {
    if (exact) search.depth += kDepthShare * search.size;  // of directions as good as this one, the face's own
    try_direction(A, B, (1.0 / length) * c, search);
  }
  const NearestPoint nearest = nearest_on_triangle(p, q, r);
  ClosestPair pair = {search.normal, {}, {}, 0.0};
  for (int i = 0; i < 3; ++i) {
    pair.p_A += nearest.weight[i] * poly.a[v[i]];
    pair.p_B += nearest.weight[i] * poly.b[v[i]];
  }
  pair.gap = dot(pair.normal, pair.p_B - pair.p_A);
  return pair;
}

/// The deepest points of two cores that overlap or touch. With `exact` the normal of polytopes is that of a face of A −
/// B to rounding, and not to the accuracy of the search.
template <class Real>
ST_FN ClosestPair find_penetration(ConvexCore<Real>& A, ConvexCore<Real>& B, bool exact, Polytope& poly) {
  PolytopeSearch search;
  search.end = Growth::kTangled;
  search.depth = 1e300;
  search.normal = {0.0, 0.0, 1.0};
  search.support = {};
  // a tangle means that rounding decided a side: displace the vertices more and keep the best direction so far
  for (double share = kJitterShare; share < 1e-5; share *= 100.0) {
    expand(A, B, share, search, poly);
    if (search.end != Growth::kTangled) break;
  }
  if (search.end != Growth::kGrown) polish_direction(A, B, search);
  const ClosestPair attained = {search.normal, search.support.a, search.support.b, -search.depth};
  if (search.end != Growth::kGrown) return attained;
  const ClosestPair pair = witnesses_on_face(A, B, poly, exact, search);
  // the witnesses lie on chords of the surfaces, below them by as much as the two bounds differed
  return std::fabs(pair.gap + search.depth) <= 10.0 * kDepthShare * search.size ? pair : attained;
}

}  // namespace stiction
