// Claims: the mean radius of a patch is that of its closed form, whatever the order of its points.
#include "kernels/patch/mean_radius.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/patch/tolerances.hpp"

namespace stiction {
namespace {

using test::tolerance::kRadius;

Manifold<double> manifold_of(const std::vector<Vec3<double>>& points) {
  Manifold<double> manifold;
  for (const Vec3<double>& p : points) manifold.point[manifold.count++] = {p, p, {0.0, 0.0, 1.0}, 0.0};
  return manifold;
}

// of a square with side a: a (√2 + asinh 1)/6
TEST(MeanRadius, OfASquareIsKnown) {
  const double expected = 2.0 * (std::sqrt(2.0) + std::asinh(1.0)) / 6.0;
  const Vec3<double> a = {3.0, 1.0, 0.5}, b = {5.0, 1.0, 0.5}, c = {5.0, 3.0, 0.5}, d = {3.0, 3.0, 0.5};
  EXPECT_NEAR(mean_radius(manifold_of({a, b, c, d})), expected, kRadius);
  EXPECT_NEAR(mean_radius(manifold_of({a, c, b, d})), expected, kRadius);
  EXPECT_NEAR(mean_radius(manifold_of({c, a, d, b})), expected, kRadius);
}

TEST(MeanRadius, OfASegmentIsAQuarterOfItsLength) {
  EXPECT_NEAR(mean_radius(manifold_of({{0.0, 0.0, 0.0}, {0.3, 0.4, 0.0}})), 0.125, kRadius);
  EXPECT_NEAR(mean_radius(manifold_of({{0.1, 0.0, 0.0}, {-0.2, 0.0, 0.0}, {0.2, 0.0, 0.0}})), 0.1, kRadius);
}

TEST(MeanRadius, OfAPointIsZero) { EXPECT_EQ(mean_radius(manifold_of({{1.0, 2.0, 3.0}})), 0.0); }

TEST(MeanRadius, LeavesOutPointsInsideAndOnTheBorder) {
  const Vec3<double> a = {0.0, 0.0, 0.0}, b = {2.0, 0.0, 0.0}, c = {2.0, 2.0, 0.0}, d = {0.0, 2.0, 0.0};
  const double expected = mean_radius(manifold_of({a, b, c, d}));
  EXPECT_NEAR(mean_radius(manifold_of({{1.0, 1.0, 0.0}, a, {1.0, 0.0, 0.0}, b, c, d})), expected, kRadius);
}

}  // namespace
}  // namespace stiction
