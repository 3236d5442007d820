// Claims: a hull of points that is grown from inside has the inscribed radius and the volume of cubes and
// cross-polytopes, whose facets meet in many coplanar simplices, and says what is flat and what is outside.
#include "host/grasp/wrench_hull.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiction::test {
namespace {

/// The corners of a cube of half length 1 around a centre on the first axis.
template <int D>
void make_cube(double centre, Points<D>& points) {
  points.clear();
  for (int corner = 0; corner < 1 << D; ++corner) {
    double p[D];
    for (int d = 0; d < D; ++d) p[d] = (corner >> d & 1 ? 1.0 : -1.0) + (d == 0 ? centre : 0.0);
    points.add(p);
  }
}

/// The 2 D ends of the axes.
template <int D>
void make_cross_polytope(Points<D>& points) {
  points.clear();
  for (int axis = 0; axis < D; ++axis)
    for (const double sign : {1.0, -1.0}) {
      double p[D] = {};
      p[axis] = sign;
      points.add(p);
    }
}

template <int D>
void expect_cubes_and_cross_polytopes() {
  WrenchHull<D> hull;
  make_cube(0.25, hull.wrenches());
  const Bracket cubes = hull.find_nearest();
  EXPECT_NEAR(cubes.lower, 0.75, 1e-9);
  EXPECT_NEAR(cubes.upper, 0.75, 1e-9);
  EXPECT_NEAR(hull.volume(), std::pow(2.0, D), 1e-9);
  make_cross_polytope(hull.wrenches());
  const Bracket ends = hull.find_nearest();
  EXPECT_NEAR(ends.lower, 1.0 / std::sqrt(D), 1e-12);
  EXPECT_NEAR(ends.upper, 1.0 / std::sqrt(D), 1e-12);
  double volume = 1.0;
  for (int d = 1; d <= D; ++d) volume *= 2.0 / d;
  EXPECT_NEAR(hull.volume(), volume, 1e-12);
}

TEST(WrenchHull, OfCubesAndCrossPolytopesIsRight) {
  expect_cubes_and_cross_polytopes<3>();
  expect_cubes_and_cross_polytopes<6>();
}

TEST(WrenchHull, KnowsTheOriginOutside) {
  WrenchHull<6> hull;
  make_cube(1.5, hull.wrenches());
  const Bracket bracket = hull.find_nearest();
  EXPECT_LE(bracket.upper, 0.0);
  EXPECT_NEAR(hull.volume(), 64.0, 1e-9);
}

TEST(WrenchHull, KnowsWhatIsFlat) {
  WrenchHull<3> hull;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) hull.wrenches().add({x, y, 0.5 * x - y});
  const Bracket bracket = hull.find_nearest();
  EXPECT_EQ(bracket.lower, 0.0);
  EXPECT_LE(bracket.upper, 1e-12);
  EXPECT_EQ(hull.volume(), 0.0);
}

TEST(WrenchHull, KeepsToItsPointsWhereManyAreTheSame) {
  WrenchHull<3> hull;
  make_cube(0.0, hull.wrenches());
  for (int i = 0; i < 8; ++i) {
    double p[3];
    hull.wrenches().get(i, p);
    hull.wrenches().add(p);
  }
  EXPECT_NEAR(hull.find_nearest().upper, 1.0, 1e-12);
  EXPECT_NEAR(hull.volume(), 8.0, 1e-12);
}

}  // namespace
}  // namespace stiction::test
