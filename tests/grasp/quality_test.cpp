// Claims: the quality of grasps has the values of closed forms, does not hang on where contacts stand in a batch, and
// bad numbers are named with their grasp and contact.
#include "host/grasp/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/model/error.hpp"

namespace stiction::test {
namespace {

/// One grasp; positions from the centre, normals towards it.
Grasps towards_the_centre(int dimension, const std::vector<double>& position, double friction) {
  Grasps grasps;
  grasps.batch = 1, grasps.dimension = dimension;
  grasps.contacts = static_cast<int>(position.size()) / dimension;
  grasps.position = position;
  for (const double x : position) grasps.normal.push_back(-x);
  grasps.friction.assign(static_cast<std::size_t>(grasps.contacts), friction);
  grasps.torsion.assign(static_cast<std::size_t>(grasps.contacts), 0.0);
  grasps.center.assign(static_cast<std::size_t>(dimension), 0.0);
  grasps.length = {1.0};
  return grasps;
}

/// Two fingers against each other, friction mu, torques divided by their distance from the centre.
double of_two_fingers(double mu) { return mu / std::sqrt(mu * mu + 2.0); }

TEST(GraspQuality, OfTwoFingersInAPlaneIsTheClosedForm) {
  for (const double mu : {0.1, 0.5, 1.0}) {
    const GraspQuality quality = grasp_quality(towards_the_centre(2, {-1, 0, 1, 0}, mu), {});
    EXPECT_TRUE(quality.closure[0]);
    EXPECT_NEAR(quality.epsilon[0], of_two_fingers(mu), 1e-12);
    EXPECT_LE(quality.lower[0], quality.epsilon[0]);
    EXPECT_LE(quality.epsilon[0], quality.upper[0]);
  }
}

TEST(GraspQuality, OfTwoHardFingersInSpaceIsZeroUnlessTheyTwist) {
  Grasps grasps = towards_the_centre(3, {-1, 0, 0, 1, 0, 0}, 0.5);
  const GraspQuality hard = grasp_quality(grasps, {.volume = true});
  EXPECT_FALSE(hard.closure[0]);
  EXPECT_EQ(hard.epsilon[0], 0.0);
  EXPECT_EQ(hard.volume[0], 0.0);
  grasps.torsion = {0.2, 0.2};
  const GraspQuality soft = grasp_quality(grasps, {.volume = true});
  EXPECT_TRUE(soft.closure[0]);
  EXPECT_GT(soft.epsilon[0], 0.01);
  EXPECT_GT(soft.volume[0], 0.0);
}

TEST(GraspQuality, OfAGraspIsItsOwnInEveryPlace) {
  const std::vector<double> first = {1, 0, 0, -0.9, 0.2, 0.1, 0, -1, 0.3},
                            second = {0.5, 0.4, 1, -1, 0, 0, 0.1, -0.7, -1};
  std::vector<double> both = first;
  both.insert(both.end(), second.begin(), second.end());
  Grasps grasps = towards_the_centre(3, both, 0.7);
  grasps.batch = 2, grasps.contacts = 3;
  grasps.center.resize(6, 0.0), grasps.length = {1.0, 1.0};
  const GraspQuality together = grasp_quality(grasps, {.volume = true, .threads = 2});
  for (int i = 0; i < 2; ++i) {
    const GraspQuality alone = grasp_quality(towards_the_centre(3, i == 0 ? first : second, 0.7), {.volume = true});
    EXPECT_EQ(together.epsilon[static_cast<std::size_t>(i)], alone.epsilon[0]);
    EXPECT_EQ(together.volume[static_cast<std::size_t>(i)], alone.volume[0]);
  }
}

TEST(GraspQuality, WithoutContactsThereIsNoClosure) {
  Grasps grasps = towards_the_centre(3, {1, 0, 0}, 0.5);
  grasps.count = {0};
  const GraspQuality quality = grasp_quality(grasps, {});
  EXPECT_FALSE(quality.closure[0]);
  EXPECT_EQ(quality.upper[0], 0.0);
}

/// What is said of a grasp after a change; empty if nothing.
template <class Change>
std::string error_after(Change change) {
  Grasps grasps = towards_the_centre(3, {1, 0, 0, 0, 1, 0}, 0.5);
  change(grasps);
  try {
    grasp_quality(grasps, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GraspQuality, NamesWhatIsWrong) {
  EXPECT_EQ(error_after([](Grasps&) {}), "");
  EXPECT_EQ(error_after([](Grasps& g) { g.position[3] = NAN; }), "position: that of contact 1 of grasp 0 is nan");
  EXPECT_EQ(error_after([](Grasps& g) { g.normal[0] = 0; }),
            "normal: that of contact 0 of grasp 0 is zero; it may have any other length");
  EXPECT_EQ(error_after([](Grasps& g) { g.friction[1] = -1; }),
            "friction: that of contact 1 of grasp 0 is -1, must be at least 0");
  EXPECT_EQ(error_after([](Grasps& g) { g.length[0] = 0; }), "length: that of grasp 0 is 0, must be positive [m]");
  EXPECT_EQ(error_after([](Grasps& g) { g.count = {3}; }), "count: that of grasp 0 is 3, must be in [0, 2]");
  EXPECT_EQ(error_after([](Grasps& g) { g.torsion.pop_back(); }), "torsion: expected 2 values, got 1");
  EXPECT_EQ(error_after([](Grasps& g) { g.facets = 2; }), "facets: 2 given, must be at least 3");
  EXPECT_EQ(error_after([](Grasps& g) { g.dimension = 4; }), "position: points have 4 coordinates, must be 2 or 3");
}

}  // namespace
}  // namespace stiction::test
