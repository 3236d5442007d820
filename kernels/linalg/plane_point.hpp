// Points of a plane, and how much of a line lies in a disk. In double, whatever the precision of the poses.
#pragma once

#include <cmath>

#include "kernels/linalg/scalar.hpp"

namespace stiction {

struct PlanePoint {
  double x = 0.0, y = 0.0;  // [m]
};
ST_FN PlanePoint operator+(PlanePoint a, PlanePoint b) { return {a.x + b.x, a.y + b.y}; }
ST_FN PlanePoint operator-(PlanePoint a, PlanePoint b) { return {a.x - b.x, a.y - b.y}; }
ST_FN PlanePoint operator*(double s, PlanePoint a) { return {s * a.x, s * a.y}; }
ST_FN double dot(PlanePoint a, PlanePoint b) { return a.x * b.x + a.y * b.y; }
ST_FN double turn(PlanePoint a, PlanePoint b) { return a.x * b.y - a.y * b.x; }
ST_FN double norm(PlanePoint a) { return std::sqrt(dot(a, a)); }
ST_FN PlanePoint unit(PlanePoint a) { return (1.0 / norm(a)) * a; }
ST_FN double angle_of(PlanePoint a) { return std::atan2(a.y, a.x); }
ST_FN PlanePoint at_angle(double angle) { return {std::cos(angle), std::sin(angle)}; }

/// The stretch of the line from p to q inside of a disk, as shares of its length; high <= low: none.
struct Stretch {
  double low = 0.0, high = 1.0;
};

ST_FN Stretch stretch_in_disk(PlanePoint p, PlanePoint q, PlanePoint o, double R) {
  const PlanePoint way = q - p, arm = p - o;
  const double a = dot(way, way), b = dot(way, arm);
  // R² − d², d: distance of the line from the centre
  const double across = turn(way, arm), root = a > 0.0 ? R * R - across * across / a : -1.0;
  if (!(root > 0.0)) return {0.0, 0.0};
  const double half = std::sqrt(root / a);
  return {larger(0.0, -b / a - half), smaller(1.0, -b / a + half)};
}

}  // namespace stiction
