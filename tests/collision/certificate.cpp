#include "tests/collision/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::test {
namespace {

double hull_height(const Hull& hull, const Vec& d) {
  double best = -std::numeric_limits<double>::infinity();
  for (int v = 0; v < hull.num_vertices(); ++v) best = std::max(best, dot(load3(&hull.vertices[3 * v]), d));
  return best;
}

double local_height(const TestShape& s, const Vec& d) {
  switch (s.type) {
    case GeomType::kPlane:
      return d.z > 1 - 1e-9 ? 0 : std::numeric_limits<double>::infinity();
    case GeomType::kSphere:
      return s.size.x * norm(d);
    case GeomType::kCapsule:
      return s.size.x * norm(d) + s.size.y * std::fabs(d.z);
    case GeomType::kCylinder:
      return s.size.x * std::hypot(d.x, d.y) + s.size.y * std::fabs(d.z);
    case GeomType::kEllipsoid:
      return norm(Vec{s.size.x * d.x, s.size.y * d.y, s.size.z * d.z});
    case GeomType::kBox:
      return s.size.x * std::fabs(d.x) + s.size.y * std::fabs(d.y) + s.size.z * std::fabs(d.z);
    case GeomType::kMesh:
      return hull_height(s.hull, d);
  }
  return 0;
}

/// Signed distance from the surface of a product of intervals, `over` the excess in each coordinate.
double product_distance(std::initializer_list<double> over) {
  double outside = 0, inside = -std::numeric_limits<double>::infinity();
  for (double o : over) {
    outside += std::max(o, 0.0) * std::max(o, 0.0);
    inside = std::max(inside, o);
  }
  return inside > 0 ? std::sqrt(outside) : inside;
}

double ellipsoid_distance(const Vec& size, const Vec& p) {
  const Vec scaled = {p.x / size.x, p.y / size.y, p.z / size.z};
  const Vec gradient = {scaled.x / size.x, scaled.y / size.y, scaled.z / size.z};
  const double f = norm(scaled), slope = norm(gradient) / f;  // of |scaled|
  return (f - 1) / slope;
}

double hull_distance(const Hull& hull, const Vec& p) {
  double height = -std::numeric_limits<double>::infinity();
  for (int face = 0; face < hull.num_faces(); ++face) {
    const Vec corner = load3(&hull.vertices[3 * hull.face_verts[hull.face_vert_adr[face]]]);
    height = std::max(height, dot(load3(&hull.face_normals[3 * face]), p - corner));
  }
  return height;
}

}  // namespace

double support_height(const TestShape& shape, const Vec& n) {
  return dot(n, shape.position) + local_height(shape, transpose_mul(shape.rotation, n));
}

double signed_distance(const TestShape& shape, const Vec& point) {
  const Vec p = transpose_mul(shape.rotation, point - shape.position), s = shape.size;
  switch (shape.type) {
    case GeomType::kPlane:
      return p.z;
    case GeomType::kSphere:
      return norm(p) - s.x;
    case GeomType::kCapsule:
      return norm(p - Vec{0, 0, std::clamp(p.z, -s.y, s.y)}) - s.x;
    case GeomType::kCylinder:
      return product_distance({std::hypot(p.x, p.y) - s.x, std::fabs(p.z) - s.y});
    case GeomType::kEllipsoid:
      return ellipsoid_distance(s, p);
    case GeomType::kBox:
      return product_distance({std::fabs(p.x) - s.x, std::fabs(p.y) - s.y, std::fabs(p.z) - s.z});
    case GeomType::kMesh:
      return hull_distance(shape.hull, p);
  }
  return 0;
}

double distance_from_surface(const TestShape& shape, const Vec& point) {
  return std::fabs(signed_distance(shape, point));
}

double overlap_along(const TestShape& A, const TestShape& B, const Vec& n) {
  return support_height(A, n) + support_height(B, -n);
}

std::vector<Vec> likely_directions(Random& random, const TestShape& A, const TestShape& B, const Vec& n) {
  std::vector<Vec> found;
  const auto add = [&](const Vec& d) {
    const double length = norm(d);
    if (length < 1e-9) return;
    found.push_back((1 / length) * d);
    found.push_back((-1 / length) * d);
  };
  for (const TestShape* shape : {&A, &B}) {
    for (int i = 0; i < 3; ++i) add(shape->rotation.column(i));
    for (int face = 0; face < shape->hull.num_faces(); ++face)
      add(shape->rotation * load3(&shape->hull.face_normals[3 * face]));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) add(cross(A.rotation.column(i), B.rotation.column(j)));
  const Vec between = B.position - A.position;
  add(between);
  for (const TestShape* shape : {&A, &B})
    add(between - dot(between, shape->rotation.column(2)) * shape->rotation.column(2));
  for (double tilt : {1e-1, 1e-2, 1e-3, 1e-4})
    for (int k = 0; k < 8; ++k) add(n + tilt * random_direction(random));
  return found;
}

double least_overlap(Random& random, const TestShape& A, const TestShape& B, const Vec& n, int count) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec& d : likely_directions(random, A, B, n)) least = std::min(least, overlap_along(A, B, d));
  for (int k = 0; k < count; ++k) least = std::min(least, overlap_along(A, B, random_direction(random)));
  return least;
}

}  // namespace stiction::test
