#include "kernels/collision/broad_bounds.hpp"

#include "kernels/collision/placed_shape.hpp"
#include "tests/collision/certificate.hpp"
#include "tests/collision/narrow_phase_fixture.hpp"

namespace stiction::test {
namespace {

constexpr double kRounding = 1e-12;  // of a gap [m]
constexpr double kFar = 1e6;         // beyond every gap here [m]

OrientedBox<double> as_box(const TestShape& shape) { return {shape.position, shape.size, shape.rotation}; }

TEST(BroadBounds, NeverExceedTheGapOfBoxes) {
  Random random(7);
  for (int k = 0; k < 3000; ++k) {
    TestShape A = random_shape(random, GeomType::kBox, SizeKind::kOrdinary);
    TestShape B = random_shape(random, GeomType::kBox, SizeKind::kOrdinary);
    pose_pair(random, static_cast<PoseKind>(k % kPoseKinds), A, B);
    const double gap = collide_shapes(A, B).point[0].gap;
    const double radius_A = norm(A.size), radius_B = norm(B.size);
    const double loose = box_gap_bound(as_box(A), radius_A, as_box(B), radius_B, -kFar);
    const double tight = box_gap_bound(as_box(A), radius_A, as_box(B), radius_B, kFar);
    EXPECT_LE(loose, tight);
    EXPECT_LE(tight, gap + kRounding);
    EXPECT_LE(sphere_gap_bound(A.position, radius_A, B.position, radius_B), gap + kRounding);
  }
}

TEST(BroadBounds, AreExactForABoxOverAPlane) {
  Random random(8);
  for (int k = 0; k < 300; ++k) {
    const TestShape plane = random_shape(random, GeomType::kPlane, SizeKind::kOrdinary);
    const TestShape box = random_shape(random, GeomType::kBox, SizeKind::kOrdinary);
    const double bound = plane_gap_bound(plane.position, plane.rotation.column(2), as_box(box));
    EXPECT_NEAR(bound, collide_shapes(plane, box).point[0].gap, kRounding);
  }
}

TEST(BroadBounds, AreTheGapOfParallelBoxes) {
  const OrientedBox<double> A = as_box(make_shape(GeomType::kBox, {1, 2, 3}));
  const OrientedBox<double> B = as_box(make_shape(GeomType::kBox, {1, 2, 3}, {0.5, 5, -1}));
  EXPECT_NEAR(box_gap_bound(A, norm(A.half), B, norm(B.half), kFar), 1, kRounding);
}

TEST(BroadBounds, OfABoxAndASphereAreTheDistanceFromTheBox) {
  const OrientedBox<double> plate = as_box(make_shape(GeomType::kBox, {10, 10, 0.1}));
  const OrientedBox<double> ball = as_box(make_shape(GeomType::kSphere, {0.5, 0.5, 0.5}, {7, -8, 3}));
  EXPECT_NEAR(box_gap_bound(plate, norm(plate.half), ball, 0.5, 2.0), 2.4, kRounding);
  EXPECT_NEAR(box_gap_bound(ball, 0.5, plate, norm(plate.half), 2.0), 2.4, kRounding);
}

TEST(PlacedShape, PointsAtTheHullOfItsMesh) {
  ModelView<double> model;
  const int geom_type[] = {static_cast<int>(GeomType::kBox), static_cast<int>(GeomType::kMesh)};
  const int geom_mesh[] = {-1, 1}, vert_adr[] = {0, 4}, vert_num[] = {4, 8}, face_adr[] = {0, 4}, face_num[] = {4, 6};
  const double size[] = {1, 2, 3, 0, 0, 0}, vertices[36] = {}, normals[30] = {};
  const int neighbor_adr[12] = {}, neighbor_num[12] = {}, neighbors[4] = {}, face_vert_adr[10] = {};
  const int face_vert_num[10] = {}, face_verts[4] = {};
  model.geom_type = geom_type, model.geom_mesh = geom_mesh, model.geom_size = size;
  model.mesh_vert_adr = vert_adr, model.mesh_vert_num = vert_num, model.mesh_vert = vertices;
  model.mesh_neighbor_adr = neighbor_adr, model.mesh_neighbor_num = neighbor_num, model.mesh_neighbor = neighbors;
  model.mesh_face_adr = face_adr, model.mesh_face_num = face_num, model.mesh_face_normal = normals;
  model.mesh_face_vert_adr = face_vert_adr, model.mesh_face_vert_num = face_vert_num;
  model.mesh_face_vert = face_verts;
  const int facing_adr[] = {0, 17}, facing[20] = {};
  model.mesh_facing_adr = facing_adr, model.mesh_facing = facing;
  const Mat3<double> level = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const PlacedShape<double> box = place_shape(model, 0, {7, 8, 9}, level);
  expect_vec_near(box.size, {1, 2, 3}, 0);
  expect_vec_near(box.position, {7, 8, 9}, 0);
  EXPECT_EQ(box.num_vertices, 0);
  const PlacedShape<double> mesh = place_shape(model, 1, {7, 8, 9}, level);
  EXPECT_EQ(mesh.num_vertices, 8);
  EXPECT_EQ(mesh.vertices, vertices + 12);
  EXPECT_EQ(mesh.neighbor_adr, neighbor_adr + 4);
  EXPECT_EQ(mesh.num_faces, 6);
  EXPECT_EQ(mesh.face_normals, normals + 12);
  EXPECT_EQ(mesh.face_vert_num, face_vert_num + 4);
  EXPECT_EQ(mesh.facing, facing + 17);
}

}  // namespace
}  // namespace stiction::test
