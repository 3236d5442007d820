// Claims about devices: what a name means, what happens where no GPU can be used, and that host and GPU agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/api/simulator.hpp"
#include "host/backend/cuda_devices.hpp"
#include "kernels/launch/solve_width.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/every_dynamics.hpp"
#include "tests/support/tolerances.hpp"

namespace stiction {
namespace {

SimulatorOptions on(const std::string& device, int batch = 4, Dtype dtype = Dtype::kFloat64) {
  SimulatorOptions options;
  options.device = device;
  options.batch = batch;
  options.dtype = dtype;
  return options;
}

/// The message of the error that `device` gives; empty if there is none.
std::string error_of(const std::string& device) {
  try {
    Simulator sim(test::pushed_boxes(), on(device));
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Device, NamesThatAreNotDevicesAreRefusedByName) {
  for (const std::string name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "CPU", ""})
    EXPECT_NE(error_of(name).find("\"" + name + "\" is not one of"), std::string::npos) << error_of(name);
}

TEST(Device, ThreadsOfASolveAreAQuarterOfAWarpAWarpOrABlock) {
  SimulatorOptions options = on("cpu");
  options.solve_threads = 128;
  try {
    Simulator sim(test::pushed_boxes(), options);
    FAIL() << "128 threads a solve were accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "solve_threads: 128 given, must be 8, 32, 64 or 0 (by the model's size)");
  }
}

TEST(Device, ThreadsOfASolveFollowTheModelsSize) {
  for (const int nv : {1, 12}) EXPECT_EQ(threads_of(choose_solve_width(nv, 0)), 8);
  for (const int nv : {13, 150}) EXPECT_EQ(threads_of(choose_solve_width(nv, 0)), 32);
  for (const int nv : {151, 1000}) EXPECT_EQ(threads_of(choose_solve_width(nv, 0)), 64);
  for (const int threads : {8, 32, 64}) EXPECT_EQ(threads_of(choose_solve_width(20, threads)), threads);
}

TEST(Device, CudaWhereNoGpuIsUsableFailsWithOneLineThatSaysWhy) {
  const CudaDevices devices = find_cuda_devices();
  if (!devices.names.empty()) GTEST_SKIP() << "this machine has a usable GPU";
  ASSERT_FALSE(devices.why_none.empty());
  for (const std::string name : {"cuda", "cuda:1"}) {
    const std::string message = error_of(name);
    EXPECT_NE(message.find(devices.why_none), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Device, AutoIsTheCpuWhereNoGpuIsUsable) {
  if (!find_cuda_devices().names.empty()) GTEST_SKIP() << "this machine has a usable GPU";
  EXPECT_EQ(Simulator(test::pushed_boxes(), on("auto")).device_name().substr(0, 3), "cpu");
}

}  // namespace
}  // namespace stiction
