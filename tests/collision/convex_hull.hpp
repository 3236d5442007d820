// Convex hulls for the tests, by exhaustive search: every plane through three points that has all others on one side.
#pragma once

#include <array>
#include <vector>

namespace stiction::test {

struct Hull {
  std::vector<double> vertices;  // (n, 3) [m]
  std::vector<int> neighbor_adr, neighbor_num, neighbors;
  std::vector<double> face_normals;  // (m, 3)
  std::vector<int> face_vert_adr, face_vert_num, face_verts;

  int num_vertices() const { return static_cast<int>(vertices.size()) / 3; }
  int num_faces() const { return static_cast<int>(face_vert_num.size()); }
};

/// Hull of points that are all its vertices or lie inside; points inside are dropped.
Hull convex_hull(const std::vector<std::array<double, 3>>& points);

}  // namespace stiction::test
