// Whether an imported hull is a closed convex polytope.
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "host/model/model.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction::test {

// Vertices may stick out of a face's plane by the tolerance with which coplanar triangles were merged, relative to the
// hull's size.
constexpr double kHullTolerance = 5e-6;

/// V − E + F of the faces; 2 for a sphere.
inline int euler_characteristic(const Model& model, int mesh) {
  std::set<int> corners;
  std::set<std::pair<int, int>> edges;
  const int first = model.mesh_face_adr[mesh], count = model.mesh_face_num[mesh];
  for (int f = first; f < first + count; ++f) {
    const int adr = model.mesh_face_vert_adr[f], num = model.mesh_face_vert_num[f];
    for (int i = 0; i < num; ++i) {
      const int a = model.mesh_face_vert[adr + i], b = model.mesh_face_vert[adr + (i + 1) % num];
      corners.insert(a);
      edges.insert(std::minmax(a, b));
    }
  }
  return static_cast<int>(corners.size()) - static_cast<int>(edges.size()) + count;
}

/// Farthest vertex outside any face, relative to the hull's size.
inline double largest_overhang(const Model& model, int mesh) {
  const double* vertices = model.mesh_vert.data() + 3 * model.mesh_vert_adr[mesh];
  const int count = model.mesh_vert_num[mesh];
  double size = 0.0, overhang = 0.0;
  for (int v = 1; v < count; ++v) size = std::max(size, norm(load3(vertices + 3 * v) - load3(vertices)));
  for (int f = model.mesh_face_adr[mesh]; f < model.mesh_face_adr[mesh] + model.mesh_face_num[mesh]; ++f) {
    const Vec3<double> normal = load3(&model.mesh_face_normal[3 * f]);
    const Vec3<double> origin = load3(vertices + 3 * model.mesh_face_vert[model.mesh_face_vert_adr[f]]);
    for (int v = 0; v < count; ++v) overhang = std::max(overhang, dot(load3(vertices + 3 * v) - origin, normal));
  }
  return overhang / size;
}

}  // namespace stiction::test
