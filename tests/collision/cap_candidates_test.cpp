// Claims: where a step ends, the candidates of a cap and a face are the corners of their overlap: where edges cross the
// rim, corners of the face within it, and points of the rim over the face.
#include "kernels/collision/cap_candidates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/collision/test_shapes.hpp"

namespace stiction::test {
namespace {

constexpr double kRadius = 0.2;

struct Point {
  double x, y;
};

/// Where the border of the rectangle with the half sides a, b, turned by `angle` and moved by (x, y), crosses the
/// circle around the origin, and its corners within it: by the angles at which a side is met, not by shares of the
/// side.
std::vector<Point> corners_of_overlap(double a, double b, double angle, double x, double y) {
  const double c = std::cos(angle), s = std::sin(angle);
  const double u = c * x + s * y, v = c * y - s * x;  // the rectangle's centre along its own sides
  std::vector<Point> found;
  const auto add = [&](double along, double across) {
    if (std::fabs(along - u) <= a + 1e-12 && std::fabs(across - v) <= b + 1e-12)
      found.push_back({c * along - s * across, s * along + c * across});
  };
  for (const double sign : {-1.0, 1.0}) {
    const double p = u + sign * a, q = v + sign * b;
    for (const double turn : {-1.0, 1.0}) {
      if (std::fabs(p) < kRadius) add(p, turn * kRadius * std::sin(std::acos(p / kRadius)));
      if (std::fabs(q) < kRadius) add(turn * kRadius * std::sin(std::acos(q / kRadius)), q);
      if (std::hypot(p, v + turn * b) < kRadius) add(p, v + turn * b);
    }
  }
  return found;
}

/// Distance of the nearest candidate on B, seen from above [m].
double nearest(const ContactCandidates<double>& candidates, const Point& p) {
  double least = INFINITY;
  for (int k = 0; k < candidates.count; ++k)
    least = std::fmin(least, std::hypot(candidates.p_B[k].x - p.x, candidates.p_B[k].y - p.y));
  return least;
}

const Vec kUp = {0.0, 0.0, 1.0};

/// A cylinder that stands with its upper cap at the height 0, and a box on it, shifted and turned about z.
class BoxOnCap : public testing::Test {
 protected:
  BoxOnCap() {
    cylinder.type = GeomType::kCylinder, cylinder.size = {kRadius, 0.3, 0.0}, cylinder.position = {0.0, 0.0, -0.3};
    box.type = GeomType::kBox;
  }
  void put_box(double a, double b, double angle, double x, double y) {
    const double c = std::cos(angle), s = std::sin(angle);
    box.size = {a, b, 0.1}, box.position = {x, y, 0.1}, box.rotation = {{c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
  }
  /// False if they are not those of a cap; relative to the position of `A`.
  bool find(const TestShape& A, const TestShape& B, const Vec& n) {
    const Placed<double> placed_A(A), placed_B(B);
    find_features(placed_A.shape, placed_B.shape, n, A.position, scratch);
    return find_cap_candidates<double>(placed_A.shape, placed_B.shape, n, 0.01, scratch);
  }
  TestShape cylinder, box;
  CollisionScratch<double> scratch{};
};

TEST_F(BoxOnCap, HasTheCornersOfTheOverlap) {
  Random dice(7);
  int corners = 0;
  for (int k = 0; k < 500; ++k) {
    const double a = uniform(dice, 0.02, 0.3), b = uniform(dice, 0.02, 0.3), angle = uniform(dice, -3.0, 3.0),
                 x = uniform(dice, -0.3, 0.3), y = uniform(dice, -0.3, 0.3);
    put_box(a, b, angle, x, y);
    ASSERT_TRUE(find(cylinder, box, kUp));
    for (const Point& p : corners_of_overlap(a, b, angle, x, y)) {
      ++corners;
      EXPECT_LT(nearest(scratch.candidates, p), 1e-9) << k;  // a crossing along the rim is known to half the digits
    }
    for (int i = 0; i < scratch.candidates.count; ++i) {
      const Vec &p = scratch.candidates.p_A[i], &q = scratch.candidates.p_B[i];
      EXPECT_LE(std::hypot(p.x, p.y), kRadius + 1e-14) << k;
      EXPECT_LE(norm(p - q), 1e-14) << k;
      EXPECT_NEAR(p.z, 0.3, 1e-14) << k;
    }
  }
  EXPECT_GT(corners, 1000);
}

TEST_F(BoxOnCap, IsTheSameFromEitherSide) {
  put_box(0.1, 0.3, 0.4, 0.15, 0.0);
  ASSERT_TRUE(find(cylinder, box, kUp));
  const ContactCandidates<double> from_below = scratch.candidates;
  ASSERT_TRUE(find(box, cylinder, -kUp));
  ASSERT_EQ(scratch.candidates.count, from_below.count);
  for (int k = 0; k < from_below.count; ++k) {
    EXPECT_LT(norm(box.position + scratch.candidates.p_B[k] - cylinder.position - from_below.p_A[k]), 1e-15);
    EXPECT_LT(norm(box.position + scratch.candidates.p_A[k] - cylinder.position - from_below.p_B[k]), 1e-15);
  }
}

TEST_F(BoxOnCap, LeavesTwoCapsToTheCut) {
  TestShape other = cylinder;
  other.position = {0.1, 0.0, 0.3};
  EXPECT_FALSE(find(cylinder, other, kUp));
}

TEST_F(BoxOnCap, HasTheStretchOfACylinderOnItsSide) {
  TestShape lying = cylinder;
  lying.position = {0.0, 0.1, kRadius}, lying.rotation = {{0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0}};
  ASSERT_TRUE(find(cylinder, lying, kUp));
  ASSERT_EQ(scratch.candidates.count, 2);
  const double half = std::sqrt(kRadius * kRadius - 0.01);
  for (const double sign : {-1.0, 1.0}) EXPECT_LT(nearest(scratch.candidates, {sign * half, 0.1}), 1e-15);
}

TEST_F(BoxOnCap, KnowsContactsOnEdges) {
  put_box(0.1, 0.3, 0.0, 0.0, 0.0);
  const Placed<double> on_cap(box), round(cylinder);
  EXPECT_TRUE(is_crossing<double>(round.shape, on_cap.shape, {0.1, 0.05, -0.1}));
  EXPECT_FALSE(is_crossing<double>(round.shape, on_cap.shape, {0.09, 0.05, -0.1}));
  EXPECT_FALSE(is_crossing<double>(on_cap.shape, on_cap.shape, {0.1, 0.05, -0.1}));
  EXPECT_TRUE(is_crossing<double>(round.shape, round.shape, {kRadius, 0.0, 0.1}));  // on the side
  EXPECT_FALSE(is_crossing<double>(round.shape, round.shape, {kRadius, 0.0, 0.3}));
  TestShape mesh = box;
  mesh.type = GeomType::kMesh, mesh.hull = box_hull(box.size);
  const Placed<double> hull(mesh);
  EXPECT_TRUE(is_crossing<double>(round.shape, hull.shape, {0.1, 0.05, -0.1}));
  EXPECT_FALSE(is_crossing<double>(round.shape, hull.shape, {0.09, 0.05, -0.1}));
}

}  // namespace
}  // namespace stiction::test
