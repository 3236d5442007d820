// Claims: on the stacking scene few pairs reach the narrow phase, and its slots hold several times what it needs.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/host_environment.hpp"

namespace stiction {
namespace {

constexpr int kMostNarrowPhaseCalls = 60;  // of 300 candidate pairs, at every step of the course with h = 0.1
constexpr double kSpareSlots = 4.0;        // capacity over the mean number of contacts

TEST(BroadPhase, LeavesFewPairsOfTheStackAndCapacityToSpare) {
  Scene scene = load_scene((std::filesystem::path(STICTION_SOURCE_DIR) / "scenes" / "iiwa_stack").string());
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
  EXPECT_LE(most, kMostNarrowPhaseCalls);
  EXPECT_GE(host.capacity.max_contacts, kSpareSlots * contacts / steps);
  EXPECT_GE(host.capacity.max_pairs, most);
}

}  // namespace
}  // namespace stiction
