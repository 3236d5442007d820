// What two shapes truly share, seen along a direction: the area of flat sides or the length of straight lines that lie
// on each other. A text of its own, so that it can judge the manifolds.
#pragma once

#include <array>
#include <vector>

#include "tests/collision/test_shapes.hpp"

namespace stiction::test {

using Point2 = std::array<double, 2>;

/// Part of a shape that faces along a direction, in the plane across it: nothing, a segment or a convex polygon.
using Footprint = std::vector<Point2>;

/// Coordinates across the unit direction n.
struct Across {
  Vec u, v;
  explicit Across(const Vec& n);
  Point2 operator()(const Vec& p) const { return {dot(u, p), dot(v, p)}; }
};

/// Empty unless a flat side or a straight line lies across `d` up to 0.02 rad; of a cap 24 corners, of a plane a
/// square.
Footprint footprint(const TestShape& shape, const Vec& d, const Across& across);

/// The same, smaller by `margin` [m] at least at every border.
Footprint shrunk(const Footprint& of, double margin);

/// Empty, a segment or a convex polygon.
Footprint shared_part(const Footprint& a, const Footprint& b);

double area(const Footprint& polygon);                   // [m²]
double length(const std::vector<Point2>& points);        // of the longest distance of two points [m]
double largest_quadrilateral(const Footprint& polygon);  // area of the largest one between its corners [m²]
double spanned_area(const std::vector<Point2>& points);  // of the convex hull [m²]

}  // namespace stiction::test
