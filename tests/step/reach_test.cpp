// Claims: no step goes through what its contacts did not look at: points of a pair that come down within the step
// count, whatever the shape, the dynamics and the step; and no correct step is said to have gone too far.
#include <gtest/gtest.h>

#include "tests/support/convex_scene.hpp"
#include "tests/support/host_environment.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr double kFlat = 1e-6;  // overlap [m]
constexpr double kRound =
    2e-5;  // of a round end, which a step turns along its tangent: as the reference, to its last digit

struct Tilted {
  const char *name, *geom;
  double half_width, half_height;  // of what stands on its edge [m]
  double deepest;                  // overlap [m]
};

constexpr Tilted kTilted[] = {{"box", R"(type="box" size=".05 .03 .02")", 0.05, 0.02, kFlat},
                              {"disc", R"(type="cylinder" size=".05 .01")", 0.05, 0.01, kFlat},
                              {"capsule", R"(type="capsule" size=".01 .04" euler="0 90 0")", 0.05, 0.01, kRound}};

/// A body that stands on its lowest point, tilted about y, on a plane or on a fixed box.
Scene tilted_scene(const Tilted& shape, double degrees, bool on_a_box, Dynamics dynamics, double h) {
  const double angle = degrees * M_PI / 180, round = shape.name[0] == 'c' ? 0.01 : 0.0;  // a capsule's radius
  const double height =
      (shape.half_width - round) * std::sin(angle) + (round > 0 ? round : shape.half_height * std::cos(angle));
  const std::string ground =
      on_a_box ? R"(<geom type="box" size="1 1 .1" pos="0 0 -.1"/>)" : R"(<geom type="plane" size="1 1 1"/>)";
  const std::string body = "<body pos='0 0 " + std::to_string(height + 1e-6) + "' euler='0 " + std::to_string(degrees) +
                           " 0'><freejoint/><geom mass='.1' " + shape.geom + "/></body>";
  Scene scene = test::load_convex_scene(
      test::write_temporary("tilted.xml", "<mujoco><worldbody>" + ground + body + "</worldbody></mujoco>"));
  scene.physics.dynamics = dynamics;
  scene.step_size = h;
  return scene;
}

TEST(Reach, WhatStandsTiltedLiesDown) {
  for (const Tilted& shape : kTilted)
    for (const auto dynamics : {Dynamics::kQuasidynamic, Dynamics::kDynamic})
      for (const double h : {0.02, 0.05, 0.1, 0.4})
        for (const double degrees : {1.0, 2.0, 12.0, 30.0})
          for (const bool on_a_box : {false, true}) {
            reference::HostEnvironment host(tilted_scene(shape, degrees, on_a_box, dynamics, h));
            for (int step = 0; step < 4; ++step) {
              host.solve();
              ASSERT_TRUE(host.report.status & status::kConverged);
              ASSERT_FALSE(host.report.status & status::kReachExceeded);
              host.finish();
            }
            host.solve();  // contacts where it came to
            double deepest = 0;
            for (int i = 0; i < *host.scratch.contacts.count; ++i)
              deepest = std::max(deepest, -host.scratch.contacts.gap[i]);
            EXPECT_LE(deepest, shape.deepest) << shape.name << " tilted by " << degrees << ", h " << h << ", dynamics "
                                              << static_cast<int>(dynamics) << (on_a_box ? ", on a box" : "");
          }
}

TEST(Reach, ASpinIsNoWayTowardsWhatIsFar) {
  constexpr const char* kBalls = R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body><freejoint/><geom type="sphere" size=".05"/></body>
    <body pos="2 0 0"><freejoint/><geom type="sphere" size=".05"/></body>
  </worldbody></mujoco>)";
  Scene scene = test::load_convex_scene(test::write_temporary("spin.xml", kBalls));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.step_size = 0.05;
  scene.qvel[5] = 100;
  reference::HostEnvironment host(scene);
  host.solve();
  EXPECT_EQ(host.report.status, status::kConverged);
}

TEST(Reach, OnlyWhatMovedFurtherIsSearchedFurther) {
  constexpr const char* kBalls = R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body><freejoint/><geom type="sphere" size=".05"/></body>
    <body pos="2 0 0"><freejoint/><geom type="sphere" size=".05"/></body>
  </worldbody></mujoco>)";
  for (const auto dynamics : {Dynamics::kQuasidynamic, Dynamics::kDynamic}) {
    Scene scene = test::load_convex_scene(test::write_temporary("two.xml", kBalls));
    scene.physics.dynamics = dynamics;
    reference::HostEnvironment host(scene);
    host.solve();
    StepScratch<double>& s = host.scratch;
    const double h = scene.step_size;
    std::vector<double> v(static_cast<std::size_t>(host.own.nv), 0.0);
    const struct { double speed, reach; } rounds[] = {{0.1, 1.25 * 0.1}, {0.13, 2 * 0.13}, {0.01, 2 * 0.13}};
    for (const auto& round : rounds) {
      v[0] = round.speed;
      const double other = s.reach.geom[1];
      count_overlooked(HostTeam<>{}, host.own, s.poses, s.slots, v.data(), h, s.bounds, s.reach);
      enlarge_reach(HostTeam<>{}, host.own, s.poses, s.bounds, h, s.reach);
      EXPECT_DOUBLE_EQ(s.reach.geom[0], h * round.reach);
      EXPECT_EQ(s.reach.geom[1], other);
    }
  }
}

}  // namespace
}  // namespace stiction
