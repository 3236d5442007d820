#include "host/reference/patch_shape.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "host/model/error.hpp"

namespace stiction::reference {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;

// corners that are nearer to the plane of a face than this share of the shape's size lie in it
constexpr double kFlat = 1e-9;

/// All points of the plane, if no point is beyond it; empty otherwise.
std::vector<int> points_of_face(const Matrix3Xd& points, const Vector3d& normal, double offset, double flat) {
  std::vector<int> found;
  for (int k = 0; k < points.cols(); ++k) {
    const double height = normal.dot(points.col(k)) - offset;
    if (height > flat) return {};
    if (height >= -flat) found.push_back(k);
  }
  return found;
}

/// Sorts the corners of a face counterclockwise around its normal.
void sort_around(const Matrix3Xd& points, const Vector3d& normal, std::vector<int>& face) {
  Vector3d centre = Vector3d::Zero();
  for (int k : face) centre += points.col(k) / face.size();
  const Vector3d e1 = (points.col(face[0]) - centre).normalized(), e2 = normal.cross(e1);
  const auto angle = [&](int k) {
    const Vector3d arm = points.col(k) - centre;
    return std::atan2(e2.dot(arm), e1.dot(arm));
  };
  std::sort(face.begin(), face.end(), [&](int i, int j) { return angle(i) < angle(j); });
}

void add_face(const Vector3d& normal, double offset, const std::vector<int>& face, PatchShape& shape) {
  const int f = shape.faces.size();
  shape.faces.push_back(face);
  shape.normals.conservativeResize(3, f + 1);
  shape.normals.col(f) = normal;
  shape.offsets.conservativeResize(f + 1);
  shape.offsets[f] = offset;
}

void add_face_through(int i, int j, int k, double flat, PatchShape& shape) {
  const Matrix3Xd& points = shape.corners;
  const Vector3d across = (points.col(j) - points.col(i)).cross(points.col(k) - points.col(i));
  if (across.norm() <= flat * flat) return;
  for (double side : {1.0, -1.0}) {
    const Vector3d normal = side * across.normalized();
    const double offset = normal.dot(points.col(i));
    std::vector<int> face = points_of_face(points, normal, offset, flat);
    if (face.empty()) continue;
    sort_around(points, normal, face);
    const auto same = [&](std::vector<int> other) {
      return std::is_permutation(other.begin(), other.end(), face.begin(), face.end());
    };
    if (std::none_of(shape.faces.begin(), shape.faces.end(), same)) add_face(normal, offset, face, shape);
  }
}

/// Whether j comes next after i around the face.
bool has_step(const std::vector<int>& face, int i, int j) {
  for (size_t k = 0; k < face.size(); ++k)
    if (face[k] == i && face[(k + 1) % face.size()] == j) return true;
  return false;
}

/// Neighbours around a face are an edge; of the two faces beside it the one that runs upwards adds it.
void add_edges(PatchShape& shape) {
  const int faces = shape.faces.size();
  for (int f = 0; f < faces; ++f)
    for (size_t k = 0; k < shape.faces[f].size(); ++k) {
      const int i = shape.faces[f][k], j = shape.faces[f][(k + 1) % shape.faces[f].size()];
      if (i > j) continue;
      int other = 0;
      while (other < faces && !has_step(shape.faces[other], j, i)) ++other;
      if (other == faces) throw InputError("polytope: its faces do not close; are corners nearly in one plane?");
      shape.edges.push_back({i, j});
      shape.sides.push_back({f, other});
    }
}

void refuse_points_twice(const Matrix3Xd& points, double flat) {
  for (int j = 0; j < points.cols(); ++j)
    for (int i = 0; i < j; ++i)
      if ((points.col(i) - points.col(j)).norm() <= flat)
        throw InputError("polytope: points " + std::to_string(i) + " and " + std::to_string(j) +
                         " are the same; leave one out");
}

void refuse_points_that_are_no_corners(const PatchShape& shape) {
  for (int k = 0; k < shape.corners.cols(); ++k) {
    int faces = 0;
    for (const std::vector<int>& face : shape.faces) faces += std::count(face.begin(), face.end(), k);
    if (faces < 3)
      throw InputError("polytope: point " + std::to_string(k) + " is no corner of the convex hull; leave it out");
  }
}

}  // namespace

PatchShape make_half_space() {
  PatchShape shape;
  add_face(Vector3d::UnitZ(), 0.0, {}, shape);
  return shape;
}

PatchShape make_polytope(const Matrix3Xd& corners) {
  if (!corners.allFinite()) throw InputError("polytope: coordinates of corners must be finite");
  PatchShape shape;
  shape.corners = corners;
  const int n = corners.cols();
  const double flat = n > 0 ? kFlat * (corners.colwise() - corners.col(0)).colwise().norm().maxCoeff() : 0.0;
  refuse_points_twice(corners, flat);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = j + 1; k < n; ++k) add_face_through(i, j, k, flat, shape);
  if (shape.faces.size() < 4) throw InputError("polytope: needs at least four corners that do not lie in one plane");
  refuse_points_that_are_no_corners(shape);
  add_edges(shape);
  return shape;
}

PatchShape make_box(const Vector3d& size) {
  if (!(size.minCoeff() > 0.0)) throw InputError("box: the three lengths must be > 0");
  Matrix3Xd corners(3, 8);
  for (int k = 0; k < 8; ++k)
    corners.col(k) = 0.5 * size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  return make_polytope(corners);
}

PatchShape make_cylinder(double length, double radius) {
  if (!(length > 0.0) || !(radius > 0.0) || !std::isfinite(length * radius))
    throw InputError("cylinder: length and radius must be finite and > 0");
  PatchShape shape;
  shape.length = length;
  shape.radius = radius;
  add_face(-Vector3d::UnitZ(), length / 2, {}, shape);
  add_face(Vector3d::UnitZ(), length / 2, {}, shape);
  return shape;
}

ShapeValues shape_values(const PatchShape& shape, const Vector3d& x) {
  if (!shape.is_cylinder()) return {shape.normals.transpose() * x - shape.offsets, shape.normals};
  const double r = shape.radius, across = x.head<2>().squaredNorm();
  ShapeValues values{Vector3d(x.z() - shape.length / 2, -x.z() - shape.length / 2, (across - r * r) / (2 * r)),
                     Matrix3Xd::Zero(3, 3)};
  values.gradients.col(0) = Vector3d::UnitZ();
  values.gradients.col(1) = -Vector3d::UnitZ();
  values.gradients.col(2) = Vector3d(x.x(), x.y(), 0.0) / r;
  return values;
}

double shape_reach(const PatchShape& shape) {
  if (shape.is_cylinder()) return std::hypot(shape.length / 2, shape.radius);
  return shape.corners.cols() > 0 ? shape.corners.colwise().norm().maxCoeff() : 0.0;
}

double support(const PatchShape& shape, const Vector3d& n) {
  if (shape.is_cylinder()) return shape.length / 2 * std::abs(n.z()) + shape.radius * n.head<2>().norm();
  return (n.transpose() * shape.corners).maxCoeff();
}

Vector3d support_point(const PatchShape& shape, const Vector3d& n) {
  if (shape.is_cylinder()) {
    Vector3d point(0.0, 0.0, std::copysign(shape.length / 2, n.z()));
    if (const double across = n.head<2>().norm(); across > 0.0) point.head<2>() = shape.radius / across * n.head<2>();
    return point;
  }
  int best = 0;
  (n.transpose() * shape.corners).maxCoeff(&best);
  return shape.corners.col(best);
}

}  // namespace stiction::reference
