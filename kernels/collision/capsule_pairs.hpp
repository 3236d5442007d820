// Capsule against capsule: the closest points of two segments.
//
//   p(s) = c_A + s a,  q(t) = c_B + t b,  |s| ≤ h_A,  |t| ≤ h_B:   minimise |q − p|²
//
// Segments that cross have no offset to take a direction from: every direction separates the balls by r_A + r_B only
// after their cores, so the normal is square to both axes.
#pragma once

#include "kernels/collision/convex_pairs.hpp"

namespace stiction {

struct SegmentParameters {
  double s, t;  // [m] from the middle
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

/// Unit normal of a pair of cores that touch: square to both axes.
ST_FN Vec3<double> square_to_axes(const Vec3<double>& a, const Vec3<double>& b) {
  const Vec3<double> c = cross(a, b);
  const double length = norm(c);
  return length > 1e-7 ? (1.0 / length) * c : unit_across(a);
}

template <class Real>
ST_FN void collide_capsules(const PlacedShape<Real>& A, const PlacedShape<Real>& B, Real max_gap,
                            CollisionScratch<Real>& scratch, Manifold<Real>& out) {
  const Vec3<double> a = widened(A.rotation.column(2)), b = widened(B.rotation.column(2));
  const Vec3<double> d = widened(B.position) - widened(A.position);
  const double r_A = double(A.size.x), r_B = double(B.size.x);
  const SegmentParameters closest = closest_on_segments(a, double(A.size.y), b, double(B.size.y), d);
  const Vec3<double> p = closest.s * a, q = d + closest.t * b;
  const double distance = norm(q - p);
  ClosestPair pair;
  pair.gap = distance - r_A - r_B;
  if (pair.gap > double(max_gap)) return;
  pair.normal = distance > double(direction_floor<Real>()) ? (1.0 / distance) * (q - p) : square_to_axes(a, b);
  pair.p_A = p + r_A * pair.normal;
  pair.p_B = q - r_B * pair.normal;
  build_manifold(A, B, pair, max_gap, scratch, out);
}

}  // namespace stiction
