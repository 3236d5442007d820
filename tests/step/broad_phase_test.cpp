// Claims: on the stacking scene few pairs reach the narrow phase, with momentum too, and its slots hold several times
// what it needs; bodies at rest do not look as far as they could fall, and yet land where they lose their hold.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/host_environment.hpp"
#include "tests/support/models.hpp"

namespace stiction {
namespace {

constexpr int kMostNarrowPhaseCalls = 60;  // of 300 candidate pairs, at every step of the course with h = 0.1
constexpr int kMostWithMomentum = 90;      // and where a moving body may gain as much speed as it has
constexpr double kSpareSlots = 4.0;        // capacity over the mean number of contacts

void expect_few_pairs(Dynamics dynamics, int most_calls) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "iiwa_stack").string());
  scene.physics.dynamics = dynamics;
  scene.step_size = 0.1;
  reference::HostEnvironment host(scene);
  int most = 0, steps = 0;
  double contacts = 0.0;
  for (; host.env.time[0] < scene.duration; ++steps) {
    host.solve();
    most = std::max(most, *host.scratch.slots.count);
    contacts += *host.scratch.contacts.count;
    host.finish();
  }
  EXPECT_LE(most, most_calls);
  EXPECT_GE(host.capacity.max_contacts, kSpareSlots * contacts / steps);
  EXPECT_GE(host.capacity.max_pairs, most);
}

TEST(BroadPhase, LeavesFewPairsOfTheStackAndCapacityToSpare) {
  expect_few_pairs(Dynamics::kQuasistatic, kMostNarrowPhaseCalls);
}

TEST(BroadPhase, LeavesFewPairsWithMomentumToo) { expect_few_pairs(Dynamics::kDynamic, kMostWithMomentum); }

constexpr const char* kBesideAWall = R"(<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 1" friction="0 0 0"/>
    <geom type="box" size=".1 1 1" pos="-.2 0 1" friction="0 0 0"/>
    <body name="box" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" friction="0 0 0"/></body>
  </worldbody>
</mujoco>)";

TEST(BroadPhase, WhatOnlyLeansOnAWallFallsOntoTheFloorInOneStep) {
  Scene scene = load_scene(test::write_temporary("beside_a_wall.xml", kBesideAWall));
  scene.physics.dynamics = Dynamics::kDynamic;
  scene.step_size = 0.2;  // free fall of 0.39 m, and 0.2 m to go
  reference::HostEnvironment host(scene);
  host.solve();
  EXPECT_TRUE(host.report.status & status::kConverged);
  EXPECT_FALSE(host.report.status & status::kReachExceeded);
  host.finish();
  EXPECT_NEAR(host.qpos()[2], 0.1, 1e-6);
}

}  // namespace
}  // namespace stiction
