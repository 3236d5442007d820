#include "tests/collision/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction::test {
namespace {

constexpr double kFacing = 0.02;  // largest sine between a direction and the normal of a side that faces along it [-]

Vec any_across(const Vec& n) { return std::fabs(n.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0}; }

double turn_of(const Point2& a, const Point2& b, const Point2& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool faces(const Vec& normal, const Vec& d) { return dot(normal, d) > 0 && norm(cross(normal, d)) < kFacing; }

std::vector<Vec> rectangle(const Vec& middle, const Vec& e, const Vec& f) {
  return {middle + e + f, middle - e + f, middle - e - f, middle + e - f};
}

std::vector<Vec> box_side(const TestShape& box, const Vec& d) {
  for (int i = 0; i < 3; ++i)
    for (double sign : {1.0, -1.0}) {
      const Vec normal = sign * box.rotation.column(i);
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      if (faces(normal, d))
        return rectangle(box.position + box.size[i] * normal, box.size[j] * box.rotation.column(j),
                         box.size[k] * box.rotation.column(k));
    }
  return {};
}

std::vector<Vec> hull_side(const TestShape& mesh, const Vec& d) {
  std::vector<Vec> corners;
  for (int face = 0; face < mesh.hull.num_faces(); ++face) {
    if (!faces(mesh.rotation * load3(&mesh.hull.face_normals[3 * face]), d)) continue;
    for (int k = 0; k < mesh.hull.face_vert_num[face]; ++k) {
      const int vertex = mesh.hull.face_verts[mesh.hull.face_vert_adr[face] + k];
      corners.push_back(mesh.position + mesh.rotation * load3(&mesh.hull.vertices[3 * vertex]));
    }
    break;
  }
  return corners;
}

std::vector<Vec> cap(const TestShape& cylinder, const Vec& d) {
  constexpr int kCorners = 24;
  const double radius = cylinder.size.x * std::cos(std::numbers::pi / 12);  // inside of any twelve points of the rim
  const Vec axis = cylinder.rotation.column(2), normal = dot(axis, d) > 0 ? axis : -axis;
  if (!faces(normal, d)) return {};
  std::vector<Vec> corners;
  for (int k = 0; k < kCorners; ++k) {
    const double angle = 2 * std::numbers::pi * k / kCorners;
    corners.push_back(
        cylinder.position + cylinder.size.y * normal +
        radius * (std::cos(angle) * cylinder.rotation.column(0) + std::sin(angle) * cylinder.rotation.column(1)));
  }
  return corners;
}

std::vector<Vec> side_line(const TestShape& round, const Vec& d) {
  const Vec axis = round.rotation.column(2), away = d - dot(d, axis) * axis;
  if (std::fabs(dot(axis, d)) > kFacing) return {};
  const Vec middle = round.position + (round.size.x / norm(away)) * away;
  return {middle - round.size.y * axis, middle + round.size.y * axis};
}

/// What of `of` lies left of the line from a to b.
Footprint left_of(const Footprint& of, const Point2& a, const Point2& b) {
  Footprint left;
  const std::size_t n = of.size(), edges = n == 2 ? 1 : n;
  if (n == 2 && turn_of(a, b, of[0]) >= 0) left.push_back(of[0]);
  for (std::size_t k = 0; k < edges; ++k) {
    const Point2 &p = of[k], &q = of[(k + 1) % n];
    const double at_p = turn_of(a, b, p), at_q = turn_of(a, b, q);
    if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
      const double share = at_p / (at_p - at_q);
      left.push_back({p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])});
    }
    if (at_q >= 0) left.push_back(q);
  }
  return left;
}

/// The stretch that two lines of nearly one direction share, on the first.
Footprint shared_stretch(const Footprint& a, const Footprint& b) {
  const Point2 e = {a[1][0] - a[0][0], a[1][1] - a[0][1]}, f = {b[1][0] - b[0][0], b[1][1] - b[0][1]};
  const double ee = e[0] * e[0] + e[1] * e[1], ff = f[0] * f[0] + f[1] * f[1];
  if (std::fabs(e[0] * f[1] - e[1] * f[0]) > kFacing * std::sqrt(ee * ff)) return {};
  const auto along = [&](const Point2& p) { return ((p[0] - a[0][0]) * e[0] + (p[1] - a[0][1]) * e[1]) / ee; };
  const double low = std::max(0.0, std::min(along(b[0]), along(b[1])));
  const double high = std::min(1.0, std::max(along(b[0]), along(b[1])));
  if (low >= high) return {};
  return {{a[0][0] + low * e[0], a[0][1] + low * e[1]}, {a[0][0] + high * e[0], a[0][1] + high * e[1]}};
}

}  // namespace

Across::Across(const Vec& n) {
  const Vec c = cross(n, any_across(n));
  u = (1 / norm(c)) * c, v = cross(n, u);
}

Footprint footprint(const TestShape& shape, const Vec& d, const Across& across) {
  std::vector<Vec> corners;
  if (shape.type == GeomType::kPlane)
    corners = rectangle(shape.position, 10.0 * shape.rotation.column(0), 10.0 * shape.rotation.column(1));
  if (shape.type == GeomType::kBox) corners = box_side(shape, d);
  if (shape.type == GeomType::kMesh) corners = hull_side(shape, d);
  if (shape.type == GeomType::kCylinder) corners = cap(shape, d);
  if (corners.empty() && (shape.type == GeomType::kCylinder || shape.type == GeomType::kCapsule))
    corners = side_line(shape, d);
  Footprint result;
  for (const Vec& c : corners) result.push_back(across(c));
  if (result.size() > 2 && turn_of(result[0], result[1], result[2]) < 0) std::reverse(result.begin(), result.end());
  return result;
}

Footprint shrunk(const Footprint& of, double margin) {
  constexpr double kInradius = 0.02;  // of the smallest side of the grid's shapes, or half a line's length [m]
  Point2 middle = {0, 0};
  for (const Point2& p : of)
    for (int i = 0; i < 2; ++i) middle[i] += p[i] / static_cast<double>(of.size());
  Footprint result = of;
  for (Point2& p : result)
    for (int i = 0; i < 2; ++i) p[i] = middle[i] + (1 - margin / kInradius) * (p[i] - middle[i]);
  return result;
}

Footprint shared_part(const Footprint& a, const Footprint& b) {
  if (a.size() < 2 || b.size() < 2) return {};
  if (a.size() == 2 && b.size() == 2) return shared_stretch(a, b);
  const Footprint& cutter = a.size() > 2 ? a : b;
  Footprint rest = a.size() > 2 ? b : a;
  for (std::size_t k = 0; k < cutter.size() && !rest.empty(); ++k)
    rest = left_of(rest, cutter[k], cutter[(k + 1) % cutter.size()]);
  return rest;
}

double area(const Footprint& polygon) {
  double doubled = 0;
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) doubled += turn_of(polygon[0], polygon[k], polygon[k + 1]);
  return 0.5 * std::fabs(doubled);
}

double length(const std::vector<Point2>& points) {
  double longest = 0;
  for (const Point2& p : points)
    for (const Point2& q : points) longest = std::max(longest, std::hypot(p[0] - q[0], p[1] - q[1]));
  return longest;
}

double largest_quadrilateral(const Footprint& polygon) {
  double largest = 0;
  const std::size_t n = polygon.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      double left = 0, right = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double turn = turn_of(polygon[i], polygon[j], polygon[k]);
        left = std::max(left, turn), right = std::max(right, -turn);
      }
      largest = std::max(largest, 0.5 * (left + right));
    }
  return largest;
}

double spanned_area(const std::vector<Point2>& points) {
  std::vector<Point2> sorted = points, hull;
  std::sort(sorted.begin(), sorted.end());
  for (int pass = 0; pass < 2; ++pass) {  // lower chain, then the upper one backwards
    const std::size_t start = hull.size();
    for (const Point2& p : sorted) {
      while (hull.size() >= start + 2 && turn_of(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(sorted.begin(), sorted.end());
  }
  return area(hull);
}

}  // namespace stiction::test
