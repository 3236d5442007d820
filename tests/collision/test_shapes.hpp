// Shapes and poses for the collision tests, in double, and their view in either precision.
#pragma once

#include <random>
#include <vector>

#include "host/model/facing_table.hpp"
#include "kernels/collision/contact_point.hpp"
#include "kernels/model/types.hpp"
#include "tests/collision/convex_hull.hpp"

namespace stiction::test {

using Vec = Vec3<double>;
using Random = std::mt19937_64;

struct TestShape {
  GeomType type = GeomType::kSphere;
  Vec size = {0, 0, 0};      // [m]
  Vec position = {0, 0, 0};  // [m]
  Mat3<double> rotation = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  Hull hull;
};

/// The hull's table of facing faces; empty for a shape without a hull.
inline std::vector<int> table_of(const Hull& hull) {
  if (hull.num_faces() == 0) return {};
  PlacedShape<double> shape{};
  shape.vertices = hull.vertices.data(), shape.neighbors = hull.neighbors.data();
  shape.neighbor_adr = hull.neighbor_adr.data(), shape.neighbor_num = hull.neighbor_num.data();
  shape.num_faces = hull.num_faces(), shape.face_normals = hull.face_normals.data();
  return facing_table(shape);
}

/// What the narrow phase sees; owns the hull in its own precision.
template <class Real>
struct Placed {
  explicit Placed(const TestShape& from)
      : vertices(from.hull.vertices.begin(), from.hull.vertices.end()),
        normals(from.hull.face_normals.begin(), from.hull.face_normals.end()) {
    shape = {};
    shape.type = static_cast<int>(from.type);
    shape.size = cast(from.size);
    shape.position = cast(from.position);
    for (int i = 0; i < 9; ++i) shape.rotation.m[i] = static_cast<Real>(from.rotation.m[i]);
    shape.num_vertices = from.hull.num_vertices();
    shape.vertices = vertices.data();
    shape.neighbor_adr = from.hull.neighbor_adr.data();
    shape.neighbor_num = from.hull.neighbor_num.data();
    shape.neighbors = from.hull.neighbors.data();
    shape.num_faces = from.hull.num_faces();
    shape.face_normals = normals.data();
    shape.face_vert_adr = from.hull.face_vert_adr.data();
    shape.face_vert_num = from.hull.face_vert_num.data();
    shape.face_verts = from.hull.face_verts.data();
    facing = table_of(from.hull);
    shape.facing = facing.data();
  }
  Placed(const Placed&) = delete;
  static Vec3<Real> cast(const Vec& a) {
    return {static_cast<Real>(a.x), static_cast<Real>(a.y), static_cast<Real>(a.z)};
  }

  std::vector<Real> vertices, normals;
  std::vector<int> facing;
  PlacedShape<Real> shape;
};

const char* name_of(GeomType type);
Hull box_hull(const Vec& half);

double uniform(Random& random, double low, double high);
Vec random_direction(Random& random);
Mat3<double> random_rotation(Random& random);

enum class SizeKind { kOrdinary, kDegenerate };
TestShape random_shape(Random& random, GeomType type, SizeKind kind);

enum class PoseKind { kNear, kTouching, kDeep, kParallel, kCoincident };
constexpr int kPoseKinds = 5;

/// Moves B (and turns it, for kParallel) to a pose of that kind against A.
void pose_pair(Random& random, PoseKind kind, TestShape& A, TestShape& B);

}  // namespace stiction::test
