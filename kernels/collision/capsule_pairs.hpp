// Capsule against capsule, and against the side of a cylinder: the closest points of two segments.
//
//   p(s) = c_A + s a,  q(t) = c_B + t b,  |s| ≤ h_A,  |t| ≤ h_B:   minimise |q − p|²
//
// Segments that intersect have no offset q − p that could give the normal. The normal is then perpendicular to both
// axes: along any other direction the cores would have to be separated too, not only the balls by r_A + r_B.
//
// Capsule against cylinder: where q is not an end of the cylinder's axis and p lies outside of its side, the point of
// the cylinder that is nearest to the capsule's axis is on its side, and the closest points of the two axes give the
// answer. The normal then has all digits of the poses; an iteration on a distance would lose half of them.
#pragma once

#include "kernels/collision/convex_pairs.hpp"

namespace stiction {

struct SegmentParameters {
  double s, t;  // distances from the segments' midpoints [m]
};

/// Closest points of two segments with unit directions a, b and d = c_B − c_A.
ST_FN SegmentParameters closest_on_segments(const Vec3<double>& a, double h_A, const Vec3<double>& b, double h_B,
                                            const Vec3<double>& d) {
  const double ab = dot(a, b), ad = dot(a, d), bd = dot(b, d);
  const double sine_squared = norm_squared(cross(a, b));
  double s = 0.0;
  if (sine_squared > 1e-14) {
    s = clamped((ad - ab * bd) / sine_squared, -h_A, h_A);
  } else {  // parallel: the middle of the common stretch
    const double low = larger(-h_A, ad - h_B), high = smaller(h_A, ad + h_B);
    s = clamped(0.5 * (low + high), -h_A, h_A);
  }
  const double t = clamped(ab * s - bd, -h_B, h_B);
  return {clamped(ab * t + ad, -h_A, h_A), t};
}

/// Unit normal of a pair of cores that touch: perpendicular to both axes.
ST_FN Vec3<double> square_to_axes(const Vec3<double>& a, const Vec3<double>& b) {
  const Vec3<double> c = cross(a, b);
  const double length = norm(c);
  return length > 1e-7 ? (1.0 / length) * c : unit_across(a);
}

/// Two shapes that are round about their own z: their axes, and the closest points of these.
struct RoundPair {
  Vec3<double> a, b;  // unit vectors along the axes of A and B
  Vec3<double> p, q;  // closest points of the two axes, relative to A's position [m]
  double distance;    // |q − p| [m]
  bool q_is_end;      // q is an end of B's axis
};

template <class Real>
ST_FN RoundPair find_round_pair(const PlacedShape<Real>& A, const PlacedShape<Real>& B) {
  RoundPair pair;
  pair.a = widened(A.rotation.column(2)), pair.b = widened(B.rotation.column(2));
  const Vec3<double> d = widened(B.position) - widened(A.position);
  const double h_B = double(B.size.y);
  const SegmentParameters closest = closest_on_segments(pair.a, double(A.size.y), pair.b, h_B, d);
  pair.p = closest.s * pair.a, pair.q = d + closest.t * pair.b;
  pair.distance = norm(pair.q - pair.p);
  pair.q_is_end = !(std::fabs(closest.t) < h_B);
  return pair;
}

/// The manifold of two round sides.
template <template <class> class Shape, class Real>
ST_FN void collide_round_sides(const Shape<Real>& A, const Shape<Real>& B, const RoundPair& round, Real max_gap,
                               CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  const double r_A = double(A.size.x), r_B = double(B.size.x);
  ClosestPair pair;
  pair.gap = round.distance - r_A - r_B;
  if (pair.gap > double(max_gap)) return;
  pair.normal = round.distance > double(direction_floor<Real>()) ? (1.0 / round.distance) * (round.q - round.p)
                                                                 : square_to_axes(round.a, round.b);
  pair.p_A = round.p + r_A * pair.normal;
  pair.p_B = round.q - r_B * pair.normal;
  find_features(A, B, rounded<Real>(pair.normal), A.position, scratch);
  build_manifold(A, B, pair, max_gap, scratch, out);
}

template <template <class> class Shape, class Real>
ST_FN void collide_capsules(const Shape<Real>& A, const Shape<Real>& B, Real max_gap, CollisionScratch<Real>& scratch,
                            Manifold<Real>& out) {
  collide_round_sides(A, B, find_round_pair(A, B), max_gap, scratch, out);
}

/// Capsule A against cylinder B.
template <template <class> class Shape, class Real>
ST_FN void collide_capsule_cylinder(const Shape<Real>& A, const Shape<Real>& B, Real max_gap,
                                    CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  const RoundPair round = find_round_pair(A, B);
  if (!round.q_is_end && round.distance > double(B.size.x))
    collide_round_sides(A, B, round, max_gap, scratch, out);
  else
    collide_convex(A, B, max_gap, scratch, out);
}

}  // namespace stiction
