// Claims about the emulated GPU itself: it finds each mistake that it is there to find, and says nothing of what is
// right.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/emulated_gpu/faults.hpp"
#include "tests/emulated_gpu/faulty_kernels.hpp"

namespace emulated_gpu {
namespace {

/// Calls check(order, faults) after the kernel ran in each order.
template <class Check>
void run_in_every_order(const char* kernel, Check check) {
  for (const char* order : {"forward", "backward", "shuffled"}) {
    setenv("EMULATED_GPU_ORDER", order, 1);
    ASSERT_TRUE(run_kernel_named(kernel));
    check(order, take_faults());
  }
  unsetenv("EMULATED_GPU_ORDER");
}

class Faulty : public ::testing::TestWithParam<const char*> {};

TEST_P(Faulty, KernelIsFoundInEveryOrder) {
  run_in_every_order(GetParam(), [](const char* order, int faults) { EXPECT_GT(faults, 0) << order; });
}

INSTANTIATE_TEST_SUITE_P(Every, Faulty,
                         testing::Values("exchange_without_barrier", "exchange_by_shuffle", "exchange_in_shared_memory",
                                         "exchange_in_launched_memory", "exceed_launched_memory",
                                         "write_from_every_block", "write_beyond_the_end", "write_host_memory",
                                         "write_unaligned", "leave_before_the_barrier", "wait_at_another_barrier",
                                         "shuffle_from_outside", "exchange_at_a_meeting", "meet_at_a_barrier"),
                         [](const auto& info) { return std::string(info.param); });

class Right : public ::testing::TestWithParam<const char*> {};

TEST_P(Right, KernelHasNoFault) {
  ASSERT_TRUE(run_kernel_named(GetParam()));
  EXPECT_EQ(take_faults(), 0);
}

TEST_P(Right, KernelHasNoFaultInAnyOrder) {
  run_in_every_order(GetParam(), [](const char* order, int faults) { EXPECT_EQ(faults, 0) << order; });
}

INSTANTIATE_TEST_SUITE_P(Every, Right,
                         testing::Values("exchange_with_barriers", "flag_from_every_block",
                                         "meet_those_that_have_not_ended", "keep_in_step"),
                         [](const auto& info) { return std::string(info.param); });

TEST(EmulatedGpu, AFaultIsTheErrorOfWhoeverWaits) {
  ASSERT_TRUE(run_kernel_named("write_beyond_the_end"));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  take_faults();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(EmulatedGpu, CopiesAreDoneWhenTheirStreamIsWaitedForAndNotBefore) {
  cudaStream_t stream = nullptr;
  void* memory = nullptr;
  int sent = 1, found = 0;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&memory, sizeof(int)), cudaSuccess);
  cudaMemcpyAsync(memory, &sent, sizeof(int), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(&found, memory, sizeof(int), cudaMemcpyDeviceToHost, stream);
  sent = 2;  // too early
  EXPECT_EQ(found, 0);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(found, 2);
  cudaFree(memory);
  cudaStreamDestroy(stream);
}

TEST(EmulatedGpu, CopiesWithTheWrongSidesAreFaults) {
  void* memory = nullptr;
  int value = 1;
  ASSERT_EQ(cudaMalloc(&memory, sizeof(int)), cudaSuccess);
  cudaMemcpy(memory, &value, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT_EQ(take_faults(), 1);
  cudaMemcpy(memory, &value, 2 * sizeof(int), cudaMemcpyHostToDevice);  // longer than it is
  EXPECT_EQ(take_faults(), 1);
  cudaFree(memory);
}

TEST(EmulatedGpu, MemoryThatIsNotThereIsRefused) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace emulated_gpu
