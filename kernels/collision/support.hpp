// Support points of the cores of shapes.
//
//   shape = core ⊕ ball of `radius`:  sphere = point, capsule = segment, every other shape its own core with radius 0
//   s(d) = argmax { d·x : x in the core }
//
// Cores are held in double relative to a common origin, so that shapes far from the world's origin lose no digits.
#pragma once

#include <cmath>

#include "kernels/collision/contact_point.hpp"
#include "kernels/collision/facing_table.hpp"
#include "kernels/collision/scalar.hpp"
#include "kernels/model/traits.hpp"

namespace stiction {

template <class Real>
struct ConvexCore {
  GeomType type;
  Vec3<double> size;      // [m]
  Vec3<double> position;  // of the shape's frame, from the common origin [m]
  Mat3<double> rotation;
  double radius;                   // radius of the ball that is added to the core [m]
  const PlacedShape<Real>* shape;  // hull of a mesh
  int vertex;                      // where the last climb on a hull ended
};

template <class Real>
ST_FN Vec3<double> widened(const Vec3<Real>& a) {
  return {double(a.x), double(a.y), double(a.z)};
}
template <class Real>
ST_FN Vec3<Real> rounded(const Vec3<double>& a) {
  return {Real(a.x), Real(a.y), Real(a.z)};
}

template <class Real>
ST_FN ConvexCore<Real> make_core(const PlacedShape<Real>& shape, const Vec3<Real>& origin) {
  ConvexCore<Real> core;
  core.type = static_cast<GeomType>(shape.type);
  core.size = widened(shape.size);
  core.position = widened(shape.position) - widened(origin);
  for (int i = 0; i < 9; ++i) core.rotation.m[i] = double(shape.rotation.m[i]);
  core.radius = is_rounded(core.type) ? core.size.x : 0.0;
  core.shape = &shape;
  core.vertex = 0;
  return core;
}

/// Farthest hull vertex along `d`. It climbs along hull edges, from the last answer or from what the table of facing
/// faces says: on a convex hull every vertex that is not a farthest one has a farther neighbour.
template <class Real>
ST_FN Vec3<double> support_hull(ConvexCore<Real>& core, const Vec3<double>& d) {
  const PlacedShape<Real>& hull = *core.shape;
  const int facing = facing_vertex(hull, d);
  int best = core.vertex;
  double height = dot(widened(load3(hull.vertices + 3 * best)), d);
  const double other = dot(widened(load3(hull.vertices + 3 * facing)), d);
  if (other > height) height = other, best = facing;
  for (int step = 0; step < hull.num_vertices; ++step) {
    const int here = best, adr = hull.neighbor_adr[here], num = hull.neighbor_num[here];
    for (int k = 0; k < num; ++k) {
      const int v = hull.neighbors[adr + k];
      const double h = dot(widened(load3(hull.vertices + 3 * v)), d);
      if (h > height) height = h, best = v;
    }
    if (best == here) break;
  }
  core.vertex = best;
  return widened(load3(hull.vertices + 3 * best));
}

ST_FN Vec3<double> support_cylinder(const Vec3<double>& size, const Vec3<double>& d) {
  const double radial = std::sqrt(d.x * d.x + d.y * d.y);
  const double s = radial > 0.0 ? size.x / radial : 0.0;
  return {s * d.x, s * d.y, with_sign_of(size.y, d.z)};
}

ST_FN Vec3<double> support_ellipsoid(const Vec3<double>& size, const Vec3<double>& d) {
  const Vec3<double> scaled = {size.x * d.x, size.y * d.y, size.z * d.z};
  const double length = norm(scaled);
  const double s = length > 0.0 ? 1.0 / length : 0.0;
  return {s * size.x * scaled.x, s * size.y * scaled.y, s * size.z * scaled.z};
}

/// s(d) in the axes of the common origin; `d` need not be a unit vector.
template <class Real>
ST_FN Vec3<double> support(ConvexCore<Real>& core, const Vec3<double>& d) {
  const Vec3<double> local = transpose_mul(core.rotation, d);
  Vec3<double> p = {0.0, 0.0, 0.0};
  switch (core.type) {
    case GeomType::kCapsule:
      p.z = with_sign_of(core.size.y, local.z);
      break;
    case GeomType::kCylinder:
      p = support_cylinder(core.size, local);
      break;
    case GeomType::kEllipsoid:
      p = support_ellipsoid(core.size, local);
      break;
    case GeomType::kBox:
      p = {with_sign_of(core.size.x, local.x), with_sign_of(core.size.y, local.y), with_sign_of(core.size.z, local.z)};
      break;
    case GeomType::kMesh:
      p = support_hull(core, local);
      break;
    case GeomType::kPlane:   // never asked for: it has no end
    case GeomType::kSphere:  // its core is a point
      break;
  }
  return core.rotation * p + core.position;
}

/// A point of the difference A − B with its two sources [m].
struct SupportPoint {
  Vec3<double> w, a, b;
};

/// Farthest point of A − B along d.
template <class Real>
ST_PHASE SupportPoint support_difference(ConvexCore<Real>& A, ConvexCore<Real>& B, Vec3<double> d) {
  SupportPoint s;
  s.a = support(A, d);
  s.b = support(B, -d);
  s.w = s.a - s.b;
  return s;
}

/// The separation of two shapes along the unit direction n, a lower bound of their signed distance [m]; n is the normal
/// of A if A is a plane.
///
///   σ_n = min { n·x : x in B } − max { n·x : x in A } <= φ
template <class Real>
ST_APART Real separation_along(const PlacedShape<Real>& A, const PlacedShape<Real>& B, Vec3<Real> n) {
  ConvexCore<Real> core_A = make_core(A, A.position), core_B = make_core(B, A.position);
  const Vec3<double> d = widened(n);
  const double to = static_cast<GeomType>(A.type) == GeomType::kPlane ? 0.0 : dot(d, support(core_A, d));
  return static_cast<Real>(dot(d, support(core_B, -d)) - to - core_A.radius - core_B.radius);
}

}  // namespace stiction
