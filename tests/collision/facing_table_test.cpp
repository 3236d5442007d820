// The table of facing faces finds what a search through all faces and all vertices finds, on hulls and among 2,000
// normals.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/collision/support.hpp"
#include "tests/collision/test_shapes.hpp"

namespace stiction::test {
namespace {

/// A direction, on some calls next to a face's normal, an axis, a diagonal of the cube or a border of its cells.
Vec awkward_direction(Random& random, const Hull& hull, int k) {
  const Vec d = random_direction(random);
  if (k % 5 == 1) {
    const int face = static_cast<int>(uniform(random, 0, hull.num_faces()));
    return load3(hull.face_normals.data() + 3 * face) + 1e-9 * d;
  }
  if (k % 5 == 2) return Vec{std::round(d.x), std::round(d.y), 1.0} + (k % 2 == 0 ? 1e-12 : 0.0) * d;
  if (k % 5 == 3) return {std::round(16.0 * d.x) / 16.0, 1.0, std::round(16.0 * d.z) / 16.0};
  return d;
}

template <class Real>
void expect_face_found(const PlacedShape<Real>& mesh, const Vec& direction) {
  const Vec3<Real> d = Placed<Real>::cast((1.0 / norm(direction)) * direction);
  const auto cosine = [&](int face) { return dot(d, load3(mesh.face_normals + 3 * face)); };
  Real most = Real(-2);
  for (int face = 0; face < mesh.num_faces; ++face) most = std::max(most, cosine(face));
  const int found = facing_face(mesh, d);
  EXPECT_GE(cosine(found), most - Real(kFaceTie));
  for (int face = 0; face < found; ++face)
    EXPECT_LT(cosine(face), most - Real(kFaceTie)) << face << " before " << found;
}

/// A climb from any vertex ends as far along the direction as the farthest vertex.
void expect_support_found(const PlacedShape<double>& mesh, const Vec& direction, int start) {
  ConvexCore<double> core = make_core(mesh, {0, 0, 0});
  core.vertex = start % mesh.num_vertices;
  const Vec found = support_hull(core, direction);
  double farthest = -1e300;
  for (int v = 0; v < mesh.num_vertices; ++v)
    farthest = std::max(farthest, dot(direction, load3(mesh.vertices + 3 * v)));
  EXPECT_NEAR(dot(direction, found), farthest, 1e-12 * norm(direction) * norm(found));
}

TestShape shape_of(const Hull& hull) {
  TestShape shape;
  shape.type = GeomType::kMesh, shape.size = {1, 1, 1}, shape.hull = hull;
  return shape;
}

/// Tries `count` directions in both precisions, and calls also(shape in double, direction, k) with each.
template <class Also>
void expect_faces_found(Random& random, const TestShape& shape, int count, Also also) {
  const Placed<double> wide(shape);
  const Placed<float> narrow(shape);
  for (int k = 0; k < count; ++k) {
    const Vec d = awkward_direction(random, shape.hull, k);
    expect_face_found(wide.shape, d);
    expect_face_found(narrow.shape, d);
    also(wide.shape, d, k);
  }
}
constexpr auto kNothingElse = [](const PlacedShape<double>&, const Vec&, int) {};

Hull hull_of_points(Random& random, int count) {
  std::vector<std::array<double, 3>> points;
  for (int i = 0; i < count; ++i) {
    const Vec p = random_direction(random);
    points.push_back({p.x, p.y, p.z});
  }
  return convex_hull(points);
}

/// Normals alone, with one vertex: half of them anywhere, the others in a cone of 3 degrees.
Hull many_normals(Random& random, int count) {
  Hull hull;
  hull.vertices = {0, 0, 0}, hull.neighbor_adr = hull.neighbor_num = {0};
  for (int i = 0; i < count; ++i) {
    const Vec d = random_direction(random), near = Vec{0.5, 1, 0.5} + 0.05 * d,
              n = i % 2 ? d : (1.0 / norm(near)) * near;
    hull.face_normals.insert(hull.face_normals.end(), {n.x, n.y, n.z});
    hull.face_vert_num.push_back(3);
  }
  return hull;
}

TEST(FacingTable, FindsTheFaceThatASearchThroughAllFinds) {
  Random random(31);
  for (int points : {4, 5, 8, 20, 60})
    expect_faces_found(random, shape_of(hull_of_points(random, points)), 400, expect_support_found);
}

TEST(FacingTable, FindsTheFacesOfFlatAndLongHulls) {
  Random random(32);
  for (int kind = 0; kind < 200; ++kind) {
    const auto size = kind % 2 ? SizeKind::kDegenerate : SizeKind::kOrdinary;
    expect_faces_found(random, random_shape(random, GeomType::kMesh, size), 20, expect_support_found);
  }
}

TEST(FacingTable, FindsTheFaceAmongMany) {
  Random random(34);
  expect_faces_found(random, shape_of(many_normals(random, 2000)), 4000, kNothingElse);
}

TEST(FacingTable, ADirectionThatIsNoneHasACell) {
  const double nan = std::nan(""), infinity = INFINITY;
  for (const Vec& d : {Vec{0, 0, 0}, Vec{nan, nan, nan}, Vec{infinity, 0, -infinity}, Vec{1, nan, 0}}) {
    const int cell = facing_cell(d, 7);
    EXPECT_GE(cell, 0);
    EXPECT_LT(cell, 6 * 7 * 7);
  }
}

/// The table is there to be short, also where all normals point up or down.
TEST(FacingTable, IsShort) {
  Random random(33);
  const Hull hull = many_normals(random, 2000);
  EXPECT_LT(table_of(hull).size(), 64u * 2000u);
  Hull lens = hull;
  for (std::size_t i = 0; i < lens.face_normals.size(); i += 3) {
    const Vec d = random_direction(random), n = Vec{0.03 * d.x, 0.03 * d.y, i % 2 == 0 ? 1.0 : -1.0};
    for (int k = 0; k < 3; ++k) lens.face_normals[i + static_cast<std::size_t>(k)] = n[k] / norm(n);
  }
  EXPECT_LT(table_of(lens).size(), 64u * 2000u);
  expect_faces_found(random, shape_of(lens), 400, kNothingElse);
}

}  // namespace
}  // namespace stiction::test
