// Copy bandwidth: 512 MiB are read once and written once; best of ten runs.
// Multiply-adds: eight independent chains per thread, with enough threads for every multiprocessor; best of ten runs.
#include <algorithm>

#include "kernels/launch/ceilings.hpp"
#include "kernels/launch/cuda_launch.cuh"
#include "kernels/launch/cuda_memory.hpp"

namespace stiction {
namespace {

constexpr int kThreads = 256, kRuns = 10, kChains = 8, kLinks = 4096;
constexpr std::size_t kCopied = std::size_t{512} << 20;  // bytes

__global__ void copy_kernel(const double2* from, double2* to, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    to[i] = from[i];
}

__global__ void multiply_add_kernel(double factor, double* sums) {
  double chain[kChains];
  for (int c = 0; c < kChains; ++c) chain[c] = threadIdx.x + c;
  for (int link = 0; link < kLinks; ++link)
    for (int c = 0; c < kChains; ++c) chain[c] = fma(chain[c], factor, 1.0);
  double sum = 0.0;
  for (int c = 0; c < kChains; ++c) sum += chain[c];
  sums[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = sum;  // or the compiler would drop the loop
}

/// Seconds of the fastest of kRuns runs of `launch`.
template <class Launch>
double best_seconds(Launch launch) {
  cudaEvent_t begin, end;
  check_cuda(cudaEventCreate(&begin), "making an event");
  check_cuda(cudaEventCreate(&end), "making an event");
  float best = 1e30f;
  for (int run = 0; run < kRuns; ++run) {
    check_cuda(cudaEventRecord(begin), "recording an event");
    launch();
    check_cuda(cudaEventRecord(end), "recording an event");
    check_cuda(cudaEventSynchronize(end), "measuring a ceiling");
    float milliseconds = 0.0f;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "measuring a ceiling");
    best = std::min(best, milliseconds);
  }
  check_cuda(cudaGetLastError(), "measuring a ceiling");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return 1e-3 * static_cast<double>(best);
}

}  // namespace

Ceilings measure_cuda_ceilings(int index) {
  int processors = 0;
  check_cuda(cudaSetDevice(index), "selecting a GPU");
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index), "reading the GPU's size");
  const LaunchSize size = {8 * processors, kThreads};
  Ceilings ceilings{};
  {
    const std::size_t count = kCopied / sizeof(double2);
    DeviceArray<double2> from(count), to(count);
    const double seconds = best_seconds([&] { launch(size, nullptr, copy_kernel, from.data(), to.data(), count); });
    ceilings.copy_bytes = 2.0 * static_cast<double>(kCopied) / seconds;
  }
  DeviceArray<double> sums(static_cast<std::size_t>(size.blocks) * kThreads);
  const double seconds = best_seconds([&] { launch(size, nullptr, multiply_add_kernel, 0.5, sums.data()); });
  ceilings.multiply_adds = static_cast<double>(kChains) * kLinks * kThreads * size.blocks / seconds;
  return ceilings;
}

}  // namespace stiction
