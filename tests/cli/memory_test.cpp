// Claims: what does not fit says how many environments would, on the host and on a GPU.
#include <gtest/gtest.h>

#include "host/api/simulator.hpp"
#include "host/backend/backend.hpp"
#include "host/backend/capacity.hpp"
#include "host/backend/fitting.hpp"
#include "host/scene/families.hpp"

namespace stiction::test {
namespace {

constexpr int kTooMany = 2'000'000'000;

std::string message_of(int batch, const BatchBytes& bytes, std::size_t free, const std::string& where) {
  try {
    check_fitting(batch, bytes, free, where);
  } catch (const OutOfMemory& error) {
    return error.what();
  }
  return "";
}

TEST(Fitting, CountsWhatIsLeftAfterWhatIsShared) {
  EXPECT_EQ(count_fitting({100, 50}, 1049), 9u);
  EXPECT_EQ(count_fitting({100, 50}, 1050), 10u);
  EXPECT_EQ(count_fitting({100, 50}, 49), 0u);
}

TEST(Fitting, SaysWhatIsNeededWhatIsFreeAndHowManyFit) {
  EXPECT_EQ(message_of(10, {100, 50}, 1050, ""), "");
  EXPECT_EQ(message_of(3000, {1'000'000, 500'000'000}, 1'500'000'000, ""),
            "out of memory: 3000 environments need 3.5 GB and 1.5 GB are free; 1000 fit");
  EXPECT_EQ(message_of(11, {200'000'000, 0}, 2'000'000'000, "on cuda:0"),
            "out of memory: 11 environments need 2.2 GB and 2.0 GB are free on cuda:0; 10 fit");
}

TEST(Fitting, TheSimulatorRefusesABatchBeforeItTakesMemory) {
  const Scene scene = *make_family_scene("boxes:1");
  EXPECT_THROW(Simulator(scene, {.batch = kTooMany, .device = "cpu"}), OutOfMemory);
}

TEST(Fitting, WhatABatchTakesGrowsByTheEnvironmentAndByTheThread) {
  const Scene scene = *make_family_scene("boxes:4");
  const BatchBytes one = host_batch_bytes(scene, choose_capacity(scene), false, 1);
  const BatchBytes three = host_batch_bytes(scene, choose_capacity(scene), false, 3);
  const BatchBytes single = host_batch_bytes(scene, choose_capacity(scene), true, 1);
  EXPECT_EQ(three.each, one.each);
  EXPECT_EQ(three.once, 3 * one.once);
  EXPECT_EQ(one.once, Simulator(scene, {.device = "cpu", .threads = 1}).scratch_bytes());
  EXPECT_LT(single.each, one.each);
}

TEST(Fitting, AnArrayThatTheHostCanNotHoldIsRefusedBeforeItIsRead) {
  EXPECT_EQ(reserve_on_host(3, 5).capacity(), 15u);
  EXPECT_EQ(reserve_on_host(3, 0).capacity(), 0u);
  try {
    reserve_on_host(kTooMany, 100'000);
    ADD_FAILURE() << "1600 TB were given";
  } catch (const OutOfMemory& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("2000000000 environments need 1600000.0 GB"), std::string::npos) << said;
    EXPECT_NE(said.find("on the host, for the array that is read; "), std::string::npos) << said;
  }
}

TEST(Fitting, TheAllocatorGivesAtMostWhatIsAsked) {
  constexpr std::size_t kMegabyte = 1 << 20, kMoreThanAnyAddress = std::size_t{1} << 60;
  EXPECT_EQ(allocatable_bytes(kMegabyte), kMegabyte);
  EXPECT_LT(allocatable_bytes(kMoreThanAnyAddress), kMoreThanAnyAddress);
}

}  // namespace
}  // namespace stiction::test
