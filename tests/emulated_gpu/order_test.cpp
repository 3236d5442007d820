// Claims: tasks are taken in the order of the iterations that they took in the last step, by powers of two and then by
// number, and no task is left out; a batch of more environments than are solved at once has the bits of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "host/scene/scene.hpp"
#include "kernels/launch/cuda_memory.hpp"
#include "kernels/launch/cuda_solve.hpp"
#include "tests/emulated_gpu/host_bits.hpp"

namespace stiction {
namespace {

/// What enqueue_order writes for tasks that took so many iterations; -1: not wanted.
std::vector<int> order_of(const std::vector<int>& iterations) {
  std::vector<SolveTask> tasks(iterations.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    tasks[i].wanted = iterations[i] >= 0, tasks[i].expected = iterations[i];
  const DeviceArray<SolveTask> there(tasks);
  const DeviceArray<int> order(std::vector<int>(tasks.size(), -2)), ordered(std::vector<int>{-2});
  enqueue_order(there.data(), static_cast<int>(tasks.size()), order.data(), ordered.data(), nullptr);
  std::vector<int> found(tasks.size()), number(1);
  order.download(found.data(), nullptr), ordered.download(number.data(), nullptr);
  cudaDeviceSynchronize();
  EXPECT_TRUE(std::all_of(found.begin() + number[0], found.end(), [](int i) { return i == -2; }));
  found.resize(static_cast<std::size_t>(number[0]));
  return found;
}

std::vector<int> expected_order(const std::vector<int>& iterations) {
  const auto bucket = [&](int i) {
    const int taken = iterations[static_cast<std::size_t>(i)];
    return taken >= 32 ? 5 : taken >= 16 ? 4 : taken >= 8 ? 3 : taken >= 4 ? 2 : taken >= 2 ? 1 : 0;
  };
  std::vector<int> order(iterations.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int i) { return iterations[static_cast<std::size_t>(i)] < 0; });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bucket(a) > bucket(b); });
  return order;
}

TEST(Order, PutsTasksFirstThatTookLong) {
  for (const std::size_t count : {1u, 2u, 255u, 256u, 257u, 1000u}) {
    std::vector<int> iterations(count);
    for (std::size_t i = 0; i < count; ++i) iterations[i] = static_cast<int>(i * 37 % 71) - 3;
    EXPECT_EQ(order_of(iterations), expected_order(iterations)) << count;
  }
  EXPECT_EQ(order_of({0, 1, 2, 3, 4, 31, 32, 1000}), (std::vector<int>{6, 7, 5, 4, 2, 3, 0, 1}));
  EXPECT_EQ(order_of({-1, -1, -1}), std::vector<int>{});
  EXPECT_EQ(emulated_gpu::take_faults(), 0);
}

/// A batch whose environments differ, with contacts that come and go and steps that take several rounds.
TEST(Order, OfMoreTasksThanAreSolvedAtOnceChangesNoBits) {
  Scene scene = test::outrun_boxes();
  SimulatorOptions options;
  options.batch = 30;  // the emulated GPU solves 12 at once with a warp
  options.solve_threads = 32;
  Simulator host(scene, options);
  options.device = "cuda";
  Simulator gpu(scene, options);
  std::vector<double> qvel = host.qvel();
  for (std::size_t k = 0; k < qvel.size(); ++k) qvel[k] += 0.05 * static_cast<double>(k * 13 % 17);
  for (Simulator* sim : {&host, &gpu}) {
    sim->set_qvel(qvel);
    sim->step(4);
  }
  expect_same_bits(host, gpu, "30 environments");
  EXPECT_EQ(emulated_gpu::take_faults(), 0);
}

}  // namespace
}  // namespace stiction
