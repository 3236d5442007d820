// The point of a simplex that is nearest to the origin.
//
//   v = Σ w_i p_i,  w ≥ 0,  Σ w = 1;  corners with w = 0 are dropped
//
// In a triangle the weights are areas about the foot of the perpendicular from the origin to its plane. Measured from
// that foot, a small triangle far from the origin and a narrow triangle keep their digits; the Gram system of the edges
// would lose them (its condition number is the square). Where the foot lies outside or the triangle is a sliver, the
// three edges decide.
#pragma once

#include <cmath>

#include "kernels/collision/support.hpp"

namespace stiction {

struct Simplex {
  int count = 0;
  SupportPoint corner[4];
  double weight[4];
};

struct NearestPoint {
  double distance_squared;  // to the boundary of the simplex [m²]
  double weight[4];
  bool encloses_origin = false;
};

ST_FN NearestPoint nearest_on_segment(const Vec3<double>& p, const Vec3<double>& q) {
  const Vec3<double> e = q - p;
  const double length_squared = norm_squared(e);
  const double s = length_squared > 0.0 ? clamped(-dot(p, e) / length_squared, 0.0, 1.0) : 0.0;
  return {norm_squared(p + s * e), {1.0 - s, s, 0.0, 0.0}};
}

/// Nearest point on the three edges of a triangle.
ST_FN NearestPoint nearest_on_boundary(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& r) {
  const NearestPoint pq = nearest_on_segment(p, q), qr = nearest_on_segment(q, r), rp = nearest_on_segment(r, p);
  if (pq.distance_squared <= qr.distance_squared && pq.distance_squared <= rp.distance_squared) return pq;
  if (qr.distance_squared <= rp.distance_squared) return {qr.distance_squared, {0.0, qr.weight[0], qr.weight[1], 0.0}};
  return {rp.distance_squared, {rp.weight[1], 0.0, rp.weight[0], 0.0}};
}

/// The foot of the perpendicular from the origin if it lies inside the triangle, otherwise distance −1. It is most
/// accurate if pq and pr are not both long edges of a narrow triangle.
ST_FN NearestPoint foot_in_triangle(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& r) {
  constexpr double kSliver = 1e-24;  // least sin² of the angle between two edges: below, the normal is rounding error
  const Vec3<double> e = q - p, f = r - p, n = cross(e, f);
  const double nn = norm_squared(n);
  if (nn > kSliver * norm_squared(e) * norm_squared(f)) {
    const Vec3<double> d = (dot(p, n) / nn) * n - p;  // from p to the foot of the origin on the plane
    const double s = dot(cross(d, f), n) / nn, t = dot(cross(e, d), n) / nn;
    if (s >= 0.0 && t >= 0.0 && s + t <= 1.0) return {norm_squared(p + s * e + t * f), {1.0 - s - t, s, t, 0.0}};
  }
  return {-1.0, {0.0, 0.0, 0.0, 0.0}};
}

/// Calls foot_in_triangle with the corner opposite the longest edge first.
ST_PHASE NearestPoint nearest_on_triangle(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& r) {
  const double pq = norm_squared(q - p), qr = norm_squared(r - q), rp = norm_squared(p - r);
  const bool p_first = qr >= pq && qr >= rp, q_first = !p_first && rp >= pq;
  const NearestPoint foot = foot_in_triangle(p_first ? p : (q_first ? q : r), p_first ? q : (q_first ? r : p),
                                             p_first ? r : (q_first ? p : q));
  if (!(foot.distance_squared >= 0.0)) return nearest_on_boundary(p, q, r);
  const double *w = foot.weight, distance_squared = foot.distance_squared;
  if (p_first) return foot;
  if (q_first) return {distance_squared, {w[2], w[0], w[1], 0.0}};
  return {distance_squared, {w[1], w[2], w[0], 0.0}};
}

/// True if the origin lies on the inner side of the face (p, q, r), the side of the fourth corner s.
ST_FN bool is_inside(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& r, const Vec3<double>& s) {
  const Vec3<double> n = cross(q - p, r - p);
  return dot(p, n) * dot(s - p, n) < 0.0;
}

/// The nearest point on the four faces; `encloses_origin` if the origin lies inside of all of them. Every face is
/// tried, because in a flat tetrahedron rounding decides the sides.
ST_FN NearestPoint nearest_on_tetrahedron(const Simplex& simplex) {
  constexpr int kFace[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  NearestPoint best = {-1.0, {0.0, 0.0, 0.0, 0.0}};
  int num_inside = 0;
  ST_ROLLED
  for (int face = 0; face < 4; ++face) {
    const int i = kFace[face][0], j = kFace[face][1], k = kFace[face][2], l = kFace[face][3];
    const Vec3<double>&p = simplex.corner[i].w, &q = simplex.corner[j].w, &r = simplex.corner[k].w;
    num_inside += is_inside(p, q, r, simplex.corner[l].w) ? 1 : 0;
    const NearestPoint found = nearest_on_triangle(p, q, r);
    if (best.distance_squared >= 0.0 && found.distance_squared >= best.distance_squared) continue;
    best.distance_squared = found.distance_squared;
    best.weight[i] = found.weight[0], best.weight[j] = found.weight[1], best.weight[k] = found.weight[2];
    best.weight[l] = 0.0;
  }
  best.encloses_origin = num_inside == 4;
  return best;
}

ST_FN NearestPoint nearest_on_simplex(const Simplex& simplex) {
  const SupportPoint* c = simplex.corner;
  if (simplex.count == 1) return {norm_squared(c[0].w), {1.0, 0.0, 0.0, 0.0}};
  if (simplex.count == 2) return nearest_on_segment(c[0].w, c[1].w);
  if (simplex.count == 3) return nearest_on_triangle(c[0].w, c[1].w, c[2].w);
  return nearest_on_tetrahedron(simplex);
}

/// Keeps only the corners with a positive weight in the nearest point.
ST_FN void drop_idle_corners(const NearestPoint& nearest, Simplex& simplex) {
  int kept = 0;
  for (int i = 0; i < simplex.count; ++i) {
    if (!(nearest.weight[i] > 0.0)) continue;
    if (kept != i) simplex.corner[kept] = simplex.corner[i];
    simplex.weight[kept++] = nearest.weight[i];
  }
  simplex.count = kept;
}

/// Weighted sums Σ w_i p_i of the corners' points of A − B, on A and on B.
ST_FN SupportPoint blend(const Simplex& simplex) {
  SupportPoint sum = {};
  for (int i = 0; i < simplex.count; ++i) {
    sum.w += simplex.weight[i] * simplex.corner[i].w;
    sum.a += simplex.weight[i] * simplex.corner[i].a;
    sum.b += simplex.weight[i] * simplex.corner[i].b;
  }
  return sum;
}

}  // namespace stiction
