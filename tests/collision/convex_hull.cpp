#include "tests/collision/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace stiction::test {
namespace {

using Point = std::array<double, 3>;

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double inner(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point outer(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Face {
  Point normal;
  std::vector<int> corners;
};

/// The points on the plane of (i, j, k) if all others lie on one side of it.
bool supporting_face(const std::vector<Point>& points, int i, int j, int k, Face& face) {
  const Point e = minus(points[j], points[i]), f = minus(points[k], points[i]);
  Point n = outer(e, f);
  const double length = std::sqrt(inner(n, n));
  if (length <= 1e-9 * std::sqrt(inner(e, e) * inner(f, f))) return false;
  for (double& x : n) x /= length;
  double lowest = 0, highest = 0;
  face.corners.clear();
  const double slack = 1e-10;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    const double height = inner(n, minus(points[p], points[i]));
    lowest = std::min(lowest, height), highest = std::max(highest, height);
    if (std::fabs(height) <= slack) face.corners.push_back(p);
    if (lowest < -slack && highest > slack) return false;
  }
  if (highest > slack)
    for (double& x : n) x = -x;
  face.normal = n;
  return true;
}

/// Counter-clockwise from outside; corners inside the polygon or on an edge of it are dropped.
void order_corners(const std::vector<Point>& points, Face& face) {
  Point middle = {0, 0, 0};
  for (int c : face.corners)
    for (int i = 0; i < 3; ++i) middle[i] += points[c][i] / static_cast<double>(face.corners.size());
  const Point u = minus(points[face.corners[0]], middle), v = outer(face.normal, u);
  std::vector<std::pair<double, int>> angles;
  for (int c : face.corners) {
    const Point d = minus(points[c], middle);
    angles.emplace_back(std::atan2(inner(d, v), inner(d, u)), c);
  }
  std::sort(angles.begin(), angles.end());
  const int n = static_cast<int>(angles.size());
  face.corners.clear();
  for (int a = 0; a < n; ++a) {
    const Point &before = points[angles[(a + n - 1) % n].second], &here = points[angles[a].second];
    const Point &after = points[angles[(a + 1) % n].second], e = minus(here, before), f = minus(after, here);
    if (inner(face.normal, outer(e, f)) > 1e-9 * std::sqrt(inner(e, e) * inner(f, f)))
      face.corners.push_back(angles[a].second);
  }
}

std::vector<Face> all_faces(const std::vector<Point>& points) {
  std::map<std::vector<int>, Face> faces;
  const int n = static_cast<int>(points.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = j + 1; k < n; ++k) {
        Face face;
        if (supporting_face(points, i, j, k, face)) faces[face.corners] = face;
      }
  std::vector<Face> result;
  for (auto& [corners, face] : faces) {
    order_corners(points, face);
    result.push_back(face);
  }
  return result;
}

}  // namespace

Hull convex_hull(const std::vector<Point>& points) {
  const std::vector<Face> faces = all_faces(points);
  std::map<int, std::set<int>> edges;
  for (const Face& face : faces)
    for (std::size_t c = 0; c < face.corners.size(); ++c) {
      const int a = face.corners[c], b = face.corners[(c + 1) % face.corners.size()];
      edges[a].insert(b), edges[b].insert(a);
    }
  Hull hull;
  std::map<int, int> id;
  for (const auto& [vertex, others] : edges) {
    id[vertex] = hull.num_vertices();
    for (double x : points[vertex]) hull.vertices.push_back(x);
  }
  for (const auto& [vertex, others] : edges) {
    hull.neighbor_adr.push_back(static_cast<int>(hull.neighbors.size()));
    hull.neighbor_num.push_back(static_cast<int>(others.size()));
    for (int other : others) hull.neighbors.push_back(id[other]);
  }
  for (const Face& face : faces) {
    for (double x : face.normal) hull.face_normals.push_back(x);
    hull.face_vert_adr.push_back(static_cast<int>(hull.face_verts.size()));
    hull.face_vert_num.push_back(static_cast<int>(face.corners.size()));
    for (int c : face.corners) hull.face_verts.push_back(id[c]);
  }
  return hull;
}

}  // namespace stiction::test
