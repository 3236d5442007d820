// Where a line p + t d is in a shape, in the shape's axes: an interval of t, because shapes are convex.
//
//   ball       ‖p + t d‖ <= r                box     |p_i + t d_i| <= s_i
//   ellipsoid  the unit ball, with p_i/s_i and d_i/s_i
//   cylinder   the disc in x, y and the slab in z;  capsule: the same, or in the ball at either end
#pragma once

#include "kernels/model/model_view.hpp"

namespace stiction {

namespace sensing_detail {

/// t from `from` to `to`; none if from > to.
template <class Real>
struct Span {
  Real from, to;
  ST_FN bool meets_ray() const { return from <= to && to >= Real(0); }
};

template <class Real>
ST_FN Span<Real> whole_line(bool inside) {
  return inside ? Span<Real>{Real(-INFINITY), Real(INFINITY)} : Span<Real>{Real(1), Real(-1)};
}

template <class Real>
ST_FN Span<Real> common(const Span<Real>& one, const Span<Real>& other) {
  return {one.from > other.from ? one.from : other.from, one.to < other.to ? one.to : other.to};
}

/// |p + t d| <= half.
template <class Real>
ST_FN Span<Real> slab(Real p, Real d, Real half) {
  if (d == Real(0)) return whole_line<Real>(std::fabs(p) <= half);
  const Real a = (-half - p) / d, b = (half - p) / d;
  return a < b ? Span<Real>{a, b} : Span<Real>{b, a};
}

/// dd t² + 2 pd t + pp <= r², from the products of p and d.
template <class Real>
ST_FN Span<Real> quadric(Real pp, Real pd, Real dd, Real radius) {
  const Real outside = pp - radius * radius;
  if (!(dd > Real(0))) return whole_line<Real>(outside <= Real(0));
  const Real square = pd * pd - dd * outside;
  if (square < Real(0)) return whole_line<Real>(false);
  const Real root = std::sqrt(square);
  return {(-pd - root) / dd, (-pd + root) / dd};
}

template <class Real>
ST_FN Span<Real> ball(const Vec3<Real>& p, const Vec3<Real>& d, Real radius) {
  return quadric(dot(p, p), dot(p, d), dot(d, d), radius);
}

template <class Real>
ST_FN Span<Real> cylinder(const Vec3<Real>& p, const Vec3<Real>& d, Real radius, Real half) {
  const Span<Real> disc = quadric(p.x * p.x + p.y * p.y, p.x * d.x + p.y * d.y, d.x * d.x + d.y * d.y, radius);
  return common(disc, slab(p.z, d.z, half));
}

/// The interval that holds both, of which at least one has points that the other has, too.
template <class Real>
ST_FN Span<Real> joined(const Span<Real>& one, const Span<Real>& other) {
  if (!(one.from <= one.to)) return other;
  if (!(other.from <= other.to)) return one;
  return {one.from < other.from ? one.from : other.from, one.to > other.to ? one.to : other.to};
}

/// Where the line is in a shape that its sizes describe; nowhere for others.
template <class Real>
ST_FN Span<Real> span_in_shape(GeomType type, const Real* size, const Vec3<Real>& p, const Vec3<Real>& d) {
  const Vec3<Real> end = {Real(0), Real(0), size[1]};
  switch (type) {
    case GeomType::kSphere:
      return ball(p, d, size[0]);
    case GeomType::kCapsule:
      return joined(cylinder(p, d, size[0], size[1]), joined(ball(p - end, d, size[0]), ball(p + end, d, size[0])));
    case GeomType::kCylinder:
      return cylinder(p, d, size[0], size[1]);
    case GeomType::kEllipsoid: {
      const Vec3<Real> q = {p.x / size[0], p.y / size[1], p.z / size[2]};
      return ball(q, {d.x / size[0], d.y / size[1], d.z / size[2]}, Real(1));
    }
    case GeomType::kBox:
      return common(common(slab(p.x, d.x, size[0]), slab(p.y, d.y, size[1])), slab(p.z, d.z, size[2]));
    case GeomType::kPlane:
    case GeomType::kMesh:
      break;
  }
  return whole_line<Real>(false);
}

}  // namespace sensing_detail

/// True if the ray p + t d, t >= 0, meets the volume of a site; with d = 0: if the point p is in it.
template <class Real>
ST_FN bool meets_volume(GeomType type, const Real* size, const Vec3<Real>& p, const Vec3<Real>& d) {
  return sensing_detail::span_in_shape(type, size, p, d).meets_ray();
}

}  // namespace stiction
