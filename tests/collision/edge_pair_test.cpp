// Closest points on an edge of a box: what is found without a search, and what is left to one.
#include "kernels/collision/edge_pair.hpp"

#include <gtest/gtest.h>

#include "kernels/linalg/rotation.hpp"
#include "tests/collision/certificate.hpp"

namespace stiction::test {
namespace {

using collision_detail::BoxEdge;

constexpr double kRounding = 1e-14;
constexpr double kHalfRoot = 0.70710678118654752;

TestShape shape_at(GeomType type, const Vec& size, const Vec& position) {
  TestShape shape;
  shape.type = type, shape.size = size, shape.position = position;
  return shape;
}

const TestShape kBlock = shape_at(GeomType::kBox, {1, 2, 0.5}, {0, 0, -0.5});
const BoxEdge kEdge = {kBlock.size, {2, 0, 1}, {1, 1}};  // x = 1, z = 0, along y
const Vec kOutward = {kHalfRoot, 0, kHalfRoot};

struct Found {
  DirectPair end;
  ClosestPair pair;
};

template <class Real = double>
Found look_along(const BoxEdge& edge, const TestShape& box, const TestShape& B, double farthest = 1.0,
                 double sign = 1.0) {
  const Placed<Real> a(box), b(B);
  const Vec3<Real> origin = {Real(0), Real(0), Real(0)};
  Found found;
  found.end =
      find_pair_on_edge(make_core(a.shape, origin), make_core(b.shape, origin), edge, farthest, sign, found.pair);
  return found;
}

/// A ball of radius 0.1 at this gap from the edge's point at y, as an ellipsoid.
TestShape ball_at(double gap, double y) {
  return shape_at(GeomType::kEllipsoid, {0.1, 0.1, 0.1}, Vec{1, y, 0} + (0.1 + gap) * kOutward);
}

/// From the lowest point of an ellipsoid along n to where that point would be below its centre.
Vec lowest_beside(const TestShape& egg, const Vec& n) {
  const Placed<double> placed(egg);
  ConvexCore<double> core = make_core(placed.shape, egg.position);
  const Vec lowest = support(core, -n);
  return dot(lowest, n) * n - lowest;
}

TEST(EdgePair, ABallBesideAnEdge) {
  for (const double gap : {0.1, 1e-9, 0.0, -1e-9, -0.09}) {
    const Found found = look_along(kEdge, kBlock, ball_at(gap, 0.7));
    ASSERT_EQ(found.end, DirectPair::kFound) << gap;
    EXPECT_NEAR(found.pair.gap, gap, kRounding);
    EXPECT_LE(norm(found.pair.normal - kOutward), kRounding);
    EXPECT_LE(norm(found.pair.p_A - Vec{1, 0.7, 0}), kRounding);
    EXPECT_LE(norm(found.pair.p_B - found.pair.p_A - gap * kOutward), kRounding);
  }
}

TEST(EdgePair, TheBoxMayBeTheSecondShape) {
  const Found found = look_along(kEdge, kBlock, ball_at(0.05, 0), 1.0, -1.0);
  ASSERT_EQ(found.end, DirectPair::kFound);
  EXPECT_LE(norm(found.pair.normal + kOutward), kRounding);
  EXPECT_LE(norm(found.pair.p_B - Vec{1, 0, 0}), kRounding);
  EXPECT_NEAR(found.pair.gap, 0.05, kRounding);
}

TEST(EdgePair, TheSideOfACylinderAcrossAnEdge) {
  for (const double gap : {0.1, 1e-9, 0.0, -1e-9, -0.05})
    for (const double turn : {0.0, 0.4, -1.2}) {  // about the normal
      const double r = 0.2;
      TestShape rod = shape_at(GeomType::kCylinder, {r, 1, 0}, Vec{1, 0.5, 0} + (r + gap) * kOutward);
      const Mat3<double> across = to_matrix(turn_about({0, 1, 0}, 3 * 0.78539816339744831));
      rod.rotation = to_matrix(turn_about(kOutward, turn)) * across;
      const Found found = look_along(kEdge, kBlock, rod);
      ASSERT_EQ(found.end, DirectPair::kFound) << gap << ' ' << turn;
      EXPECT_NEAR(found.pair.gap, gap, kRounding);
      EXPECT_LE(norm(found.pair.normal - kOutward), kRounding);
      EXPECT_LE(norm(found.pair.p_A - Vec{1, 0.5, 0}), kRounding);
    }
}

TEST(EdgePair, ACylinderBesideAnEdgeTouchesInTheMiddleOfWhatTheyShare) {
  for (const double gap : {0.1, 0.0, -1e-9, -0.05}) {
    TestShape roller = shape_at(GeomType::kCylinder, {0.2, 1, 0}, Vec{1, 1.8, 0} + (0.2 + gap) * kOutward);
    roller.rotation = to_matrix(turn_about({1, 0, 0}, 1.5707963267948966));
    const Found found = look_along(kEdge, kBlock, roller);
    ASSERT_EQ(found.end, DirectPair::kFound) << gap;
    EXPECT_NEAR(found.pair.gap, gap, kRounding);
    EXPECT_LE(norm(found.pair.p_A - Vec{1, 1.4, 0}), kRounding);  // from y = 0.8 to 2
  }
}

/// A roller along kEdge, tilted by `tilt` about the normal across both and by `skew` about that of the edge, which its
/// deepest point overlaps by `depth`.
TestShape tilted_roller(double half_length, double y, double tilt, double skew, double depth) {
  TestShape roller = shape_at(GeomType::kCylinder, {0.2, half_length, 0}, {0, 0, 0});
  const Mat3<double> along = to_matrix(turn_about({1, 0, 0}, 1.5707963267948966));
  const Mat3<double> turned = to_matrix(turn_about(kOutward, skew)) * along;
  roller.rotation = to_matrix(turn_about({kHalfRoot, 0, -kHalfRoot}, tilt)) * turned;
  roller.position = Vec{1, y, 0} + (support_height(roller, -kOutward) - depth) * kOutward;
  return roller;
}

TEST(EdgePair, TheRimOfACylinderThatLiesAlongTheEdgeMayOverlap) {
  Random random(13);
  for (const double tilt : {1e-11, -1e-9, 1e-6, -1e-3, 0.1, -0.25})
    for (const double skew : {0.0, 1e-9, -0.01})
      for (const double depth : {-0.01, 1e-12, 1e-9, 1e-5, 0.01}) {
        const TestShape roller = tilted_roller(0.7, 0.3, tilt, skew, depth);
        const Found found = look_along(kEdge, kBlock, roller);
        ASSERT_EQ(found.end, DirectPair::kFound) << tilt << ' ' << skew << ' ' << depth;
        EXPECT_LE(std::fabs(overlap_along(kBlock, roller, found.pair.normal) + found.pair.gap), kRounding);
        EXPECT_LE(distance_from_surface(roller, found.pair.p_B), kRounding);
        EXPECT_LE(-found.pair.gap, depth + kRounding);
        if (depth > 0) {
          EXPECT_LE(-found.pair.gap, least_overlap(random, kBlock, roller, found.pair.normal, 2000) + kRounding);
        }
      }
}

TEST(EdgePair, ACylinderThatIsLongerThanTheEdgeTouchesACorner) {
  Random random(14);
  for (const double tilt : {1e-9, -1e-6, 1e-3, -0.1})
    for (const double depth : {-0.01, 1e-9, 0.01}) {
      TestShape roller = tilted_roller(3, 0, tilt, 0, 0);
      const Vec axis = roller.rotation.column(2);
      const Vec corner = {1, axis.y * dot(axis, kOutward) < 0 ? 2.0 : -2.0, 0};  // at the lower end
      const Vec arm = corner - roller.position, radial = arm - dot(arm, axis) * axis;
      roller.position += ((norm(radial) - 0.2 + depth) / norm(radial)) * radial;
      const Found found = look_along(kEdge, kBlock, roller);
      ASSERT_EQ(found.end, DirectPair::kFound) << tilt << ' ' << depth;
      EXPECT_NEAR(found.pair.gap, -depth, kRounding);
      EXPECT_LE(norm(found.pair.p_A - corner), kRounding);
      EXPECT_LE(std::fabs(overlap_along(kBlock, roller, found.pair.normal) - depth), 4 * kRounding);
      if (depth > 0) {
        EXPECT_LE(depth, least_overlap(random, kBlock, roller, found.pair.normal, 2000) + kRounding);
      }
    }
}

TEST(EdgePair, ACylinderAsLongAsTheEdgeTouchesACornerWithItsRim) {
  Random random(15);
  for (const double tilt : {0.0, 1e-16, -1e-13, 1e-11, -1e-9, 1e-6, 1e-3, -0.05})
    for (const double skew : {0.0, 1e-12, -1e-9, 1e-4})
      for (const double shift : {0.0, 1e-16, -1e-15, 1e-12, -1e-10, 1e-6, -1e-4})
        for (const double depth : {-0.01, 0.0, 1e-15, 1e-12, 1e-9, 1e-5, 0.01}) {
          const TestShape roller = tilted_roller(2, shift, tilt, skew, depth);
          const Found found = look_along(kEdge, kBlock, roller);
          ASSERT_EQ(found.end, DirectPair::kFound) << tilt << ' ' << skew << ' ' << shift << ' ' << depth;
          EXPECT_LE(std::fabs(overlap_along(kBlock, roller, found.pair.normal) + found.pair.gap), 4 * kRounding);
          EXPECT_LE(distance_from_surface(roller, found.pair.p_B), kRounding);
          EXPECT_LE(distance_from_surface(kBlock, found.pair.p_A), kRounding);
          if (depth > 0) {
            EXPECT_LE(-found.pair.gap, least_overlap(random, kBlock, roller, found.pair.normal, 500) + kRounding);
          }
        }
}

TEST(EdgePair, TheRimOfACylinderThatDoesNotOverlap) {
  TestShape post =
      shape_at(GeomType::kCylinder, {0.1, 1, 0}, {1.15, 0, 1.05});  // upright; its lower end beside the edge
  const Found found = look_along(kEdge, kBlock, post);
  ASSERT_EQ(found.end, DirectPair::kFound);
  EXPECT_NEAR(found.pair.gap, std::hypot(0.05, 0.05), kRounding);
  EXPECT_LE(norm(found.pair.p_B - Vec{1.05, 0, 0.05}), kRounding);
}

TEST(EdgePair, OthersAreLeftToASearch) {
  EXPECT_EQ(look_along(kEdge, kBlock, ball_at(0.05, 2.01)).end, DirectPair::kNone) << "beyond the end of the edge";
  EXPECT_EQ(look_along(kEdge, kBlock, ball_at(-0.101, 0)).end, DirectPair::kNone) << "deeper than its radius";
  EXPECT_EQ(look_along(kEdge, kBlock, shape_at(GeomType::kEllipsoid, {0.1, 0.1, 0.1}, {0.9, 0, 0.2})).end,
            DirectPair::kNone)
      << "over a face";
  EXPECT_EQ(look_along(kEdge, kBlock, shape_at(GeomType::kCapsule, {0.1, 0.2, 0}, {1.2, 0, 0.2})).end,
            DirectPair::kNone);
  TestShape post = shape_at(GeomType::kCylinder, {0.1, 1, 0}, {1.05, 0, 0.99});
  post.rotation = to_matrix(turn_about({0, 1, 0}, 0.3));
  EXPECT_EQ(look_along(kEdge, kBlock, post).end, DirectPair::kNone) << "a rim that overlaps";
}

TEST(EdgePair, FartherThanAskedIsApart) {
  EXPECT_EQ(look_along(kEdge, kBlock, ball_at(0.2, 0), 0.19).end, DirectPair::kApart);
  EXPECT_EQ(look_along(kEdge, kBlock, ball_at(0.2, 0), 0.21).end, DirectPair::kFound);
}

/// An edge of a box at any angle, and what touches it along a normal between those of its faces.
TEST(EdgePair, FindsNearlyAllInEitherPrecision) {
  Random random(12);
  const int count = 2000;
  int in_double = 0, in_float = 0;
  for (int k = 0; k < count; ++k) {
    const double angle = uniform(random, 0.05, 1.5), gap = uniform(random, -1e-3, 0.02), y = uniform(random, -1, 1);
    const Mat3<double> turn = random_rotation(random);
    const Vec n = {std::cos(angle), 0, std::sin(angle)};
    TestShape box = shape_at(GeomType::kBox, {0.2, 1.5, 0.1}, {0, 0, 0});
    TestShape egg = shape_at(GeomType::kEllipsoid, {0.05, 0.02, 0.1}, {0, 0, 0});
    egg.rotation = random_rotation(random);
    egg.position = Vec{0.2, y, 0.1} + (gap + support_height(egg, -n)) * n;  // its lowest point is over the edge's
    egg.position += lowest_beside(egg, n);
    for (TestShape* shape : {&box, &egg}) {
      shape->position = turn * shape->position;
      shape->rotation = turn * shape->rotation;
    }
    const BoxEdge edge = {box.size, {0, 2, 1}, {1, 1}};
    const Found found = look_along(edge, box, egg), rounded = look_along<float>(edge, box, egg);
    in_double += found.end == DirectPair::kFound, in_float += rounded.end == DirectPair::kFound;
    if (found.end == DirectPair::kFound) {
      ASSERT_NEAR(found.pair.gap, gap, 1e-12) << k;
    }
    if (rounded.end == DirectPair::kFound) {
      ASSERT_NEAR(rounded.pair.gap, gap, 1e-6) << k;
    }
  }
  EXPECT_GE(in_double, 0.99 * count);
  EXPECT_GE(in_float, 0.99 * count);
}

TEST(EdgePair, WhatIsFoundIsTheLeastDirectionOfAll) {
  Random random(11);
  int separated = 0, overlapping = 0;
  for (int k = 0; k < 4000; ++k) {
    TestShape A = random_shape(random, GeomType::kBox, SizeKind::kOrdinary);
    TestShape B = random_shape(random, k % 2 == 0 ? GeomType::kEllipsoid : GeomType::kCylinder, SizeKind::kOrdinary);
    pose_pair(random, static_cast<PoseKind>(k % kPoseKinds), A, B);
    for (int edge = 0; edge < 12; ++edge) {
      const int axis = edge / 4;
      const BoxEdge at = {
          A.size, {axis, (axis + 1) % 3, (axis + 2) % 3}, {edge & 1 ? 1.0 : -1.0, edge & 2 ? 1.0 : -1.0}};
      const Found found = look_along(at, A, B, 10.0);
      if (found.end != DirectPair::kFound) continue;
      const ClosestPair& pair = found.pair;
      ASSERT_NEAR(overlap_along(A, B, pair.normal), -pair.gap, 1e-9) << k;
      ASSERT_LE(distance_from_surface(A, pair.p_A), 1e-9) << k;
      ASSERT_LE(distance_from_surface(B, pair.p_B), 1e-9) << k;
      ASSERT_NEAR(norm(pair.p_B - pair.p_A), std::fabs(pair.gap), 1e-9) << k;
      if (pair.gap < 0) {
        ASSERT_LE(-pair.gap, least_overlap(random, A, B, pair.normal, 2000) + 1e-9) << k;
      }
      ++(pair.gap < 0 ? overlapping : separated);
    }
  }
  EXPECT_GE(separated, 200);
  EXPECT_GE(overlapping, 100);
}

}  // namespace
}  // namespace stiction::test
