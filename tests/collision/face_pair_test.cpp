// Closest points over a flat face: what is found without a search, and what is left to one.
#include "kernels/collision/face_pair.hpp"

#include <gtest/gtest.h>

#include <array>

#include "kernels/linalg/rotation.hpp"
#include "tests/collision/certificate.hpp"

namespace stiction::test {
namespace {

constexpr double kTie = 2.5e-10;  // [m]
constexpr double kRounding = 1e-15;

/// A shape of that type at a position, not turned.
TestShape shape_at(GeomType type, const Vec& size, const Vec& position) {
  TestShape shape;
  shape.type = type, shape.size = size, shape.position = position;
  return shape;
}

/// Turns the shape about its own axis `along` by `angle`.
void turn(const Vec& along, double angle, TestShape& shape) {
  shape.rotation = to_matrix(turn_about(along, angle)) * shape.rotation;
}

struct Found {
  DirectPair end;
  ClosestPair pair;
};

/// Looks on the faces of A; cores are relative to the world's origin.
Found look_on(const TestShape& A, const TestShape& B, double farthest = 1.0, const Vec& guess = {0, 0, 0}) {
  const Placed<double> a(A), b(B);
  ConvexCore<double> core_A = make_core(a.shape, Vec{0, 0, 0}), core_B = make_core(b.shape, Vec{0, 0, 0});
  Found found;
  found.end = find_pair_on_faces(core_A, core_B, farthest, kTie, guess, 1.0, found.pair);
  return found;
}

const TestShape kTable = shape_at(GeomType::kBox, {1, 2, 0.5}, {0, 0, -0.5});  // its top is z = 0
const TestShape kPost = shape_at(GeomType::kCylinder, {0.3, 1, 0}, {0, 0, -1});

void expect_pair(const Found& found, double gap, const Vec& p_B) {
  ASSERT_EQ(found.end, DirectPair::kFound);
  EXPECT_EQ(found.pair.normal.z, 1.0);
  EXPECT_NEAR(found.pair.gap, gap, kRounding);
  EXPECT_LE(norm(found.pair.p_B - p_B), kRounding);
  EXPECT_LE(norm(found.pair.p_A - Vec{p_B.x, p_B.y, 0}), kRounding);
}

TEST(FacePair, AnEllipsoidOverAFaceShowsItsLowestPoint) {
  for (const TestShape& under : {kTable, kPost})
    for (const double gap : {0.1, 1e-9, 0.0, -1e-9, -0.01})
      expect_pair(look_on(under, shape_at(GeomType::kEllipsoid, {0.2, 0.3, 0.1}, {0.2, 0, 0.1 + gap})), gap,
                  {0.2, 0, gap});
}

TEST(FacePair, TheSecondShapeMayHaveTheFace) {
  const TestShape ball = shape_at(GeomType::kEllipsoid, {0.2, 0.3, 0.1}, {0.2, 0.5, 0.15});
  const Placed<double> a(ball), b(kTable);
  ConvexCore<double> A = make_core(a.shape, Vec{0, 0, 0}), B = make_core(b.shape, Vec{0, 0, 0});
  ClosestPair pair;
  ASSERT_EQ(find_pair_on_faces(B, A, 1.0, kTie, Vec{0, 0, 0}, -1.0, pair), DirectPair::kFound);
  EXPECT_EQ(pair.normal.z, -1.0);
  EXPECT_NEAR(pair.gap, 0.05, kRounding);
  EXPECT_NEAR(pair.p_A.z, 0.05, kRounding);
  EXPECT_NEAR(pair.p_B.z, 0.0, kRounding);
}

TEST(FacePair, FartherThanAskedIsApart) {
  const TestShape ball = shape_at(GeomType::kEllipsoid, {0.1, 0.1, 0.1}, {0, 0, 0.3});
  EXPECT_EQ(look_on(kTable, ball, 0.19).end, DirectPair::kApart);
  EXPECT_EQ(look_on(kTable, ball, 0.21).end, DirectPair::kFound);
}

TEST(FacePair, APointBesideTheFaceIsLeftToItsEdgeOrToASearch) {
  const Found beside = look_on(kTable, shape_at(GeomType::kEllipsoid, {0.1, 0.1, 0.1}, {1.3, 0, 0.4}));
  ASSERT_EQ(beside.end, DirectPair::kFound);
  EXPECT_NEAR(beside.pair.gap, 0.4, kRounding);
  EXPECT_LE(norm(beside.pair.normal - Vec{0.6, 0, 0.8}), kRounding);
  EXPECT_EQ(look_on(kTable, shape_at(GeomType::kEllipsoid, {0.1, 0.1, 0.1}, {1.01, 2.01, 0.3})).end, DirectPair::kNone);
  EXPECT_EQ(look_on(kPost, shape_at(GeomType::kEllipsoid, {0.1, 0.1, 0.1}, {0.22, 0.22, 0.3})).end, DirectPair::kNone);
}

TEST(FacePair, ADeepPointThatIsNearerToAnotherFaceIsLeftToASearch) {
  const double reach = 0.05;  // how far the point is from the side of the table
  const Vec size = {0.1, 0.1, 0.1};
  const auto lowest_at = [&](double depth) {
    return look_on(kTable, shape_at(GeomType::kEllipsoid, size, {1 - reach, 0, 0.1 - depth}), 1.0, {0, 0, 1}).end;
  };
  EXPECT_EQ(lowest_at(0.99 * reach), DirectPair::kFound);
  EXPECT_EQ(lowest_at(1.01 * reach), DirectPair::kNone);
}

TEST(FacePair, OfALineThatReachesBeyondTheFaceAPointOverItCounts) {
  for (const double depth : {-1e-3, 0.0, 1e-9}) {
    TestShape rod = shape_at(GeomType::kCylinder, {0.1, 3, 0}, {0, 0, 0.1 - depth});
    turn({0, 1, 0}, 1.5707963267948966, rod);
    const Found found = look_on(kTable, rod);
    ASSERT_EQ(found.end, DirectPair::kFound) << depth;
    EXPECT_NEAR(found.pair.gap, -depth, kTie);
    EXPECT_LE(std::fabs(found.pair.p_B.x), 1.0);
  }
}

TEST(FacePair, ALineThatIsTiltedByMoreThanATieIsLeftToASearch) {
  TestShape rod = shape_at(GeomType::kCapsule, {0.1, 3, 0}, {0, 0, 0.1});
  turn({0, 1, 0}, 1.5707963267948966 - 1e-6, rod);  // lowest 2 m beyond the table: 2e-6 m deeper than over its edge
  EXPECT_EQ(look_on(kTable, rod).end, DirectPair::kNone);
}

TEST(FacePair, WhatIsFoundIsTheLeastDirectionOfAll) {
  Random random(7);
  int found_some = 0;
  const std::array<GeomType, 4> others = {GeomType::kCapsule, GeomType::kCylinder, GeomType::kEllipsoid,
                                          GeomType::kMesh};
  for (int k = 0; k < 2000; ++k) {
    TestShape A = random_shape(random, k % 2 == 0 ? GeomType::kBox : GeomType::kCylinder, SizeKind::kOrdinary);
    TestShape B = random_shape(random, others[k / 2 % 4], SizeKind::kOrdinary);
    pose_pair(random, static_cast<PoseKind>(k % kPoseKinds), A, B);
    const Found found = look_on(A, B, 10.0);
    if (found.end != DirectPair::kFound) continue;
    ++found_some;
    const double radius = is_rounded(B.type) ? B.size.x : 0.0;
    const Vec n = found.pair.normal;
    ASSERT_NEAR(overlap_along(A, B, n), radius - found.pair.gap, 1e-9) << k;
    ASSERT_LE(distance_from_surface(A, found.pair.p_A), 1e-9) << k;
    if (found.pair.gap < 0 && radius == 0.0) {
      ASSERT_LE(-found.pair.gap, least_overlap(random, A, B, n, 2000) + 1e-9) << k;
    }
  }
  EXPECT_GE(found_some, 200);
}

}  // namespace
}  // namespace stiction::test
